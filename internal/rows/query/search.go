// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// GatherBytesMax is the number of bytes of keys a search collects at most, to put them in order. A list that is longer
// is not used: its rows are then checked one by one.
const GatherBytesMax = 64 << 20

// finder finds keys of rows by a search index.
type finder struct {
	ctx     context.Context
	from    kv.Snapshot
	index   *record.Index
	table   *record.Index
	reverse bool
	counts  *Counts
	room    int  // bytes that may still be gathered
	partial bool // a list was too long, so that more rows are found than should be
	walks   []kv.Cursor
	root    stream
	begun   bool // root stands at the last row found
	ranked  *group
	scorer  *search.Scorer
	err     error
}

// stream yields keys of rows, without the table's prefix, in the direction of the walk. A key that it returns stays
// until the next call; nil: no row is left, or the finder has an error.
type stream interface {
	// seek moves to the first row at or behind key; a nil key is before all rows. It never moves back.
	seek(key []byte) []byte
	// next moves to the row behind the one at which the last call has ended.
	next() []byte
}

// openFinder begins a search.
func (c *Cursor) openFinder() {
	s := c.scan
	c.found = &finder{ctx: c.ctx, from: c.from, index: s.Searched, table: s.Table.Primary, reverse: s.Reverse &&
		s.Rank == nil, counts: &c.Counts, room: cmp.Or(s.GatherBytesMax, GatherBytesMax), scorer: s.Rank}
	c.found.root = c.found.open(s.Search.Root)
	if c.found.partial {
		c.checks = s.Search.Checks
	}
}

func (f *finder) close() (err error) {
	for _, walk := range f.walks {
		if failed := walk.Close(); err == nil {
			err = failed
		}
	}
	f.walks = nil
	return err
}

// compare orders keys in the direction of the walk.
func (f *finder) compare(a, b []byte) int {
	if f.reverse {
		return bytes.Compare(b, a)
	}
	return bytes.Compare(a, b)
}

// isAt reports whether a seek for another key may end at a key.
func (f *finder) isAt(at, key []byte) bool { return key == nil || f.compare(at, key) >= 0 }

// open makes the stream of a node.
func (f *finder) open(n *access.SearchNode) stream {
	switch n.Kind {
	case access.SearchWords:
		return f.openWords(n)
	case access.SearchValues:
		return f.openValues(n)
	case access.SearchAny:
		return &union{f: f, list: f.openEach(n.List)}
	}
	list := f.openEach(n.List)
	if len(list) == 0 {
		list = []stream{f.everything()}
	}
	without := f.openWithout(n.Without)
	if len(list) == 1 && len(without) == 0 {
		return list[0]
	}
	return &allOf{f: f, list: list, without: without}
}

// openWithout opens what is left out: only lists that are there as a whole, for others leave out too much.
func (f *finder) openWithout(nodes []*access.SearchNode) (list []stream) {
	partial := f.partial
	for _, n := range nodes {
		f.partial = false
		if s := f.open(n); !f.partial {
			list = append(list, s)
		}
		partial = partial || f.partial
	}
	f.partial = partial
	return list
}

func (f *finder) openEach(nodes []*access.SearchNode) (list []stream) {
	for _, n := range nodes {
		list = append(list, f.open(n))
	}
	return list
}

// gather collects the rows of some ranges of entries; ok is false if they are too many.
func (f *finder) gather(ranges []kv.Range, rest func(key []byte) ([]byte, error)) (g *sortedKeys, ok bool) {
	g = &sortedKeys{f: f}
	var arena []byte
	for _, r := range ranges {
		walk := f.from.Scan(f.ctx, r, false)
		f.counts.Seeks++
		for walk.Next() {
			f.counts.Postings++
			primary, err := rest(walk.Key())
			if err != nil {
				f.err = err
				break
			}
			const keyOverhead = 24
			if f.room -= len(primary) + keyOverhead; f.room < 0 {
				break
			}
			if len(arena)+len(primary) > cap(arena) {
				arena = make([]byte, 0, max(64<<10, len(primary)))
			}
			arena = append(arena, primary...)
			g.keys = append(g.keys, arena[len(arena)-len(primary):len(arena):len(arena)])
		}
		if err := walk.Close(); f.err == nil {
			f.err = err
		}
		if f.err != nil || f.room < 0 {
			return g, false
		}
	}
	slices.SortFunc(g.keys, f.compare)
	g.keys = slices.CompactFunc(g.keys, bytes.Equal)
	return g, true
}

