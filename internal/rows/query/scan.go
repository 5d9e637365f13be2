// SPDX-License-Identifier: Apache-2.0

// Package query runs what package access has planned: it walks the spans of an index at one snapshot, lets the index
// kind skip what can't match, reads rows back where the index does not hold them, filters, counts, and stops at a limit
// with a key to go on from. Rows are handed on in their stored bytes, one at a time; memory does not grow with the
// result.
//
// Knows: operators, cursors, limits, continuation keys.
// Never: syntax, protocols, which path is best.
package query

import (
	"bytes"
	"cmp"
	"context"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Scan describes one walk over an index. All keys in it are relative: without the index's prefix.
type Scan struct {
	Table *record.Table
	Index *record.Index
	// Path is the way to walk: spans in key order, and how to skip inside them.
	Path indexkey.Scan
	// Keys says that each span of Path is a whole key of the table.
	Keys bool
	// Within narrows the walk to one segment of the index; the zero value is the whole index.
	Within  indexkey.Span
	Reverse bool
	// After is the entry after which the walk starts (before which, when Reverse); nil starts at the first.
	After []byte
	// Filter drops rows; nil keeps all. Dropped rows count as examined.
	Filter expr.Condition
	// Inner are keys for which Filter is more than has to be checked. Unused with Fetch and rules of cells.
	Inner access.Inner
	// EntryFilter drops entries before their rows are read back: a condition on what the entries hold; nil keeps all.
	// Unused without Fetch, and in a table with rules of cells, where entries may be out of date.
	EntryFilter expr.Condition
	// Fetch reads each row back from the table, because the index does not hold all that is wanted.
	Fetch bool
	// AnyOrder lets rows that are read back come in the order of their keys. Unused with limits, Near and rules of
	// cells.
	AnyOrder bool
	// Limit is the number of rows that are wanted at first; 0: all. The walk does not end with it.
	Limit int
	// Fetched is called with the item bytes of each row read back; nil: none.
	Fetched func(bytes int)
	// ExaminedMax stops the walk after so many entries; 0 = no limit.
	ExaminedMax int
	// BytesMax stops the walk after the item with which those looked at add up to more bytes than this; 0 = no limit.
	BytesMax int
	// NowMS is the present, in Unix milliseconds, for tables with rules of cells.
	NowMS int64
	// Near puts the rows in the order of their distance from a point; Within, Reverse, After and the limits are then
	// not used. nil: they come as keys lie.
	Near *Near
	// NearAfter is the number of leading visible parts of the key that are bound to single values: the Z-order part
	// stands behind them.
	NearAfter int
	// Search finds the rows to read, within Path's spans, by the search index Searched; Index is then the table itself.
	// nil: all rows are read.
	Search   *access.Search
	Searched *record.Index
	// GatherBytesMax is the number of bytes of keys Search that may collect, to put them in order. Default: the
	// constant of that name.
	GatherBytesMax int
	// Unread leaves the rows that Search finds unread where nothing has to be checked on them: they come without
	// attributes.
	Unread bool
	// Rank puts the rows that Search finds in the order of their scores, the best first. nil: as keys lie.
	Rank *search.Scorer
	// First is the number of rows that are wanted at first; 0: not known.
	First int
	// ReadAhead reads rows by their keys many at a time, and the entries of those that are read back before them, since
	// each read takes a way over the network.
	ReadAhead bool
	// Stretches, if not nil, gets what is read between seeks.
	Stretches *Stretches
	// Cells asks for versions of the cells instead of rows as they are seen, on the table itself; nil: nobody does.
	Cells *cell.Select
}

// PartFilter parts a condition into the part that the entries of an index decide, and the rest.
func PartFilter(x *record.Index, filter expr.Condition) (entry, rest expr.Condition) {
	var told, left []expr.Condition
	for _, one := range expr.Conjuncts(filter) {
		holds := true
		for path := range expr.Paths(one) {
			holds = holds && x.Projects(path.Name)
		}
		if holds {
			told = append(told, one)
		} else {
			left = append(left, one)
		}
	}
	return expr.Conjunction(told...), expr.Conjunction(left...)
}

// Counts is the work of a walk so far.
type Counts struct {
	Examined int64 // entries that were candidates: skipped ones are not counted
	Bytes    int64 // item bytes of the entries looked at
	Returned int64
	Fetched  int64 // rows read back
	Seeks    int64 // places where reading began anew
	Jumps    int64 // of these, the ones inside a span, over entries that can't match
	Skipped  int64 // entries stepped over without being candidates
	Postings int64 // entries of search indexes looked at; they are in none of the others
	// entries of deleted and expired cells, which are invisible; they are in none of the others but Bytes
	Dead  int64
	Whole int64 // walks that nothing bounds: of a whole table or index, if no limit ends them
}

// Add adds the work of another walk.
func (c *Counts) Add(n Counts) {
	c.Examined += n.Examined
	c.Bytes += n.Bytes
	c.Returned += n.Returned
	c.Fetched += n.Fetched
	c.Seeks += n.Seeks
	c.Jumps += n.Jumps
	c.Skipped += n.Skipped
	c.Postings += n.Postings
	c.Dead += n.Dead
	c.Whole += n.Whole
}

// Looked is the number of entries that were looked at, candidates or not.
func (c *Counts) Looked() int64 { return c.Examined + c.Skipped }

// FalsePositives is the number of entries that were examined without a match.
func (c *Counts) FalsePositives() int64 { return c.Looked() - c.Returned }

// Cursor is a running Scan. It is used by one goroutine.
type Cursor struct {
	scan     *Scan
	from     kv.Snapshot
	store    kv.Store // instead of from, for a walk over the latest commits
	ctx      context.Context
	spans    []indexkey.Span // clipped, still to walk after the current one
	walk     kv.Cursor       // over the current span; nil before the first and after the last
	skip     skipper
	row      value.Row
	last     []byte         // key of the last entry examined
	more     bool           // stopped by a limit
	fetch    []byte         // scratch: row key
	back     []byte         // scratch: row read back
	cells    *cellWalk      // nil unless the table has rules of cells
	near     *nearest       // nil unless distances are asked for
	found    *finder        // nil unless a search index finds the rows
	checks   expr.Condition // what a search could not guarantee; nil: nothing
	rank     *rankedWalk    // nil until the first of Rank is asked for
	fetching *fetchBatch    // nil unless the entries of several rows are read before the rows
	ahead    ahead
	open     []*openWalk // over the first of spans
	opens    int         // how many were begun at once
	err      error
	Counts   Counts
}

// Open starts the walk. The snapshot must stay open until the cursor is closed.
func (s *Scan) Open(ctx context.Context, from kv.Snapshot) *Cursor {
	c := &Cursor{scan: s, from: from, ctx: ctx, spans: s.clip()}
	c.skip.init(s)
	if s.Table.Cells != nil {
		c.cells = new(cellWalk)
	}
	if s.Near != nil {
		c.spans, c.err = nil, c.openNear()
	}
	if s.Search != nil {
		c.openFinder()
	}
	if s.gathers() {
		c.fetching = new(fetchBatch)
	}
	return c
}

// Latest is Open at the latest commits, for a walk that reads no row back and, with ReadAhead, has one span. Its
// snapshot is taken by the call.
func (s *Scan) Latest(ctx context.Context, store kv.Store) *Cursor {
	c := s.Open(ctx, nil)
	c.store = store
	c.nextSpan()
	return c
}

// clip cuts the spans by the segment and by After, and puts them in walking order.
func (s *Scan) clip() []indexkey.Span {
	bounds := s.Within
	if s.After != nil && s.Reverse {
		bounds.End = lower(bounds.End, s.After)
	} else if s.After != nil {
		bounds.Start = higher(bounds.Start, append(bytes.Clone(s.After), 0))
	}
	clipped := make([]indexkey.Span, 0, len(s.Path.Spans))
	for _, span := range s.Path.Spans {
		span = indexkey.Span{Start: higher(span.Start, bounds.Start), End: lower(span.End, bounds.End)}
		if span.End == nil || bytes.Compare(span.Start, span.End) < 0 {
			clipped = append(clipped, span)
		}
	}
	if s.Reverse {
		for i, j := 0, len(clipped)-1; i < j; i, j = i+1, j-1 {
			clipped[i], clipped[j] = clipped[j], clipped[i]
		}
	}
	return clipped
}

// higher returns the later of two starts; nil is the first key.
func higher(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}

// lower returns the earlier of two ends; nil has no upper bound.
func lower(a, b []byte) []byte {
	if a == nil || (b != nil && bytes.Compare(b, a) < 0) {
		return b
	}
	return a
}

// checkEvery is how many rows are counted between two looks at the context.
const checkEvery = 1024

// Count walks to the end and returns the number of rows, instead of Next. Then look at Close's error.
func (c *Cursor) Count() (n int64) {
	if c.found != nil && c.err == nil && c.found.scorer == nil && c.skipsReading() && c.scan.ExaminedMax == 0 {
		return c.countFound()
	}
	for (n%checkEvery != 0 || c.ctx.Err() == nil) && c.Next() {
		n++
	}
	c.err = cmp.Or(c.err, c.ctx.Err())
	return n
}

// Next moves to the next row that passes the filter. After false, look at Close's error.
func (c *Cursor) Next() bool {
	if c.near != nil {
		return c.nextNear()
	}
	if c.found != nil {
		return c.nextFound()
	}
	if c.fetching != nil {
		return c.nextFetched()
	}
	if c.cells != nil && c.nextRank() {
		c.Counts.Returned++
		return true
	}
	for c.err == nil && !c.more {
		if !c.step() {
			if !c.nextSpan() {
				return false
			}
			continue
		}
		if c.full() {
			c.more = true
			return false
		}
		if c.examine() {
			c.Counts.Returned++
			return true
		}
	}
	return false
}

// step moves to the next candidate of the current span.
func (c *Cursor) step() bool {
	return c.walk != nil && c.skip.next(c.walk, len(c.scan.Index.Prefix), c.scan.Reverse, &c.Counts)
}

// nextSpan takes the walk to the next span; false when there is none, or after an error.
func (c *Cursor) nextSpan() bool {
	if c.err != nil || len(c.spans) == 0 {
		c.endSpan()
		return false
	}
	if c.nextKeys() {
		return c.err == nil
	}
	if c.moveTo(c.spans[0]); c.err != nil {
		return false
	}
	c.spans = c.spans[1:]
	c.Counts.Seeks++
	c.scan.Stretches.seek()
	return true
}

// moveTo takes the walk to a span.
func (c *Cursor) moveTo(span indexkey.Span) {
	if walk, ok := c.nextOpen(); ok {
		c.endSpan()
		c.walk = c.aheadOfCells(walk)
		return
	}
	if _, ok := c.walk.(*keyWalk); ok {
		c.walk = nil
	}
	keys := c.scan.Index.Span(span.Start, span.End)
	switch {
	case c.walk != nil: // if an error has ended it, it shows nothing more
		c.walk.Move(keys)
	case c.store != nil:
		c.walk = kv.Walk(c.ctx, c.store, keys, c.scan.Reverse)
	default:
		c.walk = c.aheadOfCells(c.from.Scan(c.ctx, keys, c.scan.Reverse))
	}
}

func (c *Cursor) endSpan() {
	if c.walk == nil {
		return
	}
	if err := c.walk.Close(); err != nil && c.err == nil {
		c.err = err
	}
	c.walk = nil
}

// full reports whether the entry now under the cursor is one too many.
func (c *Cursor) full() bool {
	if limit := c.scan.ExaminedMax; limit > 0 && c.Counts.Looked() >= int64(limit) {
		return true
	}
	limit := c.scan.BytesMax
	return limit > 0 && c.Counts.Bytes > int64(limit)
}

// examine counts the entry under the cursor, reads its row and reports whether it passes.
func (c *Cursor) examine() bool {
	if c.cells != nil {
		return c.see()
	}
	if !c.look() {
		return false
	}
	if c.scan.Inner.Has != nil && !c.scan.Fetch && c.scan.Inner.Has(c.last) {
		return c.scan.Inner.Filter == nil || c.matches(c.scan.Inner.Filter)
	}
	return (!c.scan.Fetch || c.readBack()) && c.passes()
}

// look counts the entry under the cursor and reports whether its row is worth looking at.
func (c *Cursor) look() bool {
	c.Counts.Examined++
	if c.row, c.err = c.scan.Table.Adapt(c.ctx, c.walk.Value()); c.err != nil {
		return false
	}
	c.Counts.Bytes += int64(c.row.Size())
	c.skip.passed = c.skip.passed[:0]
	c.last = append(c.last[:0], c.walk.Key()[len(c.scan.Index.Prefix):]...)
	c.scan.Stretches.look(c.last, true)
	return !c.scan.Fetch || c.passesEntry()
}

// readBack replaces the entry's row by the table's. At one snapshot the row is always there.
func (c *Cursor) readBack() bool {
	c.fetch, c.err = c.scan.Table.PrimaryKey(c.fetch[:0], c.scan.Index, c.walk.Key())
	return c.err == nil && c.readRow(c.fetch)
}

// readRow reads the row under a key of the table.
func (c *Cursor) readRow(key []byte) bool {
	row, ok, err := c.get(key)
	if err != nil || !ok {
		c.err = orMissing(err, c.scan.Index.Name, key)
		return false
	}
	if c.row, c.err = c.scan.Table.Adapt(c.ctx, row); c.err != nil {
		return false
	}
	c.Counts.Fetched++
	if c.scan.Fetched != nil {
		c.scan.Fetched(c.row.Size())
	}
	return true
}

// Row returns the current row, valid until the next call of Next or Close.
func (c *Cursor) Row() value.Row { return c.row }

// Last returns the relative key of the entry of the current row, or else of the last entry looked at, from which the
// walk goes on with Scan.After; nil if nothing was examined. It is valid until the next call of Next.
func (c *Cursor) Last() []byte {
	if c.fetching != nil && c.fetching.last != nil {
		return c.fetching.last
	}
	if len(c.skip.passed) > 0 {
		return c.skip.passed
	}
	return c.last
}

// More reports whether the walk was stopped by a limit rather than by the end of the spans.
func (c *Cursor) More() bool { return c.more }

// Close ends the walk and returns the error that ended it early, if any.
func (c *Cursor) Close() error {
	c.endSpan()
	c.endOpen()
	if c.found != nil {
		if err := c.found.close(); c.err == nil {
			c.err = err
		}
	}
	if c.near != nil {
		c.walk, c.near = c.near.walk, nil
		c.endSpan()
	}
	return cmp.Or(c.err, c.scan.Table.Err())
}
