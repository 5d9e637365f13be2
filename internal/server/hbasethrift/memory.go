// SPDX-License-Identifier: Apache-2.0

package hbasethrift

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
)

// A transfer has stalled if it has not moved paceBytes for stallAfter. Waiters try again every pollEvery.
const (
	paceBytes  = 64 << 10
	stallAfter = 250 * time.Millisecond
	pollEvery  = 10 * time.Millisecond
)

// Memory bounds messages and answers of the servers that share it. Make one with NewMemory. nil has no bound. It is
// safe for concurrent use.
type Memory struct {
	budget *memory.Budget

	mu    sync.Mutex
	under map[*transfer]struct{} // that have begun and not ended
	line  []*waiter              // those that are large, the longest waiting first
}

// NewMemory makes a Memory of a budget.
func NewMemory(budget *memory.Budget) *Memory {
	return &Memory{budget: budget, under: map[*transfer]struct{}{}}
}

// share returns an empty share of the memory.
func (m *Memory) share() memory.Share {
	if m == nil {
		return memory.Share{}
	}
	return memory.Share{Of: m.budget}
}

// transfer is a time in which memory is held for a client that sends or takes bytes. If others find no memory
// meanwhile, a client that has stalled loses it. A nil transfer is never cut. move is called by one goroutine at a
// time.
type transfer struct {
	of        *Memory
	interrupt func()
	left      int          // bytes until moved is set again
	moved     atomic.Int64 // when the last paceBytes were through, in nanoseconds since 1970
	cut       atomic.Bool
}

// begin begins a transfer, which must be ended. interrupt makes the holder give its memory back soon; it is called once
// at most, from another goroutine.
func (m *Memory) begin(interrupt func()) *transfer {
	if m == nil {
		return nil
	}
	t := &transfer{of: m, interrupt: interrupt, left: paceBytes}
	t.moved.Store(time.Now().UnixNano())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.under[t] = struct{}{}
	return t
}

// move notes that n more bytes are through.
func (t *transfer) move(n int) {
	if t == nil {
		return
	}
	if t.left -= n; t.left <= 0 {
		t.left = paceBytes
		t.moved.Store(time.Now().UnixNano())
	}
}

// end ends the transfer, if it has not ended before, and reports whether it was cut.
func (t *transfer) end() (cut bool) {
	if t == nil {
		return false
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	delete(t.of.under, t)
	return t.cut.Load()
}

// cutSlowest interrupts the transfer that has stalled for the longest time, if one has. The caller holds mu.
func (m *Memory) cutSlowest() {
	var slowest *transfer
	least := time.Now().Add(-stallAfter).UnixNano()
	for t := range m.under {
		if moved := t.moved.Load(); moved < least {
			slowest, least = t, moved
		}
	}
	if slowest != nil {
		delete(m.under, slowest)
		slowest.cut.Store(true)
		slowest.interrupt()
	}
}

// Holders of more than largeBytes are large. All together may take largeShare of the memory, so that the others, which
// are most, don't wait for them.
const (
	largeBytes = 2 << 20
	largeShare = 0.8
)

// await takes n bytes more for a share. It waits for them up to patience, while clients that have stalled lose theirs.
// Large holders wait in line. One that waits should hold little: waiters with much could wait for each other.
func (m *Memory) await(ctx context.Context, share *memory.Share, n int64, patience time.Duration) bool {
	if n <= 0 || m == nil {
		return true
	}
	w := &waiter{share: share, need: n, limit: m.budget.Limit()}
	if w.isLarge = share.Held()+n > largeBytes; w.isLarge {
		w.limit = int64(largeShare * float64(w.limit))
	}
	if share.Held()+n <= w.limit && (m.try(w, true) || m.wait(ctx, w, patience)) {
		return true
	}
	m.budget.Refuse()
	return false
}

// waiter waits for memory.
type waiter struct {
	share   *memory.Share
	need    int64
	limit   int64 // of the bytes that all have
	isLarge bool
}

// wait returns when the waiter has what it needs, or no later than patience says without it.
func (m *Memory) wait(ctx context.Context, w *waiter, patience time.Duration) (granted bool) {
	over, again := time.NewTimer(patience), time.NewTicker(pollEvery)
	defer over.Stop()
	defer again.Stop()
	for {
		select {
		case <-again.C:
			granted = m.try(w, false)
		case <-over.C:
			m.leave(w)
			return false
		case <-ctx.Done():
			m.leave(w)
			return false
		}
		if granted {
			return true
		}
	}
}

// try takes what a waiter needs, if that is free and no other is before it in line. Otherwise it cuts a client that has
// stalled. A new large waiter joins the line.
func (m *Memory) try(w *waiter, isNew bool) (granted bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w.isLarge && isNew {
		m.line = append(m.line, w)
	}
	if w.isLarge && m.line[0] != w {
		return false
	}
	if !w.share.GrowUpTo(w.need, w.limit) {
		m.cutSlowest()
		return false
	}
	if w.isLarge {
		m.line = m.line[1:]
	}
	return true
}

func (m *Memory) leave(w *waiter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.line = slices.DeleteFunc(m.line, func(other *waiter) bool { return other == w })
}
