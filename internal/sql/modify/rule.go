// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// rules are a table's rules for each row that is about to be written.
type rules struct {
	defaults map[string]*evaluate.Program // of columns whose DEFAULT is an expression
	clocks   []int                        // columns with ON UPDATE CURRENT_TIMESTAMP, by their positions in the table
	over     scope                        // what generated columns and checks read
	computed []generatedColumn
	checks   []check
}

// generatedColumn is a generated column.
type generatedColumn struct {
	column int // by its position in the table
	value  *evaluate.Program
}

// check is a CHECK that is enforced.
type check struct {
	name      string
	condition *evaluate.Program
}

// Compiles returns the type of an expression that a table keeps, or the reason why it can't be computed. Without a
// table, it is one that is computed before there is a row.
func Compiles(t *definition.Table, e tree.Expression) (datum.Type, error) {
	over := scope{bare: t == nil, target: &target{table: t}}
	if t == nil {
		over.target.table = &definition.Table{}
	}
	program, err := over.compile(e)
	if err != nil {
		return datum.Type{}, err
	}
	return program.Type(), nil
}

// rulesOf compiles a table's rules; nil if it has none.
func rulesOf(t *definition.Table) (*rules, error) {
	var r rules
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.UpdateNow {
			r.clocks = append(r.clocks, i)
		}
		if c.DefaultExpression == nil {
			continue
		}
		if r.defaults == nil {
			r.defaults = map[string]*evaluate.Program{}
		}
		var err error
		if r.defaults[c.Name], err = (&scope{bare: true, target: &target{table: t}}).compile(
			c.DefaultExpression); err != nil {
			return nil, err
		}
	}
	r.over.target = &target{table: t}
	for i := range t.Columns {
		if t.Columns[i].Generated == nil {
			continue
		}
		value, err := r.over.compile(t.Columns[i].Generated)
		if err != nil {
			return nil, err
		}
		r.computed = append(r.computed, generatedColumn{i, value})
	}
	for i := range t.Checks {
		if t.Checks[i].NotEnforced {
			continue
		}
		condition, err := r.over.compile(t.Checks[i].Condition)
		if err != nil {
			return nil, err
		}
		r.checks = append(r.checks, check{t.Checks[i].Name, condition})
	}
	if r.defaults == nil && r.clocks == nil && r.computed == nil && r.checks == nil {
		return nil, nil
	}
	return &r, nil
}

// settle applies the rules to a row that a statement writes, and returns the row to write. old is the stored row; nil
// if the row is new. assigned are the columns that the statement names, and more those that the table itself sets.
// Errors: fault.CheckViolated; those of a value that a generated column can't hold.
func (t *target) settle(w *work, old, row value.Row, assigned []cell, at int) (settled value.Row, more []cell,
	err error) {
	if t.rules == nil || bytes.Equal(old, row) {
		return row, nil, nil
	}
	for _, i := range t.rules.clocks {
		c := &t.table.Columns[i]
		if old == nil || findCell(assigned, []byte(c.Name)) != nil {
			continue
		}
		v, err := t.store(w.call, c, w.call.now(c.Type), at)
		if err != nil {
			return nil, nil, err
		}
		more = append(more, cell{name: []byte(c.Name), value: v})
	}
	if len(more) > 0 {
		if row, err = merge(&w.builder, w.names, row, more); err != nil {
			return nil, nil, err
		}
	}
	for i := range t.rules.computed {
		one := &t.rules.computed[i]
		v, err := t.compute(w, row, one, at)
		if err != nil {
			return nil, nil, err
		}
		cells := []cell{{name: []byte(t.table.Columns[one.column].Name), value: v}}
		if !changes(row, w.names, cells) {
			continue
		}
		if row, err = merge(&w.builder, w.names, row, cells); err != nil {
			return nil, nil, err
		}
		more = append(more, cells...)
	}
	return row, more, t.rules.check(w, row)
}

// compute is the value of a generated column. What takes the place of a column is computed in UTC, whoever writes the
// row.
func (t *target) compute(w *work, row value.Row, one *generatedColumn, at int) (value.Value, error) {
	column := t.table.Columns[one.column]
	if column.IsRetyping() {
		defer func(zone evaluate.Zone) { w.call.Context.Zone = zone }(w.call.Context.Zone)
		w.call.Context.Zone = nil
	}
	if err := t.rules.over.fill(w, row, nil, nil); err != nil {
		return nil, err
	}
	d, err := one.value.Value(w.call.Context)
	if err != nil {
		return nil, err
	}
	column.Name = column.ShownName()
	return t.store(w.call, &column, d, at)
}

// isGenerated reports whether a column is computed, so that it can be assigned DEFAULT alone, which changes nothing.
// Errors: fault.GeneratedColumn.
func (t *target) isGenerated(column *definition.Column, value tree.Expression) (bool, error) {
	if column.Generated == nil {
		return false, nil
	}
	if _, ok := value.(*tree.Default); ok {
		return true, nil
	}
	return true, fault.New(fault.GeneratedColumn, column.Name, t.table.Name)
}

