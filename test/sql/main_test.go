// SPDX-License-Identifier: Apache-2.0

// Package sql uses SQL as programs do: through Go's MySQL driver, against the real server.
//
// Knows: database/sql, the dialect's statements.
// Never: packages inside the server.
package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/test/harness"
)

// What all tests share: the binary and one running server. Each test has tables or databases of its own.
var (
	binary string
	server *harness.Server
)

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, func(dir string) (_ *harness.Server, err error) {
		binary, server, err = harness.Fresh(dir)
		return server, err
	}))
}

// open connects to a server. parameters are those of the driver's data source name.
func open(t testing.TB, s *harness.Server, database, parameters string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", "root@tcp("+s.SQL()+")/"+database+"?"+parameters)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// connect takes one connection: a session.
func connect(t testing.TB, s *harness.Server, database, parameters string) *sql.Conn {
	t.Helper()
	conn, err := open(t, s, database, parameters).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// script runs text files of statements, one session for each name in `on=`. A statement's answer is its rows, or what
// it affected, or its error.
//
//	sql [on=a]     each line is a statement; a line that ends in \ goes on in the next
//	prepared       the first line is prepared, each of the others holds its parameters, separated by |
//	dynamodb Put   each line is the body of a request of that operation to DynamoDB's API of the same server
func script(t *testing.T, path, database string) {
	sessions := map[string]*sql.Conn{}
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		name := "main"
		d.MaybeScanArgs(t, "on", &name)
		conn, ok := sessions[name]
		if !ok {
			conn = connect(t, server, database, "")
			sessions[name] = conn
		}
		lines := strings.Split(strings.ReplaceAll(d.Input, "\\\n", "\n"), ";\n")
		var out strings.Builder
		switch d.Cmd {
		case "sql":
			for _, line := range lines {
				answer(t.Context(), &out, conn, strings.TrimSuffix(line, ";"))
			}
		case "dynamodb":
			for _, line := range strings.Split(d.Input, "\n") {
				answer := ask(t, server, d.CmdArgs[0].Key, line)
				if d.CmdArgs[0].Key == "CreateTable" && !strings.HasPrefix(answer, "ERROR") {
					answer = "{..}" // it holds the time
				}
				out.WriteString(answer + "\n")
			}
		case "prepared":
			lines = strings.Split(d.Input, "\n")
			prepared(t.Context(), &out, conn, lines[0], lines[1:])
		default:
			t.Fatalf("no command %s", d.Cmd)
		}
		return steady(out.String())
	})
}

// estimates are what depends on when rows were last counted.
var estimates = regexp.MustCompile(`(?m)(^estimate \| ).*|(, about \d+ of them)`)

func steady(answer string) string { return estimates.ReplaceAllString(answer, "$1") }

func prepared(ctx context.Context, out *strings.Builder, conn *sql.Conn, text string, parameters []string) {
	statement, err := conn.PrepareContext(ctx, text)
	if err != nil {
		failed(out, err)
		return
	}
	defer statement.Close()
	for _, line := range parameters {
		var values []any
		for _, v := range strings.Split(line, "|") {
			values = append(values, v)
		}
		found, err := statement.QueryContext(ctx, values...)
		if err != nil {
			failed(out, err)
			continue
		}
		table(out, found)
	}
}

// answer runs one statement and prints what came of it.
func answer(ctx context.Context, out *strings.Builder, conn *sql.Conn, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if word := strings.ToUpper(strings.Fields(strings.TrimLeft(text, "( "))[0]); strings.Contains(
		" SELECT SHOW DESCRIBE DESC EXPLAIN WITH ", " "+word+" ") {
		found, err := conn.QueryContext(ctx, text)
		if err != nil {
			failed(out, err)
			return
		}
		table(out, found)
		return
	}
	done, err := conn.ExecContext(ctx, text)
	if err != nil {
		failed(out, err)
		return
	}
	affected, _ := done.RowsAffected()
	fmt.Fprintf(out, "ok %d\n", affected)
}

func failed(out *strings.Builder, err error) {
	if known := (*mysql.MySQLError)(nil); errors.As(err, &known) {
		fmt.Fprintf(out, "ERROR %d (%s): %s\n", known.Number, known.SQLState[:], known.Message)
		return
	}
	fmt.Fprintf(out, "ERROR: %v\n", err)
}

// table prints rows under their columns.
func table(out *strings.Builder, found *sql.Rows) {
	defer found.Close()
	columns, err := found.Columns()
	if err != nil {
		failed(out, err)
		return
	}
	fmt.Fprintln(out, strings.Join(columns, " | "))
	values := make([]sql.NullString, len(columns))
	places := make([]any, len(columns))
	for i := range values {
		places[i] = &values[i]
	}
	for found.Next() {
		if err := found.Scan(places...); err != nil {
			failed(out, err)
			return
		}
		shown := make([]string, len(values))
		for i, v := range values {
			if shown[i] = v.String; !v.Valid {
				shown[i] = "NULL"
			} else if strings.ContainsFunc(v.String, func(r rune) bool { return r < ' ' || r == utf8.RuneError }) {
				shown[i] = fmt.Sprintf("x'%x'", v.String)
			}
		}
		fmt.Fprintln(out, strings.Join(shown, " | "))
	}
	if err := found.Err(); err != nil {
		failed(out, err)
	}
}
