// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"net"
	"syscall"
	"time"
)

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
