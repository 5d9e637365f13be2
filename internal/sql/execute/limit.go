// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"sync"
	"time"
)

// Limit ends statements that take too long, one after the other: it keeps its context and its timer from one to the
// next, since most statements end long before either is needed. The zero value is ready. It must be closed.
type Limit struct {
	mu     sync.Mutex
	parent context.Context
	ctx    context.Context // of parent; nil: none is kept
	cancel context.CancelCauseFunc
	timer  *time.Timer
	due    time.Time // when the timer goes off; zero: it is not set
	end    time.Time // of the statement at work; zero: there is none
	sink   any       // of the statement at work; an Ender is told of its end
}

// begin returns the context of a statement that may take so long. finish must follow, before the next begin.
func (l *Limit) begin(parent context.Context, timeout time.Duration, sink any) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil || l.parent != parent || l.ctx.Err() != nil {
		l.drop()
		l.parent = parent
		l.ctx, l.cancel = context.WithCancelCause(parent)
	}
	l.end, l.sink = time.Now().Add(timeout), sink
	if l.due.IsZero() || l.end.Before(l.due) {
		l.set(timeout)
	}
	return l.ctx
}

// set makes the timer go off after a while.
func (l *Limit) set(after time.Duration) {
	l.due = time.Now().Add(after)
	if l.timer == nil {
		l.timer = time.AfterFunc(after, l.expire)
	} else {
		l.timer.Reset(after)
	}
}

// expire ends the statement at work if its time is up, and else waits for its end. Without one it waits for the next
// statement.
func (l *Limit) expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = time.Time{}
	if l.end.IsZero() {
		return
	}
	if left := time.Until(l.end); left > 0 {
		l.set(left)
		return
	}
	l.cancel(errTimeout)
	if ends, ok := l.sink.(Ender); ok {
		ends.EndBy(l.ctx) // which has ended: the client is given up in a moment, unless the statement is over by then
	}
}

// finish notes that no statement is at work.
func (l *Limit) finish() {
	l.mu.Lock()
	l.end, l.sink = time.Time{}, nil
	l.mu.Unlock()
}

// drop lets the context go.
func (l *Limit) drop() {
	if l.cancel != nil {
		l.cancel(nil)
	}
	l.parent, l.ctx, l.cancel = nil, nil, nil
}

// Close stops the timer. The Limit may be used again.
func (l *Limit) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.due = time.Time{}
}
