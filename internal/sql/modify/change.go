// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"context"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Target is a table of which an UPDATE or DELETE changes rows.
type Target struct {
	Table *definition.Table
	Alias string
	// Stored says that the query's answer is the rows themselves, as they are stored, in its only column. Then this is
	// the only target. Else the answer has the columns of the key, in the order of KeyNames, from First on, and behind
	// them the values that are assigned; where a key is NULL, the target has no row.
	Stored bool
	First  int
	// Set are the assignments of an UPDATE; Found says, by position, which of the query's values an assignment takes,
	// from 1 on; 0, or none: it is computed over the row as it is then.
	Set   []tree.Assignment
	Found []int
	// Sources are names of found values, in their order, for expressions over the row.
	Sources []Source
	// Removes says that the rows are deleted, Ignore that those which a constraint refuses stay as they are.
	Removes, Ignore bool
}

// Change is a compiled UPDATE or DELETE. Its query is read to its end, and all rows are held, before the first of them
// is written.
type Change struct{ targets []*change }

// change is the change of a target's rows.
type change struct {
	target
	of         *Target
	set        []assignment
	over       scope // what the values read
	keyColumns []definition.Column
	// moves says that a column of the primary key is set: a row then goes from its place to another.
	moves bool
}

// CheckBounded refuses to write every row of a table of LindormTable's kind, which is large; in one of MySQL's kind
// that is done, as in MySQL. A WHERE that names no column is none.
func CheckBounded(t *definition.Table, verb string, where, limit tree.Expression, o Options) error {
	if limit != nil || o.UnboundedDelete || t.InsertFails || len(evaluate.Columns(where)) > 0 {
		return nil
	}
	return fault.Message(fault.Refused, "%s without WHERE would write every row of %s, one by one: add a WHERE that names a column, or a LIMIT, or SET unbounded_delete = ON; "+
		"TRUNCATE TABLE %s empties a table at once", verb, t.Name, t.Name)
}

// CompileChange checks what becomes of the rows of targets. Errors: *fault.Error; 1706 if the key is changed of rows
// that the statement changes under another alias, too, by which it couldn't find them.
func CompileChange(targets []Target, options func(*definition.Table) Options) (*Change, error) {
	c := &Change{}
	for i := range targets {
		made := &change{of: &targets[i]}
		if err := made.compile(options(targets[i].Table)); err != nil {
			return nil, err
		}
		for _, other := range c.targets {
			if other.table.Descriptor == made.table.Descriptor && (other.moves || made.moves) {
				return nil, fault.New(fault.MovesTwice, other.of.Alias, made.of.Alias)
			}
		}
		c.targets = append(c.targets, made)
	}
	return c, nil
}

func (c *change) compile(o Options) (err error) {
	of := c.of
	if c.target, err = targetOf(of.Table, o); err != nil {
		return err
	}
	c.over = scope{target: &c.target, alias: of.Alias, sources: of.Sources}
	for _, name := range KeyNames(of.Table) {
		column, _ := of.Table.Column(name)
		c.keyColumns = append(c.keyColumns, column)
	}
	for i, one := range of.Set {
		column, err := c.column(one.Column)
		if err != nil {
			return err
		}
		if column.KeyPart >= 0 && of.Table.Descriptor.Cells != nil {
			return keyFixed(one.Column) // cells would lose their times
		}
		if computed, err := c.isGenerated(&column, one.Value); err != nil || computed {
			if err != nil {
				return err
			}
			continue
		}
		c.moves = c.moves || column.KeyPart >= 0
		a := assignment{column: column}
		if i < len(of.Found) {
			a.found = of.Found[i]
		}
		if a.found == 0 {
			if a.value, err = c.over.compile(one.Value); err != nil {
				return err
			}
		}
		c.set = append(c.set, a)
	}
	return nil
}

// KeyNames are the columns by which rows of a table are found.
func KeyNames(t *definition.Table) (names []string) {
	for i := range t.Columns {
		if t.Columns[i].KeyPart >= 0 {
			names = append(names, t.Columns[i].Name)
		}
	}
	return names
}

