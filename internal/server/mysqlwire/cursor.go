// SPDX-License-Identifier: Apache-2.0

package mysqlwire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/server/mysqlwire/packet"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// chunkBytes is the number of bytes of a cursor's rows in one chunk.
const chunkBytes = 32 << 10

// cursor is an execution whose rows are fetched piece by piece. A goroutine of its own carries it out, at most two
// chunks ahead of the client. While that runs, the session is the goroutine's: before the connection uses the session
// it settles the cursor, which gathers the rest of its rows.
//
// A chunk is a sequence of rows, each its length in 4 bytes and the packet's payload.
type cursor struct {
	chunks chan []byte // closed when the goroutine has ended
	spare  chan []byte // chunks to fill again
	opened chan struct{}
	cancel context.CancelCauseFunc

	// The goroutine's until it closes opened.
	columns []result.Column
	wires   []packet.Wire
	// The goroutine's until it closes chunks.
	filling  []byte
	isOpened bool
	done     result.Done
	err      error

	// The connection's.
	chunk   []byte       // being fetched
	whole   []byte       // chunk with what was fetched of it
	backlog [][]byte     // chunks after it that settle gathered
	memory  memory.Share // of backlog
	over    bool         // chunks is closed
}

var (
	errClosed       = errors.New("mysqlwire: the cursor was closed")
	errCursorColumn = errors.New("mysqlwire: a prepared statement has one answer")
)

// Columns tells the connection what the rows will be.
func (k *cursor) Columns(columns []result.Column) error {
	if k.isOpened {
		return errCursorColumn
	}
	k.columns, k.wires = slices.Clone(columns), packet.WiresOf(nil, columns)
	k.isOpened = true
	close(k.opened)
	return nil
}

// cursorSink is the cursor's goroutine's side: it waits for the client.
type cursorSink struct {
	*cursor
	ctx context.Context
}

// Row hands a row over.
func (k cursorSink) Row(row []datum.Datum) error {
	if !k.isOpened || len(row) != len(k.wires) {
		return errRowLength
	}
	start := len(k.filling)
	b := packet.AppendBinaryRow(append(k.filling, 0, 0, 0, 0), k.wires, row)
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	k.filling = b
	if len(b) < chunkBytes {
		return nil
	}
	return k.handOver()
}

// Done notes the end.
func (k cursorSink) Done(d result.Done) error {
	k.done = d
	return nil
}

// handOver passes the chunk on and takes another.
func (k cursorSink) handOver() error {
	select {
	case k.chunks <- k.filling:
	case <-k.ctx.Done():
		return context.Cause(k.ctx)
	}
	k.filling = nil
	select {
	case k.filling = <-k.spare:
	default:
	}
	return nil
}

// openCursor executes a statement and answers its columns; or all, if it has none.
func (c *connection) openCursor(s *statement, sent []byte) bool {
	parameters, err := s.cutParameters(nil, bytes.Clone(sent))
	if err != nil {
		return c.conclude(err)
	}
	k := &cursor{chunks: make(chan []byte, 1), spare: make(chan []byte, 2), opened: make(chan struct{})}
	ctx, cancel := context.WithCancelCause(c.base)
	k.cancel = cancel
	k.memory.Of = c.server.memory
	c.cursor, s.cursor = k, k
	go k.run(ctx, c, s, parameters)
	select {
	case <-k.opened:
	case <-c.context().Done():
		cancel(context.Cause(c.context()))
	}
	<-k.opened
	if !k.isOpened {
		s.cursor = nil
	}
	return c.sendCursor(k)
}

// run executes the statement in the cursor's goroutine.
func (k *cursor) run(ctx context.Context, c *connection, s *statement, parameters []datum.Datum) {
	defer func() {
		if p := recover(); p != nil {
			c.reportPanic(p)
			k.err = fmt.Errorf("mysqlwire: the statement failed: %v", p)
			c.stop(errGone, false)
		}
		if !k.isOpened {
			close(k.opened)
		}
		close(k.chunks)
	}()
	sink := cursorSink{cursor: k, ctx: ctx}
	k.err = s.prepared.Execute(ctx, parameters, sink)
	if k.err == nil && len(k.filling) > 0 {
		k.err = sink.handOver()
	}
	if k.err != nil {
		k.err = faultOf(ctx, k.err)
	}
}

