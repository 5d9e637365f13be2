// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"context"
	"slices"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/hbase/filter"
)

// Scanner is a scan between two calls. It keeps no snapshot: each call sees the latest commits of the rows after those
// that it has returned. It is used by one goroutine at a time.
type Scanner struct {
	api   *API
	name  TableName
	scan  Scan
	run   filter.Run
	keys  []bounds // that are still to be read, in the order of the read
	last  []byte   // the last row that was looked at; nil before the first
	rest  Result   // cells of that row which a batch has left
	room  []filter.Cell
	bytes []byte // room for the rows of results
	left  int    // rows that Limit leaves; negative: no limit
	done  bool
	work  database.Counts // of all walks that have ended
}

// bounds are the bounds of row keys; an empty one is no bound.
type bounds struct {
	low, high                 []byte
	lowIncluded, highIncluded bool
}

// OpenScanner begins a scan.
func (a *API) OpenScanner(ctx context.Context, name TableName, scan *Scan) (*Scanner, error) {
	p, t, err := a.pinFor(ctx, "Scan", name)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	if err := a.authorize(ctx, "Scan", p, part{columns: scan.Columns, read: true}); err != nil {
		return nil, err
	}
	if err := scan.Selection.check(t); err != nil {
		return nil, err
	}
	if scan.Limit < 0 || scan.Batch < 0 {
		return nil, Illegal("limit and batch must not be negative")
	}
	s := &Scanner{api: a, name: name, scan: *scan, left: -1}
	if len(scan.Start) > 0 && !scan.StartExcluded && bytes.Equal(scan.Start, scan.Stop) {
		s.scan.StopIncluded = true // HBase takes it for a read of that row
	}
	if scan.Limit > 0 {
		s.left = scan.Limit
	}
	if scan.Filter != nil {
		s.run = scan.begin(scan.Reversed)
	}
	s.bound()
	return s, nil
}

// bound turns the scan's rows and its filter's into bounds of keys.
func (s *Scanner) bound() {
	o := &s.scan
	whole := bounds{o.Start, o.Stop, !o.StartExcluded, o.StopIncluded}
	if o.Reversed {
		whole = bounds{o.Stop, o.Start, o.StopIncluded, !o.StartExcluded}
	}
	if o.Filter == nil {
		s.keys = []bounds{whole}
		return
	}
	for _, span := range o.Filter.Spans(o.Reversed) {
		if b := whole.within(span); !b.isEmpty() {
			s.keys = append(s.keys, b)
		}
	}
	if o.Reversed {
		slices.Reverse(s.keys)
	}
	s.done = len(s.keys) == 0
}

func (b bounds) within(span filter.Span) bounds {
	if len(span.Start) > 0 && bytes.Compare(span.Start, b.low) > 0 {
		b.low, b.lowIncluded = span.Start, true
	}
	if len(span.Stop) > 0 && (len(b.high) == 0 || bytes.Compare(span.Stop, b.high) < 0) {
		b.high, b.highIncluded = span.Stop, span.StopIncluded
	}
	return b
}

func (b bounds) isEmpty() bool { return len(b.high) > 0 && bytes.Compare(b.low, b.high) > 0 }

// pageRows is the number of rows that are read by one walk at most, so that a filter which keeps little does not hold a
// snapshot for long.
const pageRows = 10_000

// pageBytes ends a call's answer once it has so many bytes of cells.
const pageBytes = 2 << 20

// Next returns the next results: as many as asked for, or fewer at the end of the scan or when they become large; none
// at the end alone.
func (s *Scanner) Next(ctx context.Context, results int) (page []Result, err error) {
	count := s.api.begin(ctx, "Scan", s.name, &s.scan.Selection)
	count.scan = &s.scan
	defer count.end(&err)
	size := 0
	for len(page) < results && size < pageBytes {
		if len(s.rest.Cells) > 0 {
			page = append(page, s.batch(&size))
			continue
		}
		if s.done || s.left == 0 || s.run != nil && s.run.IsDone() {
			break
		}
		if err := s.walk(ctx, results, &page, &size, &count); err != nil {
			return nil, err
		}
	}
	count.read(0, page)
	return page, nil
}

// IsDone reports whether nothing is left.
func (s *Scanner) IsDone() bool {
	return len(s.rest.Cells) == 0 && (s.done || s.left == 0 || s.run != nil && s.run.IsDone())
}

