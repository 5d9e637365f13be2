// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
)

const (
	// turnMax is the time a connection is served in a row while others may wait: about as long as a transaction of a
	// few statements takes.
	turnMax = time.Millisecond
	// turnWaited is from when on the wait for a command says that the connection's goroutine has let others run.
	turnWaited = 20 * time.Microsecond
	// turnsMax is the number that wait at once: each has a byte in the pipe, and every pipe has room for so many.
	turnsMax = 4096
)

// turns lets connections take turns. A client that sends its next command as soon as it has the answer is often served
// without a break: its command is there before the goroutine looks, and Go asks the system which other connections have
// something to read only when it has nothing to run, or every 10 ms. So a connection that was served for long enough
// waits at a pipe: that makes Go ask, and the others go first.
type turns struct {
	begin, end *os.File // of the pipe
	mu         sync.Mutex
	waiting    []chan struct{} // in the order of the pipe's bytes
	ended      bool
}

// openTurns returns nil where the system has no pipe left: then nobody gives way.
func openTurns() *turns {
	end, begin, err := os.Pipe()
	if err != nil {
		return nil
	}
	t := &turns{begin: begin, end: end}
	go t.release()
	return t
}

// pass lets connections with work go first.
func (t *turns) pass(own chan struct{}) {
	if t == nil {
		return
	}
	t.mu.Lock()
	if t.ended || len(t.waiting) >= turnsMax {
		t.mu.Unlock()
		return
	}
	t.waiting = append(t.waiting, own)
	_, _ = t.begin.Write(oneByte[:]) // if the pipe is broken, release lets all go
	t.mu.Unlock()
	<-own
	runtime.Gosched() // what was found with the pipe is in the queue by now
}

var oneByte [1]byte // immutable

// release wakes the connections that wait at the pipe, until it is closed.
func (t *turns) release() {
	var bytes [64]byte
	for {
		n, err := t.end.Read(bytes[:])
		t.mu.Lock()
		if t.ended = err != nil; t.ended {
			n = len(t.waiting)
		}
		for _, own := range t.waiting[:n] {
			own <- struct{}{}
		}
		t.waiting = t.waiting[:copy(t.waiting, t.waiting[n:])]
		t.mu.Unlock()
		if err != nil {
			_ = t.end.Close()
			return
		}
	}
}

// close lets all go that wait.
func (t *turns) close() {
	if t != nil {
		_ = t.begin.Close()
	}
}

// turn is the time a connection has been served in a row.
type turn struct {
	began time.Time
	own   chan struct{} // tells that its turn has come
}

// over reports whether the connection has to give way, at a time when its next command has come for which it has waited
// since.
func (t *turn) over(since, now time.Time) bool {
	if now.Sub(since) >= turnWaited {
		t.began = now
		return false
	}
	return now.Sub(t.began) >= turnMax
}

// lapse is a deadline that moves on with each use. To spare the timers it moves in steps: it ends up to an eighth later
// than span after its last use, never before.
type lapse struct {
	span  time.Duration
	last  time.Time // when it was moved
	fixed bool      // it does not move
}

// extend moves the deadline on, if that is due.
func (l *lapse) extend(set func(time.Time) error, now time.Time) error {
	if l.fixed || (!l.last.IsZero() && now.Sub(l.last) < l.span/8) {
		return nil
	}
	l.last = now
	return set(now.Add(l.span + l.span/8))
}

// reset makes the next extend move the deadline.
func (l *lapse) reset() { l.last = time.Time{} }

// watch looks, now and then, whether the clients of statements at work are still there, and cancels the statements of
// those that are not. A connection's own goroutine can't: it carries out the statement.
func (s *Server) watch(end <-chan struct{}) {
	ticker := time.NewTicker(s.options.WatchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-end:
			return
		case now := <-ticker.C:
			for _, c := range s.all() {
				c.look(now)
			}
		}
	}
}

// look cancels the statement at work if it has been for a while and its client has hung up.
func (c *connection) look(now time.Time) {
	c.mu.Lock()
	working := c.busy && c.process.command != packet.ComConnect &&
		now.Sub(c.process.since) >= c.server.options.WatchInterval
	c.mu.Unlock()
	if working && hungUp(c.raw, c.secure) {
		c.stop(errGone, false)
	}
}

// hungUp reports whether the other end closed the connection and everything that it sent before has been read. It takes
// nothing from the connection and waits for nothing.
func hungUp(conn net.Conn, secure bool) bool {
	with, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := with.SyscallConn()
	if err != nil {
		return true
	}
	var pending [5]byte
	n, alive := 0, true
	if err := raw.Control(func(descriptor uintptr) { n, alive = peek(descriptor, pending[:]) }); err != nil || !alive {
		return true
	}
	return secure && n == len(pending) && isFarewell(pending)
}

// isFarewell reports whether a TLS record is an alert, which is how the other end says that it closes. In TLS 1.3 its
// type is hidden, but it is shorter than any packet.
func isFarewell(header [5]byte) bool {
	const alert, application, alertBytes = 21, 23, 2 + 1 + 16
	return header[0] == alert || (header[0] == application && int(header[3])<<8|int(header[4]) == alertBytes)
}