// fillRows is the number of rows Fill writes at once.
const fillRows = 500

// Fill gives the rows that a table has already the values of columns that were added: what is computed, or the
// default, for which nowUS is the time and random gives bits. Errors: fault.NoDefault if a column must have a value
// and there is none for it.
func Fill(ctx context.Context, db *database.DB, table tree.Name, added []string, nowUS int64,
	random func() uint64) error {
	var after value.Row
	filled := 0
	for more := true; more; {
		var last value.Row
		var rows int
		err := db.Update(ctx, func(tx *database.Tx) (err error) {
			w := &work{tx: tx, call: &Call{DB: db, Context: &evaluate.Context{}}}
			w.call.Context.Begin(nil, nowUS, nil)
			w.call.Context.Random = random
			last, rows, more, err = w.fillPage(ctx, table, added, after, filled)
			return err
		})
		if err != nil {
			return err
		}
		after, filled = last, filled+rows
	}
	return nil
}

// fillPage is Fill for some rows behind a key, which come behind so many others.
func (w *work) fillPage(ctx context.Context, table tree.Name, added []string, after value.Row,
	filled int) (last value.Row, rows int, more bool, err error) {
	if w, err = w.open(table.Database, table.Name); err != nil {
		return nil, 0, false, err
	}
	t, err := targetOf(w.table, Options{})
	if err != nil {
		return nil, 0, false, err
	}
	cursor, err := w.tx.View().Query(database.OwnWork(ctx), w.call.Pin,
		database.Query{After: after, ExaminedMax: fillRows})
	if err != nil {
		return nil, 0, false, err
	}
	for err == nil && cursor.Next() {
		rows++
		row, written, failed := t.give(w, bytes.Clone(cursor.Row()), added)
		if err = failed; err != nil {
			break
		}
		row, computed, failed := t.settle(w, nil, row, nil, filled+rows)
		if written = append(written, computed...); failed == nil && len(written) > 0 {
			w.pending = append(w.pending, pendingRow{row: row, op: database.OpPut, written: w.cellNames(written)})
		}
		err = failed
	}
	last, unkeyed := cursor.LastKey()
	more = cursor.More()
	if err = errors.Join(err, unkeyed, cursor.Close()); err != nil {
		return nil, 0, false, err
	}
	w.call.Unchecked = true // no key changes
	return last, rows, more, w.flush(ctx)
}

// give gives a row the values of columns that it lacks and that are not computed.
func (t *target) give(w *work, row value.Row, columns []string) (_ value.Row, cells []cell, err error) {
	for _, name := range columns {
		column, ok := t.table.Column(name)
		if _, has := row.Get(w.names, []byte(name)); !ok || has || column.Generated != nil {
			continue
		}
		d, err := t.valueOf(w.call, &column, nil)
		if f, without := fault.Of(err); without && f.Code == fault.NoDefault {
			if implied, ok := column.Type.Implied(); ok {
				d, err = implied, nil
			}
		}
		if err != nil {
			return nil, nil, err
		}
		v, err := t.store(w.call, &column, d, 1)
		if err != nil {
			return nil, nil, err
		}
		cells = append(cells, cell{name: []byte(name), value: v})
	}
	if len(cells) == 0 {
		return row, nil, nil
	}
	row, err = merge(&w.builder, w.names, row, cells)
	return row, cells, err
}

// check refuses a row that makes a check false.
func (r *rules) check(w *work, row value.Row) error {
	if len(r.checks) == 0 {
		return nil
	}
	if err := r.over.fill(w, row, nil, nil); err != nil {
		return err
	}
	for i := range r.checks {
		d, err := r.checks[i].condition.Value(w.call.Context)
		if err != nil {
			return err
		}
		if isTrue, null := d.Truth(); !isTrue && !null {
			return fault.New(fault.CheckViolated, r.checks[i].name)
		}
	}
	return nil
}

// now is the time of the statement, with the digits that a column keeps.
func (c *Call) now(t datum.Type) datum.Datum {
	return datum.TimestampUS(t.CutTime(c.Context.LocalUS()))
}

// valueOf computes what a column is assigned; without a program, its default.
func (t *target) valueOf(call *Call, column *definition.Column, program *evaluate.Program) (datum.Datum, error) {
	switch {
	case program != nil:
		return program.Value(call.Context)
	case column.DefaultNow:
		return call.now(column.Type), nil
	case column.DefaultExpression != nil:
		return t.rules.defaults[column.Name].Value(call.Context)
	case column.Default != nil:
		return *column.Default, nil
	case column.NotNull || column.KeyPart >= 0:
		return datum.Null, fault.New(fault.NoDefault, column.Name)
	}
	return datum.Null, nil
}
