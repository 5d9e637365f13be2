// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"slices"
)

const (
	// fetchFirst is the number of entries whose rows are read back together at first, if it isn't known how many are
	// wanted: few, so that a caller that wants few reads few. Then it is four times as many.
	fetchFirst = 8
	// fetchKeysMax is the memory that their keys take at most; bytes.
	fetchKeysMax = 256 << 10
)

// fetchBatch is the entries whose rows are to be read back: in the order of the entries, or, where any order will do,
// in that of the rows' keys.
type fetchBatch struct {
	keys    []byte // of rows and entries
	parts   []fetchPart
	counted []Counts // in the order of entries: what had been counted with each
	next    int      // of parts
	read    int      // up to which of parts rows were read
	most    int      // of parts, where any order will do
	list    [][]byte // the keys of rows to be read
	counts  Counts   // of the entries that were gathered: later ones than those that were returned
	full    bool     // a limit stopped the gathering
	last    []byte   // the entry of the row at hand; nil before the first, and where the order is that of keys
}

// fetchPart is the place of a row's key and, in the order of entries, of its entry's key in fetchBatch.keys, one behind
// the other.
type fetchPart struct{ row, entry, end int32 }

// sorts reports whether rows come in the order of their keys.
func (s *Scan) sorts() bool { return s.AnyOrder && s.ExaminedMax == 0 && s.BytesMax == 0 }

// gathers reports whether the entries of several rows are read before the rows.
func (s *Scan) gathers() bool {
	return s.Fetch && s.Table.Cells == nil && s.Near == nil && s.Search == nil &&
		(s.ReadAhead || s.ExaminedMax == 0 && s.BytesMax == 0)
}

// nextFetched moves to the next row that passes the filter.
func (c *Cursor) nextFetched() bool {
	f := c.fetching
	for c.err == nil {
		switch {
		case f.next == len(f.parts):
			if !c.gather() {
				return false
			}
		case f.next == f.read:
			c.readBatch()
		case c.readRow(c.arrive()) && c.passes():
			c.Counts.Returned++
			return true
		}
	}
	return false
}

// arrive moves to the next entry that was gathered, and returns its row's key.
func (c *Cursor) arrive() []byte {
	f := c.fetching
	part := &f.parts[f.next]
	if !c.scan.sorts() {
		f.last = f.keys[part.entry:part.end]
		c.countEntries(&f.counted[f.next])
	}
	f.next++
	return f.keys[part.row:part.entry]
}

// countEntries makes counts those of all entries that were looked at. What they led to was counted in any case.
func (c *Cursor) countEntries(counts *Counts) {
	fetched, returned := c.Counts.Fetched, c.Counts.Returned
	c.Counts = *counts
	c.Counts.Fetched, c.Counts.Returned = fetched, returned
}

// gather finds the entries of the next rows. false: there are none, or there is an error.
func (c *Cursor) gather() bool {
	f := c.fetching
	f.keys, f.parts, f.counted, f.next, f.read = f.keys[:0], f.parts[:0], f.counted[:0], 0, 0
	if f.last != nil {
		c.countEntries(&f.counts)
		f.last = nil
	}
	if f.full {
		c.more = true
		return false
	}
	for f.most = c.gatherSize(); len(f.parts) < f.most && len(f.keys) < fetchKeysMax; {
		if !c.step() {
			if !c.nextSpan() {
				break
			}
			continue
		}
		if f.full = c.full(); f.full {
			break
		}
		if c.look() {
			c.gatherEntry()
		}
		if c.err != nil {
			return false
		}
	}
	f.counts = c.Counts
	if c.err != nil || len(f.parts) == 0 {
		c.more = f.full
		return false
	}
	if c.scan.sorts() {
		slices.SortFunc(f.parts, func(a, b fetchPart) int {
			return bytes.Compare(f.keys[a.row:a.entry], f.keys[b.row:b.entry])
		})
	}
	return true
}

// gatherSize is the number of entries that are looked at next: those of one reading, unless any order will do.
func (c *Cursor) gatherSize() int {
	if c.scan.sorts() && c.fetching.most > 0 {
		return 4 * c.fetching.most
	}
	return c.aheadSize(fetchFirst)
}

// gatherEntry notes the entry under the cursor.
func (c *Cursor) gatherEntry() {
	f := c.fetching
	part := fetchPart{row: int32(len(f.keys))}
	if f.keys, c.err = c.scan.Table.PrimaryKey(f.keys, c.scan.Index, c.walk.Key()); c.err != nil {
		return
	}
	part.entry = int32(len(f.keys))
	if !c.scan.sorts() {
		f.keys = append(f.keys, c.last...)
		f.counted = append(f.counted, c.Counts)
	}
	part.end = int32(len(f.keys))
	f.parts = append(f.parts, part)
}

// readBatch reads the next rows of the batch.
func (c *Cursor) readBatch() {
	f := c.fetching
	f.list = f.list[:0]
	for f.read = f.next; f.read < min(len(f.parts), f.next+c.aheadMost()); f.read++ {
		part := &f.parts[f.read]
		f.list = append(f.list, f.keys[part.row:part.entry])
	}
	c.readAhead(f.list)
}
