// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/weftdb/weft/kv"
)

// txn is a kv.Txn: a handle that loses its state when the transaction ends, so that the state can serve another one.
type txn struct {
	state *txnState
}

// txnState is the state of an open transaction.
type txnState struct {
	view
	renewal
	store   *Store
	slot    uint8 // of the gate
	member  member
	started bool // it has read or guarded, and stands in the registry with its start
	scanned bool // a cursor may still look at writes
	era     uint64
	behind  bool // it has read while later commits waited for space: it may not write
	writes  writeSet
	guards  []guardRef
	commit  commit
}

type guardRef struct {
	hash    uint64
	key     span
	since   uint64 // see writeNode
	touched bool   // by Touch
}

// enter returns the state if the transaction and the store are open; then leave must follow.
func (t *txn) enter() (*txnState, error) {
	if t.state == nil {
		return nil, kv.ErrClosed
	}
	if !t.state.store.gate.Enter(t.state.slot) {
		return nil, t.state.store.failure.ClosedErr()
	}
	return t.state, nil
}

func (st *txnState) leave() { st.store.gate.Leave(st.slot) }

// start fixes the version that conflicts are judged by.
func (st *txnState) start() {
	if !st.started {
		st.started = true
		st.store.txns.add(&st.member, st, &st.store.commits.version)
	}
}

// look takes the snapshot at the first read: after the start, so that the snapshot shows every commit that is not later
// than it.
func (st *txnState) look() *view {
	st.start()
	if st.renewed {
		return st.lookLatest()
	}
	if st.snapshot == nil {
		st.take(st.store)
		st.behind = st.behind || st.view.stale
	}
	return &st.view
}

// Get implements kv.Txn.
func (t *txn) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := ctx.Err(); err != nil {
		return dst, false, err
	}
	st, err := t.enter()
	if err != nil {
		return dst, false, err
	}
	defer st.leave()
	if value, deleted, known := st.writes.get(key); known {
		if deleted {
			return dst, false, nil
		}
		return append(dst, value...), true, nil
	}
	value, closer, found, err := st.lookUp(ctx, key)
	if !found {
		return dst, false, err
	}
	return append(dst, value...), true, closer.Close()
}

// lookUp looks up a key without the transaction's own writes.
func (st *txnState) lookUp(ctx context.Context, key []byte) (value []byte, closer io.Closer, found bool, err error) {
	if st.renewed && st.latest.snapshot == nil {
		var lent bool
		value, closer, found, lent, err = st.store.get(ctx, key) // it is judged from a moment before
		st.behind = st.behind || lent
		return value, closer, found, err
	}
	return st.look().get(ctx, st.store, key)
}

