// SPDX-License-Identifier: Apache-2.0

package weftdynamo_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/storage"
	"github.com/weftdb/weft/weftdynamo"
	"github.com/weftdb/weft/wefttest"
)

// ask sends a request of the form that SDKs send.
func ask(h http.Handler, operation, body string) (status int, answer string) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z"))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const makeOrders = `{"TableName": "orders", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST"}`

// TestNames: ARNs have the names that the options give.
func TestNames(t *testing.T) {
	db := wefttest.DB(t)
	_, answer := ask(weftdynamo.Handler(db, weftdynamo.Options{Region: "eu-central-1", AccountID: "123456789012"}),
		"CreateTable", makeOrders)
	if !strings.Contains(answer, "arn:aws:dynamodb:eu-central-1:123456789012:table/orders") {
		t.Error(answer)
	}
	_, answer = ask(weftdynamo.Handler(db, weftdynamo.Options{}), "DescribeTable", `{"TableName": "orders"}`)
	if !strings.Contains(answer, "arn:aws:dynamodb:us-east-1:000000000000:table/orders") {
		t.Error(answer)
	}
}

// TestUnsigned: what has not the form of a signed request is refused.
func TestUnsigned(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
	w := httptest.NewRecorder()
	weftdynamo.Handler(wefttest.DB(t), weftdynamo.Options{}).ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "MissingAuthenticationToken") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestBuckets imports a table from a bucket in a folder; without buckets that is refused.
func TestBuckets(t *testing.T) {
	const start = `{"S3BucketSource": {"S3Bucket": "source"}, "InputFormat": "DYNAMODB_JSON", "TableCreationParameters": ` + makeOrders + `}`
	db := wefttest.DB(t)
	if status, answer := ask(weftdynamo.Handler(db, weftdynamo.Options{}), "ImportTable",
		start); status != http.StatusBadRequest {
		t.Errorf("without buckets: %d %s", status, answer)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"Item": {"id": {"S": "o1"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h := weftdynamo.Handler(db, weftdynamo.Options{Dir: t.TempDir(),
		Buckets: func(string) (storage.Storage, error) { return storage.Folder(dir), nil }})
	if status, answer := ask(h, "ImportTable", start); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	for range 3000 {
		if _, answer := ask(h, "GetItem",
			`{"TableName": "orders", "Key": {"id": {"S": "o1"}}}`); answer == `{"Item":{"id":{"S":"o1"}}}` {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the item was not imported in half a minute")
}

// An http.Server of the program's own serves DynamoDB's API.
func ExampleHandler() {
	db, err := weft.OpenMemory(context.Background(), weft.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	server := httptest.NewServer(weftdynamo.Handler(db, weftdynamo.Options{Region: "eu-central-1"}))
	defer server.Close()

	// An AWS SDK's client takes server.URL as its BaseEndpoint. The path / also says that the API is there:
	answer, err := http.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
	// Output: 200 OK
}
