// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/security/permission"
)

// tally is the cost of one call.
type tally struct {
	digest.Cost
	api       *API // nil: nobody wants to know
	ctx       context.Context
	operation string
	name      TableName
	selection *Selection // of a read
	scan      *Scan      // of a page of one
	row       []byte     // the first one of all else
	rows      int
	begun     time.Time
	waits     *database.Waits
}

// begin begins to count a call, once the database answers; end is its counterpart.
func (a *API) begin(ctx context.Context, operation string, name TableName, selection *Selection) tally {
	a.DB.Await(ctx)
	t := tally{ctx: ctx, operation: operation, name: name, selection: selection}
	if a.Statements != nil {
		t.api = a
		t.begun = time.Now()
	}
	return t
}

// waiting returns the context for a write, which may wait for its rows.
func (t *tally) waiting(ctx context.Context) context.Context {
	if t.api == nil {
		return ctx
	}
	t.waits = new(database.Waits)
	return t.waits.Context(ctx)
}

// read counts the rows that a read has looked at and those that it has returned.
func (t *tally) read(examined int64, results []Result) {
	t.Examined += examined
	for i := range results {
		if len(results[i].Cells) > 0 {
			t.Returned++
		}
	}
}

// wrote counts rows that were written; each was read first.
func (t *tally) wrote(rows int) {
	t.Examined, t.Written = t.Examined+int64(rows), t.Written+int64(rows)
}

// end adds the call to the others of its statement, and keeps it if it was slow.
func (t *tally) end(err *error) {
	if t.api == nil {
		return
	}
	now := time.Now()
	t.Took, t.Failed = now.Sub(t.begun), *err != nil
	if t.waits != nil {
		t.Waited = t.waits.Waited()
	}
	var room [128]byte
	text := append(append(append(room[:0], t.operation...), ' '), t.name.Name...)
	if t.selection != nil && *err == nil { // or its families may be any bytes
		text = t.selection.appendShape(text)
	}
	t.api.Statements.Add(digest.HBase, t.name.Namespace, text, &t.Cost, now)
	if t.api.Slow != nil && t.Took >= t.api.Slow() {
		t.keepSlow()
	}
}

// shownCall is a slow call. A scan has the members of a scan over HTTP, so that its plan can be asked for.
type shownCall struct {
	Table    string   `json:"table"`
	Row      string   `json:"row,omitempty"`
	RowsMore int      `json:"rowsMore,omitempty"`
	Start    string   `json:"start,omitempty"`
	Stop     string   `json:"stop,omitempty"`
	Reversed bool     `json:"reversed,omitempty"`
	Columns  []string `json:"columns,omitempty"`
	Filter   string   `json:"filter,omitempty"`
	Versions int      `json:"versions,omitempty"`
}

// keepSlow keeps the call as a slow one, as far as its text has room.
func (t *tally) keepSlow() {
	shown := shownCall{Table: t.name.String(), Row: printable(t.row), RowsMore: max(t.rows-1, 0)}
	if t.scan != nil {
		shown.Start, shown.Stop, shown.Reversed = printable(t.scan.Start), printable(t.scan.Stop), t.scan.Reversed
	}
	if s := t.selection; s != nil {
		shown.Versions = s.Versions
		for i := range s.Columns[:min(len(s.Columns), columnsShown)] {
			shown.Columns = append(shown.Columns, s.Columns[i].printable())
		}
		if s.Filter != nil {
			shown.Filter = s.Filter.String()
		}
	}
	body, err := json.Marshal(shown)
	if err != nil {
		return // there is no such shownCall
	}
	text := t.operation + " " + string(body)
	from := permission.FromContext(t.ctx)
	slow := digest.Statement{API: digest.HBase, User: from.User, Database: t.name.Namespace,
		Text: text[:min(len(text), digest.SlowTextMax)], Begun: t.begun, Cost: t.Cost}
	if from.Address.IsValid() {
		slow.Host = from.Address.String()
	}
	t.api.Statements.KeepSlow(&slow)
}

// printable is a text of printable ASCII: all other bytes, and backslashes, are \xNN.
func printable(b []byte) string {
	text := make([]byte, 0, len(b))
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' {
			text = fmt.Appendf(text, `\x%02X`, c)
		} else {
			text = append(text, c)
		}
	}
	return string(text)
}

func (c *Column) printable() string {
	if c.Whole {
		return printable(c.Family)
	}
	return printable(c.Family) + ":" + printable(c.Qualifier)
}

// columnsShown is the number of columns that are looked at for their families.
const columnsShown = 32

// appendShape appends the families that are wanted, each once, and the filter without arguments. Qualifiers may be
// data, so they are left out.
func (s *Selection) appendShape(dst []byte) []byte {
	columns := s.Columns[:min(len(s.Columns), columnsShown)]
	for i := range columns {
		family := columns[i].Family
		if !slices.ContainsFunc(columns[:i], func(c Column) bool { return bytes.Equal(c.Family, family) }) {
			dst = append(append(dst, ' '), family...)
		}
	}
	if s.Filter != nil && len(dst) < digest.TextMax {
		dst = s.Filter.AppendShape(append(dst, " FILTER "...))
	}
	return dst
}

// rangesMax is the number of ranges of rows a plan shows.
const rangesMax = 20

// Plan says how a scan reads its table.
type Plan struct {
	// Ranges are the ranges of rows that are read, in their order: the scan's, cut to where its filter can keep a row.
	// There may be more.
	Ranges []database.Explanation
	More   int
}

// Explain says how the scan reads its table, before it begins to. Nothing is read but statistics and samples.
func (s *Scanner) Explain(ctx context.Context) (plan Plan, err error) {
	p, _, err := s.api.pinEnabled(s.name)
	if err != nil {
		return plan, err
	}
	defer p.Release()
	if err := s.api.authorize(ctx, "Scan", p, part{columns: s.scan.Columns, read: true}); err != nil {
		return plan, err
	}
	for i, b := range s.keys {
		if i == rangesMax {
			plan.More = len(s.keys) - i
			break
		}
		e, err := p.Explain(ctx, database.Query{Where: b.condition(), Reverse: s.scan.Reversed})
		if err != nil {
			return plan, faultOf(err)
		}
		plan.Ranges = append(plan.Ranges, e)
	}
	return plan, nil
}

// Counts is the work of the scan: Returned counts the rows of which a cell was wanted and kept by the filter.
func (s *Scanner) Counts() database.Counts { return s.work }

// note adds the work of a walk.
func (s *Scanner) note(n database.Counts) {
	n.Returned = 0 // rows are counted where it is known that a cell of theirs is kept
	s.work.Add(n)
}
