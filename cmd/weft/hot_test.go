// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/heat/load"
)

// TestHotPages sends a growing key to a server and looks at all pages that tell of it.
func TestHotPages(t *testing.T) {
	s, _ := openServer(t, nil)
	db := s.database.(*openedDatabase).db
	mustGet(t, admin(s), "/hot", "Too little was asked")
	if _, err := db.CreateTable(t.Context(), weft.TableSpec{Name: "readings", Key: weft.Columns("device", weft.String, "ts", weft.Int), PartitionParts: 1}); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := db.Update(t.Context(), func(tx *weft.Tx) error {
			for j := range 100 {
				if err := tx.Put(t.Context(), "readings", weft.Document{"device": "a", "ts": 100*i + j}); err != nil {
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
	mustGet(t, admin(s), "/hot?table=readings&statements=1", "SQL: CREATE TABLE readings_hash8 (device VARCHAR, ts BIGINT, PRIMARY KEY(device, hash8(ts), ts));")
	mustGet(t, admin(s), "/hot?table=readings&format=json", `"kind":"increasing-key","table":"readings"`)
	mustGet(t, admin(s), "/hot?table=none", "404 there is no table none")
	mustGet(t, admin(s), "/metrics", `weft_heat_findings{index="",kind="increasing-key",table="readings"} 0.5`)
	mustGet(t, admin(s), "/advise?table=readings", "ts increases with time")
	mustGet(t, admin(s), "/api/heat?measure=love", "400 measure must be reads, writes")
	mustGet(t, admin(s), "/api/heat?lo=xy", "400 lo must be a key in hexadecimal")
	checkHeatMap(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// checkHeatMap reads the picture as a page would: its cells add up to what was written, in rows of the table.
func checkHeatMap(t *testing.T, s *server) {
	t.Helper()
	body, err := get(admin(s), "/api/heat?measure=writes")
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
		t.Fatalf("%d cells, %d keys, %d times, %d findings", len(answer.Data), len(answer.Keys), len(answer.Times), len(answer.Findings))
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
		l, _ := load.Find(name)
		if want := fmt.Sprintf("%s: %s\n%s: ", l.Name, l.Says, l.Finding); !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from:\n%s", want, out.String())
		}
	}
	if code := p.run(t.Context(), []string{"simulate", "nothing"}); code != exitUsage {
		t.Errorf("a load that there is not: exit code %d", code)
	}
}
