// SPDX-License-Identifier: Apache-2.0

package query

import (
	"container/heap"
	"slices"
)

// nextNear moves to the next row by distance.
func (c *Cursor) nextNear() bool {
	n := c.near
	for c.err == nil {
		if len(n.found) == 0 && !n.gather(c) {
			return false
		}
		entry := n.found[0]
		n.found = n.found[1:]
		if c.readNear(entry) && c.passes() {
			c.Counts.Returned++
			return true
		}
	}
	return false
}

// gather finds the next row, or, where reads cost much, several, whose rows it reads together. false: there are none,
// or there is an error.
func (n *nearest) gather(c *Cursor) bool {
	most := 1
	if c.scan.ReadAhead {
		most = c.aheadSize(aheadFirst)
	}
	n.found = n.found[:0]
	for c.err == nil && len(n.queue) > 0 && len(n.found) < most {
		item := heap.Pop(&n.queue).(nearItem)
		if item.cell != nil {
			n.expand(c, item)
			continue
		}
		n.pending -= len(item.entry)
		n.found = append(n.found, item.entry)
	}
	if c.err == nil && c.scan.ReadAhead {
		n.readFound(c)
	}
	return c.err == nil && len(n.found) > 0
}

// readFound reads the rows together that were found.
func (n *nearest) readFound(c *Cursor) {
	keys := make([][]byte, len(n.found))
	for i, entry := range n.found {
		if keys[i], c.err = c.nearKey(entry); c.err != nil {
			return
		}
	}
	c.readAhead(keys)
}

// nearKey returns the key under which the row of an entry is read.
func (c *Cursor) nearKey(entry []byte) ([]byte, error) {
	key := slices.Concat(c.scan.Index.Prefix, entry)
	if !c.scan.Fetch {
		return key, nil
	}
	return c.scan.Table.PrimaryKey(nil, c.scan.Index, key)
}

// readNear reads the row of an entry.
func (c *Cursor) readNear(entry []byte) bool {
	c.last = append(c.last[:0], entry...)
	var key []byte
	if key, c.err = c.nearKey(entry); c.err != nil {
		return false
	}
	if c.scan.Fetch {
		return c.readRow(key)
	}
	row, ok, err := c.get(key)
	if err != nil || !ok {
		c.err = orMissing(err, c.scan.Index.Name, key)
		return false
	}
	c.row, c.err = c.scan.Table.Adapt(c.ctx, row)
	return c.err == nil
}
