// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"context"
	"fmt"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// update is a compiled UPDATE.
type update struct {
	target
	places
	set  []assignment
	over scope // what the values read
	// moves says that a column of the primary key is set: a row then goes from its place to another.
	moves  bool
	ignore bool // see spare
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

// CompileUpdate checks an UPDATE against its table. Errors: *fault.Error.
func CompileUpdate(t *definition.Table, s *tree.Update, o Options) (Statement, error) {
	if err := checkHints(s.Hints); err != nil {
		return nil, err
	}
	var err error
	u := &update{ignore: s.Ignore}
	if u.target, err = targetOf(t, o); err != nil {
		return nil, err
	}
	u.over = scope{target: &u.target, alias: s.Alias}
	if err := CheckBounded(t, "UPDATE", s.Where, s.Limit, o); err != nil {
		return nil, err
	}
	for _, a := range s.Set {
		column, err := u.column(a.Column)
		if err != nil {
			return nil, err
		}
		if column.KeyPart >= 0 && t.Descriptor.Cells != nil {
			return nil, keyFixed(a.Column) // cells would lose their times
		}
		if computed, err := u.isGenerated(&column, a.Value); err != nil || computed {
			if err != nil {
				return nil, err
			}
			continue
		}
		u.moves = u.moves || column.KeyPart >= 0
		value, err := u.over.compile(a.Value)
		if err != nil {
			return nil, err
		}
		u.set = append(u.set, assignment{column: column, value: value})
	}
	u.places, err = compilePlaces(queryOf(t, s.Alias, s.Where, s.Hints, o), &u.target, s.OrderBy, s.Limit)
	return u, err
}

// Run changes the rows.
func (u *update) Run(ctx context.Context, call *Call) (Effect, error) {
	var matched uint64
	call.Context.StrictDivision = call.Context.StrictDivision && !u.ignore
	call.Context.StrictNumbers = call.Context.StrictNumbers && !u.ignore
	search, err := u.prepare(call)
	if err != nil {
		return Effect{}, err
	}
	effect, err := call.commit(ctx, u.table, search.keys,
		writeStepwise(u.moves || u.ignore, func(ctx context.Context, w *work) error {
			matched = 0
			return w.each(ctx, search, func(row value.Row) error {
				matched++
				return w.spare(ctx, u.ignore, func() error { return u.changeOne(ctx, w, row, int(matched), nil) })
			})
		}))
	if err != nil {
		return effect, err
	}
	effect.Info = fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", matched, effect.Affected,
		len(effect.Warnings))
	if call.FoundRows {
		effect.Affected = matched
	}
	return effect, nil
}

// changeOne changes a row; found has the values that a query computed.
func (u *update) changeOne(ctx context.Context, w *work, row value.Row, at int, found []datum.Datum) error {
	p, err := u.change(w, row, at, found)
	if err != nil || p.kept {
		return err
	}
	p.read = found == nil && w.readsOnce()
	if !p.same {
		w.effect.Affected++
	}
	return u.place(ctx, w, p)
}

// spare does what a statement does to one row. With IGNORE, a row that a constraint refuses stays as it was, with all
// that follows it, and there is a warning.
func (w *work) spare(ctx context.Context, ignore bool, do func() error) error {
	if !ignore {
		return do()
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
func (u *update) change(w *work, row value.Row, at int, found []datum.Datum) (pendingRow, error) {
	old := row
	var written [][]byte
	assigned := make([]cell, 0, len(u.set))
	for n := range u.set {
		a := &u.set[n]
		d, err := u.computeAssigned(w, row, a, found)
		if err != nil {
			return pendingRow{}, err
		}
		v, err := u.store(w.call, &a.column, d, at)
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
	row, more, err := u.settle(w, old, row, assigned, at)
	if err != nil {
		return pendingRow{}, err
	}
	written = append(written, w.cellNames(more)...)
	if err := u.checkCells(row); err != nil {
		return pendingRow{}, err
	}
	return pendingRow{old: old, row: row, op: database.OpPut, written: written, same: same}, nil
}

// computeAssigned is the value of an assignment.
func (u *update) computeAssigned(w *work, row value.Row, a *assignment, found []datum.Datum) (datum.Datum, error) {
	if a.found > 0 {
		return found[a.found-1], nil
	}
	if err := u.over.fill(w, row, nil, found); err != nil {
		return datum.Null, err
	}
	return u.valueOf(w.call, &a.column, a.value)
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

// each calls visit for each row that the statement is about. The row is the callee's.
func (w *work) each(ctx context.Context, search *search, visit func(row value.Row) error) error {
	w.warnOf(&search.access)
	rows, err := w.find(ctx, search)
	for again := true; err == nil && again; { // until all rows are held and nobody changed one in between
		if again, err = w.holdRows(ctx, rows); again && err == nil {
			rows, err = w.find(ctx, search)
		}
	}
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}

// find reads the rows that the statement is about.
func (w *work) find(ctx context.Context, search *search) ([]value.Row, error) {
	g := changedRows{work: w, search: search, limits: w.call.Limits.withDefaults()}
	if err := search.each(ctx, w.tx, &w.effect.Read, g.add); err != nil {
		return nil, err
	}
	g.cut()
	return g.rows, nil
}

// remove is a compiled DELETE.
type remove struct {
	target
	places
	ignore bool // see spare
}

// CompileDelete checks a DELETE against its table. Errors: *fault.Error.
func CompileDelete(t *definition.Table, s *tree.Delete, o Options) (Statement, error) {
	if err := checkHints(s.Hints); err != nil {
		return nil, err
	}
	if err := CheckBounded(t, "DELETE", s.Where, s.Limit, o); err != nil {
		return nil, err
	}
	r := &remove{ignore: s.Ignore}
	var err error
	if r.target, err = targetOf(t, o); err != nil {
		return nil, err
	}
	r.places, err = compilePlaces(queryOf(t, s.Alias, s.Where, s.Hints, o), &r.target, s.OrderBy, s.Limit)
	return r, err
}

// Run deletes the rows.
func (r *remove) Run(ctx context.Context, call *Call) (Effect, error) {
	call.Context.StrictDivision = call.Context.StrictDivision && !r.ignore
	call.Context.StrictNumbers = call.Context.StrictNumbers && !r.ignore
	search, err := r.prepare(call)
	if err != nil {
		return Effect{}, err
	}
	return call.commit(ctx, r.table, search.keys, writeStepwise(r.ignore, func(ctx context.Context, w *work) error {
		return w.each(ctx, search, func(row value.Row) error {
			return w.spare(ctx, r.ignore, func() error {
				w.effect.Affected++
				w.add(pendingRow{old: row, row: row, op: database.OpDelete, read: w.readsOnce()})
				return nil
			})
		})
	}))
}

// recordsInfo is MySQL's message about several rows.
func recordsInfo(records, duplicates, warnings int) string {
	return fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", records, duplicates, warnings)
}
