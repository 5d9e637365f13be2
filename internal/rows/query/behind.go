// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/kv"
)

// entryWalk is a cursor over the entries of an index of a table with rules of cells, each of which leads to a row. It
// takes several from the cursor of the store, and reads the rows of those that are candidates together.
type entryWalk struct {
	kv.Cursor
	of   *Cursor
	list []entryAhead
	next int // of list
	size int // bytes of list
}

// entryAhead is an entry before its turn.
type entryAhead struct {
	key, value []byte
	row        int // of Cursor.ahead.keys; -1: it is no candidate
}

// aheadOfCells makes a walk one that reads rows together, where that saves time.
func (c *Cursor) aheadOfCells(walk kv.Cursor) kv.Cursor {
	if c.cells == nil || c.scan.Index.IsPrimary() || !c.scan.ReadAhead {
		return walk
	}
	return &entryWalk{Cursor: walk, of: c}
}

// Next moves to the next entry.
func (w *entryWalk) Next() bool {
	if w.next == len(w.list) && !w.gather() {
		return false
	}
	if at := w.list[w.next].row; at >= 0 {
		w.of.ahead.next = at
	}
	w.next++
	return true
}

// gather takes the next entries and reads their rows. false: there are none, or there is an error.
func (w *entryWalk) gather() bool {
	c := w.of
	w.drop()
	keys := c.ahead.keys[:0]
	for most := c.aheadSize(aheadFirst); len(w.list) < most && w.size < aheadBytesMax && w.Cursor.Next(); {
		entry := entryAhead{key: bytes.Clone(w.Cursor.Key()), value: bytes.Clone(w.Cursor.Value()), row: -1}
		w.size += len(entry.key) + len(entry.value)
		if c.isCandidate(entry.key) {
			key, err := c.scan.Table.PrimaryKey(nil, c.scan.Index, entry.key)
			if err != nil {
				c.err = err
				return false
			}
			entry.row, keys = len(keys), append(keys, key)
		}
		w.list = append(w.list, entry)
	}
	return len(w.list) > 0 && c.readAhead(keys)
}

// isCandidate reports whether the walk will not skip an entry.
func (c *Cursor) isCandidate(key []byte) bool {
	if c.skip.skip == nil {
		return true
	}
	_, in, _ := c.skip.skip(key[len(c.scan.Index.Prefix):], nil)
	return in
}

func (w *entryWalk) drop() {
	clear(w.list)
	w.list, w.next, w.size = w.list[:0], 0, 0
}

// Key returns the key of the entry at hand.
func (w *entryWalk) Key() []byte { return w.list[w.next-1].key }

// Value returns the value of the entry at hand.
func (w *entryWalk) Value() []byte { return w.list[w.next-1].value }

// Seek moves to before the first entry at or behind key.
func (w *entryWalk) Seek(key []byte) {
	beyond := func(e entryAhead) bool {
		order := bytes.Compare(e.key, key)
		return order == 0 || (order > 0) != w.of.scan.Reverse
	}
	if at := slices.IndexFunc(w.list[w.next:], beyond); at >= 0 { // seeks go on in the direction of the walk
		w.next += at
		return
	}
	w.drop()
	w.Cursor.Seek(key)
}

// Move takes the walk to another range.
func (w *entryWalk) Move(r kv.Range) {
	w.drop()
	w.Cursor.Move(r)
}
