// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"slices"
)

const (
	// fetchFirst is the number of rows that are read back in the order of their keys at first: few, so that who wants
	// few reads few entries. Then it is four times as many.
	fetchFirst = 8
	// fetchBytesMax is the memory their keys take at most.
	fetchBytesMax = 256 << 10
)

// fetchBatch are the keys of rows to be read back, in their order: rows of one block are read one after the other.
type fetchBatch struct {
	keys  []byte
	parts []keyPart
	next  int
	most  int
}

// keyPart is where a key lies in fetching.keys.
type keyPart struct{ start, end int32 }

func (f *fetchBatch) key(p keyPart) []byte { return f.keys[p.start:p.end] }

// sorts reports whether rows are read back in the order of their keys.
func (s *Scan) sorts() bool {
	return s.AnyOrder && s.Fetch && s.Table.Cells == nil && s.Near == nil && s.ExaminedMax == 0 && s.BytesMax == 0
}

// nextFetched moves to the next row that passes the filter.
func (c *Cursor) nextFetched() bool {
	f := c.fetching
	for c.err == nil {
		for f.next < len(f.parts) && c.err == nil {
			f.next++
			if c.readRow(f.key(f.parts[f.next-1])) && c.passes() {
				c.Counts.Returned++
				return true
			}
		}
		if c.err == nil && !c.gather() {
			return false
		}
	}
	return false
}

// gather finds the keys of the next rows. false: there are none, or there is an error.
func (c *Cursor) gather() bool {
	f := c.fetching
	f.keys, f.parts, f.next = f.keys[:0], f.parts[:0], 0
	for f.most = max(fetchFirst, 4*f.most); len(f.parts) < f.most && len(f.keys) < fetchBytesMax; {
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
		start := len(f.keys)
		if f.keys, c.err = c.scan.Table.PrimaryKey(f.keys, c.scan.Index, c.walk.Key()); c.err != nil {
			return false
		}
		f.parts = append(f.parts, keyPart{int32(start), int32(len(f.keys))})
	}
	slices.SortFunc(f.parts, func(a, b keyPart) int { return bytes.Compare(f.key(a), f.key(b)) })
	return c.err == nil && len(f.parts) > 0
}
