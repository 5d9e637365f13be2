// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"

	"github.com/weftdb/weft/kv"
)

// mergedCursor is a kv.Cursor over a snapshot with a transaction's own writes on top.
type mergedCursor struct {
	base   *cursor
	writes *writeSet
	bounds kv.Range
	primed bool   // base and own stand on their next candidates
	more   bool   // base stands on an entry
	own    uint32 // node of writes, 0 = at the end
	atBase bool   // the current entry is base's, or hidden by own
	atOwn  bool   // the current entry is own's
}

func newMergedCursor(base *cursor, writes *writeSet) *mergedCursor {
	return &mergedCursor{base: base, writes: writes, bounds: base.bounds}
}

// Next implements kv.Cursor.
func (m *mergedCursor) Next() bool {
	m.advance()
	for m.base.err == nil && m.base.check() {
		m.pick()
		if !m.atBase && !m.atOwn {
			return false
		}
		if !m.atOwn || !m.writes.nodes[m.own].deleted {
			return true
		}
		m.advance()
	}
	m.atBase, m.atOwn = false, false
	return false
}

// advance moves past the current entry, on whichever sides it stood.
func (m *mergedCursor) advance() {
	if !m.primed {
		m.primed, m.more = true, m.base.Next()
		m.own = m.clip(m.firstOwn())
		return
	}
	if m.atBase {
		m.more = m.base.Next()
	}
	if m.atOwn {
		m.own = m.clip(m.nextOwn())
	}
}

// pick decides which side the next entry is on; both if the transaction has overwritten it.
func (m *mergedCursor) pick() {
	m.atBase, m.atOwn = m.more, m.own != 0
	if !m.atBase || !m.atOwn {
		return
	}
	order := bytes.Compare(m.base.Key(), m.ownKey())
	if m.base.reverse {
		order = -order
	}
	m.atBase, m.atOwn = order <= 0, order >= 0
}

func (m *mergedCursor) ownKey() []byte { return m.writes.slice(m.writes.nodes[m.own].key) }

func (m *mergedCursor) firstOwn() uint32 {
	switch {
	case m.base.reverse && m.bounds.End == nil:
		return m.writes.last()
	case m.base.reverse:
		return m.writes.seekBefore(m.bounds.End)
	}
	return m.writes.seek(m.bounds.Start, nil)
}

func (m *mergedCursor) nextOwn() uint32 {
	if m.base.reverse {
		return m.writes.seekBefore(m.ownKey())
	}
	return m.writes.next(m.own)
}

// clip returns 0 for a node outside of the range.
func (m *mergedCursor) clip(at uint32) uint32 {
	if at == 0 {
		return 0
	}
	key := m.writes.slice(m.writes.nodes[at].key)
	if bytes.Compare(key, m.bounds.Start) < 0 || (m.bounds.End != nil && bytes.Compare(key, m.bounds.End) >= 0) {
		return 0
	}
	return at
}

// Key implements kv.Cursor.
func (m *mergedCursor) Key() []byte {
	if m.atOwn {
		return m.ownKey()
	}
	if m.atBase {
		return m.base.Key()
	}
	return nil
}

// Value implements kv.Cursor.
func (m *mergedCursor) Value() []byte {
	if m.atOwn {
		return m.writes.slice(m.writes.nodes[m.own].value)
	}
	if m.atBase {
		return m.base.Value()
	}
	return nil
}

// Seek implements kv.Cursor.
func (m *mergedCursor) Seek(key []byte) {
	m.base.Seek(key)
	m.atBase, m.atOwn, m.primed = false, false, true
	m.more = m.base.Next()
	if m.base.reverse {
		m.own = m.writes.seekBefore(append(bytes.Clone(key), 0))
		if end := m.bounds.End; end != nil && bytes.Compare(key, end) >= 0 {
			m.own = m.writes.seekBefore(end)
		}
	} else {
		m.own = m.writes.seek(key, nil)
		if bytes.Compare(key, m.bounds.Start) < 0 {
			m.own = m.writes.seek(m.bounds.Start, nil)
		}
	}
	m.own = m.clip(m.own)
}

// Move implements kv.Cursor.
func (m *mergedCursor) Move(keys kv.Range) {
	m.base.Move(keys)
	m.bounds = m.base.bounds
	m.primed, m.atBase, m.atOwn = false, false, false
}

// Close implements kv.Cursor.
func (m *mergedCursor) Close() error {
	m.atBase, m.atOwn = false, false
	return m.base.Close()
}
