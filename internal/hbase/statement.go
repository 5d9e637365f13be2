// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/digest"
)

// tally is what one call costs.
type tally struct {
	digest.Cost
	to        *digest.Table // nil: nobody wants to know
	operation string
	name      TableName
	selection *Selection // of a read
	begun     time.Time
	waits     *database.Waits
}

// begin begins to count a call; end is its counterpart.
func (a *API) begin(operation string, name TableName, selection *Selection) tally {
	t := tally{to: a.Statements, operation: operation, name: name, selection: selection}
	if t.to != nil {
		t.begun = time.Now()
	}
	return t
}

// waiting returns the context for a write, which may wait for its rows.
func (t *tally) waiting(ctx context.Context) context.Context {
	if t.to == nil {
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

// end adds the call to the others of its statement.
func (t *tally) end(err *error) {
	if t.to == nil {
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
	t.to.Add(digest.HBase, t.name.Namespace, text, &t.Cost, now)
}

// columnsShown is how many columns are looked at for their families.
const columnsShown = 32

// appendShape appends the families that are wanted, each once, and the filter without arguments. Qualifiers may be data, so they are left out.
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
