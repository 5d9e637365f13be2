// SPDX-License-Identifier: Apache-2.0

package mem

import (
	"bytes"
	"context"

	"github.com/weftdb/weft/kv"
)

var _ kv.Marker = (*Store)(nil)

// mark is a kv.Mark. marked is guarded by Store.mu.
type mark struct {
	store  *Store
	marked *kv.Marked
}

// Mark implements kv.Marker.
func (s *Store) Mark(ctx context.Context) (kv.Mark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reader, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	return &mark{s, s.marks.Add(reader)}, nil
}

// touch notes a key that is changed. The caller holds mu.
func (s *Store) touch(key string) {
	if s.marks.Any() {
		s.marks.Touch([]byte(key))
	}
}

// State implements kv.Mark.
func (m *mark) State() kv.Snapshot { return m.marked }

// Return implements kv.Mark.
func (m *mark) Return(ctx context.Context, keep func(key []byte) bool) error {
	s := m.store
	s.mu.Lock()
	defer s.mu.Unlock()
	now, err := s.latest(ctx)
	if err != nil {
		return err
	}
	next := &snapshot{version: now.version + 1, entries: now.entries.Copy()}
	changed, err := s.marks.Undo(ctx, m.marked, keep, func(key, value []byte, ok bool) error {
		if ok {
			next.entries.Set(string(key), bytes.Clone(value))
		} else {
			next.entries.Delete(string(key))
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.history.record(next.version, changed)
	s.history.prune()
	s.floor = next.version
	s.current.Store(next)
	s.marks.Settle(m.marked, changed)
	return nil
}

// Forget implements kv.Mark.
func (m *mark) Forget() error {
	m.store.mu.Lock()
	defer m.store.mu.Unlock()
	return m.store.marks.Forget(m.marked)
}

// undone returns kv.ErrConflict if the store has gone back to a mark since the transaction began, and it has something
// to commit. The caller holds Store.mu.
func (t *Txn) undone() error {
	if t.active.Value.(uint64) < t.store.floor && t.writes.Len()+len(t.guarded) > 0 {
		return kv.ErrConflict
	}
	return nil
}
