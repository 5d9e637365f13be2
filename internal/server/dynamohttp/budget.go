// SPDX-License-Identifier: Apache-2.0

package dynamohttp

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errNoMemory says that a request found no memory within Options.WaitMax.
var errNoMemory = errors.New("dynamohttp: no memory for the request")

// budget shares out a number of units, such as bytes. Who finds none free waits in line.
type budget struct {
	mu    sync.Mutex
	limit int64
	used  int64
	line  []*waiter // the longest waiting first
	// short is asked to make so many units free when some are waited for, and now and then while they are; nil: nobody
	// can.
	short func(n int64)
}

type waiter struct {
	need    int64
	granted chan struct{} // closed when need was added to used
}

// tryTake takes n units if they are free and nobody waits for some.
func (b *budget) tryTake(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.line) > 0 || b.used+n > b.limit {
		return false
	}
	b.used += n
	return true
}

// take takes n units, waiting for them up to patience. Errors: errNoMemory, ctx's.
func (b *budget) take(ctx context.Context, n int64, patience time.Duration) error {
	if b.tryTake(n) {
		return nil
	}
	w := b.enqueue(n)
	if w == nil {
		return errNoMemory
	}
	err := b.wait(ctx, w, patience)
	if err != nil {
		b.leave(w)
	}
	return err
}

// wait returns when the waiter is granted what it needs. Errors: errNoMemory, ctx's.
func (b *budget) wait(ctx context.Context, w *waiter, patience time.Duration) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	again := time.NewTicker(stallAfter)
	defer again.Stop()
	for {
		if b.short != nil {
			b.short(w.need)
		}
		select {
		case <-w.granted:
			return nil
		case <-again.C:
		case <-timer.C:
			return errNoMemory
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// enqueue puts a waiter in line; nil if n can never be granted.
func (b *budget) enqueue(n int64) *waiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n > b.limit {
		return nil
	}
	w := &waiter{need: n, granted: make(chan struct{})}
	b.line = append(b.line, w)
	b.grant()
	return w
}

// leave takes a waiter out of the line, or gives back what it was granted in the last moment.
func (b *budget) leave(w *waiter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, other := range b.line {
		if other == w {
			b.line = append(b.line[:i], b.line[i+1:]...)
			b.grant()
			return
		}
	}
	b.used -= w.need
	b.grant()
}

// squeeze takes n units that are in use already, if the limit is not exceeded by more than a quarter.
func (b *budget) squeeze(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.limit+b.limit/4 {
		return false
	}
	b.used += n
	return true
}

// force takes n units even if fewer are free, for requests that must not be dropped any more.
func (b *budget) force(n int64) {
	b.mu.Lock()
	b.used += n
	b.mu.Unlock()
}

// release gives n units back.
func (b *budget) release(n int64) {
	b.mu.Lock()
	b.used -= n
	b.grant()
	b.mu.Unlock()
}

// grant serves the line as far as it goes. The caller holds mu.
func (b *budget) grant() {
	for len(b.line) > 0 && b.used+b.line[0].need <= b.limit {
		b.used += b.line[0].need
		close(b.line[0].granted)
		b.line = b.line[1:]
	}
	if len(b.line) == 0 {
		b.line = nil
	}
}
