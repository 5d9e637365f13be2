// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// typed runs a command line, whose outputs together must contain want.
func typed(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	var out bytes.Buffer
	p := &program{stdout: &out, stderr: &out, readFile: os.ReadFile}
	if got := p.run(t.Context(), args); got != code || !strings.Contains(out.String(), want) {
		t.Errorf("weft %s: exit %d: %s; want exit %d: %s", strings.Join(args, " "), got, out.String(), code, want)
	}
}

// TestMarks marks and resets servers in memory and over a folder from the command line, while SQL sees what there is.
func TestMarks(t *testing.T) {
	for _, flags := range []map[string]string{{"engine": "mem"}, {"engine": "pebble", "data": t.TempDir()}} {
		t.Run(flags["engine"], func(t *testing.T) {
			flags["mysql-addr"], flags["test-controls"] = "127.0.0.1:0", "true"
			s, _ := openServer(t, flags)
			sql := []string{"sql", "--format=csv", "--server", s.endpoints()["mysql"], "-e"}
			run := func(statement, want string) { t.Helper(); typed(t, 0, want, append(sql, statement)...) }
			reset := func(code int, want string, words ...string) {
				t.Helper()
				typed(t, code, want, append(words, "--admin-addr", admin(s).Addr().String())...)
			}
			run("CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(9)); INSERT INTO t(s) VALUES ('a')", "")
			reset(0, "marked as one", "mark", "one")
			for range 3 {
				run("INSERT INTO t(s) VALUES ('b'); SELECT MAX(id) FROM t", "\n2\n")
				run("ALTER TABLE t ADD COLUMN n INT; CREATE INDEX by_n ON t(n); UPDATE t SET n = id; CREATE VIEW v AS SELECT n FROM t", "")
				run("SELECT n FROM v WHERE n = 2", "n\n2\n")
				run("CREATE DATABASE d; DROP TABLE t; CREATE TABLE t (x INT PRIMARY KEY)", "")
				reset(0, "returned to one in ", "reset", "one")
				run("SELECT * FROM t; SHOW TABLES", "id,s\n1,a\nTables_in_default\nt\n")
			}
			reset(0, "marked as two", "mark", "two")
			reset(0, "returned to base in ", "reset")
			run("SHOW TABLES; SELECT 1", "\n1\n")
			reset(0, "returned to two in ", "reset", "two") // a later mark stands
			run("SELECT s FROM t", "s\na\n")
			reset(exitFailed, `there is no mark "three"`, "reset", "three")
		})
	}
	s, _ := openServer(t, nil)
	typed(t, exitFailed, "this server is not there for tests", "fault", "--admin-addr", admin(s).Addr().String())
	typed(t, exitFailed, "this server is not there for tests: start it with --test-controls", "reset", "--admin-addr",
		admin(s).Addr().String())
}

// TestMarksOfKeys: each access key begins with the tables of --schema and --seed, and goes back by itself.
func TestMarksOfKeys(t *testing.T) {
	in := written(t, map[string]string{
		"tables.sql":         "CREATE TABLE events (id BIGINT, PRIMARY KEY (id))",
		"items/events.jsonl": `{"id":1}` + "\n",
	})
	s, _ := openServer(t, map[string]string{"engine": "mem", "test-controls": "true", "own-tables": "key",
		"dynamodb-addr": "127.0.0.1:0", "mysql-addr": "127.0.0.1:0", "schema": in + "/tables.sql", "seed": in + "/items"})
	ddb := func(key, want string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		p := &program{stdout: &out, stderr: &out, environ: []string{"AWS_ACCESS_KEY_ID=" + key, "AWS_SECRET_ACCESS_KEY=any"}}
		args = append(append([]string{"ddb"}, args...), "--json", "--endpoint", "http://"+addressAt(t, s, "dynamodb"))
		if code := p.run(t.Context(), args); code != 0 || out.String() != want {
			t.Errorf("%s: weft %v: exit %d: %s; want %s", key, args, code, out.String(), want)
		}
	}
	count := func(key string, want int) {
		t.Helper()
		ddb(key, fmt.Sprintf("{\"Count\": %d}\n", want), "scan", "events", "--count")
	}
	asks := func(code int, want string, args ...string) {
		t.Helper()
		typed(t, code, want, append(args, "--admin-addr", admin(s).Addr().String())...)
	}
	put := func(key, item string) { t.Helper(); ddb(key, "", "put", "events", item) }
	count("ann", 1)
	put("ann", `{"id":2}`)
	put("bob", `{"id":3}`)
	asks(0, "returned to base in ", "reset", "--access-key", "ann")
	count("ann", 1)
	count("bob", 2)
	asks(0, "marked as one", "mark", "one", "--access-key", "bob")
	put("ann", `{"id":2}`)
	typed(t, 0, "", "sql", "--server", addressAt(t, s, "mysql"), "-e", "DROP TABLE `key-bob`.events")
	asks(0, "returned to one in ", "reset", "one", "--access-key", "bob")
	count("ann", 2)
	count("bob", 2)
	asks(exitFailed, `there is no mark "one"`, "reset", "one", "--access-key", "ann")
	asks(0, "returned to base in ", "reset")
	count("ann", 1) // made anew
	count("bob", 1)
	asks(0, "returned to one in ", "reset", "one", "--access-key", "bob")
	count("bob", 2)
	asks(0, "returned to base in ", "reset", "--access-key", "nobody")
	asks(exitFailed, "leave the region out", "reset", "--access-key", "ann", "--region", "eu-west-1")
	asks(exitFailed, "name that, too", "mark", "--region", "eu-west-1")
	other, _ := openServer(t, map[string]string{"engine": "mem", "test-controls": "true"})
	typed(t, exitFailed, "start it with --own-tables", "reset", "--access-key", "ann", "--admin-addr",
		admin(other).Addr().String())
}

// TestFaults lets requests fail by weft fault.
func TestFaults(t *testing.T) {
	s, _ := openServer(t, map[string]string{"test-controls": "true"})
	fault := func(code int, want string, flags ...string) {
		t.Helper()
		typed(t, code, want, append([]string{"fault", "--admin-addr", admin(s).Addr().String()}, flags...)...)
	}
	list := func() string {
		r, err := http.NewRequest(http.MethodPost, "http://"+admin(s).Addr().String()+"/api/dynamodb",
			strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Weft-Console", "1")
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body) // a short one is seen
		return answer.Status + " " + string(text)
	}
	fault(0, "[]")
	fault(0, "added; rules now: 1", "--error", "InternalServerError", "--operation", "ListTables", "--times", "1")
	for _, want := range []string{"500 Internal Server Error {\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\"",
		"200 OK {\"TableNames\":[]}"} {
		if got := list(); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	fault(0, "\"met\": 1")
	fault(exitFailed, "there is no operation \"Lists\"", "--error", "Throttling", "--operation", "Lists")
	fault(exitFailed, "there is no error \"Oops\": use ProvisionedThroughputExceeded, ", "--error", "Oops")
	fault(exitFailed, "the share is 2", "--error", "Throttling", "--share", "2")
	fault(0, "there are no rules any more", "--clear")
	fault(0, "[]")
}
