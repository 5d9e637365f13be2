// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
)

const (
	// fetchFirst is the number of entries whose rows are read back together at first: few, so that who wants few reads
	// few. Then it is four times as many.
	fetchFirst = 8
	// fetchKeysMax is the memory that keys of rows to be read back take at most, where rows may come in the order of
	// their keys; bytes.
	fetchKeysMax = 256 << 10
	// fetchRowsMax is the number of rows that are read back together at most, and fetchBytesMax from how many bytes of
	// them on no more are read.
	fetchRowsMax  = 64
	fetchBytesMax = 1 << 20
)

// errFetchFull ends reading rows back for now.
var errFetchFull = errors.New("query: enough bytes") // lint:invariant a sentinel

// fetchBatch are rows to be read back, found by their entries: they are read in the order of their keys, so that those
// of one block are read one after the other, and come in the order of their entries, unless any will do.
type fetchBatch struct {
	keys  []byte // of entries and rows
	parts []fetchPart
	rows  []byte // those of parts that were read
	next  int    // of parts
	read  int    // up to which of parts rows were read
	most  int
	order []int    // the parts to be read next, in the order of their keys
	list  [][]byte // their keys
}

// fetchPart is one row: where the keys of its entry and its own lie, one behind the other, in fetchBatch.keys, and
// where it lies in fetchBatch.rows.
type fetchPart struct {
	entry, key, end int32
	row, rowEnd     int32
	found           bool // the row was read
}

func (f *fetchBatch) key(p *fetchPart) []byte { return f.keys[p.key:p.end] }

// batches reports whether several rows are read back together.
func (s *Scan) batches() bool {
	return s.Fetch && s.Table.Cells == nil && s.Near == nil && s.Search == nil && s.ExaminedMax == 0 && s.BytesMax == 0
}

// nextFetched moves to the next row that passes the filter.
func (c *Cursor) nextFetched() bool {
	f := c.fetching
	for c.err == nil {
		if f.next == len(f.parts) {
			if !c.gather() {
				return false
			}
			continue
		}
		if f.next == f.read && !c.readBatch() {
			return false
		}
		f.next++
		if c.takeFetched(&f.parts[f.next-1]) && c.passes() {
			c.Counts.Returned++
			return true
		}
	}
	return false
}

// takeFetched makes a row of the batch the current one.
func (c *Cursor) takeFetched(p *fetchPart) bool {
	if !p.found { // it is missing, or there was no room for it
		return c.readRow(c.fetching.key(p))
	}
	return c.useRow(c.fetching.rows[p.row:p.rowEnd])
}

// gather finds the keys of the next rows. false: there are none, or there is an error.
func (c *Cursor) gather() bool {
	f := c.fetching
	f.keys, f.parts, f.next, f.read = f.keys[:0], f.parts[:0], 0, 0
	f.grow(c.scan)
	for len(f.parts) < f.most && len(f.keys) < fetchKeysMax {
		if !c.step() {
			if !c.nextSpan() {
				break
			}
			continue
		}
		if !c.look() {
			if c.err != nil {
				return false
			}
			continue
		}
		p := fetchPart{entry: int32(len(f.keys))}
		f.keys = append(f.keys, c.last...)
		p.key = int32(len(f.keys))
		if f.keys, c.err = c.scan.Table.PrimaryKey(f.keys, c.scan.Index, c.walk.Key()); c.err != nil {
			return false
		}
		p.end = int32(len(f.keys))
		f.parts = append(f.parts, p)
	}
	if c.scan.AnyOrder {
		slices.SortFunc(f.parts, func(a, b fetchPart) int { return bytes.Compare(f.key(&a), f.key(&b)) })
	}
	return c.err == nil && len(f.parts) > 0
}

// grow says how many entries are looked at next.
func (f *fetchBatch) grow(s *Scan) {
	switch {
	case f.most > 0:
		f.most *= 4
	case s.Limit > 0:
		f.most = min(s.Limit, fetchFirst)
	default:
		f.most = fetchFirst
	}
	if !s.AnyOrder { // those of one batch are read at once
		f.most = min(f.most, fetchRowsMax)
	}
}

// readBatch reads the next rows of the batch, as many as there is room for.
func (c *Cursor) readBatch() bool {
	f := c.fetching
	end := min(f.next+fetchRowsMax, len(f.parts))
	f.order, f.list, f.rows = f.order[:0], f.list[:0], f.rows[:0]
	for i := f.next; i < end; i++ {
		f.order = append(f.order, i)
	}
	if !c.scan.AnyOrder {
		slices.SortFunc(f.order, func(a, b int) int {
			return cmp.Or(bytes.Compare(f.key(&f.parts[a]), f.key(&f.parts[b])), a-b)
		})
	}
	for _, i := range f.order {
		f.list = append(f.list, f.key(&f.parts[i]))
	}
	f.read = end
	err := c.from.GetMany(c.ctx, f.list, func(i int, value []byte, ok bool) error {
		if p := &f.parts[f.order[i]]; ok {
			p.row, p.found = int32(len(f.rows)), true
			f.rows = append(f.rows, value...)
			p.rowEnd = int32(len(f.rows))
		}
		if len(f.rows) > fetchBytesMax {
			return errFetchFull
		}
		return nil
	})
	if err != nil && !errors.Is(err, errFetchFull) {
		c.err = err
	}
	return c.err == nil
}

// last is the key of the entry of the current row; nil if no row is at hand.
func (f *fetchBatch) last() []byte {
	if f.next == 0 {
		return nil
	}
	p := &f.parts[f.next-1]
	return f.keys[p.entry:p.key]
}
