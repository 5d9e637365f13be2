// SPDX-License-Identifier: Apache-2.0

package main

import (
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/internal/security/audit"
)

// auditOf reads an audit log: a line for each event, and the whole text.
func auditOf(t *testing.T, file string) (events []audit.Event, lines []string, text string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		var e audit.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
		lines = append(lines, strings.Join(
			strings.Fields(fmt.Sprint(e.Kind, " ", e.Port, " ", e.User, " ", e.Action, " ", e.Resource, " ",
				e.Outcome)), " "))
	}
	return events, lines, string(content)
}

func addressAt(t *testing.T, s *server, name string) string {
	t.Helper()
	for _, p := range s.protocols {
		if p.Name() == name {
			return p.Addr().String()
		}
	}
	t.Fatalf("there is no port %s", name)
	return ""
}

// query runs statements for a user, and returns the last one's error.
func query(t *testing.T, s *server, login string, statements ...string) (err error) {
	t.Helper()
	db, err := sql.Open("mysql", login+"@tcp("+addressAt(t, s, "mysql")+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		_, err = db.ExecContext(t.Context(), statement)
	}
	return err
}

// TestAudit: the audit log tells who came in and who did not, who changed users and tables, and what was denied, by
// which request; never values.
func TestAudit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.log")
	key := filepath.Join(t.TempDir(), "master.key")
	if err := os.WriteFile(key, []byte(base64.StdEncoding.EncodeToString(make([]byte, 32))), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := openServer(t, map[string]string{"auth": "required", "audit-log": file, "mysql-addr": "127.0.0.1:0",
		"dynamodb-addr": "127.0.0.1:0", "master-key-file": key})
	if got := statusOf(t, s, "POST", "/users", "", `{"do":"add","name":"root","password":"hidden-1"}`); got != 200 {
		t.Fatal(got)
	}
	if got := statusOf(t, s, "POST", "/users", "wrong", `{"do":"list"}`); got != 401 {
		t.Fatal(got)
	}
	if err := s.database.(*openedDatabase).db.Accounts().Add(t.Context(), "ann", "hidden-2"); err != nil {
		t.Fatal(err)
	}
	if err := query(t, s, "root:hidden-1", "CREATE TABLE orders (id BIGINT PRIMARY KEY, note VARCHAR(20))",
		"INSERT INTO orders VALUES (1, 'hidden-3')", "SELECT * FROM orders WHERE note = 'hidden-3'"); err != nil {
		t.Fatal(err)
	}
	if err := query(t, s, "ann:hidden-2", "SELECT * FROM orders WHERE note = 'hidden-3'"); err == nil {
		t.Fatal("ann may read")
	}
	if err := query(t, s, "nobody:hidden-4", "SELECT 1"); err == nil {
		t.Fatal("nobody signs in")
	}
	r, err := http.NewRequest("POST", "http://"+addressAt(t, s, "dynamodb"),
		strings.NewReader(`{"TableName":"hidden-5"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.DescribeTable")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	events, lines, text := auditOf(t, file)
	for _, want := range []string{
		"administration admin weft user add root allowed",
		"login admin POST /users denied",
		"login mysql root allowed",
		"definition root dynamodb:CreateTable",
		"login mysql ann allowed",
		"read ann dynamodb:PartiQLSelect",
		"login mysql nobody denied",
		"login dynamodb DescribeTable denied",
	} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("there is no line %q in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "write") || strings.HasPrefix(line, "read root") {
			t.Errorf("by default there is no line %q", line)
		}
	}
	if strings.Contains(text, "hidden") {
		t.Errorf("values are in the log:\n%s", text)
	}
	last := events[len(events)-1]
	if id := answer.Header.Get("x-amzn-RequestId"); last.Request != id || id == "" || last.From != "127.0.0.1" {
		t.Errorf("the last event is %+v, the request %s", last, id)
	}
}

// TestAuditLost: while the file can't be written, its lines are in the server's log.
func TestAuditLost(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s, log := openServer(t, map[string]string{"auth": "required", "audit-log": filepath.Join(folder, "audit.log")})
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, s, "POST", "/users", "", `{"do":"add","name":"root","password":"x"}`); got != 200 {
		t.Fatal(got)
	}
	if !strings.Contains(log.String(), "the audit log can't be written") ||
		!strings.Contains(log.String(), "weft user add") {
		t.Errorf("the log does not have the line:\n%s", log)
	}
}
