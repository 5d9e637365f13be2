// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv"
)

// cursor is a kv.Cursor over one iterator of the engine's.
type cursor struct {
	store   *Store
	member  member
	slot    uint8
	iter    *pebble.Iterator // nil if there is err
	bounds  kv.Range
	empty   bool // no key can be in bounds
	reverse bool
	ctx     context.Context
	done    <-chan struct{}
	crowd   crowd
	unsure  []*group // groups that must be durable before the first entry is shown
	state   cursorState
	key     []byte
	value   []byte
	valid   bool
	closed  bool
	seekBuf []byte
	err     error
	options pebble.IterOptions
	room    [96]byte // for most bounds
}

type cursorState uint8

const (
	cursorFresh   cursorState = iota // before the first entry
	cursorPlaced                     // Seek has moved to the entry that Next shall yield
	cursorWalking                    // on the entry that the last Next yielded, or at the end
)

// failedCursor is a cursor that shows nothing but an error.
type failedCursor struct{ err error }

func (c failedCursor) Next() bool    { return false }
func (c failedCursor) Key() []byte   { return nil }
func (c failedCursor) Value() []byte { return nil }
func (c failedCursor) Seek([]byte)   {}
func (c failedCursor) Move(kv.Range) {}
func (c failedCursor) Close() error  { return c.err }

// newCursor makes a cursor over a view's snapshot, or over the latest commits if there is no view. The caller is inside
// the store.
func newCursor(ctx context.Context, s *Store, v *view, keys kv.Range, reverse bool) *cursor {
	c := &cursor{store: s, ctx: ctx, done: ctx.Done(), reverse: reverse}
	c.bind(keys)
	var err error
	switch {
	case v == nil:
		if b := s.durableNow(); b != nil {
			c.iter, err = b.NewIterWithContext(ctx, &c.options)
			err = errors.Join(err, b.Close())
			break
		}
		c.iter, err = s.db.NewIterWithContext(ctx, &c.options)
		c.unsure = s.flight.appendAll(nil)
	default:
		if !v.settled.Load() && !v.checkSettled() {
			c.unsure = slices.Clone(v.unsure)
		}
		c.iter, err = v.snapshot.NewIterWithContext(ctx, &c.options)
	}
	if err != nil {
		c.iter, c.err = nil, readErr(err)
		return c
	}
	s.views.add(&c.member, c, &s.commits.version)
	c.slot = c.member.shard
	return c
}

// bind makes keys the bounds, also of the iterator's options; the engine does without bounds that no key is in.
func (c *cursor) bind(keys kv.Range) {
	c.bounds.Start = append(c.room[:0], keys.Start...)
	c.bounds.End, c.empty = nil, false
	if keys.End != nil {
		c.bounds.End = append(c.bounds.Start[len(keys.Start):], keys.End...)
		c.bounds.Start = c.bounds.Start[:len(keys.Start):len(keys.Start)]
		c.empty = bytes.Compare(keys.Start, keys.End) >= 0
	}
	stored := kv.Range{}
	if !c.empty {
		stored = storedRange(c.bounds)
	}
	c.options.LowerBound, c.options.UpperBound = stored.Start, stored.End
}

// Move implements kv.Cursor.
func (c *cursor) Move(keys kv.Range) {
	c.valid = false
	if !c.check() {
		return
	}
	if !c.store.gate.Enter(c.slot) {
		c.fail(c.store.failure.ClosedErr())
		return
	}
	defer c.store.gate.Leave(c.slot)
	if c.iter == nil {
		return
	}
	c.bind(keys)
	c.state = cursorFresh
	c.iter.SetBounds(c.options.LowerBound, c.options.UpperBound)
}

// check reports whether the cursor may go on, and keeps the reason if not.
func (c *cursor) check() bool {
	if c.err != nil || c.closed {
		return false
	}
	if c.done != nil {
		select {
		case <-c.done:
			c.fail(c.ctx.Err())
			return false
		default:
		}
	}
	return true
}

func (c *cursor) fail(err error) {
	c.err, c.valid = err, false
}

// Next implements kv.Cursor.
func (c *cursor) Next() bool {
	if !c.check() {
		c.valid = false
		return false
	}
	if !c.store.gate.Enter(c.slot) {
		c.fail(c.store.failure.ClosedErr())
		return false
	}
	c.valid = c.iter != nil && !c.empty && c.step()
	c.store.gate.Leave(c.slot)
	return c.valid
}

func (c *cursor) step() bool {
	if c.unsure != nil {
		if err := c.store.settle(c.ctx, c.unsure); err != nil {
			c.fail(err)
			return false
		}
		c.unsure = nil
	}
	if c.move() {
		var err error
		if c.value, err = c.iter.ValueAndErr(); err == nil {
			c.key = userKey(c.iter.Key())
			return true
		}
		c.fail(readErr(err))
	} else if err := c.iter.Error(); err != nil {
		c.fail(readErr(err))
	}
	return false
}

func (c *cursor) move() bool {
	state := c.state
	c.state = cursorWalking
	switch {
	case state == cursorPlaced:
		return c.iter.Valid()
	case state == cursorFresh && c.reverse:
		return c.iter.Last()
	case state == cursorFresh:
		return c.iter.First()
	case c.reverse:
		c.crowd.steps++
		return c.iter.Prev()
	default:
		return c.crowd.next(c.iter, &c.store.versions)
	}
}

// Key implements kv.Cursor.
func (c *cursor) Key() []byte {
	if !c.valid {
		return nil
	}
	return c.key
}

// Value implements kv.Cursor.
func (c *cursor) Value() []byte {
	if !c.valid {
		return nil
	}
	return c.value
}

// Seek implements kv.Cursor.
func (c *cursor) Seek(key []byte) {
	c.valid = false
	if !c.check() {
		return
	}
	if !c.store.gate.Enter(c.slot) {
		c.fail(c.store.failure.ClosedErr())
		return
	}
	defer c.store.gate.Leave(c.slot)
	if c.iter == nil || c.empty {
		return
	}
	c.state = cursorPlaced
	if !c.reverse {
		c.iter.SeekGE(storedKey(key))
		return
	}
	c.seekBuf = append(append(c.seekBuf[:0], storedKey(key)...), 0)
	c.iter.SeekLT(c.seekBuf)
}

// Close implements kv.Cursor.
func (c *cursor) Close() error {
	if c.closed {
		return c.err
	}
	c.closed, c.valid = true, false
	if c.store.gate.Enter(c.slot) {
		defer c.store.gate.Leave(c.slot)
		c.store.views.remove(&c.member)
		if err := c.release(); err != nil && c.err == nil {
			c.err = readErr(err)
		}
		if c.crowd.lost > 0 && c.store.versions.skip(c.crowd.lost) {
			c.store.flushEarly()
		}
	}
	return c.err
}

// release implements releaser.
func (c *cursor) release() error {
	if c.iter == nil {
		return nil
	}
	iter := c.iter
	c.iter = nil
	c.crowd.look(iter, &c.store.versions)
	return iter.Close()
}
