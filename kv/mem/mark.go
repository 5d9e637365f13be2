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

var _ kv.Renewer = (*Txn)(nil)

// Renew moves the transaction to the latest commits. Errors: kv.ErrClosed, ctx's error.
func (t *Txn) Renew(ctx context.Context) error {
	if err := t.check(ctx); err != nil {
		return err
	}
	now, err := t.store.latest(ctx)
	if err != nil {
		return err
	}
	if t.own == nil {
		t.own = t.snapshot
	}
	t.snapshot, t.reads = now, true
	return nil
}

// Return moves the transaction back to its own snapshot.
func (t *Txn) Return() {
	if t.own != nil {
		t.snapshot, t.own = t.own, nil
	}
}

// Changed reports whether another transaction committed key.
func (t *Txn) Changed(key []byte) bool {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return t.store.history.changedSince(string(key), t.snapshot.version)
}

// Hides reports whether the transaction's own snapshot lacks a commit of key.
func (t *Txn) Hides(key []byte) bool {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return t.own != nil && t.store.history.changedSince(string(key), t.own.version)
}

// Touch makes the commit count as one of key. Errors: kv.ErrClosed.
func (t *Txn) Touch(key []byte) error {
	t.touched = append(t.touched, string(key))
	return t.check(context.Background())
}

// Before appends what key has in the transaction's own snapshot.
func (t *Txn) Before(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := t.check(ctx); err != nil || t.own == nil {
		return dst, false, err
	}
	value, ok := t.own.entries.Get(string(key))
	return append(dst, value...), ok, nil
}
