// SPDX-License-Identifier: Apache-2.0

package query

import (
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
)

// cellWalk is the additional state of a walk over a table with rules of cells.
type cellWalk struct {
	key   []byte      // of the row behind an entry
	seen  []byte      // the row as it is seen
	kept  []byte      // what an index keeps of it
	ranks []value.Row // versions of the row that are still to be shown
}

// see is examine for a table with rules of cells: the entry leads to the stored row, and that to the row as readers see
// it now. Entries of rows that nobody sees any more, or that were written for how the row was seen before, are counted
// as dead and passed over.
func (c *Cursor) see() bool {
	c.skip.passed = c.skip.passed[:0]
	c.last = append(c.last[:0], c.walk.Key()[len(c.scan.Index.Prefix):]...)
	table, stored, there := c.scan.Table, value.Row(nil), true
	if c.scan.Index.IsPrimary() {
		stored, c.err = table.Adapt(c.ctx, c.walk.Value())
	} else {
		stored, there = c.behind()
	}
	if c.err != nil {
		return false
	}
	if there && c.scan.Cells != nil {
		return c.seeVersions(stored)
	}
	visible := value.Row(nil)
	if there {
		visible, there, c.err = table.Visible(c.cells.seen[:0], stored, c.scan.NowMS)
	}
	if c.err == nil && there && !c.scan.Index.IsPrimary() {
		c.fetch, there = table.Derives(c.fetch[:0], c.scan.Index, c.cells.key, visible, c.walk.Key())
	}
	if c.err != nil || !there {
		c.Counts.Dead++
		c.Counts.Bytes += int64(value.Row(c.walk.Value()).Size())
		return false
	}
	if !isSame(visible, stored) {
		c.cells.seen = visible
	}
	c.row = visible
	if !c.scan.Index.IsPrimary() && !c.scan.Fetch {
		c.row = table.Project(c.cells.kept[:0], c.scan.Index, visible)
		if !isSame(c.row, visible) {
			c.cells.kept = c.row
		}
	}
	c.count(visible)
	return c.passes()
}

// behind reads the row back that the entry points at; false if it is no longer there.
func (c *Cursor) behind() (stored value.Row, ok bool) {
	if c.cells.key, c.err = c.scan.Table.PrimaryKey(c.cells.key[:0], c.scan.Index, c.walk.Key()); c.err != nil {
		return nil, false
	}
	row, ok, err := c.get(c.cells.key)
	if err != nil || !ok {
		c.err = err
		return nil, false
	}
	c.Counts.Fetched++
	stored, c.err = c.scan.Table.Adapt(c.ctx, row)
	return stored, c.err == nil
}

// count counts a row that was seen.
func (c *Cursor) count(visible value.Row) {
	c.Counts.Examined++
	if !c.scan.Index.IsPrimary() {
		c.Counts.Bytes += int64(value.Row(c.walk.Value()).Size())
	} else {
		c.Counts.Bytes += int64(visible.Size())
	}
	if c.scan.Fetch && c.scan.Fetched != nil {
		c.scan.Fetched(visible.Size())
	}
}

// passes reports whether the filter lets the current row pass.
func (c *Cursor) passes() bool { return c.scan.Filter == nil || c.matches(c.scan.Filter) }

// passesEntry reports whether the current entry is worth reading its row.
func (c *Cursor) passesEntry() bool {
	return c.scan.EntryFilter == nil || c.matches(c.scan.EntryFilter)
}

func (c *Cursor) matches(condition expr.Condition) bool {
	pass, err := expr.Match(condition, expr.Source{Row: c.row, Names: c.scan.Table.Names})
	if err != nil {
		c.err = err
	}
	return pass && err == nil
}

// seeVersions puts the wanted versions of a row into c.cells.ranks, those that pass the filter, and takes the first of
// them.
func (c *Cursor) seeVersions(stored value.Row) bool {
	table, seen := c.scan.Table, false
	c.cells.ranks = c.cells.ranks[:0]
	if c.scan.Cells.Stored {
		c.row = stored
		c.count(stored)
		return true
	}
	err := table.Cells.Rows(stored, table.Names, table.IsKey, c.scan.NowMS, *c.scan.Cells, func(row value.Row) error {
		if !seen {
			c.count(row)
		}
		seen, c.row = true, row
		if c.passes() {
			c.cells.ranks = append(c.cells.ranks, row)
		}
		return c.err
	})
	if c.err = err; err != nil {
		return false
	}
	if !seen {
		c.Counts.Dead++
		c.Counts.Bytes += int64(stored.Size())
	}
	return c.nextRank()
}

// nextRank takes the next version of the row under the cursor; false if there is none.
func (c *Cursor) nextRank() bool {
	if len(c.cells.ranks) == 0 {
		return false
	}
	c.row, c.cells.ranks = c.cells.ranks[0], c.cells.ranks[1:]
	return true
}

// isSame reports whether two rows are the same bytes in memory.
func isSame(a, b value.Row) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }
