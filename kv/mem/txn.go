// SPDX-License-Identifier: Apache-2.0

package mem

import (
	"bytes"
	"container/list"
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/weftdb/weft/kv"
)

// view is the common part of Reader and Txn: one snapshot of one store.
type view struct {
	store    *Store
	snapshot *snapshot
	handle   *Shared     // what it was opened by, whose fence holds; nil: the store itself
	over     atomic.Bool // closed, committed or rolled back
}

// check returns the reason why the view can't be read, if any.
func (v *view) check(ctx context.Context) error {
	if v.over.Load() || v.store.current.Load() == nil || v.handle.over() {
		return kv.ErrClosed
	}
	return ctx.Err()
}

// Reader is one snapshot. It may be used by several goroutines at once.
type Reader struct {
	view
}

// Get appends the value of key in this snapshot to dst. Errors: kv.ErrClosed, ctx's error.
func (r *Reader) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := r.check(ctx); err != nil {
		return dst, false, err
	}
	value, ok := r.snapshot.entries.Get(string(key))
	return append(dst, value...), ok, nil
}

// GetMany looks keys up in their order. Errors: kv.ErrClosed, ctx's error, found's error.
func (r *Reader) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	return getMany(ctx, r.Get, keys, found)
}

// Scan returns a cursor over the snapshot.
func (r *Reader) Scan(ctx context.Context, bounds kv.Range, reverse bool) kv.Cursor {
	return newCursor(ctx, &r.view, nil, bounds, reverse)
}

// Close ends the reader. Its memory is shared with the store, so that forgetting to close costs only garbage.
func (r *Reader) Close() error {
	r.over.Store(true)
	return nil
}

// write is one buffered change of a key.
type write struct {
	value   []byte // owned by the write; nil if deleted
	deleted bool
	stampAt int    // where a stamp goes in the key, plus 1; 0: it has none
	since   uint64 // the version from which others' commits of the key are conflicts
}

// Txn is a transaction. It is used by one goroutine at a time.
type Txn struct {
	view
	writes  *btree.Map[string, write]
	guarded []guard
	touched []string      // by Touch
	own     *snapshot     // while it reads later ones: its own
	active  *list.Element // its place in Store.history
	reads   bool          // something was read or guarded, so that its writes may not be reordered after other commits
	bytes   int           // keys and values in writes
}

// guard is a key that was guarded, and the version from which others' commits of it are conflicts.
type guard struct {
	key   string
	since uint64
}

// Get appends the value of key as this transaction sees it to dst. Errors: kv.ErrClosed, ctx's error.
func (t *Txn) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := t.check(ctx); err != nil {
		return dst, false, err
	}
	t.reads = true
	if w, ok := t.writes.Get(string(key)); ok {
		return append(dst, w.value...), !w.deleted, nil
	}
	value, ok := t.snapshot.entries.Get(string(key))
	return append(dst, value...), ok, nil
}

// GetMany looks keys up in their order. Errors: kv.ErrClosed, ctx's error, found's error.
func (t *Txn) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	return getMany(ctx, t.Get, keys, found)
}

// Scan returns a cursor over the snapshot with the writes made so far on top.
func (t *Txn) Scan(ctx context.Context, bounds kv.Range, reverse bool) kv.Cursor {
	t.reads = true
	writes := t.writes
	if writes.Len() > 0 {
		writes = writes.Copy() // later writes must not move the ground under the cursor
	}
	return newCursor(ctx, &t.view, writes, bounds, reverse)
}

// Set buffers a write. Errors: kv.ErrTooLarge, kv.ErrClosed.
func (t *Txn) Set(key, value []byte) error {
	limit := t.store.limits.ValueBytesMax
	if limit > 0 && len(value) > limit {
		return &kv.SizeError{What: "value", Bytes: len(value), BytesMax: limit}
	}
	return t.buffer(key, write{value: bytes.Clone(value)})
}

// SetStamped buffers a write of a key with the commit's stamp. Errors: kv.ErrTooLarge, kv.ErrClosed.
func (t *Txn) SetStamped(key []byte, at int, value []byte) error {
	if at < 0 || at+kv.StampBytes > len(key) {
		return fmt.Errorf("mem: a key of %d bytes has no room for a stamp at %d", len(key), at)
	}
	return t.buffer(key, write{value: bytes.Clone(value), stampAt: at + 1})
}

