// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Target is a table of which an UPDATE or DELETE over several tables changes rows.
type Target struct {
	Table *definition.Table
	Alias string
	// Set are the assignments of an UPDATE; Found says, by position, which of the query's values an assignment takes,
	// from 1 on; 0: it is computed over the row as it is then.
	Set   []tree.Assignment
	Found []int
	// Sources are names of found values, in their order, for what is computed over the row.
	Sources []Source
	// Removes says that the rows are deleted, Ignore that those which a constraint refuses stay as they are.
	Removes, Ignore bool
}

// Found is a row that a query found: the columns of its key in the order of KeyNames, and the values that are assigned.
type Found struct{ Key, Values []datum.Datum }

// FoundChange is an UPDATE or DELETE of rows that a query finds, compiled for one table.
type FoundChange struct {
	update
	keyColumns []definition.Column
	removes    bool
}

// CompileFound checks what becomes of a table's rows. Errors: *fault.Error.
func CompileFound(target *Target, o Options) (*FoundChange, error) {
	c := &FoundChange{removes: target.Removes}
	c.ignore = target.Ignore
	var err error
	if c.target, err = targetOf(target.Table, o); err != nil {
		return nil, err
	}
	c.over = scope{target: &c.target, alias: target.Alias, sources: target.Sources}
	for _, name := range KeyNames(target.Table) {
		column, _ := target.Table.Column(name)
		c.keyColumns = append(c.keyColumns, column)
	}
	for i, one := range target.Set {
		column, err := c.column(one.Column)
		if err != nil {
			return nil, err
		}
		if column.KeyPart >= 0 && target.Table.Descriptor.Cells != nil {
			return nil, keyFixed(one.Column) // cells would lose their times
		}
		c.moves = c.moves || column.KeyPart >= 0
		if computed, err := c.isGenerated(&column, one.Value); err != nil || computed {
			if err != nil {
				return nil, err
			}
			continue
		}
		a := assignment{column: column, found: target.Found[i]}
		if a.found == 0 {
			if a.value, err = c.over.compile(one.Value); err != nil {
				return nil, err
			}
		}
		c.set = append(c.set, a)
	}
	return c, nil
}

// Moves reports whether rows get other keys.
func (c *FoundChange) Moves() bool { return c.moves }

// KeyNames are the columns by which rows of a table are found.
func KeyNames(t *definition.Table) (names []string) {
	for i := range t.Columns {
		if t.Columns[i].KeyPart >= 0 {
			names = append(names, t.Columns[i].Name)
		}
	}
	return names
}

// Hold holds rows in a transaction that holds rows. again says that others have changed one of them since it was found:
// the query must be run anew.
func (c *FoundChange) Hold(ctx context.Context, call *Call, found []Found) (again bool, err error) {
	w := &work{call: call, tx: call.Tx, table: c.table, names: call.Pin.Names()}
	if !w.tx.Locks() {
		return false, nil
	}
	rows := make([]value.Row, len(found))
	for i := range found {
		if rows[i], err = c.keyRow(w, &found[i]); err != nil {
			return false, err
		}
	}
	return w.holdRows(ctx, rows)
}

// keyRow is the key of a row that was found.
func (c *FoundChange) keyRow(w *work, found *Found) (value.Row, error) {
	cells := make([]cell, len(c.keyColumns))
	for k := range c.keyColumns {
		v, err := c.store(w.call, &c.keyColumns[k], found.Key[k], 1)
		if err != nil {
			return nil, err
		}
		cells[k] = cell{name: []byte(c.keyColumns[k].Name), value: v}
	}
	return fresh(&w.builder, w.names, cells)
}

// Run changes rows within the call's transaction. One that was found several times is changed once, with the values of
// the first time. It returns how many rows there were, too.
func (c *FoundChange) Run(ctx context.Context, call *Call, found []Found) (effect Effect, matched uint64, err error) {
	w := &work{call: call, tx: call.Tx, table: c.table, names: call.Pin.Names()}
	seen := make(map[string]bool, len(found))
	err = w.run(ctx, writeStepwise(c.moves || c.ignore, func(ctx context.Context, w *work) error {
		for i := range found {
			key, err := c.keyRow(w, &found[i])
			if err != nil {
				return err
			}
			id, err := call.Pin.AppendItemKey(nil, &database.Write{Op: database.OpDelete, Row: key})
			if err != nil {
				return err
			}
			if seen[string(id)] {
				continue
			}
			seen[string(id)] = true
			row, ok, err := w.tx.GetRow(database.OwnWork(ctx), call.Pin, key, nil)
			if err != nil {
				return err
			}
			if !ok { // another target of this statement has deleted it
				continue
			}
			matched++
			at, values := int(matched), found[i].Values
			if err := w.spare(ctx, c.ignore,
				func() error { return c.placeFound(ctx, w, row, values, at) }); err != nil {
				return err
			}
		}
		return nil
	}))
	return w.effect, matched, err
}

// placeFound decides what becomes of a row.
func (c *FoundChange) placeFound(ctx context.Context, w *work, row value.Row, values []datum.Datum, at int) error {
	if !c.removes {
		return c.changeOne(ctx, w, row, at, values)
	}
	w.effect.Affected++
	w.add(pendingRow{old: row, row: row, op: database.OpDelete})
	return nil
}