// GetMany implements kv.Txn.
func (t *txn) GetMany(ctx context.Context, keys [][]byte, found func(i int, value []byte, ok bool) error) error {
	if t.state != nil {
		t.state.points.expect(len(keys))
	}
	for i, key := range keys {
		if err := t.getOne(ctx, i, key, found); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) getOne(ctx context.Context, i int, key []byte, found func(i int, value []byte, ok bool) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	st, err := t.enter()
	if err != nil {
		return err
	}
	defer st.leave()
	if value, deleted, known := st.writes.get(key); known {
		return found(i, value, !deleted)
	}
	value, closer, ok, err := st.lookUp(ctx, key)
	if err != nil {
		return err
	}
	if !ok {
		return found(i, nil, false)
	}
	return errors.Join(found(i, value, true), closer.Close())
}

// Scan implements kv.Txn.
func (t *txn) Scan(ctx context.Context, keys kv.Range, reverse bool) kv.Cursor {
	st, err := t.enter()
	if err != nil {
		return failedCursor{err}
	}
	defer st.leave()
	if err := ctx.Err(); err != nil {
		return failedCursor{err}
	}
	base := newCursor(ctx, st.store, st.look(), keys, reverse)
	if st.writes.len() == 0 || base.iter == nil {
		return base
	}
	st.scanned = true
	return newMergedCursor(base, &st.writes)
}

// Set implements kv.Txn.
func (t *txn) Set(key, value []byte) error {
	if t.state == nil {
		return kv.ErrClosed
	}
	if err := t.state.store.disk.mayWrite(); err != nil {
		return err
	}
	return t.state.put(key, value, false)
}

// SetStamped implements kv.Stamper.
func (t *txn) SetStamped(key []byte, at int, value []byte) error {
	if t.state == nil {
		return kv.ErrClosed
	}
	if at < 0 || at+kv.StampBytes > len(key) {
		return fmt.Errorf("pebble: a key of %d bytes has no room for a stamp at %d", len(key), at)
	}
	if err := errors.Join(t.state.store.disk.mayWrite(), t.state.fits(key, value)); err != nil {
		return err
	}
	if t.state.store.gate.Closed() {
		return t.state.store.failure.ClosedErr()
	}
	t.state.writes.putStamped(key, at, value, t.state.store.commits.hash)
	return nil
}

// Delete implements kv.Txn.
func (t *txn) Delete(key []byte) error {
	if t.state == nil {
		return kv.ErrClosed
	}
	return t.state.put(key, nil, true)
}

func (st *txnState) put(key, value []byte, deleted bool) error {
	if st.store.gate.Closed() {
		return st.store.failure.ClosedErr()
	}
	if err := st.fits(key, value); err != nil {
		return err
	}
	st.writes.put(key, value, deleted, st.conflictsAfter(), st.store.commits.hash)
	return nil
}

func (st *txnState) fits(key, value []byte) error {
	switch {
	case len(key) > keyBytesMax:
		return &kv.SizeError{What: "key", Bytes: len(key), BytesMax: keyBytesMax}
	case len(value) > valueBytesMax:
		return &kv.SizeError{What: "value", Bytes: len(value), BytesMax: valueBytesMax}
	case len(st.writes.bytes)+len(key)+len(value) > txnBytesMax:
		return &kv.SizeError{What: "transaction", Bytes: len(st.writes.bytes) + len(key) + len(value),
			BytesMax: txnBytesMax}
	}
	return nil
}

// Guard implements kv.Txn.
func (t *txn) Guard(key []byte) error { return t.guard(key, false) }

func (t *txn) guard(key []byte, touched bool) error {
	st, err := t.enter()
	if err != nil {
		return err
	}
	defer st.leave()
	if err := st.fits(key, nil); err != nil {
		return err
	}
	st.start()
	st.guards = append(st.guards, guardRef{st.store.commits.hash(key), st.writes.keep(key), st.conflictsAfter(),
		touched})
	return nil
}

// Commit implements kv.Txn. If ctx ends while the commit waits for the disk, the outcome is unknown.
func (t *txn) Commit(ctx context.Context) error {
	st, err := t.enter()
	if err != nil {
		t.state = nil
		return err
	}
	t.state = nil
	defer st.store.gate.Leave(st.slot)
	err = ctx.Err()
	if err == nil && st.writes.sets > 0 {
		err = st.store.disk.mayWrite()
	}
	if err == nil && st.writes.len() > 0 {
		err = st.store.disk.mayDelete()
	}
	if err == nil {
		err = st.store.marks.finish(ctx, st)
	}
	if !errors.Is(err, kv.ErrUnknownOutcome) {
		st.recycle()
	}
	return err
}

// finish checks the conflict set and writes. After ErrUnknownOutcome a lane may still be at work with the state.
func (st *txnState) finish(ctx context.Context) error {
	c := &st.commit
	c.writes, c.start, c.blind = &st.writes, st.member.start, !st.started
	c.group.Store(nil)
	c.locks = st.appendLocks(c.locks[:0])
	if len(c.locks) == 0 && st.writes.len() == 0 {
		return nil
	}
	if st.behind && st.writes.len() > 0 {
		return kv.ErrConflict
	}
	err := st.store.commits.lock(ctx, c)
	st.unlist()
	if err != nil {
		return err
	}
	if st.writes.len() == 0 {
		st.store.commits.unlock(c, len(c.locks), 0)
		return nil
	}
	return st.store.wait(ctx, st.store.submit(c))
}

func (st *txnState) appendLocks(locks []lockRef) []lockRef {
	for i := 1; i < len(st.writes.nodes); i++ {
		node := &st.writes.nodes[i]
		if node.stampAt > 0 {
			continue // no other commit has the key
		}
		locks = append(locks, lockRef{hash: node.hash, key: node.key, since: max(node.since, st.member.start)})
	}
	for _, held := range st.guards {
		ref := lockRef{hash: held.hash, key: held.key, since: max(held.since, st.member.start), shared: true,
			touched: held.touched}
		if held.touched {
			ref.since = math.MaxUint64
		}
		locks = append(locks, ref)
	}
	return locks
}

// unlist drops the snapshot and the place in the registry.
func (st *txnState) unlist() {
	if !st.started {
		return
	}
	st.store.txns.remove(&st.member)
	err := st.release()
	st.renewal.reset()
	if err != nil {
		st.store.options.Logger.Error("closing a snapshot", "error", err.Error())
	}
}

// recycle keeps the state for another transaction, unless a cursor may still use it.
func (st *txnState) recycle() {
	st.unlist()
	if st.scanned {
		return
	}
	st.writes.reset()
	st.view.reset()
	st.started, st.behind = false, false
	st.guards = st.guards[:0]
	st.commit.group.Store(nil)
	st.commit.locks = st.commit.locks[:0]
	st.store.states.Put(st)
}

// Rollback implements kv.Txn.
func (t *txn) Rollback() {
	st, err := t.enter()
	t.state = nil
	if err != nil {
		return
	}
	defer st.store.gate.Leave(st.slot)
	st.recycle()
}
