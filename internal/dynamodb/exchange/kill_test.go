// SPDX-License-Identifier: Apache-2.0

package exchange_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/storage"
)

// killedIn names the folder in which a child process imports and exports.
const killedIn = "WEFT_TEST_EXCHANGE_IN"

const killedRows = 20_000

// TestKilled kills a process that imports a table and exports it, again and again, until one of them gets to the end:
// there is one import and one export, both completed, with each item once.
func TestKilled(t *testing.T) {
	rounds.SkipRace(t)
	if dir := os.Getenv(killedIn); dir != "" {
		exchangeIn(t, dir)
		return
	}
	dir := t.TempDir()
	var lines bytes.Buffer
	pack := gzip.NewWriter(&lines)
	for i := range killedRows {
		fmt.Fprintf(pack, `{"Item":{"id":{"S":"%d"},"text":{"S":"%s"}}}`+"\n", i*7919%killedRows,
			strings.Repeat("x", 200))
	}
	if err := pack.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := storage.Folder(filepath.Join(dir, "lake")).Put(t.Context(), "in/rows.json.gz", &lines,
		storage.Unknown); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for wait := 100 * time.Millisecond; ; wait += wait / 4 {
		ended, err := killAfter(dir, wait)
		if err != nil {
			t.Fatal(err)
		}
		if ended {
			break
		}
		killed++
	}
	t.Logf("killed %d times", killed)
	checkExchanged(t, dir)
}

// killAfter runs a child, and kills it unless it ends before.
func killAfter(dir string, wait time.Duration) (ended bool, err error) {
	child := exec.Command(os.Args[0], "-test.run=^TestKilled$", "-test.count=1")
	child.Env = append(os.Environ(), killedIn+"="+dir)
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	if err := child.Start(); err != nil {
		return false, err
	}
	done := make(chan error, 1)
	go func() { done <- child.Wait() }()
	select {
	case err = <-done:
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, out.String())
		}
		return true, err
	case <-time.After(wait):
	}
	_ = child.Process.Kill() // it may have ended
	<-done
	return false, nil
}

// open opens the database of the folder, with the work that a process before has left.
func open(t *testing.T, dir string) *script {
	s := &script{dir: dir, moments: map[string]string{},
		api: &dynamodb.API{DB: testdb.OpenPebbleDir(t, dir+"/data"), Dir: dir + "/work",
			Buckets: func(name string) (storage.Storage, error) {
				return storage.Folder(filepath.Join(dir, name)), nil
			}}}
	s.api.Serve()
	return s
}

// exchangeIn is the child.
func exchangeIn(t *testing.T, dir string) {
	s := open(t, dir)
	wait := func() {
		if err := errors.Join(s.api.DB.WaitJobs(t.Context()), s.api.DB.Tasks().Wait(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(s.op(t, "ListImports", `{}`), `"ImportSummaryList":[]`) {
		s.op(t, "ImportTable", `{"ClientToken":"one","S3BucketSource":{"S3Bucket":"lake","S3KeyPrefix":"in/"},"InputFormat":"DYNAMODB_JSON","InputCompressionType":"GZIP","TableCreationParameters":{"TableName":"items","KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}}`)
	}
	wait()
	if strings.Contains(s.op(t, "ListExports", `{}`), `"ExportSummaries":[]`) {
		s.op(t, "UpdateContinuousBackups",
			`{"TableName":"items","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}`)
		wait()
		s.op(t, "ExportTableToPointInTime",
			`{"ClientToken":"two","TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/items","S3Bucket":"lake","S3Prefix":"out"}`)
	}
	wait()
}

func checkExchanged(t *testing.T, dir string) {
	s := open(t, dir)
	for operation, want := range map[string]string{"ListImports": `"ImportStatus":"COMPLETED"`,
		"ListExports": `"ExportStatus":"COMPLETED"`} {
		if answer := s.op(t, operation, `{}`); strings.Count(answer, "Status") != 1 || !strings.Contains(answer, want) {
			t.Fatalf("%s: %s", operation, answer)
		}
	}
	table, err := s.api.DB.Table("items")
	if err != nil {
		t.Fatal(err)
	}
	report, err := table.Verify(t.Context())
	if err != nil || report.Rows != killedRows || len(report.Faults) > 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	lists, err := filepath.Glob(dir + "/lake/out/AWSDynamoDB/*/manifest-files.json")
	if err != nil || len(lists) != 1 {
		t.Fatalf("%v, %v", lists, err)
	}
	text, err := os.ReadFile(lists[0])
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var entry struct{ DataFileS3Key string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		packed, err := os.Open(filepath.Join(dir, "lake", entry.DataFileS3Key))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		for items := json.NewDecoder(plain); items.More(); {
			var item struct {
				Item struct{ ID struct{ S string } }
			}
			if err := items.Decode(&item); err != nil {
				t.Fatal(err)
			}
			if id := item.Item.ID.S; seen[id] || id == "" {
				t.Fatalf("item %q comes twice", id)
			}
			seen[item.Item.ID.S] = true
		}
		if err := packed.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != killedRows {
		t.Errorf("%d items were exported, not %d", len(seen), killedRows)
	}
}
