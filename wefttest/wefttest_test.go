// SPDX-License-Identifier: Apache-2.0

package wefttest_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"go.uber.org/goleak"

	"github.com/weftdb/weft"
	_ "github.com/weftdb/weft/weftsql"
	"github.com/weftdb/weft/wefttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask sends a request of DynamoDB's API as SDKs do, and returns the answer.
func ask(t testing.TB, endpoint, operation, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("X-Amz-Date", time.Now().UTC().Format("20060102T150405Z"))
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const makeOrders = `{"TableName": "orders", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST"}`

// TestDynamoDB: tests side by side have databases of their own.
func TestDynamoDB(t *testing.T) {
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			endpoint := wefttest.DynamoDB(t)
			if answer := ask(t, endpoint, "ListTables", "{}"); answer != `{"TableNames":[]}` {
				t.Errorf("it is not empty: %s", answer)
			}
			if answer := ask(t, endpoint, "CreateTable", makeOrders); !strings.Contains(answer, `"TableArn"`) {
				t.Errorf("CreateTable: %s", answer)
			}
		})
	}
}

// TestMySQL: a client of MySQL's protocol, whose connections can be listed and killed.
func TestMySQL(t *testing.T) {
	db, err := sql.Open("mysql", wefttest.MySQL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var now time.Time
	var connections int
	if err := db.QueryRow("SELECT NOW()").Scan(&now); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow("SELECT COUNT(*) FROM information_schema.processlist").Scan(&connections); err != nil ||
		connections != 1 {
		t.Errorf("%d connections, %v", connections, err)
	}
	victim, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer victim.Close()
	var id int
	if err := victim.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(fmt.Sprint("KILL ", id)); err != nil {
		t.Fatal(err)
	}
	if err := victim.PingContext(t.Context()); err == nil {
		t.Error("a connection that was killed answers")
	}
}

// TestCutOff: a statement that still runs when its test ends is cut off.
func TestCutOff(t *testing.T) {
	ended := make(chan error, 1)
	t.Run("inner", func(t *testing.T) {
		db, err := sql.Open("mysql", wefttest.MySQL(t))
		if err != nil {
			t.Fatal(err)
		}
		connection, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() }) // its connection is in use
		go func() {
			_, err := connection.ExecContext(context.Background(), "DO SLEEP(1000)")
			ended <- err
			_ = connection.Close() // it is broken
		}()
	})
	<-ended
}

// TestHBase makes a call of the Thrift2 API in the binary protocol.
func TestHBase(t *testing.T) {
	const method = "getTableNamesByNamespace"
	call := "\x80\x01\x00\x01\x00\x00\x00" + string(rune(len(method))) + method + "\x00\x00\x00\x07" +
		"\x0b\x00\x01\x00\x00\x00\x07default" + "\x00"
	answer, err := http.Post("http://"+wefttest.HBase(t), "application/x-thrift", strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || !bytes.HasPrefix(text, []byte("\x80\x01\x00\x02")) || !bytes.Contains(text, []byte(method)) {
		t.Errorf("%q, %v", text, err)
	}
}

// TestOneDatabase: all protocols and the program see the same.
func TestOneDatabase(t *testing.T) {
	db := wefttest.DB(t)
	endpoint := wefttest.DynamoDBOf(t, db)
	ask(t, endpoint, "CreateTable", makeOrders)
	ask(t, endpoint, "PutItem", `{"TableName": "orders", "Item": {"id": {"S": "o1"}, "cents": {"N": "250"}}}`)
	pool, err := sql.Open("mysql", wefttest.MySQLOf(t, db))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var cents int
	if err := pool.QueryRow("SELECT cents FROM orders WHERE id = 'o1'").Scan(&cents); err != nil || cents != 250 {
		t.Errorf("in SQL: %d, %v", cents, err)
	}
	table := db.Table("orders")
	if _, found, err := table.Get(t.Context(), weft.Document{"id": "o1"}); err != nil || !found {
		t.Errorf("in the program: %t, %v", found, err)
	}
	if wefttest.HBaseOf(t, db) == "" {
		t.Error("HBase has no address")
	}
}

// scope is a part of a benchmark that has an end of its own, as a test has.
type scope struct {
	testing.TB
	ends []func()
}

// Cleanup is testing.TB's.
func (s *scope) Cleanup(f func()) { s.ends = append(s.ends, f) }

func (s *scope) end() {
	for _, f := range slices.Backward(s.ends) {
		f()
	}
}

// measure times what a test does that makes one table in a database of its own, from its begin to its end.
func measure(b *testing.B, one func(t testing.TB)) {
	for b.Loop() {
		s := &scope{TB: b}
		one(s)
		s.end()
	}
}

func BenchmarkDynamoDB(b *testing.B) {
	measure(b, func(t testing.TB) { ask(t, wefttest.DynamoDB(t), "CreateTable", makeOrders) })
}

func BenchmarkMySQL(b *testing.B) {
	measure(b, func(t testing.TB) { makeTable(t, "mysql", wefttest.MySQL(t)) })
}

func BenchmarkSQL(b *testing.B) {
	measure(b, func(t testing.TB) { makeTable(t, "weft", "mem:") })
}

func BenchmarkHBase(b *testing.B) { measure(b, func(t testing.TB) { wefttest.HBase(t) }) }

func makeTable(t testing.TB, driver, source string) {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = db.Exec("CREATE TABLE orders (id VARCHAR(20), PRIMARY KEY (id))"); err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