// place decides what becomes of a row; found has the values that a query computed.
func (c *change) place(ctx context.Context, w *work, row value.Row, at int, found []datum.Datum) error {
	known := c.of.Stored && w.readsOnce()
	if c.of.Removes {
		w.effect.Affected++
		w.add(pendingRow{old: row, row: row, op: database.OpDelete, read: known})
		return nil
	}
	p, err := c.change(w, row, at, found)
	if err != nil || p.kept {
		return err
	}
	p.read = known
	if !p.same {
		w.effect.Affected++
	}
	if !c.moves {
		w.add(p)
		return nil
	}
	return c.putAt(ctx, w, p)
}

// spare does what a statement does to one row. With IGNORE, a row that a constraint refuses stays as it was, with all
// that follows it, and there is a warning.
func (w *work) spare(ctx context.Context, ignore bool, do func() error) error {
	if !ignore {
		w.call.fitsNulls, w.call.adjusted = true, nil
		err := do()
		w.effect.Warnings = append(w.effect.Warnings, w.call.adjusted...)
		return err
	}
	point, affected := w.tx.Savepoint(), w.effect.Affected
	defer w.tx.ReleaseSavepoint(point)
	w.call.ignores, w.call.adjusted = true, nil
	err := do()
	w.effect.Warnings = append(w.effect.Warnings, w.call.adjusted...)
	if err == nil {
		err = w.step(ctx)
	}
	refused, ok := fault.Of(err)
	if !ok {
		return err
	}
	switch refused.Code {
	case fault.DuplicateEntry, fault.NoParent, fault.Referred, fault.CheckViolated:
		w.pending, w.effect.Affected = w.pending[:0], affected
		w.warn(refused.Code, "%s", refused.Message)
		return w.tx.RollbackTo(point)
	}
	return err
}

// change computes what becomes of a row. As in MySQL, an assignment sees those before it. found has the values that a
// query computed.
func (c *change) change(w *work, row value.Row, at int, found []datum.Datum) (pendingRow, error) {
	old := row
	var written [][]byte
	assigned := make([]cell, 0, len(c.set))
	for n := range c.set {
		a := &c.set[n]
		d, err := c.computeAssigned(w, row, a, found)
		if err != nil {
			return pendingRow{}, err
		}
		v, err := c.store(w.call, &a.column, d, at)
		if err != nil {
			return pendingRow{}, err
		}
		cells := []cell{{name: []byte(a.column.Name), value: v}}
		assigned = append(assigned, cells[0])
		if !changes(row, w.names, cells) && (v == nil || w.call.Pin.Descriptor().Cells == nil) {
			continue // where cells have times, writing a value again renews its own
		}
		if row, err = merge(&w.builder, w.names, row, cells); err != nil {
			return pendingRow{}, err
		}
		written = append(written, w.cellNames(cells)...)
	}
	same := bytes.Equal(old, row)
	if same && len(written) == 0 {
		return pendingRow{kept: true}, nil
	}
	row, more, err := c.settle(w, old, row, assigned, at)
	if err != nil {
		return pendingRow{}, err
	}
	written = append(written, w.cellNames(more)...)
	if err := c.checkCells(row); err != nil {
		return pendingRow{}, err
	}
	return pendingRow{old: old, row: row, op: database.OpPut, written: written, same: same}, nil
}

// computeAssigned is the value of an assignment.
func (c *change) computeAssigned(w *work, row value.Row, a *assignment, found []datum.Datum) (datum.Datum, error) {
	if a.found > 0 {
		return found[a.found-1], nil
	}
	if err := c.over.fill(w, row, nil, found); err != nil {
		return datum.Null, err
	}
	return c.valueOf(w.call, &a.column, a.value)
}

// changes reports whether cells would change a row.
func changes(row value.Row, names value.Names, cells []cell) bool {
	for i := range cells {
		v, ok := row.Get(names, cells[i].name)
		if ok != (cells[i].value != nil) || !bytes.Equal(v, cells[i].value) {
			return true
		}
	}
	return false
}
