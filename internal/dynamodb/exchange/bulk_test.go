// SPDX-License-Identifier: Apache-2.0

package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/storage"
)

// dam is a storage whose objects can be read up to some bytes, until it is opened.
type dam struct {
	storage.Storage
	bytes   int64
	reached chan struct{} // closed when somebody waits
	opened  chan struct{} // closed to let everything through
	once    sync.Once
}

func newDam(s storage.Storage, bytes int64) *dam {
	return &dam{Storage: s, bytes: bytes, reached: make(chan struct{}), opened: make(chan struct{})}
}

func (d *dam) Get(ctx context.Context, name string, offset, length int64) (io.ReadCloser, error) {
	body, err := d.Storage.Get(ctx, name, offset, length)
	if err != nil {
		return nil, err
	}
	return &dammed{ReadCloser: body, dam: d, ctx: ctx, left: d.bytes}, nil
}

type dammed struct {
	io.ReadCloser
	dam  *dam
	ctx  context.Context
	left int64
}

func (d *dammed) Read(into []byte) (int, error) {
	if d.left == 0 {
		d.dam.once.Do(func() { close(d.dam.reached) })
		select {
		case <-d.dam.opened:
			return d.ReadCloser.Read(into)
		case <-d.ctx.Done():
			return 0, d.ctx.Err()
		}
	}
	n, err := d.ReadCloser.Read(into[:min(int64(len(into)), d.left)])
	d.left -= int64(n)
	return n, err
}

// bulkDescription is what the tests look at.
type bulkDescription struct {
	BulkOperationArn, BulkOperationStatus string
	ProcessedItemCount, FailedItemCount   int64
	FailureCode, FailureMessage           string
}

func do(t *testing.T, api *dynamodb.API, operation, body string, into any) {
	t.Helper()
	answer, err := api.Do(t.Context(), operation, []byte(body), nil)
	if err == nil && into != nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
}

func startBulk(t *testing.T, api *dynamodb.API) string {
	t.Helper()
	var begun struct{ BulkOperationDescription bulkDescription }
	do(t, api, "StartBulkPutItems", `{"TableName":"puts","InputS3Configuration":{"S3Bucket":"source","InputFormat":"DYNAMODB_JSON"},`+
		`"OutputS3Configuration":{"S3Bucket":"out","OutputType":["ERROR","CONDITION_CHECK_FAILURE"]}}`, &begun)
	return begun.BulkOperationDescription.BulkOperationArn
}

func describeBulk(t *testing.T, api *dynamodb.API, arn string) bulkDescription {
	t.Helper()
	var found struct{ BulkOperationDescription bulkDescription }
	do(t, api, "DescribeBulkOperation", `{"BulkOperationArn":"`+arn+`"}`, &found)
	return found.BulkOperationDescription
}

func count(t *testing.T, api *dynamodb.API) (n int64) {
	t.Helper()
	start := ""
	for {
		var page struct {
			Count            int64
			LastEvaluatedKey json.RawMessage
		}
		do(t, api, "Scan", `{"TableName":"puts","Select":"COUNT"`+start+`}`, &page)
		if n += page.Count; page.LastEvaluatedKey == nil {
			return n
		}
		start = `,"ExclusiveStartKey":` + string(page.LastEvaluatedKey)
	}
}

// The records of the tests: every tenth is invalid, and all others are put only if they are not there.
const (
	bulkRecords = 6000
	bulkInvalid = bulkRecords / 10
)

