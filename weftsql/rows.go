// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"bytes"
	"context"
	"database/sql/driver"
	"io"
	"iter"
	"time"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// event is one thing that a statement tells while it runs: the columns of a result set, a row, that another statement
// follows, or its end.
type event struct {
	columns []result.Column
	row     []datum.Datum  // until the next event
	values  []driver.Value // in place of row, of one that was gathered
	ended   bool
}

// carrier is a coroutine of a connection that carries one statement after the other out, each while its rows are asked
// for and never beside its caller. It keeps its stack, which costs as much as finding a row.
type carrier struct {
	next func() (event, error, bool)
	stop func()
	rows *rows // of the statement at work
	run  work
}

// start makes the coroutine.
func (c *carrier) start() {
	c.next, c.stop = iter.Pull2(func(yield func(event, error) bool) {
		for {
			err := c.run(c.rows.ctx, sink{c.rows, yield})
			if !yield(event{ended: true}, err) {
				return
			}
		}
	})
}

// sink hands what a statement tells over as events, whose taker the statement waits for.
type sink struct {
	rows  *rows
	yield func(event, error) bool
}

// give waits for the next event to be asked for. Errors: nobody wants it.
func (s sink) give(e event) error {
	if s.rows.left || !s.yield(e, nil) || s.rows.left {
		return fault.New(fault.Interrupted)
	}
	return nil
}

// Columns is result.Sink's.
func (s sink) Columns(columns []result.Column) error { return s.give(event{columns: columns}) }

// Row is result.Sink's.
func (s sink) Row(row []datum.Datum) error { return s.give(event{row: row}) }

// Done is result.Sink's.
func (s sink) Done(done result.Done) error {
	if done.More {
		return s.give(event{})
	}
	return nil
}

// rows are the answer of a statement.
type rows struct {
	conn    *conn
	ctx     context.Context
	cancel  context.CancelFunc
	several bool // the text may hold several statements, all of which are to be run
	columns []result.Column
	saved   []event // gathered, and not asked for yet
	left    bool    // the statement is to end at its next event
	ended   bool
	err     error // once it has ended
	more    bool  // this result set is over, and another may follow
}

// query begins work and returns its rows from the first result set on. The statement has entered; it leaves when its
// rows end.
func (c *conn) query(ctx context.Context, run work, several bool) (driver.Rows, error) {
	r := &rows{conn: c, ctx: ctx, cancel: c.cancel, several: several}
	c.rows, c.carrier.rows, c.carrier.run = r, r, run
	if c.carrier.next == nil {
		c.carrier.start()
	}
	if err := r.NextResultSet(); err != nil && err != io.EOF {
		return nil, err
	}
	return r, nil
}

// resume lets the statement run to its next event; ok is false when it has ended.
func (r *rows) resume() (e event, ok bool) {
	if r.ended {
		return event{}, false
	}
	e, err, ok := r.conn.carrier.next()
	if !ok {
		err = driver.ErrBadConn // a bug ended an earlier statement by a panic, and the coroutine with it
	}
	if ok && !e.ended {
		return e, true
	}
	r.end(err)
	return event{}, false
}

// leave ends the statement where it is.
func (r *rows) leave() {
	r.left = true
	for ok := true; ok; {
		_, ok = r.resume()
	}
}

// end gives the connection back.
func (r *rows) end(err error) {
	r.ended, r.err = true, r.conn.connector.errorOf(r.ctx, err)
	r.conn.rows = nil
	r.conn.leave()
}

// pull returns the next event. Errors: the statement's; io.EOF at its end.
func (r *rows) pull() (event, error) {
	if len(r.saved) > 0 {
		e := r.saved[0]
		r.saved = r.saved[1:]
		return e, nil
	}
	if e, ok := r.resume(); ok {
		return e, nil
	}
	if r.err != nil {
		return event{}, r.err
	}
	return event{}, io.EOF
}

// Next puts the next row of the result set into dest. Errors: io.EOF at its end.
func (r *rows) Next(dest []driver.Value) error {
	if r.more {
		return io.EOF
	}
	e, err := r.pull()
	switch {
	case err != nil:
		return err
	case e.values != nil:
		copy(dest, e.values)
	case e.row != nil:
		r.convert(dest, e.row)
	default:
		r.more = true
		return io.EOF
	}
	return nil
}

// convert makes values of a row, whose bytes they alias.
func (r *rows) convert(dest []driver.Value, row []datum.Datum) {
	for i := range row {
		dest[i] = r.conn.connector.valueOf(&r.columns[i].Type, &row[i])
	}
}

// HasNextResultSet reports whether another statement follows.
func (r *rows) HasNextResultSet() bool { return r.more }

// NextResultSet goes to the next result set; statements without one are passed over. Errors: io.EOF if there is none.
func (r *rows) NextResultSet() error {
	r.more = false
	for {
		e, err := r.pull()
		if err != nil {
			return err
		}
		if e.columns != nil {
			r.columns = e.columns
			return nil
		}
	}
}

// gatherBytes is how much of a statement's rows is held when another statement is to run before all were asked for.
const gatherBytes = 64 << 20

// gather runs the statement to its end and keeps what it tells, so that the session is free. Beyond gatherBytes the
// statement ends with an error.
func (r *rows) gather() {
	columns := r.columns
	for size := 0; ; {
		e, ok := r.resume()
		if !ok {
			break
		}
		if e.columns != nil {
			columns = e.columns
		}
		if e.row != nil {
			e.values, size = r.conn.connector.copyRow(columns, e.row, size)
			e.row = nil
		}
		if size > gatherBytes {
			r.saved = nil
			r.leave()
			r.err = r.conn.connector.errorOf(r.ctx, fault.Message(fault.Refused,
				"the rest of these rows is too large to be kept while another statement runs on the connection: read them first, or add a LIMIT"))
			break
		}
		r.saved = append(r.saved, e)
	}
}

// copyRow makes values with bytes of their own, and adds their size to size.
func (c *connector) copyRow(columns []result.Column, row []datum.Datum, size int) ([]driver.Value, int) {
	const valueBytes = 40 // with what it points to
	values := make([]driver.Value, len(row))
	for i := range row {
		values[i] = c.valueOf(&columns[i].Type, &row[i])
		if b, ok := values[i].([]byte); ok {
			values[i] = bytes.Clone(b)
			size += len(b)
		}
		size += valueBytes
	}
	return values, size
}

// grace is how long a statement whose rows are closed early may take to find out that it has no more.
const grace = 5 * time.Millisecond

// Close ends the statement. One that has no more rows ends as if they had been asked for; the statements that follow it
// in its text are run.
func (r *rows) Close() error {
	r.saved = nil
	if r.several {
		for ok := true; ok; {
			_, ok = r.resume()
		}
		return r.err
	}
	if r.ended {
		return nil
	}
	timer := time.AfterFunc(grace, r.cancel)
	_, ok := r.resume()
	timer.Stop()
	if ok {
		r.leave()
	}
	return nil
}
