// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

var ctx = context.Background()

// TestAccess runs the files in testdata/access: what is planned for a condition, a table, its indexes and what is known
// of them. The tables are empty unless a file says otherwise; then what is counted of them is what the planner knows.
//
//	sql                    statements that make tables and set variables
//	plan                   statements, one a line, that are explained; properties that most share are left out
//	lists columns=(a, b) sizes=(50, 50) rest=(..)   explains WHERE a IN (50 values) AND b IN (50 values) rest, and prints no spans
//	fill table=t rows=n columns=(a, b)   rows, of which column number i holds the row's number modulo 10 to the power of i + 1; the first, all of it
//	prepared               the first line is a statement, each of the others parameters: 1 is an integer, 1.0 a float, 'x' a text, NULL
func TestAccess(t *testing.T) {
	datadriven.Walk(t, "testdata/access", func(t *testing.T, path string) {
		h := newHarness(t)
		datadriven.RunTest(t, path, h.command)
	})
}

type harness struct {
	t       testing.TB
	db      *database.DB
	session *sql.Session
	nowMS   atomic.Int64 // what is known of tables is kept for some time only
}

// now is the harness's clock, which stands still until rows are counted anew.
func (h *harness) now() time.Time { return time.UnixMilli(h.nowMS.Load()) }

func newHarness(t testing.TB) *harness {
	h := &harness{t: t}
	h.nowMS.Store(time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC).UnixMilli())
	h.db = testdb.OpenWith(t, database.Options{Now: h.now})
	engine := sql.New(sql.Options{DB: h.db, Now: h.now})
	session, err := engine.Open(ctx, result.Login{User: "root", Database: database.DefaultDatabase,
		MultiStatements: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	h.session = session
	return h
}

func (h *harness) command(t *testing.T, d *datadriven.TestData) string {
	h.t = t
	var out strings.Builder
	switch d.Cmd {
	case "sql":
		h.run(&out, d.Input)
	case "plan":
		for line := range strings.SplitSeq(strings.ReplaceAll(d.Input, "\\\n", " "), "\n") {
			fmt.Fprintf(&out, "%s\n", line)
			h.explained(&out, line)
		}
	case "prepared":
		h.prepared(&out, strings.Split(d.Input, "\n"))
	case "lists":
		h.lists(&out, d)
	case "alternatives":
		h.alternatives(&out, d)
	case "fill":
		h.fill(d)
	default:
		t.Fatalf("no command %s", d.Cmd)
	}
	return out.String()
}

func (h *harness) run(out *strings.Builder, text string) {
	if err := h.session.Query(ctx, []byte(text), &sink{out: out}); err != nil {
		fmt.Fprintf(out, "  error: %v\n", err)
	}
	if err := h.db.WaitJobs(ctx); err != nil {
		h.t.Fatal(err)
	}
}

// explained writes what EXPLAIN says, without what is the same for most statements.
func (h *harness) explained(out *strings.Builder, text string) {
	var all strings.Builder
	h.run(&all, "EXPLAIN "+text)
	for line := range strings.Lines(all.String()) {
		switch {
		case strings.HasPrefix(line, "  table: "), line == "  order: that of the index\n",
			line == "  reads: rows of the table\n":
		case strings.HasPrefix(line, "  inefficient: "):
			out.WriteString("  refused\n")
		default:
			out.WriteString(line)
		}
	}
}

func (h *harness) prepared(out *strings.Builder, lines []string) {
	statement, err := h.session.Prepare(ctx, []byte("EXPLAIN "+lines[0]))
	if err != nil {
		fmt.Fprintf(out, "  error: %v\n", err)
		return
	}
	for _, line := range lines[1:] {
		fmt.Fprintf(out, "%s\n", line)
		var parameters []datum.Datum
		for text := range strings.SplitSeq(line, ", ") {
			parameters = append(parameters, parameter(text))
		}
		if err := statement.Execute(ctx, parameters, &sink{out: out}); err != nil {
			fmt.Fprintf(out, "  error: %v\n", err)
		}
	}
}

func parameter(text string) datum.Datum {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return datum.Int(n)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return datum.Float64(f)
	}
	if text == "NULL" {
		return datum.Null
	}
	return datum.TextString(strings.Trim(text, "'"))
}