// bulkSource stores the records, and returns the folder of the buckets and the bytes of the records.
func bulkSource(t *testing.T) (dir string, size int64) {
	t.Helper()
	var text bytes.Buffer
	for i := range bulkRecords {
		if i%10 == 3 {
			fmt.Fprintf(&text, `{"Item":{"n":{"N":"%d"}}}`+"\n", i)
			continue
		}
		fmt.Fprintf(&text, `{"Item":{"id":{"S":"%d"},"x":{"S":"%0300d"}},"ConditionExpression":"attribute_not_exists(id)"}`+"\n", i, i)
	}
	dir = t.TempDir()
	for _, name := range []string{"a", "b"} { // the second has the first one's items again, whose conditions are false
		if _, err := storage.Folder(filepath.Join(dir, "source")).Put(t.Context(), name, bytes.NewReader(text.Bytes()),
			int64(text.Len())); err != nil {
			t.Fatal(err)
		}
	}
	return dir, int64(text.Len())
}

func withBuckets(t *testing.T, db *database.DB, dir string, d *dam) *dynamodb.API {
	api := &dynamodb.API{DB: db, Dir: t.TempDir(), Buckets: func(name string) (storage.Storage, error) {
		if d != nil && name == "source" {
			return d, nil
		}
		return storage.Folder(filepath.Join(dir, name)), nil
	}}
	api.Serve()
	return api
}

const bulkTable = `{"TableName":"puts","AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],"KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}`

// outputLines are the lines of all objects of one kind of output.
func outputLines(t *testing.T, dir, kind string) (lines []string) {
	t.Helper()
	out := storage.Folder(filepath.Join(dir, "out"))
	for o, err := range out.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(o.Name, "/"+kind+"/") {
			continue
		}
		text, err := storage.ReadAll(t.Context(), out, o.Name, 1<<24)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	}
	return lines
}

// interrupted opens the database of a folder, begins an operation if arn is empty, and closes the database once the
// operation has come to the dam. It returns the operation's ARN and how many records are processed.
func interrupted(t *testing.T, data, dir, arn string, d *dam) (string, int64) {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: data, ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), store, database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	}()
	api := withBuckets(t, db, dir, d)
	if arn == "" {
		do(t, api, "CreateTable", bulkTable, nil)
		arn = startBulk(t, api)
	}
	<-d.reached
	processed := describeBulk(t, api, arn).ProcessedItemCount
	if processed == 0 || processed >= bulkRecords {
		t.Fatalf("%d of %d records are processed: the test does not stop in the middle", processed, bulkRecords)
	}
	return arn, processed
}

// TestBulkRestart closes the database in the middle of an object, several times: each record is put, judged and told
// exactly once.
func TestBulkRestart(t *testing.T) {
	dir, size := bulkSource(t)
	data, arn, before := t.TempDir(), "", int64(0)
	for part := int64(1); part <= 3; part++ {
		var processed int64
		arn, processed = interrupted(t, data, dir, arn,
			newDam(storage.Folder(filepath.Join(dir, "source")), size*part/4))
		if processed <= before {
			t.Fatalf("%d records are processed after %d", processed, before)
		}
		before = processed
	}
	api := withBuckets(t, testdb.OpenPebbleDir(t, data), dir, nil)
	if err := api.DB.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := describeBulk(t, api, arn)
	if found.BulkOperationStatus != "COMPLETED_WITH_ERRORS" || found.ProcessedItemCount != 2*bulkRecords ||
		found.FailedItemCount != 2*bulkInvalid {
		t.Errorf("the operation is %+v", found)
	}
	if n := count(t, api); n != bulkRecords-bulkInvalid {
		t.Errorf("the table has %d items", n)
	}
	faults, conditions := outputLines(t, dir, "error"), outputLines(t, dir, "condition-check-failure")
	if len(faults) != 2*bulkInvalid || len(conditions) != bulkRecords-bulkInvalid {
		t.Errorf("%d records are told to be invalid, of %d the condition was false", len(faults), len(conditions))
	}
	seen := map[string]bool{}
	for _, line := range append(faults, conditions...) {
		if seen[line] {
			t.Fatalf("told twice: %s", line)
		}
		seen[line] = true
	}
}

