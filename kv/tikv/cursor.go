// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"bytes"
	"context"
	"strings"

	"github.com/tidwall/btree"

	"github.com/weftdb/weft/kv"
)

// cursor merges a transaction's writes over the stored entries, in either direction. Of two entries with the same key
// the write wins, and a deletion hides both.
type cursor struct {
	ctx    context.Context
	view   *view
	bounds span // the whole range
	stored pages
	own    own

	placed bool // Seek was called, or the first Next
	key    []byte
	value  []byte
	err    error
	closed bool
}

// newCursor returns a cursor over v with writes, which may be nil, on top.
func newCursor(ctx context.Context, v *view, writes *btree.Map[string, write], r kv.Range, reverse bool) *cursor {
	c := &cursor{ctx: ctx, view: v, stored: pages{reverse: reverse}, own: own{reverse: reverse}}
	c.Move(r)
	if writes != nil {
		c.own.iterator = writes.Iter()
	}
	return c
}

// Next moves to the next entry.
func (c *cursor) Next() bool {
	if c.err == nil && !c.closed {
		c.err = c.view.check(c.ctx)
	}
	if c.err != nil || c.closed {
		return false
	}
	if !c.placed {
		c.place(c.bounds)
	}
	for {
		found, shown, err := c.advance()
		if shown || !found || err != nil {
			c.err = err
			return shown
		}
	}
}

// advance takes the entry that comes first of the stored and the own ones. It's found unless both are at their ends,
// and shown unless it's deleted.
func (c *cursor) advance() (found, shown bool, err error) {
	stored, ok, err := c.stored.peek(c.ctx)
	if err != nil {
		return false, false, err
	}
	order := c.compare(stored, ok)
	switch {
	case !ok && !c.own.valid:
		return false, false, nil
	case order < 0:
		c.stored.index++
		c.key, c.value = stored.key, stored.value
		return true, true, nil
	case order == 0:
		c.stored.index++
	}
	key, w := c.own.iterator.Key(), c.own.iterator.Value()
	c.own.step()
	if w.deleted {
		return true, false, nil
	}
	c.key, c.value = []byte(key), w.value
	return true, true, nil
}

// compare is negative if the stored entry, which is there if ok, comes before the own one, and 0 if both have the same
// key.
func (c *cursor) compare(stored pair, ok bool) int {
	if !ok {
		return 1
	}
	if !c.own.valid {
		return -1
	}
	order := strings.Compare(string(stored.key), c.own.iterator.Key())
	if c.stored.reverse {
		return -order
	}
	return order
}

// Key returns the current key.
func (c *cursor) Key() []byte { return c.key }

// Value returns the current value.
func (c *cursor) Value() []byte { return c.value }

// Seek moves so that the next Next looks at key first. It asks the cluster nothing.
func (c *cursor) Seek(key []byte) {
	s := c.bounds
	if !c.stored.reverse && bytes.Compare(key, s.low) > 0 {
		s.low = bytes.Clone(key)
	}
	if c.stored.reverse {
		if above := after(key); s.high == nil || bytes.Compare(above, s.high) < 0 {
			s.high = above
		}
	}
	c.place(s)
}

// Move begins anew with another range. It asks the cluster nothing.
func (c *cursor) Move(r kv.Range) {
	c.bounds, c.placed = span{low: bytes.Clone(r.Start)}, false
	if r.End != nil {
		c.bounds.high = append([]byte{}, r.End...)
	}
	c.stored = pages{view: c.view, reverse: c.stored.reverse} // a page ends with its range
}

// place makes s what is walked from now on.
func (c *cursor) place(s span) {
	c.placed = true
	if s.empty() {
		s.high = append([]byte{}, s.low...) // not nil, which would have no bound
	}
	c.stored.place(s)
	c.own.place(s)
}

// Close returns the error that ended the walk early, if any.
func (c *cursor) Close() error {
	c.closed = true
	return c.err
}

// own walks a transaction's writes in a span.
type own struct {
	iterator btree.MapIter[string, write] // its zero value is one of an empty map
	reverse  bool
	valid    bool
	low      string
	high     string
	limited  bool // high counts
}

// place puts the walk on its first write in s.
func (o *own) place(s span) {
	o.low, o.high, o.limited = string(s.low), string(s.high), s.high != nil
	switch {
	case !o.reverse:
		o.valid = o.iterator.Seek(o.low)
	case !o.limited || !o.iterator.Seek(o.high):
		o.valid = o.iterator.Last()
	default:
		o.valid = o.iterator.Prev()
	}
	o.clip()
}

func (o *own) step() {
	if o.reverse {
		o.valid = o.iterator.Prev()
	} else {
		o.valid = o.iterator.Next()
	}
	o.clip()
}

// clip ends the walk outside of its span.
func (o *own) clip() {
	if o.valid {
		key := o.iterator.Key()
		o.valid = key >= o.low && (!o.limited || key < o.high)
	}
}
