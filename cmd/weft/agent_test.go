// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestAgent: commands that are called with --agent print objects of JSON, one a line, and errors with a hint.
func TestAgent(t *testing.T) {
	s, _ := openServer(t, map[string]string{"dynamodb-addr": "127.0.0.1:0", "mysql-addr": "127.0.0.1:0"})
	mcpTable(t, s)
	for _, one := range []struct {
		args  []string
		code  int
		lines int
		want  string
	}{
		{[]string{"sql", "-e", "SELECT id FROM people WHERE id < 3"}, 0, 2, `{"id":1}`},
		{[]string{"sql", "-e", "SELECT id FROM people WHERE id < 3", "--format", "csv"}, 0, 3, "id\n1\n2\n"},
		{[]string{"sql", "-e", "SET inefficient_query = 'refuse'; SELECT id FROM people WHERE name = 'x'"}, 1, 1, `"code":8008,"hint":"use a remedy`},
		{[]string{"ddb", "get", "people", `{"id":1}`}, 0, 1, `{"id":1,"name":"name1"}`},
		{[]string{"ddb", "describe", "people"}, 0, 1, `"TableName":"people"`},
		{[]string{"ddb", "get", "peopl", `{"id":1}`}, 1, 1, `{"error":"there is no table peopl; did you mean people?","hint":"`},
		{[]string{"ddb", "get", "people", `{"no":1}`}, 1, 1, `"hint":"weft ddb describe TABLE shows key`},
		{[]string{"ddb", "get", "people"}, 2, 1, `"hint":"weft ddb get --help shows the command line"`},
		{[]string{"explain", "--table", "people"}, 0, 1, `"Path":{"Kind":"whole"`},
		{[]string{"explain"}, 2, 1, `"hint":"weft explain --help`},
		{[]string{"advise"}, 0, 1, `{"Table":"people"`},
		{[]string{"advise", "people"}, 0, 1, `{"Table":"people"`},
	} {
		var out bytes.Buffer
		p := &program{stdout: &out, stderr: &out}
		args := append(one.args, "--agent")
		switch one.args[0] {
		case "sql":
			args = append(args, "--server", addressAt(t, s, "mysql"))
		case "advise":
			args = append(args, "--admin-addr", addressAt(t, s, "admin"))
		default:
			args = append(args, "--endpoint", "http://"+addressAt(t, s, "dynamodb"))
		}
		code := p.run(t.Context(), args)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if code != one.code || len(lines) != one.lines || !strings.Contains(out.String(), one.want) {
			t.Errorf("weft %v: exit %d, %d lines, want %s:\n%s", one.args, code, len(lines), one.want, &out)
		}
		for _, line := range lines {
			if one.lines != 3 && !json.Valid([]byte(line)) {
				t.Error(fmt.Sprint("no JSON: ", line))
			}
		}
	}
}
