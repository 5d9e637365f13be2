// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
)

const (
	// aheadFirst is the number of rows that are read together at first over the network, if a walk may end anywhere;
	// then it is aheadGrowth times as many, up to aheadMost, or fetchRowsMax of a store at hand, or to what made
	// aheadBytesMax before.
	aheadFirst   = 32
	aheadGrowth  = 4
	aheadMost    = 512
	fetchRowsMax = 64
	// aheadBytesMax is the number of bytes of rows from which on no more are read together.
	aheadBytesMax = 1 << 20
)

// errAheadFull ends reading rows together.
var errAheadFull = errors.New("query: enough bytes") // lint:invariant a sentinel

// ahead is rows that were read together, before they are asked for one by one.
type ahead struct {
	most  int // of the batch at hand
	keys  [][]byte
	rows  []byte
	lies  []rowPart // of keys, in rows
	next  int       // of keys, to be asked for
	order []int     // of keys, as they are read: in the order of the keys, so that those of a block come together
	list  [][]byte  // keys in this order
}

// rowPart is the place of a row in ahead.rows, if it was read and exists.
type rowPart struct {
	start, end int
	read, ok   bool
}

// aheadMost is the number of rows that are read together at most.
func (c *Cursor) aheadMost() int {
	if c.scan.ReadAhead {
		return aheadMost
	}
	return fetchRowsMax
}

// aheadSize is the number of rows that are read together next: first, if it isn't known how many are wanted.
func (c *Cursor) aheadSize(first int) int {
	a, most := &c.ahead, c.aheadMost()
	wanted := max(c.scan.First, c.scan.ExaminedMax)
	switch {
	case a.most == 0 && wanted > 0:
		a.most = min(wanted, most)
	case a.most == 0 && c.scan.ReadAhead:
		a.most = max(first, aheadFirst)
	case a.most == 0:
		a.most = first
	default:
		a.most = max(1, min(aheadGrowth*a.most, most, len(a.keys)*aheadBytesMax/(len(a.rows)+1)))
	}
	return a.most
}

// readAhead reads the rows of keys, which must stay until all of them were asked for, in this order.
func (c *Cursor) readAhead(keys [][]byte) bool {
	a := &c.ahead
	a.keys, a.next, a.rows = keys, 0, a.rows[:0]
	a.order, a.list, a.lies = a.order[:0], a.list[:0], a.lies[:0]
	for i := range keys {
		a.order, a.lies = append(a.order, i), append(a.lies, rowPart{})
	}
	slices.SortFunc(a.order, func(i, j int) int { return cmp.Or(bytes.Compare(keys[i], keys[j]), i-j) })
	for _, i := range a.order {
		a.list = append(a.list, keys[i])
	}
	err := c.from.GetMany(c.ctx, a.list, func(i int, row []byte, ok bool) error {
		start := len(a.rows)
		a.rows = append(a.rows, row...)
		a.lies[a.order[i]] = rowPart{start: start, end: len(a.rows), read: true, ok: ok}
		if len(a.rows) > aheadBytesMax {
			return errAheadFull
		}
		return nil
	})
	if err != nil && !errors.Is(err, errAheadFull) {
		c.err = err
	}
	return c.err == nil
}

// get reads the row under a key of the table: one that was read ahead, or from the store. It stays until the next call.
func (c *Cursor) get(key []byte) (row []byte, ok bool, err error) {
	if a := &c.ahead; a.next < len(a.keys) && bytes.Equal(a.keys[a.next], key) {
		at := a.lies[a.next]
		if a.next++; at.read {
			return a.rows[at.start:at.end:at.end], at.ok, nil
		}
	}
	row, ok, err = c.from.Get(c.ctx, key, c.back[:0])
	if err == nil && ok {
		c.back = row
	}
	return row, ok, err
}

// nextFoundKey moves to the next row that a search index finds. Where reads cost much, some are found before the first
// of their rows is read.
func (c *Cursor) nextFoundKey() []byte {
	if !c.scan.ReadAhead || c.skipsReading() {
		return c.advance()
	}
	a := &c.ahead
	if a.next == len(a.keys) && !c.gatherFound() {
		return nil
	}
	return a.keys[a.next][len(c.scan.Table.Primary.Prefix):]
}

// gatherFound finds the next rows and reads them. false: there are none, or there is an error.
func (c *Cursor) gatherFound() bool {
	size := c.aheadSize(aheadFirst)
	keys := c.ahead.keys[:0]
	for len(keys) < size {
		at := c.advance()
		if at == nil {
			break
		}
		keys = append(keys, slices.Concat(c.scan.Table.Primary.Prefix, at))
	}
	c.err = c.found.err
	return c.err == nil && len(keys) > 0 && c.readAhead(keys)
}

// readRanked reads the rows together that come next in the order of scores.
func (c *Cursor) readRanked(rows []scoredRow) bool {
	keys := make([][]byte, 0, len(rows))
	for _, row := range rows[:min(len(rows), c.aheadSize(aheadFirst))] {
		keys = append(keys, slices.Concat(c.scan.Table.Primary.Prefix, row.key))
	}
	return c.readAhead(keys)
}