// lists explains a product of IN lists.
// alternatives explains an OR of so many whole keys.
func (h *harness) alternatives(out *strings.Builder, d *datadriven.TestData) {
	n, table := 0, ""
	d.ScanArgs(h.t, "n", &n)
	d.ScanArgs(h.t, "table", &table)
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("(a = 'a%05d' AND b = 'b%05d' AND c = 'c%05d')", i, i, i))
	}
	var all strings.Builder
	h.run(&all, "EXPLAIN SELECT * FROM "+table+" WHERE "+strings.Join(list, " OR "))
	for line := range strings.Lines(all.String()) {
		if !strings.HasPrefix(line, "  span: (") && !strings.HasPrefix(line, "  where: ") {
			out.WriteString(line)
		}
	}
}

func (h *harness) lists(out *strings.Builder, d *datadriven.TestData) {
	var columns, sizes []string
	rest := ""
	for _, argument := range d.CmdArgs {
		switch argument.Key {
		case "columns":
			columns = argument.Vals
		case "sizes":
			sizes = argument.Vals
		case "rest":
			rest = argument.Vals[0]
		}
	}
	var conditions []string
	for i := range columns {
		n, err := strconv.Atoi(sizes[i])
		if err != nil {
			h.t.Fatal(err)
		}
		var values []string
		for j := range n {
			values = append(values, fmt.Sprintf("'v%05d'", j))
		}
		conditions = append(conditions, columns[i]+" IN ("+strings.Join(values, ", ")+")")
	}
	var all strings.Builder
	h.run(&all, "EXPLAIN SELECT * FROM "+strings.TrimSpace(d.Input)+" WHERE "+strings.Join(conditions, " AND ")+" "+
		rest)
	for line := range strings.Lines(all.String()) {
		if !strings.HasPrefix(line, "  span: [") {
			out.WriteString(line)
		}
	}
}

// fill inserts rows and has them counted.
func (h *harness) fill(d *datadriven.TestData) {
	var table string
	var rows int
	var columns []string
	d.ScanArgs(h.t, "table", &table)
	d.ScanArgs(h.t, "rows", &rows)
	for _, argument := range d.CmdArgs {
		if argument.Key == "columns" {
			columns = argument.Vals
		}
	}
	const batch = 1000
	for at := 0; at < rows; at += batch {
		text := []byte("INSERT INTO " + table + "(" + strings.Join(columns, ", ") + ") VALUES ")
		for i := at; i < min(at+batch, rows); i++ {
			text = fmt.Appendf(text, "(%d", i)
			for j, modulus := 1, 10; j < len(columns); j, modulus = j+1, modulus*10 {
				text = fmt.Appendf(text, ", %d", i%modulus)
			}
			text = append(text, "),"...)
		}
		if err := h.session.Query(ctx, text[:len(text)-1], &sink{}); err != nil {
			h.t.Fatal(err)
		}
	}
	h.count(table)
}

// count makes the planner know how many entries the table's indexes have.
func (h *harness) count(table string) {
	h.nowMS.Add(time.Hour.Milliseconds())
	pin, err := h.db.PinIn("", table)
	if err != nil {
		h.t.Fatal(err)
	}
	defer pin.Release()
	if _, err := pin.Explain(ctx, database.Query{AnyIndex: true}); err != nil {
		h.t.Fatal(err)
	}
	if _, err := pin.Estimate(ctx, ""); err != nil {
		h.t.Fatal(err)
	}
	for x := range pin.Descriptor().Declared() {
		if _, err := pin.Estimate(ctx, x.Name); err != nil {
			h.t.Fatal(err)
		}
	}
}

// sink writes rows as "first: second".
type sink struct{ out *strings.Builder }

// Columns is result.Sink's.
func (s *sink) Columns([]result.Column) error { return nil }

// Row is result.Sink's.
func (s *sink) Row(row []datum.Datum) error {
	if string(row[0].Bytes()) == "plan" {
		return nil // the properties below it are looked at
	}
	s.out.WriteString("  ")
	for i := range row {
		if i > 0 {
			s.out.WriteString(": ")
		}
		s.out.Write(row[i].AppendText(nil))
	}
	s.out.WriteString("\n")
	return nil
}

// Done is result.Sink's.
func (s *sink) Done(result.Done) error { return nil }
