// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"sync"

	"github.com/weftdb/weft/kv"
)

// reader is a kv.Reader.
type reader struct {
	view
	store  *Store
	member member
	slot   uint8
	mu     sync.RWMutex // held for reading by calls; Close waits for them
	closed bool
}

// enter returns nil if the reader and the store are open; then leave must follow.
func (r *reader) enter() error {
	if !r.store.gate.Enter(r.slot) {
		return r.store.failure.ClosedErr()
	}
	r.mu.RLock()
	if r.closed {
		r.leave()
		return kv.ErrClosed
	}
	return nil
}

func (r *reader) leave() {
	r.mu.RUnlock()
	r.store.gate.Leave(r.slot)
}

// Get implements kv.Reader.
func (r *reader) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := ctx.Err(); err != nil {
		return dst, false, err
	}
	if err := r.enter(); err != nil {
		return dst, false, err
	}
	defer r.leave()
	value, closer, found, err := r.get(ctx, r.store, key)
	if !found {
		return dst, false, err
	}
	return append(dst, value...), true, closer.Close()
}

// GetMany implements kv.Reader.
func (r *reader) GetMany(ctx context.Context, keys [][]byte, found func(i int, value []byte, ok bool) error) error {
	r.points.expect(len(keys))
	for i, key := range keys {
		if err := r.getOne(ctx, i, key, found); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) getOne(ctx context.Context, i int, key []byte, found func(i int, value []byte, ok bool) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.enter(); err != nil {
		return err
	}
	defer r.leave()
	value, closer, ok, err := r.get(ctx, r.store, key)
	if err != nil {
		return err
	}
	if !ok {
		return found(i, nil, false)
	}
	return errors.Join(found(i, value, true), closer.Close())
}

// Scan implements kv.Reader.
func (r *reader) Scan(ctx context.Context, keys kv.Range, reverse bool) kv.Cursor {
	if err := ctx.Err(); err != nil {
		return failedCursor{err}
	}
	if err := r.enter(); err != nil {
		return failedCursor{err}
	}
	defer r.leave()
	return newCursor(ctx, r.store, &r.view, keys, reverse)
}

// Walk implements kv.Walker. The engine's snapshots have a lock for all of them, which an iterator does not need.
func (s *Store) Walk(ctx context.Context, keys kv.Range, reverse bool) kv.Cursor {
	if err := ctx.Err(); err != nil {
		return failedCursor{err}
	}
	if !s.gate.Enter(0) {
		return failedCursor{s.failure.ClosedErr()}
	}
	defer s.gate.Leave(0)
	return newCursor(ctx, s, nil, keys, reverse)
}

// Close implements kv.Reader.
func (r *reader) Close() error {
	if !r.store.gate.Enter(r.slot) {
		return nil // the store's Close releases the snapshot
	}
	defer r.store.gate.Leave(r.slot)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	r.store.views.remove(&r.member)
	return r.release()
}
