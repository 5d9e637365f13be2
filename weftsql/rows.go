// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"context"
	"database/sql/driver"
	"io"
	"sync/atomic"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
)

// rows are the answer of a statement, which the connection's goroutine carries out at most two batches ahead.
type rows struct {
	conn    *conn
	ctx     context.Context
	cancel  context.CancelFunc
	run     work
	several bool // the text may hold several statements, all of which are to be run
	waits   atomic.Bool
	columns []result.Column
	batch   batch   // that rows are taken from now
	saved   []batch // gathered, and not asked for yet
}

// query begins work and returns its rows from the first result set on. The statement has entered; it leaves when its
// rows end.
func (c *conn) query(ctx context.Context, run work, several bool) (driver.Rows, error) {
	r := &rows{conn: c, ctx: ctx, cancel: c.cancel, run: run, several: several, batch: batch{more: true}}
	c.rows = r
	c.begin(r)
	if err := r.NextResultSet(); err != nil && err != io.EOF {
		return nil, err
	}
	return r, nil
}

// receive waits for the next batch. With the last the connection is free.
func (r *rows) receive() batch {
	r.waits.Store(true)
	b := <-r.conn.answers
	r.waits.Store(false)
	if b.ended {
		b.err = r.conn.connector.errorOf(r.ctx, b.err)
		r.conn.rows = nil
		r.conn.leave()
	}
	return b
}

// pull makes the next batch the one that rows are taken from.
func (r *rows) pull() {
	if len(r.saved) > 0 {
		r.batch, r.saved = r.saved[0], r.saved[1:]
		return
	}
	r.batch = r.receive()
}

// Next puts the next row of the result set into dest. Errors: io.EOF at its end.
func (r *rows) Next(dest []driver.Value) error {
	for {
		switch b := &r.batch; {
		case len(b.values) > 0:
			copy(dest, b.values)
			b.values = b.values[len(dest):]
			return nil
		case b.more:
			return io.EOF
		case b.ended:
			return b.end()
		}
		r.pull()
	}
}

// HasNextResultSet reports whether another statement follows.
func (r *rows) HasNextResultSet() bool { return r.batch.more }

// NextResultSet goes to the next result set; statements without one are passed over. Errors: io.EOF if there is none.
func (r *rows) NextResultSet() error {
	for {
		for !r.batch.more && !r.batch.ended {
			r.pull()
		}
		if r.batch.ended {
			return r.batch.end()
		}
		r.pull()
		if r.batch.columns != nil {
			r.columns = r.batch.columns
			return nil
		}
	}
}

// gatherBytes is the number of bytes of a statement's rows that are held when another statement runs before all were
// asked for.
const gatherBytes = 64 << 20

// gather runs the statement to its end and keeps its rows, so that the session is free. Beyond gatherBytes the
// statement ends with an error.
func (r *rows) gather() {
	for size := 0; ; {
		b := r.receive()
		r.saved = append(r.saved, b)
		if b.ended {
			return
		}
		if size += b.size(); size > gatherBytes {
			break
		}
	}
	_ = r.leave() // whose error is that
	r.saved = []batch{{ended: true, err: r.conn.connector.errorOf(r.ctx, fault.Message(fault.Refused,
		"the rest of these rows is too large to be kept while another statement runs on the connection: read them first, or add a LIMIT"))}}
}

// leave ends the statement where it is, and returns its error.
func (r *rows) leave() error {
	r.cancel()
	return r.drain()
}

// drain waits for the end of the statement, and returns its error.
func (r *rows) drain() error {
	for {
		if b := r.receive(); b.ended {
			return b.err
		}
	}
}

// Close ends the statement where it is. The statements that follow it in its text are run.
func (r *rows) Close() (err error) {
	running := r.conn.rows == r
	if r.saved = nil; running && r.several {
		err = r.drain()
	} else if running {
		_ = r.leave() // whose error is that
	}
	r.batch = batch{ended: true, err: err}
	return err
}
