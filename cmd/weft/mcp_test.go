// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/weftdb/weft/cmd/weft/mcpcommand"
)

// mcpPipes runs weft mcp against a server, and returns the other ends of its input and output. The input must be
// closed.
func mcpPipes(t *testing.T, s *server, args ...string) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	p := &program{}
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	host := &mcpcommand.Host{Stdin: stdin, Stdout: stdout, Version: "1", Ask: p.askAdmin}
	c := host.Command()
	c.SetArgs(append(args, "--admin-addr", addressAt(t, s, "admin")))
	done := make(chan error, 1)
	go func() { done <- c.ExecuteContext(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() {
		in.Close()
		out.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return in, out
}

// mcpTable gives a server a table of 300 rows.
func mcpTable(t *testing.T, s *server) {
	t.Helper()
	for _, statement := range []string{"CREATE TABLE people (id BIGINT, name VARCHAR, PRIMARY KEY (id))",
		"INSERT INTO people WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT i, CONCAT('name', i) FROM n"} {
		answer, err := (&program{}).askAdmin(t.Context(), "POST", addressAt(t, s, "admin"), "/api/sql",
			[]byte(fmt.Sprintf(`{"statement":%q}`, statement)))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer)
		if err != nil || strings.Contains(string(text), `"error"`) {
			t.Fatalf("%s: %s, %v", statement, text, err)
		}
		answer.Close()
	}
}

// TestMCP calls the tools as a client does.
func TestMCP(t *testing.T) {
	s, _ := openServer(t, nil)
	mcpTable(t, s)
	in, out := mcpPipes(t, s)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 5 {
		t.Fatal(list, err)
	}
	for _, one := range []struct {
		tool   string
		in     map[string]any
		failed bool
		wants  []string
	}{
		{"list_tables", nil, false, []string{`"name":"people","key":["id int"],"about_items":`}},
		{"describe_table", map[string]any{"table": "people"}, false, []string{"CREATE TABLE", `"name":"people"`}},
		{"describe_table", map[string]any{"table": "nosuch"}, true, []string{"there is no table nosuch", `"hint":"SHOW TABLES names`}},
		{"query", map[string]any{"statement": "SELECT name FROM people WHERE id = 7"}, false,
			[]string{`{"columns":["name"],"rows":[["name7"]]}`}},
		{"query", map[string]any{"statement": "SELECT id FROM people WHERE id > 0"}, false,
			[]string{`"limited":"there are more than these 100 rows`}},
		{"query", map[string]any{"statement": "SELECT id FROM people WHERE name = 'x'"}, true,
			[]string{`"code":8008`, "To fix it", `"hint":"use a remedy`}},
		{"query", map[string]any{"statement": "DELETE FROM people WHERE id = 7"}, true, []string{`"code":1792`, "allow writes"}},
		{"query", map[string]any{"statement": "DROP TABLE people"}, true, []string{`"code":1792`}},
		{"query", map[string]any{"statement": "SELEC 1"}, true, []string{`"code":1064`, `"hint":"write MySQL's`}},
		{"query", map[string]any{"statement": "SELECT 1", "database": "nosuch"}, true, []string{`"code":1049`}},
		{"explain", map[string]any{"statement": "SELECT name FROM people WHERE id = 7", "analyze": true}, false,
			[]string{`"PRIMARY (id)"`}},
		{"explain", map[string]any{"statement": "SELECT 1; DROP TABLE people"}, true, []string{`"code":1792`}},
		{"advise", map[string]any{"table": "people"}, false, []string{`"Table":"people"`}},
		{"advise", map[string]any{"table": "nosuch"}, true, []string{"there is no table nosuch"}},
	} {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: one.tool, Arguments: one.in})
		if err != nil {
			t.Errorf("%s %v: %v", one.tool, one.in, err)
			continue
		}
		text := result.Content[0].(*mcp.TextContent).Text
		for _, want := range one.wants {
			if result.IsError != one.failed || !strings.Contains(text, want) || !json.Valid([]byte(text)) {
				t.Errorf("%s %v: want %s\n%s", one.tool, one.in, want, text)
			}
		}
	}
}

// TestMCPLines speaks the protocol by hand, with writes allowed and few bytes.
func TestMCPLines(t *testing.T) {
	s, _ := openServer(t, nil)
	mcpTable(t, s)
	in, out := mcpPipes(t, s, "--write", "--bytes", "1024", "--rows", "300")
	lines := bufio.NewScanner(out)
	for _, one := range []struct{ send, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
			`"serverInfo":{"name":"weft"`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `"name":"query"`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"query","arguments":{"statement":"DELETE FROM people WHERE id = 7"}}}`,
			`{\"affected\":1}`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"query","arguments":{"statement":"SELECT * FROM people WHERE id > 0"}}}`,
			`rows, about 1024 bytes: ask for fewer columns or rows`},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nosuch","arguments":{}}}`, `"error":`},
	} {
		if _, err := fmt.Fprintln(in, one.send); err != nil {
			t.Fatal(err)
		}
		if one.want == "" {
			continue
		}
		if !lines.Scan() || !strings.Contains(lines.Text(), one.want) {
			t.Errorf("%s: want %s, got %s", one.send, one.want, lines.Text())
		}
	}
}

// TestCountsAgree: what counts items says the same of a table of a size that is counted, not estimated.
func TestCountsAgree(t *testing.T) {
	s, _ := openServer(t, map[string]string{"dynamodb-addr": "127.0.0.1:0", "mysql-addr": "127.0.0.1:0"})
	mcpTable(t, s)
	endpoint, admin := "http://"+addressAt(t, s, "dynamodb"), addressAt(t, s, "admin")
	for _, one := range []struct {
		want string
		args []string
	}{
		{`"ItemCount":300`, []string{"ddb", "describe", "people", "--json", "--endpoint", endpoint}},
		{"300", []string{"ddb", "scan", "people", "--count", "--endpoint", endpoint}},
		{`"Rows": 300`, []string{"explain", "--table", "people", "--json", "--endpoint", endpoint}},
		{"300", []string{"sql", "-e", "SELECT COUNT(*) FROM people", "--server", addressAt(t, s, "mysql")}},
		{"300", []string{"sql", "-e", "SELECT table_rows FROM information_schema.tables WHERE table_name = 'people'",
			"--server", addressAt(t, s, "mysql")}},
		{`"rows": 300`, []string{"status", "--json", "--admin-addr", admin}},
	} {
		if out := mustRun(t, one.args...); !strings.Contains(out, one.want) {
			t.Errorf("weft %v: want %s\n%s", one.args, one.want, out)
		}
	}
	answer, err := (&program{}).askAdmin(t.Context(), "GET", admin, "/api/tables", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Close()
	if text, err := io.ReadAll(answer); err != nil || !strings.Contains(string(text), `"entries":300`) {
		t.Errorf("%s, %v", text, err)
	}
}
