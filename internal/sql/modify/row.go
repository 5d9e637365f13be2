// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/fault"
)

// cell is the new state of one column of a row: a value, or nil if it is removed.
type cell struct {
	name  []byte
	value value.Value
	met   bool // scratch of merge: the old row has it
}

// fresh makes a row of cells alone.
func fresh(builder *value.RowBuilder, names value.Names, cells []cell) (value.Row, error) {
	return merge(builder, names, nil, cells)
}

// merge makes the row that old becomes by the cells. Where a name comes twice among them, the last one counts.
func merge(builder *value.RowBuilder, names value.Names, old value.Row, cells []cell) (value.Row, error) {
	builder.Reset(names)
	for i := range cells {
		cells[i].met = false
	}
	attributes := old.Attributes(names)
	for attributes.Next() {
		v := attributes.Value()
		if c := findCell(cells, attributes.Name()); c != nil {
			c.met = true
			v = c.value
		}
		if v == nil {
			continue
		}
		if err := builder.Set(attributes.Name(), v); err != nil {
			return nil, err
		}
	}
	if err := attributes.Err(); err != nil {
		return nil, err
	}
	for i := range cells {
		if cells[i].met || cells[i].value == nil {
			continue
		}
		if err := builder.Set(cells[i].name, cells[i].value); err != nil {
			return nil, err
		}
	}
	return builder.AppendTo(nil), nil
}

// findCell finds the cell of a name.
func findCell(cells []cell, name []byte) *cell {
	for i := range cells {
		if bytes.Equal(cells[i].name, name) {
			return &cells[i]
		}
	}
	return nil
}

// checkCells refuses a row that has nothing but its key where a row lives as long as its cells.
func (t *target) checkCells(row value.Row) error {
	if row.Len() > t.keys || t.table.Descriptor.Cells == nil {
		return nil
	}
	return fault.Message(fault.NotSupported,
		"a row needs a value in at least one column that is not in the key of table %s", t.table.Name)
}

// checkRow refuses what checkCells does, and a row that lacks a column that must not be NULL.
func (t *target) checkRow(row value.Row, names value.Names) error {
	if err := t.checkCells(row); err != nil {
		return err
	}
	for _, i := range t.required {
		if _, ok := row.Get(names, []byte(t.table.Columns[i].Name)); !ok {
			return fault.New(fault.NoDefault, t.table.Columns[i].Name)
		}
	}
	return nil
}
