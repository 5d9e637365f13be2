// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"cmp"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/operator"
	"github.com/weftdb/weft/internal/sql/plan"
)

// page sends rows that tell where the next page begins. Each is held back until it is known whether another one
// follows: the last of all has no cursor.
func (r *runner) page() error {
	mark := r.statement.Mark(r.x)
	var held, position, cursor []byte
	var err error
	for err == nil && r.rows.Next() {
		if held != nil {
			cursor = plan.AppendCursor(cursor[:0], mark, position)
			if err = r.sendHeld(held, datum.Text(cursor)); err != nil || r.limit == 0 {
				held = nil
				break
			}
		}
		if err = project(r.row, r.statement.Items, r.x.Context); err == nil {
			held, position = operator.AppendRow(held[:0], r.row), r.rows.Position()
		}
		r.x.Context.Reset()
	}
	err = cmp.Or(err, r.rows.Close())
	if err == nil && held != nil {
		err = r.sendHeld(held, datum.Null)
	}
	return err
}

// sendHeld sends a row that was held back. next is the beginning of the page behind it.
func (r *runner) sendHeld(held []byte, next datum.Datum) error {
	if err := operator.CutRow(held, r.row); err != nil {
		return err
	}
	for i := range r.statement.Items {
		if r.statement.Items[i].Slot == plan.NextCursor {
			r.row[i] = next
		}
	}
	return r.send()
}
