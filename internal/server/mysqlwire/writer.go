// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/fault"
)

const (
	flushBytes    = 64 << 10  // what is written at once
	keptBytesMax  = 256 << 10 // a larger buffer is not kept
	writeBytesMax = 1 << 20   // what one deadline is for
)

// writer gathers packets and writes them together.
type writer struct {
	conn     net.Conn
	buffer   []byte
	start    int // of the packet that is being made
	sequence byte
	deadline lapse
	set      func(time.Time) error // conn.SetWriteDeadline
	err      error                 // of the first write that failed
	memory   memory.Share          // of a buffer larger than bufferBytesKept
	writing  atomic.Bool           // it waits for the client
	late     atomic.Bool           // the client has been waited for long enough
}

// use makes the writer write to conn.
func (w *writer) use(conn net.Conn) {
	w.conn, w.set = conn, conn.SetWriteDeadline
	w.deadline.reset()
}

// begin starts a packet. The caller appends its payload and hands the result to end.
func (w *writer) begin() []byte {
	if w.buffer == nil {
		w.buffer = make([]byte, 0, bufferBytesMin)
	}
	w.start = len(w.buffer)
	return append(w.buffer, 0, 0, 0, 0)
}

// end finishes the packet that begin started. It writes if enough has been gathered.
func (w *writer) end(b []byte) error {
	w.buffer = b
	if cap(b) > bufferBytesKept && !w.memory.Hold(int64(cap(b))) {
		w.abandon()
		return errNoMemory("an answer of this length")
	}
	length := len(b) - w.start - headerBytes
	if length >= partBytesMax {
		return w.endLarge()
	}
	putHeader(b[w.start:], length, w.sequence)
	w.sequence++
	w.start = len(b)
	if len(b) >= flushBytes {
		return w.flush()
	}
	return w.err
}

func putHeader(b []byte, length int, sequence byte) {
	_ = b[3]
	b[0], b[1], b[2], b[3] = byte(length), byte(length>>8), byte(length>>16), sequence
}

// endLarge writes a packet in parts, all full but the last, which may be empty.
func (w *writer) endLarge() error {
	before, payload := w.buffer[:w.start], w.buffer[w.start+headerBytes:]
	w.write(before)
	for last := false; !last && w.err == nil; {
		length := min(len(payload), partBytesMax)
		last = length < partBytesMax
		var header [headerBytes]byte
		putHeader(header[:], length, w.sequence)
		w.sequence++
		w.write(header[:])
		w.write(payload[:length])
		payload = payload[length:]
	}
	w.buffer, w.start = nil, 0
	return w.err
}

// flush writes all finished packets.
func (w *writer) flush() error {
	w.write(w.buffer)
	w.buffer, w.start = w.buffer[:0], 0
	if cap(w.buffer) > keptBytesMax {
		w.buffer = nil
		w.memory.Release()
	}
	return w.err
}

func (w *writer) write(p []byte) {
	for len(p) > 0 && w.err == nil {
		piece := p[:min(len(p), writeBytesMax)]
		if w.late.Load() {
			w.err = os.ErrDeadlineExceeded
		} else if w.err = w.deadline.extend(w.set, time.Now()); w.err == nil {
			w.writing.Store(true)
			_, w.err = w.conn.Write(piece)
			w.writing.Store(false)
		}
		p = p[len(piece):]
	}
}

// grow makes room for a packet of about so many bytes, which is counted before it is made.
func (w *writer) grow(bytes int) error {
	if cap(w.buffer)-len(w.buffer) >= bytes {
		return nil
	}
	if w.write(w.buffer); w.err != nil {
		return w.err
	}
	w.buffer, w.start = w.buffer[:0], 0
	if cap(w.buffer) < bytes {
		w.buffer = nil
		w.memory.Release()
		if !w.memory.Hold(int64(bytes)) {
			return errNoMemory("a row of this length")
		}
		w.buffer = make([]byte, 0, bytes)
	}
	return nil
}

// shrink gives back what no connection keeps while it waits for its client. All packets are written.
func (w *writer) shrink() {
	if cap(w.buffer) > bufferBytesKept {
		w.buffer, w.start = nil, 0
	}
	w.memory.Release()
}

// errNoMemory is the error of the command that finds no memory. Others continue.
func errNoMemory(what string) *fault.Error {
	return fault.New(fault.OutOfResources,
		"no memory left for "+what+" (--sql-memory): send or ask for less at once, or try again later")
}

// abandon drops the packet that was begun and not ended.
func (w *writer) abandon() { w.buffer = w.buffer[:w.start] }
