// SPDX-License-Identifier: Apache-2.0

package modify

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// A foreign key holds because the two sides of it mark the row that is referred to (weft.Tx.Mark): whoever writes a row
// that refers to another one marks that one and then looks whether it is there; whoever takes it away marks it and then
// looks who refers to it. Of two at once the later one sees what the first has done.

// cascadeDepthMax is the number of tables a change may pass through, as in MySQL.
const cascadeDepthMax = 15

// isRelated reports whether writing a row of the table concerns rows of other tables, or others of its own.
func isRelated(t *definition.Table) bool { return len(t.ForeignKeys)+len(t.Referrers) > 0 }

// open is work on another table in the same transaction. Errors: KindNotFound.
func (w *work) open(database, name string) (*work, error) {
	p, err := w.tx.PinIn(database, name)
	if err != nil {
		return nil, err
	}
	read := w.call.Tables
	if read == nil {
		read = definition.Of
	}
	t, err := read(p.Descriptor())
	if err != nil {
		return nil, err
	}
	call := *w.call
	call.Pin = p
	return &work{call: &call, tx: w.tx, table: t, names: p.Names(), depth: w.depth, removed: w.removed}, nil
}

// constraintText is a foreign key as errors tell it.
func constraintText(t *definition.Table, f *definition.ForeignKey) string {
	return "`" + t.Database + "`.`" + t.Name + "`, " + f.Text(t.Database)
}

// cellsOf are the values of a row's columns under other names; nil if one is NULL.
func cellsOf(row value.Row, names value.Names, columns, as []string) []cell {
	cells := make([]cell, len(columns))
	for i, column := range columns {
		v, ok := row.Get(names, []byte(column))
		if !ok {
			return nil
		}
		cells[i] = cell{name: []byte(as[i]), value: v}
	}
	return cells
}

func sameCells(a, b []cell) bool {
	return slices.EqualFunc(a, b, func(a, b cell) bool { return bytes.Equal(a.value, b.value) })
}

// checkParents refuses a row whose foreign keys name no row, and keeps the rows that they name. Errors: fault.NoParent.
func (w *work) checkParents(ctx context.Context, p *pendingRow) error {
	if p.op != database.OpPut {
		return nil
	}
	for i := range w.table.ForeignKeys {
		f := &w.table.ForeignKeys[i]
		wanted := cellsOf(p.row, w.names, f.Columns, f.References)
		if wanted == nil || p.follows != nil && p.follows.Name == f.Name {
			continue
		}
		if p.old != nil && !p.replaces && sameCells(wanted, cellsOf(p.old, w.names, f.Columns, f.References)) {
			continue
		}
		if w.isOwn(f) && sameCells(wanted, cellsOf(p.row, w.names, f.References, f.References)) {
			continue // the row refers to itself
		}
		there, err := w.keepParent(ctx, f, wanted)
		if err != nil {
			return err
		}
		if !there {
			return fault.New(fault.NoParent, constraintText(w.table, f))
		}
	}
	return nil
}

// isOwn reports whether a foreign key refers to its own table.
func (w *work) isOwn(f *definition.ForeignKey) bool {
	return f.Database == w.table.Database && f.Table == w.table.Name
}

// parent opens the table that a foreign key refers to, by the name that it gets if it has that already.
func (w *work) parent(f *definition.ForeignKey) (*work, error) {
	if f.Next != nil {
		if parent, err := w.open(f.Next.Database, f.Next.Table); database.KindOf(err) != database.KindNotFound {
			return parent, err
		}
	}
	return w.open(f.Database, f.Table)
}

// keepParent finds the row with values that a foreign key names, and keeps it until the transaction ends.
func (w *work) keepParent(ctx context.Context, f *definition.ForeignKey, wanted []cell) (there bool, err error) {
	parent, err := w.parent(f)
	if err != nil {
		if database.KindOf(err) == database.KindNotFound {
			return false, nil
		}
		return false, err
	}
	row, there, err := parent.rowWith(ctx, f, wanted)
	if err == nil && !there && w.tx.Locks() { // it may have come after the transaction's snapshot
		if err = w.tx.Renew(ctx); err == nil {
			row, there, err = parent.rowWith(ctx, f, wanted)
		}
	}
	if err != nil || !there {
		return false, err
	}
	renewed, err := parent.mark(ctx, row, true)
	if err == nil && renewed {
		_, there, err = parent.rowWith(ctx, f, wanted)
	}
	return there, err
}

