// SPDX-License-Identifier: Apache-2.0

// Package accept takes connections from listeners until a server closes.
//
// Knows: listeners, and that file descriptors may run out for a while.
// Never: what is spoken on a connection, how many there may be.
package accept

import (
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

// Listeners are the listeners of one server. The zero value is ready. It is safe for concurrent use.
type Listeners struct {
	mu     sync.Mutex
	closed chan struct{} // closed by Close; nil until it is needed
	done   bool
	open   map[net.Listener]bool
}

// How long accepting rests after an error that may pass: longer each time.
const (
	pauseMin = 5 * time.Millisecond
	pauseMax = time.Second
)

// Serve hands the connections of a listener to take, which must not block, until Close; then it returns nil. It closes
// the listener in the end. After an error that may pass, as when file descriptors ran out, it goes on after a pause.
func (l *Listeners) Serve(listener net.Listener, log *slog.Logger, take func(net.Conn)) error {
	defer func() { _ = listener.Close() }()
	closed, ok := l.add(listener)
	if !ok {
		return nil
	}
	for pause := time.Duration(0); ; {
		conn, err := listener.Accept()
		switch {
		case err == nil:
			pause = 0
			take(conn)
		case l.Closed():
			return nil
		case isTemporary(err):
			pause = min(max(2*pause, pauseMin), pauseMax)
			log.Error("failed to accept a connection", "error", err)
			select {
			case <-time.After(pause):
			case <-closed:
			}
		default:
			return err
		}
	}
}

// isTemporary reports whether accepting may work again later.
func isTemporary(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](err)
	return ok && t.Temporary()
}

// add notes a listener; ok is false if the listeners are closed.
func (l *Listeners) add(listener net.Listener) (closed <-chan struct{}, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return nil, false
	}
	if l.open == nil {
		l.open, l.closed = map[net.Listener]bool{}, make(chan struct{})
	}
	l.open[listener] = true
	return l.closed, true
}

// Closed reports whether Close was called.
func (l *Listeners) Closed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done
}

// Close closes all listeners, and those that are yet to come. first is false if that was done before.
func (l *Listeners) Close() (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return false
	}
	l.done = true
	for listener := range l.open {
		_ = listener.Close()
	}
	if l.closed != nil {
		close(l.closed)
	}
	return true
}
