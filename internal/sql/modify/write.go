// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/fault"
)

// work is one try of a statement: what it found, and what it will write.
type work struct {
	call    *Call
	tx      *database.Tx
	table   *definition.Table
	names   value.Names
	builder value.RowBuilder
	data    []datum.Datum // scratch: the row that expressions are computed over
	pending []pendingRow
	byKey   map[string]int // position in pending, of a statement that may meet a row twice
	bytes   int
	memory  memory.Share // of pending
	held    int64        // bytes of pending
	crowded bool         // there was no room for them
	// stepwise writes each row before the next one is looked at, which may have to find it by a unique index.
	stepwise bool
	written  int // rows
	effect   Effect
	// duplicates counts rows that were there, as MySQL tells it of INSERT and REPLACE.
	duplicates int
	ignores    bool // rows that a constraint refuses are left out
	depth      int  // of cascades
	removed    int  // bytes of rows that cascades have reached
}

// pendingRow is one row as it will be.
type pendingRow struct {
	key []byte    // the item's
	old value.Row // what it is of; nil if it is new
	row value.Row // what it becomes; for a deletion the key
	op  database.Op
	// written are the columns that are written, of a row that keeps the others; nil: all are. Only tables with rules of
	// cells ask.
	written [][]byte
	atMS    int64 // the time of what is written; 0 is the clock's
	// same says that the row is written anew as it is.
	same bool
	// read says that old is the row that the transaction reads under the key, until this row is written.
	read bool
	// kept says that nothing changes.
	kept bool
	// becomes is, of a deletion, the row under another key that takes its place.
	becomes value.Row
	// replaces says that old goes and row comes, which has its key.
	replaces bool
	// follows is the foreign key by which the row follows another one.
	follows *definition.ForeignKey
}

// within does work in the call's transaction, or in one of its own, again if other writers win. keys are the items that
// are known beforehand, whose other writers it waits for.
func (c *Call) within(ctx context.Context, keys [][]byte, work func(tx *database.Tx) error) error {
	if c.Tx != nil {
		return work(c.Tx)
	}
	return c.DB.UpdateWith(ctx, database.TxOptions{Wait: c.LockWait, Serializable: c.Serializable}, keys, work)
}

// commit runs fn, which collects the rows to write, and writes them, within a transaction.
func (c *Call) commit(ctx context.Context, table *definition.Table, keys [][]byte,
	fn func(ctx context.Context, w *work) error) (Effect, error) {
	var w *work
	err := c.within(ctx, keys, func(tx *database.Tx) error {
		w = &work{call: c, tx: tx, table: table, names: c.Pin.Names()}
		if err := w.begin(ctx, keys); err != nil {
			return err
		}
		return w.run(ctx, fn)
	})
	if w == nil {
		return Effect{}, err
	}
	return w.effect, err
}

// pendingBytes is the approximate memory of a pending row besides its bytes. The row's entries may take as much as the
// row, and so may the transaction's copy.
const pendingBytes = 256

// begin holds the items that are known by their keys, in a transaction that goes on, and reads them.
func (w *work) begin(ctx context.Context, keys [][]byte) error {
	if w.call.Tx != nil {
		if err := w.hold(ctx, keys); err != nil {
			return err
		}
	}
	return w.tx.Prefetch(ctx, keys)
}

func (w *work) run(ctx context.Context, fn func(context.Context, *work) error) error {
	w.memory.Of = w.call.Memory
	defer w.memory.Release()
	if w.call.Tx != nil && (hasUnique(w.table) || isRelated(w.table)) {
		return w.undoOnError(func() error { return w.collect(ctx, fn) })
	}
	return w.collect(ctx, fn)
}

// undoOnError takes back what a statement has written that fails, from a transaction that goes on.
func (w *work) undoOnError(do func() error) error {
	point := w.tx.Savepoint()
	err := do()
	if err != nil && (w.effect.Broken || w.written > 0) {
		if w.effect.Broken = w.tx.RollbackTo(point) != nil; !w.effect.Broken {
			w.written = 0
		}
	}
	w.tx.ReleaseSavepoint(point)
	return err
}

// collect runs fn and writes what it added.
func (w *work) collect(ctx context.Context, fn func(context.Context, *work) error) error {
	if err := fn(ctx, w); err != nil {
		w.effect.Broken = w.effect.Broken || w.written > 0
		return err
	}
	if w.crowded || w.call.Kept != nil && !w.call.Kept.Grow(2*w.held) {
		return fault.New(fault.OutOfResources,
			"not enough memory for the rows of this statement (--sql-memory): write fewer at once, commit sooner, or try again later")
	}
	limits := w.call.Limits.withDefaults()
	if limits.tooManyRows(len(w.pending)) {
		return tooManyRows(limits.RowsMax)
	}
	if w.bytes > limits.BytesMax {
		return fault.Message(fault.Refused,
			"the statement writes %d bytes; the limit is %d (statement_bytes_max): write fewer rows at once", w.bytes,
			limits.BytesMax)
	}
	if limits.BytesAdvised >= 0 && w.bytes > limits.BytesAdvised {
		w.warn(fault.Refused, "the statement wrote %d bytes; write at most %d at once (statement_bytes_advised), because large statements occupy memory and the log", w.bytes, limits.BytesAdvised)
	}
	return w.flush(ctx)
}

