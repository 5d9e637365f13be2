// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"context"
	"fmt"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
)

// Run writes the rows.
func (i *insert) Run(ctx context.Context, call *Call) (effect Effect, err error) {
	if !i.fed {
		return i.write(ctx, call)
	}
	err = call.within(ctx, nil, func(tx *database.Tx) error {
		w := &work{call: call, tx: tx, table: i.table, names: call.Pin.Names()}
		if call.Tx == nil {
			effect, err = i.writeFound(ctx, w)
			return err
		}
		return w.undoOnError(func() error {
			w.effect, err = i.writeFound(ctx, w)
			effect = w.effect
			return err
		})
	})
	return effect, err
}

// writeFound writes what the query finds.
func (i *insert) writeFound(ctx context.Context, w *work) (Effect, error) {
	if err := w.begin(ctx, nil); err != nil {
		return Effect{}, err
	}
	var answer answerRows
	answer.begin(w.call, false)
	defer answer.memory.Release()
	warning, err := w.call.Read(ctx, w.tx, answer.keep)
	if err != nil {
		return Effect{}, err
	}
	call := *w.call
	call.Tx, call.rows = w.tx, answer.rows
	if warning != "" {
		call.adjusted = []Warning{{fault.Refused, warning}}
	}
	return i.write(ctx, &call)
}

// recordsInfo is MySQL's message about several rows.
func recordsInfo(records, duplicates, warnings int) string {
	return fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", records, duplicates, warnings)
}
