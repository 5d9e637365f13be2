// SPDX-License-Identifier: Apache-2.0

package hbase

import (
	"bytes"
	"context"
	"slices"

	"github.com/weftdb/weft/internal/cell"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/govalue"
	"github.com/weftdb/weft/internal/hbase/filter"
)

// Scanner is a scan between two calls. It keeps no snapshot: each call sees the latest commits of the rows after those that it has returned. It is used by one
// goroutine at a time.
type Scanner struct {
	api  *API
	name TableName
	scan Scan
	run  filter.Run
	// The bounds of the row keys; empty is none.
	low, high                 []byte
	lowIncluded, highIncluded bool
	last                      []byte // the last row that was looked at; nil before the first
	rest                      Result // cells of that row which a batch has left
	room                      []filter.Cell
	left                      int // rows that Limit leaves; negative: no limit
	done                      bool
}

// OpenScanner begins a scan.
func (a *API) OpenScanner(ctx context.Context, name TableName, scan *Scan) (*Scanner, error) {
	p, t, err := a.pinEnabled(name)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	if err := a.authorize(ctx, "Scan", p, nil, scan.Columns); err != nil {
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
	s.low, s.lowIncluded, s.high, s.highIncluded = o.Start, !o.StartExcluded, o.Stop, o.StopIncluded
	if o.Reversed {
		s.low, s.lowIncluded, s.high, s.highIncluded = o.Stop, o.StopIncluded, o.Start, !o.StartExcluded
	}
	if o.Filter == nil {
		return
	}
	start, stop, stopIncluded := o.Filter.Span(o.Reversed)
	if len(start) > 0 && bytes.Compare(start, s.low) > 0 {
		s.low, s.lowIncluded = start, true
	}
	if len(stop) > 0 && (len(s.high) == 0 || bytes.Compare(stop, s.high) < 0) {
		s.high, s.highIncluded = stop, stopIncluded
	}
}

// pageRows is how many rows are read by one walk at most, so that a filter which keeps little does not hold a snapshot for long.
const pageRows = 10_000

// pageBytes ends a call's answer once it has so many bytes of cells.
const pageBytes = 2 << 20

// Next returns the next results: as many as asked for, or fewer at the end of the scan or when they become large; none at the end alone.
func (s *Scanner) Next(ctx context.Context, results int) ([]Result, error) {
	var page []Result
	size := 0
	for len(page) < results && size < pageBytes {
		if len(s.rest.Cells) > 0 {
			page = append(page, s.batch(&size))
			continue
		}
		if s.done || s.left == 0 || s.run != nil && s.run.IsDone() {
			break
		}
		if err := s.walk(ctx, results, &page, &size); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// IsDone says whether nothing is left.
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
func (s *Scanner) walk(ctx context.Context, results int, page *[]Result, size *int) error {
	p, t, err := s.api.pinEnabled(s.name)
	if err != nil {
		return err
	}
	defer p.Release()
	if err := s.api.authorize(ctx, "Scan", p, nil, s.scan.Columns); err != nil { // rights may have been taken away since
		return err
	}
	c, err := p.Query(ctx, database.Query{Where: s.where(), Reverse: s.scan.Reversed, Cells: &cell.Select{Stored: true}, ExaminedMax: pageRows})
	if err != nil {
		return faultOf(err)
	}
	defer c.Close()
	for len(*page) < results && *size < pageBytes && s.left != 0 && (s.run == nil || !s.run.IsDone()) {
		if len(s.rest.Cells) > 0 {
			*page = append(*page, s.batch(size))
			continue
		}
		if !c.Next() {
			s.done = !c.More()
			break
		}
		if err := s.examine(p, t, c); err != nil {
			return err
		}
	}
	return faultOf(c.Close())
}

// examine puts the wanted cells of the row under the cursor into s.rest.
func (s *Scanner) examine(p database.Pinned, t *Table, c *database.Cursor) error {
	stored := c.Row()
	key, ok := stored.Get(p.Names(), []byte(RowColumn))
	if !ok {
		return failure("DoNotRetryIOException", "a row of table %s has no key", s.name)
	}
	s.last = append(s.last[:0:0], key.Bytes()...)
	if s.run != nil && s.run.Skips(s.last) {
		return nil
	}
	const least, next = 16, 1024
	if cap(s.room)-len(s.room) < least {
		s.room = make([]filter.Cell, 0, next)
	}
	cells, err := s.scan.cells(s.room, p, t, s.last, slices.Clone(stored), c.NowMS(), s.run)
	if err != nil || len(cells) == 0 {
		return err
	}
	s.room = s.room[:min(cap(s.room), len(s.room)+len(cells))] // if they have found no room in it, it is full
	cells = slices.Clip(cells)
	s.rest = Result{Row: s.last, Cells: cells}
	if s.left > 0 {
		s.left--
	}
	return nil
}

// where bounds the row keys that are still to be read.
func (s *Scanner) where() expr.Condition {
	row := govalue.Attribute(RowColumn)
	low, lowIncluded, high, highIncluded := s.low, s.lowIncluded, s.high, s.highIncluded
	switch {
	case s.last != nil && s.scan.Reversed:
		high, highIncluded = s.last, false
	case s.last != nil:
		low, lowIncluded = s.last, false
	}
	var list []expr.Condition
	switch {
	case len(low) == 0:
	case lowIncluded:
		list = append(list, row.AtLeast(low))
	default:
		list = append(list, row.Greater(low))
	}
	switch {
	case len(high) == 0:
	case highIncluded:
		list = append(list, row.AtMost(high))
	default:
		list = append(list, row.Less(high))
	}
	return govalue.All(list...)
}
