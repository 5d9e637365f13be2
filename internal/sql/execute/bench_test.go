// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/execute"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// countSink counts rows.
type countSink struct{ rows int }

func (s *countSink) Columns([]result.Column) error { return nil }
func (s *countSink) Row([]datum.Datum) error       { s.rows++; return nil }
func (s *countSink) Done(result.Done) error        { return nil }

// benchRows is the number of rows the benchmarks' table has.
const benchRows = 100_000

// filled is a table of (pk BIGINT, v VARCHAR, n INT).
func filled(b *testing.B) *harness {
	h := &harness{t: b, db: testdb.OpenPebble(b)}
	h.must("CREATE TABLE t (pk BIGINT NOT NULL, v VARCHAR, n INT, PRIMARY KEY(pk))")
	for at := 0; at < benchRows; at += 1000 {
		text := []byte("INSERT INTO t(pk, v, n) VALUES ")
		for i := at; i < at+1000; i++ {
			text = fmt.Appendf(text, "(%d, 'value %080d', %d),", i, i, i*7)
		}
		h.must(string(text[:len(text)-1]))
	}
	return h
}

func BenchmarkSelect(b *testing.B) {
	h := filled(b)
	for _, one := range []struct {
		name, text string
		parameters int
		rows       int
	}{
		{"point", "SELECT pk, v, n FROM t WHERE pk = ?", 1, 1},
		{"range100", "SELECT pk, v, n FROM t WHERE pk BETWEEN ? AND ? + 99 ORDER BY pk", 2, 100},
		{"range100v", "SELECT v FROM t WHERE pk BETWEEN ? AND ? + 99", 2, 100},
		{"range100sorted", "SELECT v FROM t WHERE pk BETWEEN ? AND ? + 99 ORDER BY v", 2, 100},
		{"range100distinct", "SELECT DISTINCT v FROM t WHERE pk BETWEEN ? AND ? + 99 ORDER BY v", 2, 100},
		{"rangeLimit", "SELECT pk, v, n FROM t WHERE pk >= ? LIMIT 100", 1, 100},
		{"multiget10", "SELECT pk, v, n FROM t WHERE pk IN (?, ?, 3, 4, 5, 6, 7, 8, 9, 11)", 2, 0},
		{"ranges10", "SELECT COUNT(pk) FROM t WHERE pk BETWEEN ? AND ?" + strings.Repeat(" OR pk BETWEEN ? AND ?", 9),
			20, 1},
		{"all", "SELECT * FROM t", 0, benchRows},
		{"filter", "SELECT pk FROM t WHERE v LIKE '%9999%' ALLOW FILTERING", 0, 0},
		{"filterInt", "SELECT pk FROM t WHERE n % 1000 = 7 ALLOW FILTERING", 0, 0},
		{"group", "SELECT n % 100, COUNT(*), MAX(n) FROM t GROUP BY n % 100", 0, 100},
		{"sum", "SELECT COUNT(*), SUM(n) FROM t", 0, 1},
		{"count", "SELECT COUNT(*) FROM t", 0, 1},
		{"sort", "SELECT pk, n FROM t ORDER BY v DESC", 0, benchRows},
		{"top", "SELECT pk, n FROM t ORDER BY v DESC LIMIT 10", 0, 10},
	} {
		b.Run(one.name, func(b *testing.B) { h.bench(b, one.text, one.parameters, one.rows) })
	}
}

func (h *harness) bench(b *testing.B, text string, parameters, rows int) {
	statement, err := parse.Parse([]byte(text))
	if err != nil {
		b.Fatal(err)
	}
	pinned, compiled, err := h.compile(text, statement.(*tree.Select))
	if err != nil {
		b.Fatal(err)
	}
	defer pinned.Release()
	sink := &countSink{}
	given := make([]datum.Datum, parameters)
	request := &execute.Request{Query: compiled, Pinned: []database.Pinned{pinned}, Context: &h.x, DB: h.db, Sink: sink}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for j := range given {
			given[j] = datum.Int(int64(i*7919%(benchRows-200) + j/2*10 + j%2*5*min(j/2, 1)))
		}
		h.x.Begin(given, nowMS, nil)
		sink.rows = 0
		if _, err := execute.Query(ctx, request); err != nil {
			b.Fatal(err)
		}
		if rows > 0 && sink.rows != rows {
			b.Fatalf("%d rows", sink.rows)
		}
	}
}
