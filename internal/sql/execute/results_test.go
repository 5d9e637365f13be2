// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// tookPattern is the time that EXPLAIN ANALYZE shows.
var tookPattern = regexp.MustCompile(`[\d.]+ ms\n`)

// TestResults runs the files in testdata/results through the whole dialect.
//
//	sql            statements, and what they answer: rows with | between values, or the error, after which the next one runs
//	fill rows=n    rows of table t (k INT, v VARCHAR, n INT)
func TestResults(t *testing.T) {
	datadriven.Walk(t, "testdata/results", func(t *testing.T, path string) {
		e := newEngine(t, testdb.Open(t))
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			e.t = t
			if d.Cmd == "fill" {
				var rows int
				d.ScanArgs(t, "rows", &rows)
				e.fill(rows)
				return ""
			}
			return e.each(d.Input)
		})
	})
}

// each runs the statements of a text one by one.
func (e *engine) each(text string) string {
	var out strings.Builder
	for rest := []byte(text); len(rest) > 0; {
		one, left, err := parse.Dialect{}.Split(rest)
		if err != nil {
			e.t.Fatal(err)
		}
		rest = left
		if len(strings.TrimSpace(string(one))) == 0 {
			continue
		}
		answer, err := e.run(string(one))
		if strings.HasPrefix(strings.TrimSpace(string(one)), "EXPLAIN") ||
			strings.Count(text, ";") > 0 && answer != "" {
			fmt.Fprintf(&out, "%s\n", strings.TrimSpace(string(one)))
		}
		out.WriteString(tookPattern.ReplaceAllString(answer, "some ms\n"))
		if err != nil {
			fmt.Fprintf(&out, "error: %v\n", err)
		}
		if err := e.db.WaitJobs(ctx); err != nil {
			e.t.Fatal(err)
		}
	}
	return out.String()
}

// fill inserts rows into t (k, v, n).
func (e *engine) fill(rows int) {
	for at := 0; at < rows; at += 1000 {
		text := []byte("INSERT INTO t(k, v, n) VALUES ")
		for i := at; i < min(at+1000, rows); i++ {
			text = fmt.Appendf(text, "(%d, 'value %06d', %d),", i, i*7919%rows, i%10)
		}
		e.must(string(text[:len(text)-1]))
	}
}
