// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Copy puts the rows of a table, which nobody writes meanwhile, into one that has the same columns and another primary
// key. Rows get numbers in a column that is named, and in the key of a table without one. Errors: 1062, 1138 for NULL
// in the key, those of a write.
func Copy(ctx context.Context, db *database.DB, from, to tree.Name, number string) error {
	c := &copying{from: from, to: to, number: number}
	for more := true; more; {
		var next value.Row
		err := db.Update(ctx, func(tx *database.Tx) (err error) {
			next, more, err = c.page(ctx, tx, db)
			return err
		})
		if err != nil {
			return err
		}
		c.after = next
	}
	return nil
}

// copying is how far Copy has come.
type copying struct {
	from, to tree.Name
	number   string
	after    value.Row // the key of the last row that was copied
}

// page copies the next rows.
func (c *copying) page(ctx context.Context, tx *database.Tx, db *database.DB) (last value.Row, more bool, err error) {
	w := &work{tx: tx, call: &Call{DB: db, Context: &evaluate.Context{}}}
	from, err := w.open(c.from.Database, c.from.Name)
	if err == nil {
		w, err = w.open(c.to.Database, c.to.Name)
	}
	if err != nil {
		return nil, false, err
	}
	cursor, err := tx.View().Query(database.OwnWork(ctx), from.call.Pin,
		database.Query{After: c.after, ExaminedMax: fillRows})
	if err != nil {
		return nil, false, err
	}
	var rows []value.Row
	for cursor.Next() {
		rows = append(rows, bytes.Clone(cursor.Row()))
	}
	last, unkeyed := cursor.LastKey()
	more = cursor.More()
	err = errors.Join(unkeyed, cursor.Close())
	numbers := &numbers{call: w.call, wanted: len(rows)}
	for i := 0; err == nil && i < len(rows); i++ {
		err = c.put(ctx, from, w, rows[i], numbers)
	}
	return last, more, err
}

// put writes a row of one table to the other one, which must not have its key.
func (c *copying) put(ctx context.Context, from, w *work, row value.Row, numbers *numbers) error {
	cells, err := c.cells(ctx, from, w, row, numbers)
	if err != nil {
		return err
	}
	w.builder.Reset(w.names)
	for i := range cells {
		if err := w.builder.Set(cells[i].name, cells[i].value); err != nil {
			return err
		}
	}
	write := database.Write{Op: database.OpPut, Row: w.builder.AppendTo(nil), Judged: true}
	write.Validate = func(old, _ value.Row) error {
		if old != nil {
			return w.duplicateKey(old)
		}
		return nil
	}
	var result database.WriteResult
	err = w.tx.Write(ctx, w.call.Pin, &write, &result)
	if duplicate, ok := errors.AsType[*database.DuplicateError](err); ok {
		return w.table.Duplicate(duplicate)
	}
	return err
}

// cells are the attributes of a row as the other table has them.
func (c *copying) cells(ctx context.Context, from, w *work, row value.Row, numbers *numbers) (cells []cell, err error) {
	attributes := row.Attributes(from.names)
	for attributes.Next() {
		name := string(attributes.Name())
		column, declared := from.table.Column(name)
		if slices.Contains(from.table.Deleting, name) || name == c.number || declared && column.IsRowID() {
			continue
		}
		cells = append(cells, cell{name: []byte(name), value: attributes.Value()})
	}
	if err := attributes.Err(); err != nil {
		return nil, err
	}
	for i := range w.table.Columns {
		column := &w.table.Columns[i]
		counter := database.CounterColumn
		switch {
		case column.IsRowID():
			counter = database.CounterRow
		case column.Name == c.number:
		case column.KeyPart >= 0 && findCell(cells, []byte(column.Name)) == nil:
			return nil, fault.New(fault.NullInRows, column.Name)
		default:
			continue
		}
		number, err := numbers.next(ctx, counter)
		if err != nil {
			return nil, err
		}
		v, err := (&target{table: w.table}).store(w.call, column, datum.Uint(number), 1)
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell{name: []byte(column.Name), value: v})
	}
	return cells, nil
}

// duplicateKey is the error of a row that has the primary key of another one.
func (w *work) duplicateKey(of value.Row) error {
	e := &database.DuplicateError{Index: definition.PrimaryName}
	for _, part := range w.table.Key {
		if v, has := of.Get(w.names, []byte(part.Name)); part.Column >= 0 && has {
			e.Columns, e.Values = append(e.Columns, part.Name), append(e.Values, v)
		}
	}
	return w.table.Duplicate(e)
}