// flush writes what is pending.
func (w *work) flush(ctx context.Context) error {
	for i := range w.pending {
		if err := w.write(ctx, &w.pending[i]); err != nil {
			w.effect.Broken = w.written > 0
			return err
		}
	}
	return nil
}

// step writes the row that was placed last, in a statement that goes step by step.
func (w *work) step(ctx context.Context) error {
	if !w.stepwise || w.crowded {
		return nil
	}
	err := w.flush(ctx)
	w.pending = w.pending[:0]
	return err
}

func tooManyRows(most int) error {
	return fault.Message(fault.Refused, "the statement writes more than %d rows (statement_rows_max): write fewer rows at once, for example with LIMIT", most)
}

// write writes one row.
func (w *work) write(ctx context.Context, p *pendingRow) error {
	if p.kept {
		return nil
	}
	related := isRelated(w.table) && !w.call.Unchecked
	if related {
		err := w.checkParents(ctx, p)
		if refused, ok := fault.Of(err); ok && refused.Code == fault.NoParent && w.ignores {
			w.effect.Affected--
			w.duplicates++
			w.warn(refused.Code, "%s", refused.Message)
			return nil
		}
		if err != nil {
			return err
		}
	}
	var result database.WriteResult
	err := w.tx.Write(ctx, w.call.Pin, p.asWrite(), &result)
	if duplicate, ok := errors.AsType[*database.DuplicateError](err); ok {
		return w.table.Duplicate(duplicate)
	}
	if err != nil {
		return err
	}
	w.written++
	if related && p.old != nil {
		return w.tellChildren(ctx, p)
	}
	return nil
}

func (p *pendingRow) asWrite() *database.Write {
	write := &database.Write{Op: p.op, Row: p.row, Written: p.written, AtMS: p.atMS, Judged: true}
	if p.read {
		write.Known, write.Before = true, p.old
	}
	return write
}

// readsOnce reports whether the rows of a statement stay as it read them until it writes each: none of them is written
// because of another one.
func (w *work) readsOnce() bool {
	return !w.stepwise && !isRelated(w.table) && !hasUnique(w.table)
}

// add notes what becomes of a row.
func (w *work) add(p pendingRow) {
	w.held += int64(pendingBytes + len(p.key) + len(p.row) + len(p.old))
	if w.crowded = w.crowded || !w.memory.Hold(w.held); w.crowded {
		w.pending = w.pending[:0]
		clear(w.byKey)
	}
	if p.op == database.OpPut && !p.kept {
		w.bytes += len(p.row)
	}
	if w.byKey != nil {
		if i, again := w.byKey[string(p.key)]; again {
			if !p.kept {
				p.old, p.read, p.written = w.pending[i].old, w.pending[i].read, joinWritten(&w.pending[i], p.written)
				w.pending[i] = p
			}
			return
		}
		w.byKey[string(p.key)] = len(w.pending)
	}
	w.pending = append(w.pending, p)
}

// joinWritten joins what one statement writes to a row in two steps.
func joinWritten(before *pendingRow, written [][]byte) [][]byte {
	if before.kept {
		return written
	}
	if before.written == nil || written == nil {
		return nil
	}
	return append(before.written, written...)
}

// cellNames are the names of cells, for tables that keep the times of theirs.
func (w *work) cellNames(cells []cell) [][]byte {
	if w.call.Pin.Descriptor().Cells == nil {
		return nil
	}
	names := make([][]byte, len(cells))
	for i := range cells {
		names[i] = cells[i].name
	}
	return names
}

// current returns a row as the statement has left it so far.
func (w *work) current(ctx context.Context, id []byte, key value.Row) (value.Row, bool, error) {
	if i, ok := w.byKey[string(id)]; ok {
		p := &w.pending[i]
		if p.kept {
			return p.old, p.old != nil, nil
		}
		return p.row, p.op == database.OpPut, nil
	}
	return w.tx.View().Get(database.OwnWork(ctx), w.call.Pin, key, nil) // part of the write
}

func (w *work) warn(code fault.Code, format string, args ...any) {
	e, _ := fault.Of(fault.Message(code, format, args...))
	w.effect.Warnings = append(w.effect.Warnings, Warning{Code: code, Message: e.Message})
}
