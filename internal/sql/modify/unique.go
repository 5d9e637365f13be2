// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"context"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/tree"
)

// hasUnique reports whether an index of the table is unique.
func hasUnique(t *definition.Table) bool {
	return slices.ContainsFunc(t.Indexes, func(x definition.Index) bool { return x.Schema.Unique })
}

// seeksHolders reports whether the statement does something about rows that have the new row's values in a unique
// index. Without, the write itself finds them.
func (i *insert) seeksHolders() bool {
	return (i.rule == tree.DuplicateIgnore || i.rule == tree.DuplicateUpdate || i.rule == tree.ReplaceRow) &&
		hasUnique(i.table)
}

// holder is a row with the same values as the new one.
type holder struct {
	row   value.Row
	index string // the unique index in which it has them; "" for the primary key
}

// holders finds the rows, other than the one with its key, that have the values of the new row in unique indexes. Each
// comes once.
func (i *insert) holders(ctx context.Context, w *work, row, old value.Row) (found []holder, err error) {
	if old != nil {
		found = append(found, holder{row: old})
	}
	for n := range i.table.Indexes {
		x := &i.table.Indexes[n]
		if !x.Schema.Unique || !x.Schema.State.TakesWrites() {
			continue
		}
		other, ok, err := w.tx.Holder(database.OwnWork(ctx), w.call.Pin, x.Name, row, nil)
		if err != nil {
			return nil, err
		}
		if ok && !slices.ContainsFunc(found, func(h holder) bool { return bytes.Equal(h.row, other) }) {
			found = append(found, holder{other, x.Name})
		}
	}
	return found, nil
}

// placeUnique is place for a statement that seeks holders; old is the row with the new one's key.
func (i *insert) placeUnique(ctx context.Context, w *work, g *givenRow, old value.Row) error {
	row, _, err := i.newRow(w, g)
	if err != nil {
		return i.leaveOut(w, err)
	}
	found, err := i.holders(ctx, w, row, old)
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return i.placeNew(w, g, nil)
	case i.rule == tree.DuplicateIgnore:
		i.ignore(w, g, found[0].row, i.duplicateIn(w, g, found[0].index, row))
		return nil
	case i.rule == tree.DuplicateUpdate:
		return i.placeUpdate(ctx, w, g, found[0].row)
	}
	return i.replace(ctx, w, g, old, found)
}

// replace takes away the other rows that stand in the new one's way.
func (i *insert) replace(ctx context.Context, w *work, g *givenRow, old value.Row, found []holder) error {
	for n := range found {
		if found[n].index == "" {
			continue
		}
		w.effect.Affected++
		w.duplicates++
		w.add(pendingRow{old: found[n].row, row: found[n].row, op: database.OpDelete})
		if err := w.step(ctx); err != nil {
			return err
		}
	}
	return i.placeNew(w, g, old)
}

// duplicateIn is the error of a row with the values of the new one in an index.
func (i *insert) duplicateIn(w *work, g *givenRow, index string, row value.Row) error {
	if index == "" {
		return i.duplicate(g)
	}
	e := &database.DuplicateError{Index: index}
	for n := range i.table.Indexes {
		if x := &i.table.Indexes[n]; x.Name == index {
			for _, part := range x.Key {
				v, _ := row.Get(w.names, []byte(part.Name))
				e.Columns, e.Values = append(e.Columns, part.Name), append(e.Values, v)
			}
		}
	}
	return i.table.Duplicate(e)
}
