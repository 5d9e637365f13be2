// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the client

	"github.com/weftdb/weft/internal/advice/heat/workload"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestHotPages sends a growing key to a server and looks at all pages that tell of it.
func TestHotPages(t *testing.T) {
	s, _ := openServer(t, nil)
	db := s.database.(*openedDatabase).db
	mustGet(t, admin(s), "/hot", "There were too few requests")
	if _, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: "readings", Key: database.Columns("device", schema.String, "ts", schema.Int),
			PartitionParts: 1}); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := db.Update(t.Context(), func(tx *database.Tx) error {
			for j := range 100 {
				if err := testdoc.PutIn(t.Context(), tx, "readings",
					testdoc.Document{"device": "a", "ts": 100*i + j}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	s.heat.Tick(time.Now().Add(time.Minute))
	mustGet(t, admin(s), "/hot", "increasing-key: ts increases with time: 100 % of the writes to table readings go to the end of its key")
	mustGet(t, admin(s), "/hot?table=readings&statements=1",
		"SQL: CREATE TABLE `readings_hash8` (`device` VARCHAR, `ts` BIGINT, PRIMARY KEY(hash8(`ts`), `device`, `ts`))")
	mustGet(t, admin(s), "/hot?table=readings&format=json", `"kind":"increasing-key","table":"readings"`)
	mustGet(t, admin(s), "/hot?table=none", "404 there is no table none")
	mustGet(t, admin(s), "/metrics", `weft_heat_findings{index="",kind="increasing-key",table="readings"} 0.5`)
	mustGet(t, admin(s), "/advise?table=readings", "ts increases with time")
	mustGet(t, admin(s), "/api/heat?measure=love", "400 measure must be entries, reads, writes")
	mustGet(t, admin(s), "/api/heat?lo=xy", "400 lo must be a key in hexadecimal")
	checkHeatMap(t, s, "writes")
	checkHeatMap(t, s, "entries")
	readings, err := db.Table("readings")
	if err != nil {
		t.Fatal(err)
	}
	if added, err := readings.Split(t.Context(), "", database.RegionSpec{Count: 3}); err != nil || added != 2 {
		t.Fatal(added, err)
	}
	s.heat.Tick(time.Now().Add(time.Minute))
	if body, err := get(admin(s), "/api/heat"); err != nil ||
		len(regexp.MustCompile(`"splits":\["[0-9a-f]+","[0-9a-f]+"\]`).FindString(body)) == 0 {
		t.Errorf("two splits are not shown: %s %v", body, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// checkHeatMap reads the picture as a page would: its cells add up to what was written, in rows of the table.
func checkHeatMap(t *testing.T, s *server, measure string) {
	t.Helper()
	body, err := get(admin(s), "/api/heat?measure="+measure)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Times    []int64
		Keys     []struct{ Labels []string }
		Max      float64
		Data     []byte
		Findings []json.RawMessage
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(body, "200 ")), &answer); err != nil {
		t.Fatal(err, body)
	}
	if len(answer.Data) != len(answer.Keys)*(len(answer.Times)-1) || len(answer.Findings) != 1 {
		t.Fatalf("%d cells, %d keys, %d times, %d findings", len(answer.Data), len(answer.Keys), len(answer.Times),
			len(answer.Findings))
	}
	sum, labelled := 0.0, 0
	for i, code := range answer.Data {
		if labels := answer.Keys[i%len(answer.Keys)].Labels; len(labels) > 0 && labels[0] == "readings" {
			sum += math.Expm1(float64(code) / 255 * math.Log1p(answer.Max))
			if len(labels) == 4 && labels[2] == "a" {
				labelled++
			}
		}
	}
	if sum < 700 || sum > 1400 || labelled < 4 {
		t.Errorf("the cells add up to %v, of 1000; %d have a label of both columns: %v", sum, labelled, answer.Keys)
	}
}

// TestSimulate shows each load's finding, on the real engine.
func TestSimulate(t *testing.T) {
	var out bytes.Buffer
	p := &program{stdout: &out, stderr: &out}
	if code := p.run(t.Context(), []string{"simulate", "increasing-prefixes", "single-row"}); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, name := range []string{"increasing-prefixes", "single-row"} {
		l, _ := workload.Find(name)
		if want := fmt.Sprintf("%s: %s\n%s: ", l.Name, l.Says, l.Finding); !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from:\n%s", want, out.String())
		}
	}
	if code := p.run(t.Context(), []string{"simulate", "nothing"}); code != exitUsage {
		t.Errorf("a load that there is not: exit code %d", code)
	}
}

// TestStatementsRun runs every statement that the tests expect in a finding, over the protocol of its dialect.
func TestStatementsRun(t *testing.T) {
	s, _ := openServer(t, map[string]string{"mysql-addr": "127.0.0.1:0", "dynamodb-addr": "127.0.0.1:0"})
	addresses := map[string]string{}
	for _, d := range s.protocols {
		addresses[d.Name()] = d.Addr().String()
	}
	db, err := sql.Open("mysql", "root@tcp("+addresses["mysql"]+")/default")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../internal/advice/heat/diagnosis/testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if statement, ok := strings.CutPrefix(line, "  SQL: "); ok {
				ran++
				runSQL(t, db, fmt.Sprintf("d%d", ran), statement)
			}
			if body, ok := strings.CutPrefix(line, "  DynamoDB: "); ok {
				ran++
				name := regexp.MustCompile(`"TableName": "([^"]*)"`)
				createTable(t, addresses["dynamodb"],
					name.ReplaceAllString(body, fmt.Sprintf(`"TableName": "$1-%d"`, ran)))
			}
		}
	}
	if ran < 20 {
		t.Errorf("%d statements were found", ran)
	}
	if err := errors.Join(db.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

// runSQL runs a statement in a database of its own, in which there is a table for an index to be of.
func runSQL(t *testing.T, db *sql.DB, database, statement string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, text := range []string{"CREATE DATABASE " + database, "USE " + database,
		"CREATE TABLE orders (id VARCHAR, made BIGINT, PRIMARY KEY(id))", statement} {
		if _, err := conn.ExecContext(t.Context(), strings.TrimSpace(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func createTable(t *testing.T, address, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Amz-Target", "DynamoDB_20120810.CreateTable")
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=a")
	request.Header.Set("X-Amz-Date", "20260101T000000Z")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %s %s %v", body, answer.Status, text, err)
	}
}