// TestBulkCancel cancels an operation that is under way, and one that waits for it.
func TestBulkCancel(t *testing.T) {
	dir, size := bulkSource(t)
	d := newDam(storage.Folder(filepath.Join(dir, "source")), size/2)
	api := withBuckets(t, testdb.Open(t), dir, d)
	do(t, api, "CreateTable", bulkTable, nil)
	running, waiting := startBulk(t, api), ""
	<-d.reached
	waiting = startBulk(t, api)
	for _, arn := range []string{waiting, running} {
		var answer struct{ BulkOperationArn, BulkOperationStatus string }
		do(t, api, "CancelBulkOperation", `{"BulkOperationArn":"`+arn+`"}`, &answer)
		if answer.BulkOperationArn != arn || answer.BulkOperationStatus != "CANCELLING" {
			t.Errorf("%+v", answer)
		}
	}
	if found := describeBulk(t, api, waiting); found.BulkOperationStatus != "CANCELLED" ||
		found.ProcessedItemCount != 0 {
		t.Errorf("the operation that waited is %+v", found)
	}
	if found := describeBulk(t, api, running); found.BulkOperationStatus != "CANCELLING" {
		t.Errorf("the operation under way is %+v", found)
	}
	close(d.opened)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := api.DB.Tasks().Wait(ctx); err != nil {
		t.Fatal(err)
	}
	found := describeBulk(t, api, running)
	if found.BulkOperationStatus != "CANCELLED" || found.FailureCode != "Cancelled" || found.ProcessedItemCount == 0 ||
		found.ProcessedItemCount >= bulkRecords {
		t.Errorf("the operation under way became %+v", found)
	}
	if n := count(t, api); n != found.ProcessedItemCount-found.FailedItemCount {
		t.Errorf("the table has %d items, and the operation says %+v", n, found)
	}
	if told := int64(len(outputLines(t, dir, "error"))); told != found.FailedItemCount {
		t.Errorf("%d of %d invalid records are told", told, found.FailedItemCount)
	}
}

// TestBulkLongOutput: where much is told of a batch, it is put in several commits, and told in several objects.
func TestBulkLongOutput(t *testing.T) {
	const records = 20
	dir := t.TempDir()
	record := `{"Item":{"id":{"S":"long"}},"ConditionExpression":"attribute_not_exists(id)"}` + "\n"
	text := strings.Repeat(record, records)
	if _, err := storage.Folder(filepath.Join(dir, "source")).Put(t.Context(), "a", strings.NewReader(text),
		int64(len(text))); err != nil {
		t.Fatal(err)
	}
	api := withBuckets(t, testdb.Open(t), dir, nil)
	do(t, api, "CreateTable", bulkTable, nil)
	do(t, api, "PutItem", `{"TableName":"puts","Item":{"id":{"S":"long"},"x":{"S":"`+strings.Repeat("x", 390<<10)+
		`"}}}`, nil)
	arn := startBulk(t, api)
	if err := api.DB.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := describeBulk(t, api, arn); found.BulkOperationStatus != "COMPLETED" ||
		found.ProcessedItemCount != records {
		t.Errorf("the operation is %+v", found)
	}
	if lines := outputLines(t, dir, "condition-check-failure"); len(lines) != records {
		t.Errorf("%d items are told", len(lines))
	}
	names, err := filepath.Glob(filepath.Join(dir, "out", "AWSDynamoDB", "*", "condition-check-failure", "*.json"))
	if err != nil || len(names) < 3 {
		t.Errorf("the output is in %q, %v", names, err)
	}
}

// TestBulkObjectChanged: after a restart, an operation fails that would have to go on in the middle of an object that
// is another one by now.
func TestBulkObjectChanged(t *testing.T) {
	dir, size := bulkSource(t)
	data, source := t.TempDir(), storage.Folder(filepath.Join(dir, "source"))
	arn, before := interrupted(t, data, dir, "", newDam(source, size/2))
	if _, err := source.Put(t.Context(), "a", strings.NewReader("{}\n"), 3); err != nil {
		t.Fatal(err)
	}
	api := withBuckets(t, testdb.OpenPebbleDir(t, data), dir, nil)
	if err := api.DB.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := describeBulk(t, api, arn); found.BulkOperationStatus != "FAILED" ||
		found.ProcessedItemCount != before || !strings.Contains(found.FailureMessage, "was changed") {
		t.Errorf("the operation is %+v", found)
	}
}

