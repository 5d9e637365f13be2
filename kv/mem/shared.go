// SPDX-License-Identifier: Apache-2.0

package mem

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/kv"
)

// Shared is one of several handles of a Store, each as a process of its own would have one: it implements kv.Store and
// kv.Shared. Closing it leaves the Store and its other handles open.
type Shared struct {
	store  *Store
	until  atomic.Pointer[func() int64]
	closed atomic.Bool
}

var (
	_ kv.Store  = (*Shared)(nil)
	_ kv.Shared = (*Shared)(nil)
)

// Share returns a new handle. The Store itself is no kv.Shared, so that a database over it has it for itself.
func (s *Store) Share() *Shared { return &Shared{store: s} }

// NowMS returns the store's clock, one for all handles. Errors: kv.ErrClosed, ctx's error.
func (h *Shared) NowMS(ctx context.Context) (int64, error) {
	if err := h.check(ctx); err != nil {
		return 0, err
	}
	return h.store.clock.read(), nil
}

// Fence bounds the commits of this handle.
func (h *Shared) Fence(until func() int64) {
	if until == nil {
		h.until.Store(nil)
		return
	}
	h.until.Store(&until)
}

// checkFence returns kv.ErrFenced if t has something to commit and may not any more. The caller holds Store.mu, so that
// commits are stamped in their order.
func (h *Shared) checkFence(t *Txn) error {
	if h.over() {
		return kv.ErrClosed
	}
	if h == nil || t.writes.Len() == 0 && len(t.guarded) == 0 {
		return nil
	}
	if until := h.until.Load(); until != nil && h.store.clock.read() >= (*until)() {
		return kv.ErrFenced
	}
	return nil
}

// Get is Store.Get.
func (h *Shared) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := h.check(ctx); err != nil {
		return dst, false, err
	}
	return h.store.Get(ctx, key, dst)
}

// Read is Store.Read.
func (h *Shared) Read(ctx context.Context) (kv.Reader, error) {
	if err := h.check(ctx); err != nil {
		return nil, err
	}
	reader, err := h.store.read(ctx)
	if err != nil {
		return nil, err
	}
	reader.handle = h
	return reader, nil
}

// Begin is Store.Begin, with this handle's fence.
func (h *Shared) Begin(ctx context.Context) (kv.Txn, error) {
	if err := h.check(ctx); err != nil {
		return nil, err
	}
	txn, err := h.store.begin(ctx)
	if err != nil {
		return nil, err
	}
	txn.handle = h
	return txn, nil
}

// Limits returns the store's limits.
func (h *Shared) Limits() kv.Limits { return h.store.limits }

// Close ends the handle: transactions begun on it can't commit any more.
func (h *Shared) Close() error {
	h.closed.Store(true)
	return nil
}

func (h *Shared) check(ctx context.Context) error {
	if h.over() {
		return kv.ErrClosed
	}
	return ctx.Err()
}

// over reports whether h, which may be none, is closed.
func (h *Shared) over() bool { return h != nil && h.closed.Load() }

// clock is a clock that never runs backwards.
type clock struct {
	now func() int64 // nil: the machine's

	mu   sync.Mutex
	last int64
}

func (c *clock) read() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now
	if now == nil {
		now = func() int64 { return time.Now().UnixMilli() }
	}
	c.last = max(c.last, now())
	return c.last
}
