// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
)

// writeStepwise lets a statement that moves rows, or leaves some alone, write them one by one: as in MySQL, a row meets
// those that were written before. One that fails in a transaction takes back what it wrote.
func writeStepwise(stepwise bool, fn func(context.Context, *work) error) func(context.Context, *work) error {
	if !stepwise {
		return fn
	}
	return func(ctx context.Context, w *work) error {
		w.stepwise = true
		if w.call.Tx == nil {
			return fn(ctx, w)
		}
		return w.undoOnError(func() error { return fn(ctx, w) })
	}
}

// putAt writes a row under the key that it has now, one by one with others of the statement.
func (t *target) putAt(ctx context.Context, w *work, p pendingRow) error {
	from, err := w.call.Pin.AppendItemKey(nil, &database.Write{Op: database.OpDelete, Row: p.old})
	if err != nil {
		return err
	}
	to, err := w.call.Pin.AppendItemKey(nil, &database.Write{Op: database.OpPut, Row: p.row})
	if err != nil {
		return err
	}
	if bytes.Equal(from, to) {
		w.add(p)
		return w.step(ctx)
	}
	return t.move(ctx, w, p, to)
}

// move writes a row under another key, which no row may have, and deletes the one that it was.
func (t *target) move(ctx context.Context, w *work, p pendingRow, to []byte) error {
	if err := t.checkMoved(w, p.row); err != nil {
		return err
	}
	if err := w.hold(ctx, [][]byte{to}); err != nil {
		return err
	}
	_, taken, err := w.current(ctx, to, p.row)
	if err == nil && taken {
		err = t.table.Duplicate(t.keyOf(w, p.row))
	}
	if err != nil {
		return err
	}
	w.add(pendingRow{old: p.old, row: p.old, op: database.OpDelete, becomes: p.row})
	if err := w.step(ctx); err != nil {
		return err
	}
	w.add(pendingRow{key: to, row: p.row, op: database.OpPut})
	return w.step(ctx)
}

// checkMoved refuses a key whose columns are too long together.
func (t *target) checkMoved(w *work, row value.Row) error {
	total, most := 0, w.call.Limits.withDefaults().KeyBytesMax
	for _, v := range t.keyOf(w, row).Values {
		total += len(v)
	}
	if total > most {
		return fault.New(fault.KeyTooLong, most, "all columns together", 1)
	}
	return nil
}

// keyOf is the key of a row, as the error of one that is there tells it.
func (t *target) keyOf(w *work, row value.Row) *database.DuplicateError {
	e := &database.DuplicateError{Index: "PRIMARY"}
	for _, part := range t.table.Key {
		if part.Column >= 0 {
			v, _ := row.Get(w.names, []byte(part.Name))
			e.Columns, e.Values = append(e.Columns, part.Name), append(e.Values, v)
		}
	}
	return e
}
