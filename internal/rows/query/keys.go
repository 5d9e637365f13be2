// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"

	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// keyWalk is a cursor over rows that were read together by their whole keys, in the order of the walk.
type keyWalk struct {
	of  *Cursor
	row []byte
}

// Next moves to the next row that is there.
func (w *keyWalk) Next() bool {
	c := w.of
	for a := &c.ahead; a.next < len(a.keys) && c.err == nil; {
		var ok bool
		if w.row, ok, c.err = c.get(a.keys[a.next]); ok && c.err == nil {
			return true
		}
	}
	return false
}

// Key returns the key of the row at hand.
func (w *keyWalk) Key() []byte { return w.of.ahead.keys[w.of.ahead.next-1] }

// Value returns the row at hand.
func (w *keyWalk) Value() []byte { return w.row }

// Seek moves to before the first row at or behind key.
func (w *keyWalk) Seek(key []byte) {
	a := &w.of.ahead
	for a.next = 0; a.next < len(a.keys); a.next++ {
		if order := bytes.Compare(a.keys[a.next], key); order == 0 || (order > 0) != w.of.scan.Reverse {
			return
		}
	}
}

// Move ends the walk: what comes next has a cursor of its own.
func (w *keyWalk) Move(kv.Range) { w.of.ahead.next = len(w.of.ahead.keys) }

// Close does nothing.
func (w *keyWalk) Close() error { return nil }

// isKey reports whether a span is the span of a whole key: nothing else was left of its condition.
func isKey(span indexkey.Span) bool {
	end, ok := order.PrefixEnd(nil, span.Start)
	return ok && bytes.Equal(end, span.End)
}

// nextKeys reads the rows of the next spans together if each is a whole key. ok is false if they have to be walked.
func (c *Cursor) nextKeys() (ok bool) {
	s := c.scan
	if !s.ReadAhead || !s.Keys || len(c.spans) < 2 || len(c.open) > 0 || c.skip.skip != nil || !isKey(c.spans[0]) {
		return false
	}
	keys, size := c.ahead.keys[:0], c.aheadSize(aheadMost) // a caller that names keys wants all of them
	for len(c.spans) > 0 && len(keys) < size && isKey(c.spans[0]) {
		keys = append(keys, s.Index.Span(c.spans[0].Start, nil).Start)
		c.spans = c.spans[1:]
		c.Counts.Seeks++
		s.Stretches.seek()
	}
	c.readAhead(keys)
	c.endSpan()
	c.walk = &keyWalk{of: c}
	return true
}