// sendCursor answers that a cursor is open, or what its statement answered without rows.
func (c *connection) sendCursor(k *cursor) bool {
	if !k.isOpened {
		c.finishCursor(k)
		if k.err != nil {
			return c.conclude(k.err)
		}
		return c.sendOK(k.done) == nil
	}
	return c.sendColumns(k.columns, k.wires) == nil && c.sendEOF(0, packet.StatusCursorExists) == nil
}

// finishCursor waits for the cursor's goroutine, whose rows nobody wants.
func (c *connection) finishCursor(k *cursor) {
	for !k.over {
		_, more := <-k.chunks
		k.over = !more
	}
	if c.cursor == k {
		c.cursor = nil
	}
}

// closeCursor ends the cursor of a statement.
func (c *connection) closeCursor(s *statement) {
	if s.cursor == nil {
		return
	}
	s.cursor.cancel(errClosed)
	c.finishCursor(s.cursor)
	s.cursor.memory.Release()
	s.cursor = nil
}

// settle gives the session back to the connection: it gathers what is left of the cursor that uses it, up to limit
// bytes; a cursor of more ends with an error.
func (c *connection) settle(limit int) {
	k := c.cursor
	if k == nil {
		return
	}
	for gathered := 0; !k.over; {
		select {
		case chunk, more := <-k.chunks:
			if k.over = !more; more {
				k.backlog = append(k.backlog, chunk)
			}
			if gathered += len(chunk); !k.over && !k.memory.Grow(int64(cap(chunk))) {
				c.giveUp(k, errClosed, errNoMemory("the rest of this cursor's rows"))
			} else if gathered > limit {
				c.giveUp(k, errClosed, fault.New(fault.Refused,
					"The rest of this cursor's rows is too large to be kept while another statement runs: fetch them first, or add a LIMIT"))
			}
		case <-c.context().Done():
			c.giveUp(k, context.Cause(c.context()), fault.New(fault.Interrupted))
		}
	}
	c.cursor = nil
}

// giveUp ends a cursor's goroutine early. Who fetches more of it gets the error.
func (c *connection) giveUp(k *cursor, cause error, err *fault.Error) {
	k.cancel(cause)
	c.finishCursor(k)
	k.backlog, k.err = nil, err
	k.memory.Release()
}

// fetch sends rows of a cursor.
func (c *connection) fetch(arguments []byte) bool {
	f := packet.Cutter{Rest: arguments}
	id, count := f.Uint32(), f.Uint32()
	if f.Failed {
		return c.refuse(errMalformed())
	}
	s, err := c.lookUp(id, fetchCommand)
	if err == nil && (s.cursor == nil || !s.cursor.isOpened) {
		err = &fault.Error{Code: 1421, State: "HY000",
			Message: fmt.Sprintf("The statement (%d) has no open cursor.", id)}
	}
	if err != nil {
		return c.conclude(err)
	}
	c.describe(s.text)
	k := s.cursor
	for ; count > 0; count-- {
		if len(k.chunk) == 0 && !c.nextChunk(k) {
			return c.endFetch(s)
		}
		length := binary.LittleEndian.Uint32(k.chunk)
		if c.out.end(append(c.out.begin(), k.chunk[4:4+length]...)) != nil {
			return false
		}
		k.chunk = k.chunk[4+length:]
	}
	return c.sendEOF(0, packet.StatusCursorExists) == nil
}

// nextChunk waits for the next rows. False says that there are none, or that the wait was ended.
func (c *connection) nextChunk(k *cursor) bool {
	if len(k.backlog) > 0 {
		k.chunk, k.backlog = k.backlog[0], k.backlog[1:]
		return true
	}
	if k.over {
		return false
	}
	if cap(k.whole) > 0 && cap(k.whole) <= keptBytesMax {
		select {
		case k.spare <- k.whole[:0]:
		default:
		}
	}
	k.whole = nil
	select {
	case chunk, more := <-k.chunks:
		k.chunk, k.whole = chunk, chunk
		k.over = !more
	case <-c.context().Done():
		k.cancel(context.Cause(c.context()))
		c.finishCursor(k)
	}
	if k.over && c.cursor == k {
		c.cursor = nil
	}
	return !k.over
}

// endFetch closes a cursor all of whose rows were sent.
func (c *connection) endFetch(s *statement) bool {
	k := s.cursor
	k.cancel(errClosed)
	k.memory.Release()
	s.cursor = nil
	if k.err != nil {
		return c.conclude(k.err)
	}
	return c.sendEOF(k.done.Warnings, packet.StatusLastRowSent) == nil
}
