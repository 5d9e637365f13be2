// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Target is the table to write to.
type Target struct {
	Table *record.Table
	Names *catalog.Names // the table's, to which new names are added
	// Now returns the present in Unix milliseconds, for tables with rules of cells.
	Now func() int64
}

// Scratch is the memory that one write needs, reused by later writes.
type Scratch struct {
	writer  record.Writer
	builder value.RowBuilder
	Key     []byte // for the caller: the row's
	old     []byte
	item    []byte // a new item before its update
	new     []byte
	seen    []byte           // of a table with rules of cells: what readers see of the item before
	stored  value.RowBuilder // makes what is stored of the item after it
	next    []byte           // that
}

// Apply does one write inside txn, whose snapshot shows the item; the item's latch is held or conflicts are retried.
func (t Target) Apply(ctx context.Context, txn kv.Txn, key []byte, w *Write, r *Result, s *Scratch) error {
	*r = Result{}
	if err := t.Table.Err(); err != nil {
		return err
	}
	if t.Table.Schema.Held != "" && w.Op != OpCheck {
		return ErrHeld
	}
	if w.AsStored {
		return t.applyStored(ctx, txn, key, w, r, s)
	}
	if held := &t.Table.Schema.Rules; (held.Puts || held.Deletes) && !w.Judged &&
		(w.Op == OpDelete && held.Deletes || w.Op != OpDelete && w.Op != OpCheck && held.Puts) {
		return &RulesError{Dialect: held.Dialect}
	}
	if rules := t.Table.Cells; rules != nil && !rules.Pending {
		return t.applyCells(ctx, txn, key, w, r, s)
	}
	if w.AtMS != 0 || w.LifeMS != 0 {
		return ErrNoCells
	}
	if t.Table.Cells != nil {
		if err := t.checkCells(w); err != nil {
			return err
		}
	}
	if t.isBlind(w) {
		return t.writeBlind(ctx, txn, key, w, r, s)
	}
	old, exists, err := t.before(ctx, txn, key, w, s)
	if err != nil {
		return err
	}
	if old, err = t.Table.Adapt(ctx, old); err != nil {
		return err
	}
	if t.Table.Cells != nil && exists && t.Table.HasHistory(old) {
		return t.applyCells(ctx, txn, key, w, r, s) // another process, or a version after this one, has begun already
	}
	if err := t.check(w, r, key, old); err != nil {
		return err
	}
	if w.Op == OpCheck {
		return txn.Guard(key)
	}
	row, err := t.newRow(ctx, key, w, old, s)
	if err != nil {
		return err
	}
	if w.Validate != nil && (old != nil || row != nil) {
		if err := w.Validate(old, row); err != nil {
			return &RefusedError{Err: err}
		}
	}
	return t.store(ctx, txn, key, w, r, old, row, s)
}

// before returns the item as the transaction sees it.
func (t Target) before(ctx context.Context, txn kv.Txn, key []byte, w *Write, s *Scratch) (old value.Row, exists bool,
	err error) {
	if w.Known && t.Table.Cells == nil {
		return w.Before, w.Before != nil, nil
	}
	old, exists, err = t.Table.Get(looking(ctx, w), txn, key, s.old[:0])
	if err == nil && exists {
		s.old = old
	}
	return old, exists, err
}

// looking is the context for looking at the item: a look at what is overwritten is no read that somebody asked for.
func looking(ctx context.Context, w *Write) context.Context {
	if w.Op == OpCheck {
		return ctx
	}
	return heat.OwnWork(ctx)
}

// Reads reports whether a write looks at the item before, as a rule.
func (t Target) Reads(w *Write) bool { return !w.AsStored && !w.Known && !t.isBlind(w) }

// isBlind reports whether a write needs nothing of the item before.
func (t Target) isBlind(w *Write) bool {
	return (w.Op == OpPut || w.Op == OpDelete) && len(t.Table.Indexes) == 0 && t.Table.Cells == nil &&
		!t.Table.Journaled() &&
		w.Condition == nil && !w.NeedOld && !w.NeedSizes && w.Validate == nil
}

func (t Target) writeBlind(ctx context.Context, txn kv.Txn, key []byte, w *Write, r *Result, s *Scratch) error {
	if w.Op == OpDelete {
		return txn.Delete(key)
	}
	row, err := t.withNames(ctx, w.Row, s)
	if err == nil {
		err = t.Table.CheckColumns(row, nil)
	}
	// unless it stood there before the column was declared
	if _, misfit := errors.AsType[*record.ColumnTypeError](err); misfit {
		var old []byte
		if old, _, err = t.Table.Get(heat.OwnWork(ctx), txn, key, s.old[:0]); err == nil {
			err = t.Table.CheckColumns(row, old)
		}
	}
	if err != nil {
		return err
	}
	if w.NeedNew {
		r.New = slices.Clone(row)
	}
	r.Change.After = row.Size()
	if err := t.Table.CheckOverwrite(ctx, txn, key); err != nil {
		return err
	}
	return txn.Set(key, row)
}

