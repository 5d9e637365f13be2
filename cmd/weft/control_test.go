// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
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
			reset(exitFailed, "the mark is over", "reset", "two")
			reset(exitFailed, `there is no mark "three"`, "reset", "three")
		})
	}
	s, _ := openServer(t, nil)
	typed(t, exitFailed, "this server is not there for tests", "fault", "--admin-addr", admin(s).Addr().String())
	typed(t, exitFailed, "this server is not there for tests: start it with --test-controls", "reset", "--admin-addr",
		admin(s).Addr().String())
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
