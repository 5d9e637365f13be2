// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// rules are what a table does to each row that is about to be written.
type rules struct {
	defaults map[string]*evaluate.Program // of columns whose DEFAULT is an expression
	clocks   []int                        // columns with ON UPDATE CURRENT_TIMESTAMP, by their positions in the table
	over     scope                        // what checks read
	checks   []check
}

// check is a CHECK that is enforced.
type check struct {
	name      string
	condition *evaluate.Program
}

// Compiles says why an expression that a table keeps can't be computed. Without a table, it is one that is computed before there is a row.
func Compiles(t *definition.Table, e tree.Expression) error {
	over := scope{bare: t == nil, target: &target{table: t}}
	if t == nil {
		over.target.table = &definition.Table{}
	}
	_, err := over.compile(e)
	return err
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
		if r.defaults[c.Name], err = (&scope{bare: true, target: &target{table: t}}).compile(c.DefaultExpression); err != nil {
			return nil, err
		}
	}
	r.over.target = &target{table: t}
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
	if r.defaults == nil && r.clocks == nil && r.checks == nil {
		return nil, nil
	}
	return &r, nil
}

// settle is what every row passes that a statement writes, and returns what is to be written. old is what it is of; nil if it is new. assigned are the columns
// that the statement names, and more those that the table itself sets. Errors: fault.CheckViolated.
func (t *target) settle(w *work, old, row weft.Row, assigned []cell, at int) (settled weft.Row, more []cell, err error) {
	if t.rules == nil || bytes.Equal(old, row) {
		return row, nil, nil
	}
	for _, i := range t.rules.clocks {
		c := &t.table.Columns[i]
		if old == nil || named(assigned, []byte(c.Name)) != nil {
			continue
		}
		v, err := t.store(w.call, c, w.call.now(), at)
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
	return row, more, t.rules.check(w, row)
}

// check refuses a row that makes a check false.
func (r *rules) check(w *work, row weft.Row) error {
	if len(r.checks) == 0 {
		return nil
	}
	w.data = r.over.fill(w.data, row, w.names, nil, nil)
	w.call.Context.Row = w.data
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

// now is the time of the statement.
func (c *Call) now() datum.Datum { return datum.TimestampMS(c.Context.LocalMS()) }

// valueOf computes what a column is assigned; without a program, its default.
func (t *target) valueOf(call *Call, column *definition.Column, program *evaluate.Program) (datum.Datum, error) {
	switch {
	case program != nil:
		return program.Value(call.Context)
	case column.DefaultNow:
		return call.now(), nil
	case column.DefaultExpression != nil:
		return t.rules.defaults[column.Name].Value(call.Context)
	case column.Default != nil:
		return *column.Default, nil
	case column.NotNull || column.KeyPart >= 0:
		return datum.Null, fault.New(fault.NoDefault, column.Name)
	}
	return datum.Null, nil
}
