// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"sort"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/operator"
)

// changedRows is the rows that a statement is about, as they are read.
type changedRows struct {
	work   *work
	search *search
	limits Limits
	rows   []value.Row
	keys   [][]byte // where they have to be sorted: what by
	bytes  int
}

// cutEvery is the number of rows beyond a LIMIT are gathered before those that are not among the first are dropped.
const cutEvery = 1024

// add is called with each row that is read. It clones it.
func (g *changedRows) add(row value.Row) error {
	g.rows = append(g.rows, bytes.Clone(row))
	g.bytes += len(row)
	if g.search.sorts {
		if err := g.rank(row); err != nil {
			return err
		}
		if most := g.search.most; most >= 0 && len(g.rows) >= 2*most+cutEvery {
			g.cut()
		}
	}
	if g.limits.tooManyRows(len(g.rows)) {
		return tooManyRows(g.limits.RowsMax)
	}
	if g.bytes > g.limits.BytesMax {
		return fault.Message(fault.Refused,
			"the statement changes more than %d bytes of rows (statement_bytes_max): change fewer rows at once, for example with LIMIT", g.limits.BytesMax)
	}
	return nil
}

// rank computes what the row that came last is sorted by.
func (g *changedRows) rank(row value.Row) error {
	w, p := g.work, g.search.places
	if err := p.over.fill(w, row, nil, nil); err != nil {
		return err
	}
	var key []byte
	for i, by := range p.by {
		d, err := by.Value(w.call.Context)
		if err != nil {
			return err
		}
		key = operator.AppendSortKey(key, d, p.down[i])
	}
	g.keys = append(g.keys, key)
	g.bytes += len(key)
	return nil
}

// cut sorts the rows, if they have to be, and drops those beyond the LIMIT.
func (g *changedRows) cut() {
	if !g.search.sorts {
		return
	}
	sort.Stable(g)
	for most := g.search.most; most >= 0 && len(g.rows) > most; {
		last := len(g.rows) - 1
		g.bytes -= len(g.rows[last]) + len(g.keys[last])
		g.rows, g.keys = g.rows[:last], g.keys[:last]
	}
}

// Len is sort.Interface's.
func (g *changedRows) Len() int { return len(g.rows) }

// Less is sort.Interface's.
func (g *changedRows) Less(i, j int) bool { return bytes.Compare(g.keys[i], g.keys[j]) < 0 }

// Swap is sort.Interface's.
func (g *changedRows) Swap(i, j int) {
	g.rows[i], g.rows[j] = g.rows[j], g.rows[i]
	g.keys[i], g.keys[j] = g.keys[j], g.keys[i]
}