// mark marks a row, which counts as one that the transaction holds; shared with others that refer to it.
func (w *work) mark(ctx context.Context, row value.Row, shared bool) (renewed bool, err error) {
	before := w.tx.HeldItems()
	if renewed, err = w.tx.Mark(ctx, w.call.Pin, row, shared); err != nil {
		return false, err
	}
	return renewed, w.keep(before)
}

// rowWith finds the row to which a foreign key of others refers.
func (w *work) rowWith(ctx context.Context, f *definition.ForeignKey, values []cell) (row value.Row, ok bool,
	err error) {
	index, ok := w.table.UniqueOf(f.References)
	if !ok {
		return nil, false, nil // checks were off when it was made or altered
	}
	wanted, err := fresh(&w.builder, w.names, values)
	if err != nil {
		return nil, false, err
	}
	if index == "" {
		return w.tx.View().Get(database.OwnWork(ctx), w.call.Pin, wanted, nil)
	}
	return w.tx.Holder(database.OwnWork(ctx), w.call.Pin, index, wanted, nil)
}

// child is a foreign key that refers to a table, with work on its own table.
type child struct {
	*work
	key *definition.ForeignKey
}

// children are the foreign keys that refer to the table.
func (w *work) children() (list []child, err error) {
	for i := range w.table.ForeignKeys {
		if f := &w.table.ForeignKeys[i]; w.isOwn(f) {
			own, err := w.open(f.Database, f.Table)
			if err != nil {
				return nil, err
			}
			list = append(list, child{own, f})
		}
	}
	for _, r := range w.table.Referrers {
		other, err := w.open(r.Database, r.Table)
		if database.KindOf(err) == database.KindNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if f, ok := other.table.ForeignKey(r.Name); ok && f.RefersTo(w.table.Database, w.table.Name) {
			list = append(list, child{other, f})
		}
	}
	return list, nil
}

// tellChildren does what foreign keys say about the rows that refer to one which was deleted, or which has other values
// now. Errors: fault.Referred.
func (w *work) tellChildren(ctx context.Context, p *pendingRow) error {
	now := p.row
	switch {
	case p.op == database.OpDelete:
		now = p.becomes
	case p.replaces:
		now = nil
	}
	children, err := w.children()
	marked := false
	for i := 0; i < len(children) && err == nil; i++ {
		c := &children[i]
		before := cellsOf(p.old, w.names, c.key.References, c.key.Columns)
		if before == nil || now != nil && sameCells(before, cellsOf(now, w.names, c.key.References, c.key.Columns)) {
			continue
		}
		if !marked {
			if _, err := w.mark(ctx, p.old, false); err != nil {
				return err
			}
			marked = true
		}
		c.removed = w.removed
		err = c.follow(ctx, before, now, w.names)
		w.removed = c.removed
	}
	return err
}

// follow does what the foreign key says about the rows with values that are gone; now is the row that has others
// instead, nil if it is gone as a whole.
func (c *child) follow(ctx context.Context, gone []cell, now value.Row, names value.Names) error {
	action := c.key.OnDelete
	if now != nil {
		action = c.key.OnUpdate
	}
	rows, err := c.rows(ctx, gone, action == "" || action == "NO ACTION")
	for again := len(rows) > 0; again && err == nil; {
		if again, err = c.holdRows(ctx, rows); again && err == nil {
			rows, err = c.rows(ctx, gone, false)
		}
	}
	if err != nil || len(rows) == 0 {
		return err
	}
	if now != nil && c.isOwn(c.key) {
		action = "" // as in MySQL: rows that the statement itself has read would change under it
	}
	if action == "" || action == "NO ACTION" {
		return fault.New(fault.Referred, constraintText(c.table, c.key))
	}
	if c.depth++; c.depth > cascadeDepthMax {
		return fault.New(fault.CascadeDepth, cascadeDepthMax)
	}
	if action == "CASCADE" && now == nil {
		for _, row := range rows {
			if err := c.write(ctx, &pendingRow{old: row, row: row, op: database.OpDelete}); err != nil {
				return err
			}
		}
		return nil
	}
	next := make([]cell, len(gone)) // SET NULL
	for i := range gone {
		next[i].name = gone[i].name
	}
	if action == "CASCADE" {
		if values := cellsOf(now, names, c.key.References, c.key.Columns); values != nil {
			next = values
		}
	}
	return c.assign(ctx, rows, next)
}

