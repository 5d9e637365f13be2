// SPDX-License-Identifier: Apache-2.0

package weftsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"math"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/weftdb/weft/internal/sql/datum"
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

// Columns returns the names of the result set's columns.
func (r *rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i := range r.columns {
		names[i] = r.columns[i].Name
	}
	return names
}

// ColumnTypeDatabaseTypeName returns the type without its length, as go-sql-driver words it: VARCHAR, INT, UNSIGNED
// BIGINT, ..
func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	t := r.columns[i].Type
	switch {
	case t.Base == datum.Untyped:
		return ""
	case t.Base == datum.Integer && t.Variety == datum.Plain:
		return "INT"
	}
	t.Length, t.Precision, t.Scale, t.Members = 0, 0, 0, ""
	name, _, _ := strings.Cut(t.String(), "(")
	if plain, ok := strings.CutSuffix(name, " UNSIGNED"); ok {
		return "UNSIGNED " + plain
	}
	return name
}

// ColumnTypeNullable reports whether the column may be NULL.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) { return !r.columns[i].NotNull, true }

// ColumnTypeLength returns how many characters or bytes a text or binary may have; where its type has no limit,
// math.MaxInt64.
func (r *rows) ColumnTypeLength(i int) (length int64, ok bool) {
	t := r.columns[i].Type
	if !t.IsText() && !t.IsBinary() {
		return 0, false
	}
	if characters, _ := t.Sizes(); characters > 0 {
		return int64(characters), true
	}
	return math.MaxInt64, true
}

// ColumnTypePrecisionScale returns the size of a DECIMAL, and the digits of the seconds of times.
func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	t := r.columns[i].Type
	switch {
	case t.Base == datum.DecimalBase && t.Precision > 0:
		return int64(t.Precision), int64(t.Scale), true
	case t.Base == datum.Timestamp, t.Base == datum.Time:
		return int64(t.FractionDigits()), int64(t.FractionDigits()), true
	}
	return 0, 0, false
}

// ColumnTypeScanType returns a type that holds all of the column's values: one with NULL where there may be some.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	t, nullable := r.columns[i].Type, !r.columns[i].NotNull
	switch {
	case t.Base == datum.Untyped:
		return reflect.TypeFor[any]()
	case t.Variety == datum.Bit, t.IsBinary():
		return reflect.TypeFor[[]byte]()
	case t.Base == datum.BigIntUnsigned:
		return typeOf[uint64, sql.Null[uint64]](nullable)
	case t.IsInteger(), t.Base == datum.Boolean:
		return typeOf[int64, sql.NullInt64](nullable)
	case t.IsFloat():
		return typeOf[float64, sql.NullFloat64](nullable)
	case t.Base == datum.Date, t.Base == datum.Timestamp:
		return typeOf[sql.NullTime, sql.NullTime](nullable)
	}
	return typeOf[string, sql.NullString](nullable)
}

func typeOf[Value, Null any](nullable bool) reflect.Type {
	if nullable {
		return reflect.TypeFor[Null]()
	}
	return reflect.TypeFor[Value]()
}
