// SPDX-License-Identifier: Apache-2.0

package mem

import (
	"context"

	"github.com/tidwall/btree"

	"github.com/weftdb/weft/kv"
)

// cursor merges a transaction's writes over a snapshot, in either direction. Of two entries with the same key the write
// wins, and a deletion hides both.
type cursor struct {
	ctx     context.Context
	view    *view
	entries walk[[]byte]
	writes  walk[write]
	bounds  bounds

	target string // where the next Next looks, if placed is false
	whole  bool   // with placed false: look at the first entry of the range instead of target
	placed bool   // both walks stand at or past the current entry
	key    []byte
	value  []byte
	err    error
	closed bool
}

// newCursor returns a cursor over v's snapshot with writes, which may be nil, on top. It takes no reference to bounds'
// bytes.
func newCursor(ctx context.Context, v *view, writes *btree.Map[string, write], r kv.Range, reverse bool) *cursor {
	c := &cursor{ctx: ctx, view: v, whole: true, bounds: newBounds(r, reverse)}
	c.entries.iterator = v.snapshot.entries.Iter()
	if writes != nil {
		c.writes.iterator = writes.Iter()
	}
	return c
}

// Next moves to the next entry.
func (c *cursor) Next() bool {
	if !c.usable() {
		return false
	}
	if c.placed {
		c.step(string(c.key))
	} else {
		c.place()
	}
	for {
		key, ok := c.bounds.first(&c.entries, &c.writes)
		if !ok {
			c.key, c.value = c.key[:0], nil
			return false
		}
		if w, own := c.writes.at(key); !own {
			c.show(key, c.entries.iterator.Value())
			return true
		} else if !w.deleted {
			c.show(key, w.value)
			return true
		}
		c.step(key)
	}
}

// usable notes why the walk can't go on, if so.
func (c *cursor) usable() bool {
	if c.err == nil && !c.closed {
		c.err = c.view.check(c.ctx)
	}
	return c.err == nil && !c.closed
}

// place puts both walks on the first key that may come next.
func (c *cursor) place() {
	c.entries.place(&c.bounds, c.target, c.whole)
	c.writes.place(&c.bounds, c.target, c.whole)
	c.placed = true
}

// step moves both walks off key.
func (c *cursor) step(key string) {
	c.entries.leave(key, c.bounds.reverse)
	c.writes.leave(key, c.bounds.reverse)
}

func (c *cursor) show(key string, value []byte) {
	c.key = append(c.key[:0], key...)
	c.value = value[:len(value):len(value)]
}

// Key returns the current key.
func (c *cursor) Key() []byte { return c.key }

// Value returns the current value.
func (c *cursor) Value() []byte { return c.value }

// Seek moves so that the next Next looks at key first.
func (c *cursor) Seek(key []byte) {
	c.target = string(key)
	c.whole = c.bounds.before(c.target)
	c.placed = false
}

// Move begins anew with another range.
func (c *cursor) Move(r kv.Range) {
	c.bounds = newBounds(r, c.bounds.reverse)
	c.target, c.whole, c.placed = "", true, false
}

// Close returns the error that ended the walk early, if any.
func (c *cursor) Close() error {
	c.closed = true
	return c.err
}

// walk is a position in one of the two maps.
type walk[V any] struct {
	iterator btree.MapIter[string, V]
	valid    bool
}

// place puts the walk on the first key at or after target in b's direction, or on the first one of the range if whole
// is set.
func (w *walk[V]) place(b *bounds, target string, whole bool) {
	switch {
	case !b.reverse && whole:
		w.valid = w.iterator.Seek(b.start)
	case !b.reverse:
		w.valid = w.iterator.Seek(target)
	case whole && !b.limited:
		w.valid = w.iterator.Last()
	case whole:
		w.placeBelow(b.end, false)
	default:
		w.placeBelow(target, true)
	}
}

// placeBelow puts the walk on the greatest key below limit, or at it if inclusive is set.
func (w *walk[V]) placeBelow(limit string, inclusive bool) {
	if !w.iterator.Seek(limit) {
		w.valid = w.iterator.Last()
		return
	}
	w.valid = (inclusive && w.iterator.Key() == limit) || w.iterator.Prev()
}

// leave moves on if the walk stands on key.
func (w *walk[V]) leave(key string, reverse bool) {
	switch {
	case !w.valid || w.iterator.Key() != key:
	case reverse:
		w.valid = w.iterator.Prev()
	default:
		w.valid = w.iterator.Next()
	}
}

// at returns the value under the walk if it stands on key.
func (w *walk[V]) at(key string) (value V, ok bool) {
	if !w.valid || w.iterator.Key() != key {
		return value, false
	}
	return w.iterator.Value(), true
}

// bounds is a kv.Range and a direction.
type bounds struct {
	start, end string
	limited    bool // end counts
	reverse    bool
}

func newBounds(r kv.Range, reverse bool) bounds {
	return bounds{start: string(r.Start), end: string(r.End), limited: r.End != nil, reverse: reverse}
}

// before reports whether key lies before the range in the direction of the walk.
func (b *bounds) before(key string) bool {
	if b.reverse {
		return b.limited && key >= b.end
	}
	return key < b.start
}

// first returns the key that comes first of those under the two walks, if it's in the range.
func (b *bounds) first(entries *walk[[]byte], writes *walk[write]) (key string, ok bool) {
	switch {
	case !entries.valid && !writes.valid:
		return "", false
	case !writes.valid:
		key = entries.iterator.Key()
	case !entries.valid:
		key = writes.iterator.Key()
	case b.reverse:
		key = max(entries.iterator.Key(), writes.iterator.Key())
	default:
		key = min(entries.iterator.Key(), writes.iterator.Key())
	}
	return key, key >= b.start && (!b.limited || key < b.end)
}