// Delete buffers a deletion. Errors: kv.ErrTooLarge, kv.ErrClosed.
func (t *Txn) Delete(key []byte) error { return t.buffer(key, write{deleted: true}) }

func (t *Txn) buffer(key []byte, w write) error {
	if err := t.check(context.Background()); err != nil {
		return err
	}
	limits := t.store.limits
	if limits.KeyBytesMax > 0 && len(key) > limits.KeyBytesMax {
		return &kv.SizeError{What: "key", Bytes: len(key), BytesMax: limits.KeyBytesMax}
	}
	grown := t.bytes + len(w.value)
	if before, ok := t.writes.Get(string(key)); ok {
		grown -= len(before.value)
		w.since, w.stampAt = before.since, max(w.stampAt, before.stampAt)
	} else {
		grown += len(key)
		w.since = t.snapshot.version
	}
	if limits.TxnBytesMax > 0 && grown > limits.TxnBytesMax {
		return &kv.SizeError{What: "transaction", Bytes: grown, BytesMax: limits.TxnBytesMax}
	}
	t.bytes = grown
	t.writes.Set(string(key), w)
	return nil
}

// Guard puts key into the conflict set. Errors: kv.ErrClosed.
func (t *Txn) Guard(key []byte) error {
	if err := t.check(context.Background()); err != nil {
		return err
	}
	t.reads = true
	t.guarded = append(t.guarded, guard{string(key), t.snapshot.version})
	return nil
}

// Commit publishes the writes. Errors: *kv.ConflictError, kv.ErrClosed, ctx's error.
func (t *Txn) Commit(ctx context.Context) error {
	if t.over.Swap(true) {
		return kv.ErrClosed
	}
	return t.store.commit(ctx, t)
}

// Rollback drops the transaction.
func (t *Txn) Rollback() {
	if !t.over.Swap(true) {
		t.store.rollback(t)
	}
}

// conflict returns a *kv.ConflictError if another transaction committed a written or guarded key since t began.
func (t *Txn) conflict(h *history) error {
	if !t.reads {
		return nil
	}
	all := t.guarded
	t.writes.Scan(func(key string, w write) bool {
		if w.stampAt == 0 {
			all = append(all, guard{key, w.since})
		}
		return true
	})
	for _, g := range all {
		if h.changedSince(g.key, g.since) {
			return &kv.ConflictError{Key: []byte(g.key)}
		}
	}
	return nil
}

// getMany calls get for each key with one buffer.
func getMany(ctx context.Context, get func(ctx context.Context, key, dst []byte) ([]byte, bool, error), keys [][]byte,
	found func(int, []byte, bool) error) error {
	var buffer []byte
	for i, key := range keys {
		value, ok, err := get(ctx, key, buffer[:0])
		if err != nil {
			return err
		}
		buffer = value
		if err := found(i, value, ok); err != nil {
			return err
		}
	}
	return nil
}

var (
	_ kv.Stamps  = (*Store)(nil)
	_ kv.Stamps  = (*Shared)(nil)
	_ kv.Stamper = (*Txn)(nil)
)

// StampsInOrder implements kv.Stamps.
func (s *Store) StampsInOrder() bool { return true }

// StampAfter implements kv.Stamps.
func (s *Store) StampAfter(stamp uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stamp = max(s.stamp, stamp)
}

// StampsInOrder implements kv.Stamps.
func (h *Shared) StampsInOrder() bool { return h.store.StampsInOrder() }

// StampAfter implements kv.Stamps.
func (h *Shared) StampAfter(stamp uint64) { h.store.StampAfter(stamp) }

// stamped is a key with a stamp at a place.
func stamped(key string, at int, stamp uint64) string {
	whole := []byte(key)
	binary.BigEndian.PutUint64(whole[at:], stamp)
	return string(whole)
}

// StampsInOrder implements kv.Stamper.
func (t *Txn) StampsInOrder() bool { return true }

// Stamped implements kv.Stamper.
func (t *Txn) Stamped(key []byte) ([]byte, bool) {
	w, ok := t.writes.Get(string(key))
	return w.value, ok && !w.deleted && w.stampAt > 0
}
