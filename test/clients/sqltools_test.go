// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/go-sql-driver/mysql"

	"github.com/weftdb/weft/test/harness"
)

// TestTools sends the statements that tools with a window send when they connect and when a table is opened, which no
// test can click. The files of testdata/tools hold them: one statement each, on one connection. `rows` shows the
// answer, `shape` its columns and whether it has rows, since those name times, addresses or much that changes.
func TestTools(t *testing.T) {
	skipUnlessWanted(t)
	datadriven.Walk(t, "testdata/tools", func(t *testing.T, path string) {
		server := harness.Start(t, binary, harness.Options{})
		defer stop(t, server)
		db, err := sql.Open("mysql", "root@tcp("+server.SQL()+")/?multiStatements=false")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			rows, err := db.QueryContext(t.Context(), d.Input)
			if err != nil {
				return wordedSQL(err)
			}
			defer rows.Close()
			return showRows(t, rows, d.Cmd == "rows")
		})
	})
}

// wordedSQL is the number, state and message of an error.
func wordedSQL(err error) string {
	var known *mysql.MySQLError
	if !errors.As(err, &known) {
		return err.Error()
	}
	return fmt.Sprintf("error %d (%s): %s", known.Number, known.SQLState[:], known.Message)
}

func showRows(t *testing.T, rows *sql.Rows, whole bool) string {
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	if len(columns) == 0 {
		return "ok"
	}
	lines, count := []string{strings.Join(columns, " | ")}, 0
	for ; rows.Next(); count++ {
		values, targets := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		texts := make([]string, len(columns))
		for i, v := range values {
			if texts[i] = v.String; !v.Valid {
				texts[i] = "NULL"
			}
		}
		if whole {
			lines = append(lines, strings.Join(texts, " | "))
		}
	}
	if rows.Err() != nil {
		lines = append(lines, wordedSQL(rows.Err()))
	}
	if !whole {
		lines = append(lines, map[bool]string{true: "no rows", false: "rows"}[count == 0])
	}
	return strings.Join(lines, "\n")
}
