// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
)

// hold holds the rows that a statement is known to write, in a transaction that holds rows; then the statement reads
// what is latest of them.
func (w *work) hold(ctx context.Context, keys [][]byte) error {
	if !w.tx.Locks() {
		return nil
	}
	before := w.tx.HeldItems()
	for _, key := range keys {
		if _, err := w.tx.Hold(ctx, key, database.HoldMode{}); err != nil {
			return err
		}
	}
	if err := w.keep(before); err != nil {
		return err
	}
	return w.tx.Renew(ctx)
}

// holdRows is hold for rows that the statement has found. again says that others have changed one of them after it was
// read: the rows must be found anew.
func (w *work) holdRows(ctx context.Context, rows []value.Row) (again bool, err error) {
	if !w.tx.Locks() {
		return false, nil
	}
	var key []byte
	before := w.tx.HeldItems()
	for _, row := range rows {
		if key, err = w.call.Pin.AppendItemKey(key[:0], &database.Write{Op: database.OpDelete, Row: row}); err != nil {
			return false, err
		}
		changed, err := w.tx.Hold(ctx, key, database.HoldMode{})
		if err != nil {
			return false, err
		}
		again = again || changed
	}
	if err := w.keep(before); err != nil || !again {
		return false, err
	}
	return true, w.tx.Renew(ctx)
}

// keep counts what the transaction holds more than before, until it ends.
func (w *work) keep(before int) error {
	if more := w.tx.HeldItems() - before; w.call.Kept != nil && !w.call.Kept.Grow(int64(more)*database.LockBytes) {
		return fault.New(fault.OutOfResources,
			"not enough memory for the rows that this transaction locks (--sql-memory): change fewer at once, commit sooner, or try again later")
	}
	return nil
}