// TestBulkTableGone: an operation whose table is deleted fails.
func TestBulkTableGone(t *testing.T) {
	dir, size := bulkSource(t)
	d := newDam(storage.Folder(filepath.Join(dir, "source")), size/2)
	api := withBuckets(t, testdb.Open(t), dir, d)
	do(t, api, "CreateTable", bulkTable, nil)
	arn := startBulk(t, api)
	<-d.reached
	do(t, api, "DeleteTable", `{"TableName":"puts"}`, nil)
	close(d.opened)
	if err := api.DB.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := describeBulk(t, api, arn); found.BulkOperationStatus != "FAILED" ||
		found.FailureCode != "TableNotFound" {
		t.Errorf("the operation is %+v", found)
	}
}

// TestBulkStream: puts of a bulk operation are in the table's stream, in their order, with what they replaced.
func TestBulkStream(t *testing.T) {
	dir := t.TempDir()
	text := `{"Item":{"id":{"S":"a"},"n":{"N":"1"}}}` + "\n" + `{"Item":{"n":{"N":"1"}}}` + "\n" +
		`{"Item":{"id":{"S":"a"},"n":{"N":"2"}}}` + "\n" + `{"Item":{"id":{"S":"b"}}}` + "\n"
	if _, err := storage.Folder(filepath.Join(dir, "source")).Put(t.Context(), "a", strings.NewReader(text),
		int64(len(text))); err != nil {
		t.Fatal(err)
	}
	api := withBuckets(t, testdb.Open(t), dir, nil)
	do(t, api, "CreateTable", strings.TrimSuffix(bulkTable, "}")+
		`,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}`, nil)
	startBulk(t, api)
	if err := api.DB.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	var table struct {
		Table struct{ LatestStreamArn string }
	}
	do(t, api, "DescribeTable", `{"TableName":"puts"}`, &table)
	var stream struct {
		StreamDescription struct {
			Shards []struct {
				ShardID string `json:"ShardId"`
			}
		}
	}
	do(t, api, "DescribeStream", `{"StreamArn":"`+table.Table.LatestStreamArn+`"}`, &stream)
	shown := map[string]string{} // by the key, which is in one shard
	for _, shard := range stream.StreamDescription.Shards {
		var at struct{ ShardIterator string }
		do(t, api, "GetShardIterator", `{"StreamArn":"`+table.Table.LatestStreamArn+`","ShardId":"`+shard.ShardID+
			`","ShardIteratorType":"TRIM_HORIZON"}`, &at)
		var page struct {
			Records []struct {
				EventName string `json:"eventName"`
				Dynamodb  struct {
					Keys struct {
						ID struct{ S string } `json:"id"`
					}
					OldImage, NewImage struct {
						N struct{ N string } `json:"n"`
					}
				} `json:"dynamodb"`
			}
		}
		do(t, api, "GetRecords", `{"ShardIterator":"`+at.ShardIterator+`"}`, &page)
		for _, r := range page.Records {
			shown[r.Dynamodb.Keys.ID.S] += fmt.Sprintf("%s %q->%q;", r.EventName, r.Dynamodb.OldImage.N.N,
				r.Dynamodb.NewImage.N.N)
		}
	}
	want := map[string]string{"a": `INSERT ""->"1";MODIFY "1"->"2";`, "b": `INSERT ""->"";`}
	if !maps.Equal(shown, want) {
		t.Errorf("the stream has %q, not %q", shown, want)
	}
}