// batch takes the next result from the cells that are left of a row.
func (s *Scanner) batch(size *int) Result {
	r := s.rest
	if n := s.scan.Batch; n > 0 && len(r.Cells) > n {
		r.Cells, r.Partial = r.Cells[:n:n], true
	}
	s.rest.Cells = s.rest.Cells[len(r.Cells):]
	for i := range r.Cells {
		*size += len(r.Row) + len(r.Cells[i].Family) + len(r.Cells[i].Qualifier) + len(r.Cells[i].Value) + cellOverhead
	}
	return r
}

const cellOverhead = 32

// walk reads rows on from the last one until the page is full.
func (s *Scanner) walk(ctx context.Context, results int, page *[]Result, size *int, count *tally) error {
	p, t, err := s.api.pinFor(ctx, "Scan", s.name)
	if err != nil {
		return err
	}
	defer p.Release()
	if err := s.api.authorize(ctx, "Scan", p, part{columns: s.scan.Columns,
		read: true}); err != nil { // rights may have been taken away since
		return err
	}
	c, err := p.Query(ctx, database.Query{Where: s.where(), Reverse: s.scan.Reversed, Cells: &cell.Select{Stored: true},
		ExaminedMax: pageRows})
	if err != nil {
		return faultOf(err)
	}
	defer func() {
		s.note(c.Counts())
		_ = c.Close() // the second time, unless there was another error
	}()
	for len(*page) < results && *size < pageBytes && s.left != 0 && (s.run == nil || !s.run.IsDone()) {
		if len(s.rest.Cells) > 0 {
			*page = append(*page, s.batch(size))
			continue
		}
		if !c.Next() {
			if !c.More() { // these keys are read
				s.keys = s.keys[1:]
				s.done = len(s.keys) == 0
			}
			break
		}
		if err := s.examine(p, t, c); err != nil {
			return err
		}
	}
	counts := c.Counts()
	count.Examined, count.Seeks, count.Whole = count.Examined+counts.Looked(), count.Seeks+counts.Seeks, count.Whole ||
		counts.Whole > 0
	return faultOf(c.Close())
}

// examine puts the wanted cells of the row under the cursor into s.rest.
func (s *Scanner) examine(p database.Pinned, t *Table, c *database.Cursor) error {
	stored := c.Row()
	key, ok := stored.Get(p.Names(), []byte(RowColumn))
	if !ok {
		return failure("DoNotRetryIOException", "a row of table %s has no key", s.name)
	}
	s.last = s.keep(key.Bytes())
	if s.run != nil && s.run.Skips(s.last) {
		return nil
	}
	const least, next = 16, 1024
	if cap(s.room)-len(s.room) < least {
		s.room = make([]filter.Cell, 0, next)
	}
	cells, err := s.scan.cells(s.room, p, t, s.last, s.keep(stored), c.NowMS(), s.run)
	if err != nil || len(cells) == 0 {
		return err
	}
	s.room = s.room[:min(cap(s.room), len(s.room)+len(cells))] // if they have found no room in it, it is full
	cells = slices.Clip(cells)
	s.rest = Result{Row: s.last, Cells: cells}
	s.work.Returned++
	if s.left > 0 {
		s.left--
	}
	return nil
}

// keep copies bytes to where no later row overwrites them.
func (s *Scanner) keep(b []byte) []byte {
	const next = 16 << 10
	if cap(s.bytes)-len(s.bytes) < len(b) {
		s.bytes = make([]byte, 0, max(next, len(b)))
	}
	begin := len(s.bytes)
	s.bytes = append(s.bytes, b...)
	return s.bytes[begin:len(s.bytes):len(s.bytes)]
}

// where bounds the row keys that are still to be read.
func (s *Scanner) where() expr.Condition {
	b := s.keys[0]
	switch {
	case s.last == nil:
	case s.scan.Reversed && (len(b.high) == 0 || bytes.Compare(s.last, b.high) <= 0):
		b.high, b.highIncluded = s.last, false
	case !s.scan.Reversed && bytes.Compare(s.last, b.low) >= 0:
		b.low, b.lowIncluded = s.last, false
	}
	return b.condition()
}

func (b bounds) condition() expr.Condition {
	row := govalue.Attribute(RowColumn)
	var list []expr.Condition
	switch {
	case len(b.low) == 0:
	case b.lowIncluded:
		list = append(list, row.AtLeast(b.low))
	default:
		list = append(list, row.Greater(b.low))
	}
	switch {
	case len(b.high) == 0:
	case b.highIncluded:
		list = append(list, row.AtMost(b.high))
	default:
		list = append(list, row.Less(b.high))
	}
	return govalue.All(list...)
}