// assign gives rows other values in the columns of the foreign key.
func (c *child) assign(ctx context.Context, rows []value.Row, next []cell) error {
	t, err := targetOf(c.table, Options{})
	if err != nil {
		return err
	}
	c.stepwise = true
	for _, old := range rows {
		row, err := merge(&c.builder, c.names, old, next)
		if err != nil {
			return err
		}
		row, more, err := t.settle(c.work, old, row, next, 1)
		if err != nil {
			return err
		}
		p := pendingRow{old: old, row: row, op: database.OpPut,
			written: append(c.cellNames(next), c.cellNames(more)...), follows: c.key}
		if err := t.putAt(ctx, c.work, p); err != nil {
			return err
		}
	}
	return nil
}

// rows finds those with values in the columns of the foreign key. one is for looking whether there is any.
func (c *child) rows(ctx context.Context, values []cell, one bool) (rows []value.Row, err error) {
	conditions := make([]expr.Condition, len(values))
	for i := range values {
		conditions[i] = govalue.Attribute(string(values[i].name)).Equal(values[i].value)
	}
	cursor, err := c.tx.View().Query(database.OwnWork(ctx), c.call.Pin,
		database.Query{AnyIndex: true, Where: govalue.All(conditions...), Fetch: true})
	if err != nil {
		return nil, err
	}
	defer cursor.Close()
	most := c.call.Limits.withDefaults().BytesMax
	for cursor.Next() {
		row := bytes.Clone(cursor.Row())
		if rows = append(rows, row); one {
			return rows, nil
		}
		if c.removed += len(row); c.removed > most {
			return nil, fault.Message(fault.Refused,
				"foreign keys would change more than %d bytes of rows (statement_bytes_max): change fewer rows at once",
				most)
		}
	}
	return rows, cursor.Close()
}

// Verify reports whether all rows of a table keep a foreign key or a check of it. Errors: fault.NoParent,
// fault.CheckViolated.
func Verify(ctx context.Context, db *database.DB, table tree.Name, name string) error {
	return eachRow(ctx, db, table, func(w *work) (func(row value.Row) error, error) { return w.judge(ctx, name) })
}

// eachRow hands each row of a table to the function that begin returns, in a transaction.
func eachRow(ctx context.Context, db *database.DB, table tree.Name,
	begin func(w *work) (use func(row value.Row) error, err error)) error {
	return db.Update(ctx, func(tx *database.Tx) error {
		w, err := (&work{tx: tx, call: &Call{DB: db, Context: &evaluate.Context{}}}).open(table.Database, table.Name)
		if err != nil {
			return err
		}
		use, err := begin(w)
		if err != nil {
			return err
		}
		cursor, err := tx.View().Query(database.OwnWork(ctx), w.call.Pin, database.Query{})
		if err != nil {
			return err
		}
		for err == nil && cursor.Next() {
			err = use(cursor.Row())
		}
		return errors.Join(err, cursor.Close())
	})
}

// judge reports whether a row keeps a constraint.
func (w *work) judge(ctx context.Context, name string) (func(value.Row) error, error) {
	f, ok := w.table.ForeignKey(name)
	if !ok {
		r, err := rulesOf(w.table)
		if err != nil || r == nil {
			return func(value.Row) error { return nil }, err
		}
		r.checks = slices.DeleteFunc(r.checks, func(c check) bool { return c.name != name })
		return func(row value.Row) error { return r.check(w, row) }, nil
	}
	parent, err := w.parent(f)
	if err != nil {
		return nil, err
	}
	return func(row value.Row) error {
		wanted := cellsOf(row, w.names, f.Columns, f.References)
		if wanted == nil {
			return nil
		}
		_, there, err := parent.rowWith(ctx, f, wanted)
		if err == nil && !there {
			err = fault.New(fault.NoParent, constraintText(w.table, f))
		}
		return err
	}, nil
}
