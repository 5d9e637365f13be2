// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv"
)

// marks are the marks of a store that was opened with Options.Marks; nil: it has none. Writers are let through side by
// side, and a mark or a return to one waits for those under way and holds up the next: so a mark is a state between
// commits, and no commit that was judged on one state is applied to another.
type marks struct {
	turn    sync.RWMutex  // held for reading by each commit, until it is durable
	returns atomic.Uint64 // to marks, so far

	mu   sync.Mutex
	list kv.Marks
}

var _ kv.Marker = (*Store)(nil)

// mark is a kv.Mark.
type mark struct {
	store  *Store
	marked *kv.Marked
}

// enter lets a writer through and returns the call that says it is done.
func (m *marks) enter() (leave func()) {
	if m == nil {
		return func() {}
	}
	m.turn.RLock()
	return m.turn.RUnlock
}

// era is the number of returns so far: what a transaction remembers of its beginning.
func (m *marks) era() uint64 {
	if m == nil {
		return 0
	}
	return m.returns.Load()
}

// finish is txnState.finish, with its turn. It refuses a transaction that was begun before a return.
func (m *marks) finish(ctx context.Context, st *txnState) error {
	if m == nil {
		return st.finish(ctx)
	}
	m.turn.RLock()
	if st.era != m.era() && st.writes.len()+len(st.guards) > 0 {
		m.turn.RUnlock()
		return kv.ErrConflict
	}
	err := st.finish(ctx)
	if g := st.commit.group.Load(); g != nil && errors.Is(err, kv.ErrUnknownOutcome) {
		go func() { // it may be written yet
			defer m.turn.RUnlock()
			select {
			case <-g.done:
			case <-st.store.failure.Stopped():
			}
		}()
		return err
	}
	m.turn.RUnlock()
	return err
}

// note notes the keys that a batch is about to change. The caller holds flight.order.
func (m *marks) note(db *pebble.DB, batch *pebble.Batch) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.list.Any() {
		return nil
	}
	for r := batch.Reader(); ; {
		kind, key, end, ok, err := r.Next()
		if err != nil || !ok {
			return err
		}
		if kind != pebble.InternalKeyKindRangeDelete {
			m.list.Touch(userKey(key))
		} else if err := m.noteRange(db, key, end); err != nil {
			return err
		}
	}
}

// noteRange notes the keys that there are from start to end, in their stored forms. The caller holds mu.
func (m *marks) noteRange(db *pebble.DB, start, end []byte) error {
	if !m.list.Any() {
		return nil
	}
	iter, err := db.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return err
	}
	for iter.First(); iter.Valid(); iter.Next() {
		m.list.Touch(userKey(iter.Key()))
	}
	return errors.Join(iter.Error(), iter.Close())
}

// noteIngested notes the keys of an ingestion, from its first to its last one.
func (m *marks) noteIngested(db *pebble.DB, first, last []byte) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.noteRange(db, storedKey(first), append(storedKey(last), 0))
}

// Mark implements kv.Marker.
func (s *Store) Mark(ctx context.Context) (kv.Mark, error) {
	m := s.marks
	if m == nil {
		return nil, fmt.Errorf("%w: the folder was opened without marks", kv.ErrUnsupported)
	}
	m.turn.Lock()
	defer m.turn.Unlock()
	reader, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return &mark{s, m.list.Add(reader)}, nil
}

// State implements kv.Mark.
func (k *mark) State() kv.Snapshot { return k.marked }

// Return implements kv.Mark.
func (k *mark) Return(ctx context.Context, keep func(key []byte) bool) error {
	s, m := k.store, k.store.marks
	if !s.gate.Enter(0) {
		return s.failure.ClosedErr()
	}
	defer s.gate.Leave(0)
	if err := s.disk.mayWrite(); err != nil {
		return err
	}
	m.turn.Lock()
	defer m.turn.Unlock()
	batch := s.db.NewBatch()
	written, err := m.undo(ctx, k.marked, keep, batch)
	if err != nil {
		return errors.Join(err, batch.Close())
	}
	g := newGroup()
	g.bytes = batch.Len()
	g.fill = func(to *pebble.Batch) error { return errors.Join(to.Apply(batch, nil), batch.Close()) }
	m.returns.Add(1)
	if err := s.writeAlone(ctx, g); err != nil {
		return err
	}
	s.commits.raiseFloor(s.commits.version.Load())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list.Settle(k.marked, written)
	return nil
}

// undo fills a batch with what was there at a mark.
func (m *marks) undo(ctx context.Context, marked *kv.Marked, keep func(key []byte) bool,
	batch *pebble.Batch) (written []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.list.Undo(ctx, marked, keep, func(key, value []byte, ok bool) error {
		if ok {
			return batch.Set(storedKey(key), value, nil)
		}
		return batch.Delete(storedKey(key), nil)
	})
}

// Forget implements kv.Mark.
func (k *mark) Forget() error {
	k.store.marks.mu.Lock()
	defer k.store.marks.mu.Unlock()
	return k.store.marks.list.Forget(k.marked)
}