// check is an error if the condition is false, unless the item that a put has could not be written anyway: that fault
// comes first.
func (t Target) check(w *Write, r *Result, key []byte, old value.Row) error {
	if w.NeedOld && old != nil {
		r.Old = slices.Clone(old)
	}
	if old != nil {
		r.Change.Before = old.Size() // for those who count what a write costs that is refused
	}
	if w.Condition == nil {
		return nil
	}
	pass, err := expr.Match(w.Condition, expr.Source{Row: old, Names: t.Table.Names})
	if err != nil {
		return err
	}
	if !pass && w.Op == OpPut {
		if err := t.Table.CheckIndexes(key, w.Row); err != nil {
			return err
		}
	}
	if !pass {
		return ErrConditionFailed
	}
	return nil
}

// newRow returns the item after the write, nil for none. It may alias w.Row or s.
func (t Target) newRow(ctx context.Context, key []byte, w *Write, old value.Row, s *Scratch) (value.Row, error) {
	switch w.Op {
	case OpDelete:
		return nil, nil
	case OpPut:
		row, err := t.withNames(ctx, w.Row, s)
		if err != nil {
			return nil, err
		}
		return row, t.Table.CheckColumns(row, old)
	}
	if old == nil && w.Update.OnlyRemoves() {
		return nil, nil
	}
	before := old
	if old == nil {
		var err error
		if before, err = t.keyItem(w.Row, s); err != nil {
			return nil, err
		}
	}
	s.builder.Reset(t.Table.Names)
	if err := w.Update.Apply(expr.Source{Row: before, Names: t.Table.Names}, &s.builder); err != nil {
		return nil, err
	}
	s.new = s.builder.AppendTo(s.new[:0])
	row, err := t.withNames(ctx, s.new, s)
	if err == nil {
		err = t.Table.CheckColumns(row, old)
	}
	if err != nil {
		return nil, err
	}
	if old != nil && !t.touchesKey(w.Update) {
		return row, nil
	}
	return row, t.keepsKey(key, row)
}

// touchesKey reports whether an update writes to what the primary key is made of.
func (t Target) touchesKey(u *expr.Update) bool {
	for path := range u.Paths() {
		if t.Table.IsKeyColumn(value.ReadOnly(path.Name)) {
			return true
		}
	}
	return false
}

// keyItem is the new item before its update: the attributes of its key. Computed parts are no attributes: the update
// must set what they are computed of, unless the key holds that.
func (t Target) keyItem(key value.Row, s *Scratch) (value.Row, error) {
	s.builder.Reset(t.Table.Names)
	visible := t.Table.Primary.Visible()
	for i := range visible {
		for j := range visible[i].Args {
			column := []byte(visible[i].Args[j].Column)
			v, ok := key.Get(t.Table.Names, column)
			if !ok {
				continue
			}
			if err := s.builder.Set(column, v); err != nil && err != value.ErrDuplicateName {
				return nil, err
			}
		}
	}
	s.item = s.builder.AppendTo(s.item[:0])
	return s.item, nil
}

// keepsKey refuses an update that would move the item to another key.
func (t Target) keepsKey(key []byte, row value.Row) error {
	after, err := t.Table.AppendKey(nil, row)
	if err != nil {
		return err
	}
	if !slices.Equal(after, key) {
		return refused("an update can't change attributes of the primary key; delete the item and put the new one")
	}
	return nil
}

func (t Target) store(ctx context.Context, txn kv.Txn, key []byte, w *Write, r *Result, old, row value.Row,
	s *Scratch) error {
	if w.NeedNew && row != nil {
		r.New = slices.Clone(row)
	}
	if row == nil && old == nil {
		return txn.Guard(key)
	}
	if err := t.Table.CheckUnique(ctx, txn, key, old, row); err != nil {
		return err
	}
	if err := s.writer.Write(txn, t.Table, key, old, row); err != nil {
		return err
	}
	r.Change = s.writer.Change
	if len(r.Change.Indexes) > 0 && w.NeedSizes {
		r.Change.Indexes = slices.Clone(r.Change.Indexes)
	} else {
		r.Change.Indexes = nil
	}
	return nil
}

// applyStored stores a row as it is.
func (t Target) applyStored(ctx context.Context, txn kv.Txn, key []byte, w *Write, r *Result, s *Scratch) error {
	old, exists, err := t.Table.Get(heat.OwnWork(ctx), txn, key, s.old[:0])
	if err != nil {
		return err
	}
	if exists {
		s.old = old
	} else {
		old = nil
	}
	row, err := t.withNames(ctx, w.Row, s)
	if err != nil {
		return err
	}
	return t.store(ctx, txn, key, w, r, old, row, s)
}

// withNames gives ids to attribute names that the table has not seen, and returns the row with them. Once the
// dictionary knows the usual names this only looks through the row's ids.
func (t Target) withNames(ctx context.Context, row value.Row, s *Scratch) (value.Row, error) {
	var unknown []string
	attributes := row.Attributes(t.Table.Names)
	for attributes.NextID() {
		if attributes.ID() == 0 {
			unknown = append(unknown, string(attributes.Name()))
		}
	}
	if err := attributes.Err(); err != nil || unknown == nil || len(t.Names.All()) >= catalog.NamesMax {
		return row, err
	}
	if err := t.Names.Add(ctx, unknown); err != nil {
		return nil, err
	}
	return value.Rename(nil, row, t.Table.Names, t.Table.Names)
}

func refused(format string, args ...any) error {
	return &RefusedError{Text: fmt.Sprintf(format, args...)}
}
