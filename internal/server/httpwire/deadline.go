// SPDX-License-Identifier: Apache-2.0

package httpwire

import (
	"net"
	"sync"
	"time"
)

// deadlines holds a connection's deadlines. Setting one costs about as much as to read a head, so that those that hold
// for every request are set late enough for several and moved on when they come near.
type deadlines struct {
	conn net.Conn

	mu     sync.Mutex
	begun  time.Time // the request
	readBy time.Time // as it is set
	// ownRead and ownWrite say that the handler has set deadlines for this request.
	ownRead, ownWrite bool
	writeBy           time.Time // as it is set
	unread            bool      // the handler wants no deadline for reading, and it is still set
}

// past is a deadline that ends what waits.
var past = time.Unix(1, 0) // immutable

// begin prepares for a request.
func (d *deadlines) begin(now time.Time) {
	d.mu.Lock()
	d.begun, d.ownRead, d.ownWrite, d.unread = now, false, false, false
	d.mu.Unlock()
}

// read lets reading take so long from now on, or up to slack more; no limit if it is 0.
func (d *deadlines) read(now time.Time, limit, slack time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if by := move(d.readBy, now, limit, slack); by != d.readBy {
		d.setRead(by)
	}
}

// move returns a deadline that is limit to limit+slack from now: the one that is set if it will do.
func move(set, now time.Time, limit, slack time.Duration) time.Time {
	if limit <= 0 {
		return time.Time{}
	}
	if left := set.Sub(now); left >= limit && left <= limit+slack {
		return set
	}
	return now.Add(limit + slack)
}

// setRead sets the deadline for reading. The caller holds mu.
func (d *deadlines) setRead(by time.Time) {
	d.readBy, d.unread = by, false
	_ = d.conn.SetReadDeadline(by) // fails only on a closed connection, as SetWriteDeadline below
}

// readBody sets the deadline for the rest of the request, unless the handler has set one.
func (d *deadlines) readBody(limit time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !d.ownRead:
		if by := move(d.readBy, d.begun, limit, 0); by != d.readBy {
			d.setRead(by)
		}
	case d.unread:
		d.setRead(time.Time{})
	}
}

// write sets the deadline for the answer, unless the handler has set one.
func (d *deadlines) write(limit time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ownWrite {
		return
	}
	if by := move(d.writeBy, d.begun, limit, limit/8); by != d.writeBy {
		d.writeBy = by
		_ = d.conn.SetWriteDeadline(by)
	}
}

// interrupt ends what reads.
func (d *deadlines) interrupt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.setRead(past)
}

// SetReadDeadline sets the handler's deadline for reading. That there shall be none is noted until something is read.
func (d *deadlines) SetReadDeadline(by time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ownRead, d.unread = true, by.IsZero()
	if d.unread {
		return nil
	}
	d.readBy = by
	return d.conn.SetReadDeadline(by)
}

// SetWriteDeadline sets the handler's deadline for the answer.
func (d *deadlines) SetWriteDeadline(by time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ownWrite, d.writeBy = true, by
	return d.conn.SetWriteDeadline(by)
}
