// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// batch is a part of a statement's answer: rows of one result set at most.
type batch struct {
	columns []result.Column // of a result set that begins with it
	values  []driver.Value  // of its rows, one after the other
	bytes   []byte          // that values alias
	more    bool            // the statement is over, and another follows
	ended   bool            // all is over
	err     error           // how it ended
}

// size is about the number of bytes the batch has.
func (b *batch) size() int {
	const valueBytes = 40 // with what it points to
	return len(b.bytes) + valueBytes*len(b.values)
}

// end is the message at the end of rows.
func (b *batch) end() error {
	return cmp.Or(b.err, io.EOF)
}

// begin has the connection's goroutine carry out the statement of rows. One that lives as long as the connection keeps
// its stack, which is otherwise as much work as finding a row. It is no coroutine (iter.Pull), which programs could not
// use from goroutines that are bound to a thread.
func (c *conn) begin(r *rows) {
	if c.jobs == nil {
		c.jobs, c.answers = make(chan *rows), make(chan batch, 1)
		go func(jobs chan *rows) {
			for r := range jobs {
				r.carryOut()
			}
		}(c.jobs)
	}
	c.jobs <- r
}

// carryOut runs the statement. Its last batch is always taken.
func (r *rows) carryOut() {
	s := &sink{rows: r, limit: batchRowsMin, sent: time.Now(), room: 1}
	err := s.run()
	s.batch.ended, s.batch.err = true, err
	r.conn.answers <- s.batch
}

// sink collects batches. The first ones are small, so that a program that wants few rows has them soon.
type sink struct {
	rows  *rows
	batch batch
	types []result.Column
	limit int // of the rows of a batch
	held  int // rows of the batch
	sent  time.Time
	// Rows and bytes for which a batch has room when it begins: most answers have one row.
	room, roomBytes int
}

// Limits of batches, in rows and bytes; and for how long a program that waits for a row waits for others, too.
const (
	batchRowsMin  = 16
	batchRowsMax  = 256
	batchBytesMax = 32 << 10
	batchPause    = 5 * time.Millisecond
)

// run runs the statement. A bug that panics ends the connection, not the program.
func (s *sink) run() (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			s.rows.conn.kill(false)
			s.rows.conn.connector.logger.Error("a bug ended a statement", "panic", fmt.Sprint(cause),
				slog.String("stack", string(debug.Stack())))
			err = fault.Message(fault.Unknown, "a bug ended the statement: %v", cause)
		}
	}()
	return s.rows.run(s.rows.ctx, s)
}

// Columns is result.Sink's.
func (s *sink) Columns(columns []result.Column) error {
	s.types = slices.Clone(columns)
	s.batch.columns = s.types
	return nil
}

// Row is result.Sink's.
func (s *sink) Row(row []datum.Datum) error {
	b := &s.batch
	if b.values == nil {
		b.values, b.bytes = make([]driver.Value, 0, s.room*len(row)), make([]byte, 0, s.roomBytes)
	}
	for i := range row {
		var v driver.Value
		v, b.bytes = s.rows.conn.connector.appendValue(b.bytes, &s.types[i].Type, &row[i])
		b.values = append(b.values, v)
	}
	s.held++
	if s.held < s.limit && len(b.bytes) < batchBytesMax && (!s.rows.waits.Load() || time.Since(s.sent) < batchPause) {
		return nil
	}
	return s.send()
}

// Done is result.Sink's.
func (s *sink) Done(done result.Done) error {
	if !done.More {
		return nil
	}
	s.batch.more = true
	return s.send()
}

// send hands the batch over. Errors: nobody waits for it.
func (s *sink) send() error {
	select {
	case s.rows.conn.answers <- s.batch:
	case <-s.rows.ctx.Done():
		return fault.Because(context.Cause(s.rows.ctx), fault.Interrupted)
	}
	s.limit = min(2*s.limit, batchRowsMax)
	s.room, s.roomBytes = s.limit, min(2*len(s.batch.bytes), batchBytesMax)
	s.batch, s.held, s.sent = batch{}, 0, time.Now()
	return nil
}
