// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// watchAfter is from when on a client is watched while it waits for its answer. Most answers are sent sooner, so that
// nobody need know.
const watchAfter = 10 * time.Millisecond

// watch notices that a client goes away while a request is in work: it reads, and if the connection ends the request's
// context does. A byte that comes instead is the next request's.
type watch struct {
	connection *connection

	mu      sync.Mutex
	idle    sync.Cond   // told when reading ends
	life    *lifetime   // of the request in work; nil: there is none
	timer   *time.Timer // calls look; nil: it was never needed
	armed   bool        // the timer runs
	reading bool
	over    bool // reading is to end, even if a client is there
	spare   [1]byte
	spared  bool // a byte is in spare
}

func (w *watch) init(c *connection) { w.connection, w.idle.L = c, &w.mu }

// begin returns the context of a request.
func (w *watch) begin(now time.Time) context.Context {
	l := &lifetime{watch: w, base: w.connection.base, begun: now}
	w.mu.Lock()
	w.life = l
	w.mu.Unlock()
	return l
}

// end ends the context of the request, and its watch.
func (w *watch) end() {
	w.mu.Lock()
	l := w.life
	w.life = nil
	if w.reading {
		w.over = true
		w.connection.limits.interrupt()
		for w.reading {
			w.idle.Wait()
		}
		w.over = false
	}
	w.mu.Unlock()
	if l != nil {
		l.end()
	}
}

// stop ends the watch for good.
func (w *watch) stop() {
	w.end()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

// wait returns the context of a caller that waits for the request's end, and has the client watched if that
// takes long.
func (w *watch) wait(l *lifetime) *ending {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := l.ending.Load(); e != nil {
		return e
	}
	e := new(ending)
	e.Context, e.cancel = context.WithCancel(l.base)
	l.ending.Store(e)
	if l != w.life { // it ended before it was known that somebody waits
		e.cancel()
		return e
	}
	w.arm(watchAfter)
	return e
}

// arm has look called later. The caller holds mu.
func (w *watch) arm(after time.Duration) {
	switch {
	case w.armed:
	case w.timer == nil:
		w.timer = time.AfterFunc(after, w.look)
	default:
		w.timer.Reset(after)
	}
	w.armed = true
}

// look watches the client, if the request in work takes long and somebody waits for its end.
func (w *watch) look() {
	l := w.start()
	if l == nil {
		return
	}
	n, err := w.connection.conn.Read(w.spare[:])
	w.mu.Lock()
	w.reading, w.spared = false, n > 0
	gone := n == 0 && !w.over && !isTimeout(err)
	w.mu.Unlock()
	if gone {
		l.cancel()
	}
	w.idle.Broadcast()
}

// start returns the request whose client is to be watched now, nil if there is none.
func (w *watch) start() *lifetime {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	l := w.life
	if l == nil || l.ending.Load() == nil || w.spared {
		return nil
	}
	rest := watchAfter - time.Since(l.begun)
	if w.connection.body.left.Load() > 0 { // its bytes are the handler's to read
		rest = watchAfter
	}
	if rest > 0 {
		w.arm(rest)
		return nil
	}
	w.reading = true
	w.connection.limits.read(time.Time{}, 0, 0)
	return l
}

func isTimeout(err error) bool {
	failure, ok := err.(net.Error)
	return ok && failure.Timeout()
}

// read reads from the connection, and first what the watch has read.
func (w *watch) read(b []byte) (int, error) {
	if w.spared {
		w.spared = false
		b[0] = w.spare[0]
		return 1, nil
	}
	return w.connection.conn.Read(b)
}

// appendSpare appends what the watch has read.
func (w *watch) appendSpare(b []byte) []byte {
	if w.spared {
		b = append(b, w.spare[0])
	}
	return b
}

// lifetime is the context of a request. It can end only once somebody waits for its end.
type lifetime struct {
	watch  *watch
	base   context.Context // has the values
	begun  time.Time
	ending atomic.Pointer[ending]
	polls  atomic.Int32
	over   atomic.Bool
}

// ending is a context that can end.
type ending struct {
	context.Context
	cancel context.CancelFunc
}

// pollsMax is the number of calls of Err from which on a request counts as waited for.
const pollsMax = 16

// Deadline implements context.Context.
func (l *lifetime) Deadline() (time.Time, bool) { return l.base.Deadline() }

// Done implements context.Context.
func (l *lifetime) Done() <-chan struct{} { return l.wait().Done() }

func (l *lifetime) wait() *ending {
	if e := l.ending.Load(); e != nil {
		return e
	}
	return l.watch.wait(l)
}

// Err implements context.Context.
func (l *lifetime) Err() error {
	e := l.ending.Load()
	switch {
	case e != nil:
		return e.Err()
	case l.over.Load():
		return context.Canceled
	case l.polls.Add(1) >= pollsMax:
		return l.wait().Err()
	}
	return l.base.Err()
}

// Value implements context.Context.
func (l *lifetime) Value(key any) any {
	if e := l.ending.Load(); e != nil {
		return e.Value(key)
	}
	return l.base.Value(key)
}

// cancel ends the context while the request is in work.
func (l *lifetime) cancel() { l.wait().cancel() }

// end ends the context with the request.
func (l *lifetime) end() {
	l.over.Store(true)
	if e := l.ending.Load(); e != nil {
		e.cancel()
	}
}
