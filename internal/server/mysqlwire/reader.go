// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"errors"
	"math/bits"
	"net"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
)

const (
	headerBytes    = 4
	partBytesMax   = 1<<24 - 1 // a packet of this length goes on in the next one
	bufferBytesMin = 4 << 10
	bufferBytesMax = 64 << 10 // packets that fit are read into the connection's buffer
	// bufferBytesKept is the size of buffers that a connection keeps while it waits for its client, and that nobody
	// counts.
	bufferBytesKept = 16 << 10
)

var (
	errPacketTooLarge = errors.New("mysqlwire: the packet is longer than it may be")
	errSequence       = errors.New("mysqlwire: packets are out of order")
	errNoRoom         = errors.New("mysqlwire: no room for the packet")
)

// reader cuts what a connection receives into packets.
type reader struct {
	conn       net.Conn
	buffer     []byte
	start, end int           // what is buffered and not cut yet
	sequence   byte          // of the next packet
	memory     memory.Share  // of what does not fit into bufferBytesKept
	deadline   lapse         // for the first byte of a packet
	timeout    time.Duration // for all of it from then on, and a second more for each MiB that it may have
	limit      int           // of the packet's length
	begun      bool          // that deadline is set
}

// next returns the next packet, its parts joined. It is valid until the next call. It fails with errPacketTooLarge
// above limit bytes, before anything is allocated for it.
func (r *reader) next(limit int) ([]byte, error) {
	r.release()
	r.limit, r.begun = limit, false
	if err := r.fill(headerBytes); err != nil {
		return nil, err
	}
	length, err := r.header(limit)
	if err != nil {
		return nil, err
	}
	if length > bufferBytesMax-headerBytes {
		return r.nextLarge(length, limit)
	}
	if err := r.fill(headerBytes + length); err != nil {
		return nil, err
	}
	payload := r.buffer[r.start+headerBytes : r.start+headerBytes+length : r.start+headerBytes+length]
	r.start += headerBytes + length
	return payload, nil
}

// header reads the length at the start of the buffer, which holds a header.
func (r *reader) header(limit int) (length int, err error) {
	h := r.buffer[r.start:]
	length = int(h[0]) | int(h[1])<<8 | int(h[2])<<16
	inOrder := h[3] == r.sequence
	r.sequence = h[3] + 1 // an error, too, is a packet that follows this one
	switch {
	case !inOrder:
		return 0, errSequence
	case length > limit:
		return 0, errPacketTooLarge
	}
	return length, nil
}

// fill reads until n bytes are buffered, n being at most bufferBytesMax.
func (r *reader) fill(n int) error {
	if r.end-r.start >= n {
		return nil
	}
	if err := r.makeRoom(n); err != nil {
		return err
	}
	for r.end-r.start < n {
		if err := r.wait(); err != nil {
			return err
		}
		got, err := r.conn.Read(r.buffer[r.end:])
		r.end += got
		if err != nil && r.end-r.start < n {
			return err
		}
	}
	return nil
}

// makeRoom makes the buffer large enough for n bytes from start on.
func (r *reader) makeRoom(n int) error {
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	if len(r.buffer)-r.start >= n {
		return nil
	}
	target := r.buffer
	if len(r.buffer) < n {
		size := max(bufferBytesMin, 1<<bits.Len(uint(n-1)))
		if size > bufferBytesKept && !r.memory.Hold(int64(size)) {
			return errNoRoom
		}
		target = make([]byte, size)
	}
	r.end = copy(target, r.buffer[r.start:r.end])
	r.start, r.buffer = 0, target
	return nil
}

// wait sets the deadline of a read: one for a packet's first byte, and one for all that follows it.
func (r *reader) wait() error {
	switch {
	case r.deadline.fixed || r.begun:
		return nil
	case r.start == r.end:
		return r.deadline.extend(r.conn.SetReadDeadline, time.Now())
	}
	return r.hurry()
}

// hurry sets the deadline of a packet that has begun.
func (r *reader) hurry() error {
	if r.deadline.fixed || r.begun {
		return nil
	}
	r.begun = true
	r.deadline.reset()
	return r.conn.SetReadDeadline(time.Now().Add(r.timeout + time.Duration(r.limit>>20)*time.Second))
}

// nextLarge reads a packet that does not fit into the buffer, whose first header is buffered. Its memory grows with
// what has arrived.
func (r *reader) nextLarge(length, limit int) ([]byte, error) {
	var joined []byte
	for {
		r.start += headerBytes
		var err error
		if joined, err = r.appendPart(joined, length); err != nil {
			return nil, err
		}
		if length < partBytesMax {
			return joined, nil
		}
		if err := r.fill(headerBytes); err != nil {
			return nil, err
		}
		if length, err = r.header(limit - len(joined)); err != nil {
			return nil, err
		}
	}
}

// appendPart appends the next length bytes to dst.
func (r *reader) appendPart(dst []byte, length int) ([]byte, error) {
	buffered := min(length, r.end-r.start)
	left := length - buffered
	dst, err := r.grow(dst, buffered)
	if err != nil {
		return nil, err
	}
	dst = append(dst, r.buffer[r.start:r.start+buffered]...)
	r.start += buffered
	for left > 0 {
		piece := min(left, max(bufferBytesMax, len(dst)))
		if dst, err = r.grow(dst, piece); err != nil {
			return nil, err
		}
		if err := r.hurry(); err != nil {
			return nil, err
		}
		got, err := r.conn.Read(dst[len(dst) : len(dst)+piece])
		dst = dst[:len(dst)+got]
		left -= got
		if err != nil && left > 0 {
			return nil, err
		}
	}
	return dst, nil
}

// grow makes room for n more bytes in dst, taking them from memory.
func (r *reader) grow(dst []byte, n int) ([]byte, error) {
	if cap(dst)-len(dst) >= n {
		return dst, nil
	}
	size := max(2*cap(dst), len(dst)+n)
	if !r.memory.Grow(int64(size)) {
		return nil, errNoRoom
	}
	before := cap(dst)
	dst = append(make([]byte, 0, size), dst...)
	r.memory.Shrink(r.memory.Held() - int64(before))
	return dst, nil
}

// release gives back the memory of the last packet.
func (r *reader) release() {
	if r.memory.Held() == 0 {
		return
	}
	kept := 0
	if r.start == r.end {
		r.start, r.end, r.buffer = 0, 0, nil
	} else {
		kept = len(r.buffer)
	}
	r.memory.Shrink(int64(kept))
}
