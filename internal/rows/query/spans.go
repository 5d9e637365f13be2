// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"

	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/kv"
)

// openMost is the number of spans that are begun side by side at most.
const openMost = 16

// openWalk is a walk over a span of which the first entry was asked for.
type openWalk struct {
	kv.Cursor
	asked chan bool // whether there is one; nil once it was taken
}

// Next moves to the next entry.
func (w *openWalk) Next() bool {
	if w.asked == nil {
		return w.Cursor.Next()
	}
	defer func() { w.asked = nil }()
	return <-w.asked
}

// Seek moves to before the first entry at or behind key.
func (w *openWalk) Seek(key []byte) {
	w.await()
	w.Cursor.Seek(key)
}

// Move takes the walk to another range.
func (w *openWalk) Move(r kv.Range) {
	w.await()
	w.Cursor.Move(r)
}

// Close ends the walk.
func (w *openWalk) Close() error {
	w.await()
	return w.Cursor.Close()
}

func (w *openWalk) await() {
	if w.asked != nil {
		<-w.asked
		w.asked = nil
	}
}

// nextOpen returns the walk over the next span, and begins those over the spans behind it: each is a way over the
// network. ok is false where that is not done: a transaction is read by one goroutine.
func (c *Cursor) nextOpen() (walk kv.Cursor, ok bool) {
	if len(c.open) == 0 {
		if _, isTxn := c.from.(kv.Txn); isTxn || !c.scan.ReadAhead || c.store != nil || len(c.spans) < 2 {
			return nil, false
		}
		c.opens = min(max(1, 2*c.opens), openMost)
		for _, span := range c.spans[:min(c.opens, len(c.spans))] {
			c.open = append(c.open, c.begin(span))
		}
	}
	walk = c.open[0]
	c.open = c.open[1:]
	return walk, true
}

// begin asks for the first entry of a span.
func (c *Cursor) begin(span indexkey.Span) *openWalk {
	w := &openWalk{Cursor: c.from.Scan(c.ctx, c.scan.Index.Span(span.Start, span.End), c.scan.Reverse),
		asked: make(chan bool, 1)}
	go func(asked chan bool) { asked <- w.Cursor.Next() }(w.asked)
	return w
}

// endOpen ends the walks that were begun and not taken.
func (c *Cursor) endOpen() {
	for _, walk := range c.open {
		_ = walk.Close() // nobody asked for what it has
	}
	c.open = nil
}

// Stretch is a part of an index that a walk has read without a seek: the entries from First to Last, in walking order.
type Stretch struct {
	First, Last       []byte // relative keys
	Examined, Skipped int64
}

// Stretches keeps the parts that a walk reads between its seeks, for explanations. It follows walks over entries,
// those of Near and Search not. nil keeps nothing.
type Stretches struct {
	// Most is the number that are kept.
	Most int
	List []Stretch
	// More is the number of those after the ones of List.
	More    int64
	reading bool // no seek has come since the last entry
}

// seek ends a stretch.
func (s *Stretches) seek() {
	if s != nil {
		s.reading = false
	}
}

// look adds an entry, which is a candidate or was skipped.
func (s *Stretches) look(key []byte, candidate bool) {
	if s == nil {
		return
	}
	if !s.reading {
		s.begin(key)
	}
	if s.More > 0 {
		return
	}
	last := &s.List[len(s.List)-1]
	last.Last = append(last.Last[:0], key...)
	if candidate {
		last.Examined++
	} else {
		last.Skipped++
	}
}

func (s *Stretches) begin(key []byte) {
	s.reading = true
	if len(s.List) >= s.Most {
		s.More++
		return
	}
	s.List = append(s.List, Stretch{First: bytes.Clone(key)})
}