// openValues is the stream of some values of a field.
func (f *finder) openValues(n *access.SearchNode) stream {
	field := f.index.Field(n.Field).Named(n.Column)
	var streams []stream
	if n.Side {
		streams = append(streams, f.list(field.Side, kv.BlockKeys))
	}
	if n.InOrder() {
		for _, span := range n.Spans {
			streams = append(streams, f.list(slices.Concat(field.Prefix, span.Start), kv.BlockKeys))
		}
		return f.either(streams)
	}
	var ranges []kv.Range
	for _, span := range n.Spans {
		ranges = append(ranges, field.Span(span.Start, span.End))
	}
	g, ok := f.gather(ranges, func(key []byte) ([]byte, error) { return field.Rest(key[len(field.Prefix):]) })
	if !ok && f.err == nil {
		f.partial = true
		return f.everything()
	}
	return f.either(append(streams, g))
}

func (f *finder) either(streams []stream) stream {
	if len(streams) == 1 {
		return streams[0]
	}
	return &union{f: f, list: streams}
}

// advance moves to the next row that is found within the spans that are left.
func (c *Cursor) advance() (at []byte) {
	f := c.found
	for f.err == nil && len(c.spans) > 0 {
		span := c.spans[0]
		switch {
		case f.begun:
			at = f.root.next()
		case f.reverse:
			if at = f.root.seek(span.End); span.End != nil && at != nil && bytes.Equal(at, span.End) {
				at = f.root.next()
			}
		default:
			at = f.root.seek(span.Start)
		}
		if at == nil {
			return nil
		}
		if f.begun = span.Contains(at); f.begun {
			return at
		}
		c.spans = c.spans[1:]
	}
	return nil
}

// nextFound moves to the next row that a search index finds and that passes the filter.
func (c *Cursor) nextFound() bool {
	for c.err == nil && !c.more {
		if c.found.scorer != nil {
			return c.nextRanked()
		}
		at := c.nextFoundKey()
		if c.err == nil {
			c.err = c.found.err
		}
		if at == nil || c.err != nil {
			return false
		}
		if limit := c.scan.ExaminedMax; limit > 0 && c.Counts.Examined >= int64(limit) ||
			c.scan.BytesMax > 0 && c.Counts.Bytes > int64(c.scan.BytesMax) {
			c.more = true
			return false
		}
		c.last = append(c.last[:0], at...)
		if c.skipsReading() {
			c.row = nil
			c.Counts.Examined++
			c.Counts.Returned++
			return true
		}
		seen := c.readFound(c.last)
		if c.err == nil && c.row != nil {
			c.Counts.Examined++
			c.Counts.Bytes += int64(c.row.Size())
		}
		if seen {
			c.Counts.Returned++
			return true
		}
	}
	return false
}

// skipsReading reports whether rows that are found need not be read.
func (c *Cursor) skipsReading() bool { return c.scan.Unread && !c.filters() && c.scan.Cells == nil }

// readFound reads the row of a key that was found and reports whether it passes the filter.
func (c *Cursor) readFound(key []byte) bool {
	s := c.scan
	c.fetch = append(append(c.fetch[:0], s.Table.Primary.Prefix...), key...)
	stored, ok, err := c.get(c.fetch)
	if err == nil && !ok && s.Searched.Async != nil {
		c.row = nil // the index does not know yet
		return false
	}
	if err != nil || !ok {
		c.err = orMissing(err, s.Searched.Name, c.fetch)
		return false
	}
	if c.row, c.err = s.Table.Adapt(c.ctx, stored); c.err != nil {
		return false
	}
	if c.cells != nil {
		visible, seen, err := s.Table.Visible(c.cells.seen[:0], c.row, s.NowMS)
		if c.err = err; err != nil || !seen {
			c.Counts.Dead++
			c.row = nil
			return false
		}
		if !isSame(visible, c.row) {
			c.cells.seen = visible
		}
		c.row = visible
	}
	c.Counts.Fetched++
	return c.passes() && (c.checks == nil || c.matches(c.checks))
}
