// SPDX-License-Identifier: Apache-2.0

package ddbcommand_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/weftdb/weft/cmd/weft/commandline"
	"github.com/weftdb/weft/cmd/weft/ddbcommand"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/dynamodb"
	"github.com/weftdb/weft/internal/server/dynamohttp"
	"github.com/weftdb/weft/internal/testing/testdb"

	"github.com/cockroachdb/datadriven"
)

// TestCommands runs the lines of testdata against a server: each is a command line of weft ddb, with the arguments in
// lines of their own, so that JSON needs no quotes, and standard input behind a line of <<<.
func TestCommands(t *testing.T) {
	url := serve(t)
	datadriven.RunTest(t, "testdata/commands", func(t *testing.T, d *datadriven.TestData) string {
		input, stdin, _ := strings.Cut(d.Input, "<<<\n")
		args := []string{d.Cmd}
		for _, line := range strings.Split(input, "\n") {
			if line != "" {
				args = append(args, line)
			}
		}
		out, err := run(t, url, stdin, args...)
		if err != nil {
			out += fmt.Sprintf("error: %v\n", err)
		}
		return out
	})
}

// serve serves a database with the table of testdata, and returns the URL.
func serve(t *testing.T) string {
	t.Helper()
	api := &dynamodb.API{DB: testdb.OpenWith(t, database.Options{ExpiryInterval: -1})}
	server := httptest.NewServer(dynamohttp.New(dynamohttp.Options{API: api}))
	t.Cleanup(server.Close)
	create, err := os.ReadFile("testdata/table.json")
	if err == nil {
		_, err = run(t, server.URL, "", "call", "CreateTable", string(create))
	}
	if err == nil {
		err = api.DB.WaitJobs(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return server.URL
}

// run runs a command and returns what it prints.
func run(t *testing.T, url, stdin string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	h := &ddbcommand.Host{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &out,
		Getenv: func(string) string { return "" }}
	command := h.Command()
	command.SetArgs(append(args, "--endpoint", url))
	command.SetOut(io.Discard)
	command.SetErr(io.Discard)
	command.SilenceUsage, command.SilenceErrors = true, true
	err := command.ExecuteContext(t.Context())
	if commandline.IsUsage(err) {
		err = fmt.Errorf("usage: %w", err)
	}
	return out.String(), err
}

// TestPages: a read prints the items of all pages, in both APIs.
func TestPages(t *testing.T) {
	url := serve(t)
	const items = 30 // of 100 kB: a page has 1 MiB
	var lines strings.Builder
	for i := range items {
		fmt.Fprintf(&lines, "{\"customer\":\"ann\",\"orderno\":%d,\"text\":%q}\n", i, strings.Repeat("x", 100_000))
	}
	if _, err := run(t, url, lines.String(), "put", "orders", "-"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"scan", "orders"}, {"query", "orders", `{"customer":"ann"}`},
		{"partiql", "SELECT * FROM orders"}} {
		out, err := run(t, url, "", append(args, "--json")...)
		if got := strings.Count(out, "\n"); got != items || err != nil {
			t.Errorf("%v printed %d items, not %d: %v", args, got, items, err)
		}
		out, err = run(t, url, "", append(args, "--json", "--limit", "17")...)
		if got := strings.Count(out, "{\"customer\": \"ann\", \"orderno\""); got != 17+strings.Count(out, `"start": {`) || err != nil {
			t.Errorf("%v printed %d items, not 17: %v", args, got, err)
		}
	}
	if out, err := run(t, url, "", "scan", "orders", "--count"); out != "30\n" || err != nil {
		t.Error(out, err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"get", "t", `{"id":`}, {"get", "t", `3`}, {"put", "t", `{"id":1e999}`}, {"put", "t", `{"id":3}`, "--typed"},
		{"scan", "t", "--count", "--limit", "3"}, {"scan", "t", "--names", "n"}, {"query", "t", `{"a":[}`},
		{"partiql", "SELECT", "--parameters", "{}"}, {"call", "GetItem", "{"}, {"tables", "--endpoint", "nowhere"},
	} {
		if _, err := run(t, "http://127.0.0.1:1", "", args...); !commandline.IsUsage(err) && args[0] != "tables" {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, err := run(t, "nowhere", "", "tables"); !commandline.IsUsage(err) {
		t.Error(err)
	}
}
