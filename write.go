// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/expr"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/value"
	"github.com/weftdb/weft/kv"
)

// Op is what a Write does.
type Op uint8

// The operations.
const (
	OpPut    Op = iota // replaces the item by Row
	OpUpdate           // applies Update to the item, or to one made of its key alone
	OpDelete           // removes the item; an absent one is no error
	OpCheck            // writes nothing: only Condition counts
)

// Write is one conditional write of one item.
type Write struct {
	Op Op
	// Row is the item (OpPut) or its key attributes, built with the table's Names.
	Row Row
	// Update is the change of OpUpdate. One that does nothing but remove makes no item where there is none.
	Update *Update
	// Condition must be true of the item as it is, absent or not; nil is always true.
	Condition Condition
	// NeedOld and NeedNew ask for copies of the item before and after; NeedSizes for Change even where it costs a read.
	NeedOld, NeedNew, NeedSizes bool
	// Validate, if not nil, sees the item before and after, if there is either, and can refuse the write with its error, which is wrapped in one of KindInvalid.
	Validate func(old, new Row) error
}

// WriteResult is what a Write did. Old and New are the caller's. After a failed condition Old is set if NeedOld was.
type WriteResult struct {
	Old, New Row
	Change   Change
}

// ErrConditionFailed is wrapped by the error of a write whose condition was false.
var ErrConditionFailed = errors.New("the condition is false for the item")

// scratch is the memory that one write needs, reused by later writes.
type scratch struct {
	writer  record.Writer
	builder value.RowBuilder
	key     []byte
	old     []byte
	new     []byte
}

// Write does one write as a commit of its own. It waits for other writers of the same item and never fails because of them.
// Errors: KindConditionFailed, KindInvalid, KindTooLarge, KindReadOnly, KindUnknownOutcome.
func (p Pinned) Write(ctx context.Context, w *Write, r *WriteResult) error {
	s := p.db.scratch.Get().(*scratch)
	defer p.db.scratch.Put(s)
	var err error
	if s.key, err = p.writeKey(s.key[:0], w); err != nil {
		return wrap(p.name(), err)
	}
	held, err := p.db.latches.Lock(ctx, s.key)
	if err != nil {
		return wrap(p.name(), err)
	}
	defer held.Unlock()
	err = kv.Update(ctx, p.db.store, func(txn kv.Txn) error { return p.apply(ctx, txn, s.key, w, r, s) })
	return wrap(p.name(), err)
}

// TableWrite is a Write to one of several tables.
type TableWrite struct {
	Table Pinned
	Write
	Result WriteResult
}

// WriteAll does several writes of different items in one commit: all of them, or none. failed is the position of the write that the error is about,
// or -1. Errors: as Write; KindInvalid if two writes name one item.
func (db *DB) WriteAll(ctx context.Context, writes []TableWrite) (failed int, err error) {
	keys, failed, err := writeKeys(writes)
	if err != nil {
		return failed, err
	}
	err = db.latched(ctx, keys, func(txn kv.Txn, s *scratch) error {
		for i := range writes {
			if err := writes[i].do(ctx, txn, keys[i], s); err != nil {
				failed = i
				return err
			}
		}
		failed = -1
		return nil
	})
	return failed, err
}

func writeKeys(writes []TableWrite) (keys [][]byte, failed int, err error) {
	keys = make([][]byte, len(writes))
	seen := make(map[string]bool, len(writes))
	for i := range writes {
		w := &writes[i]
		if keys[i], err = w.Table.writeKey(nil, &w.Write); err != nil {
			return nil, i, wrap(w.Table.name(), err)
		}
		if seen[string(keys[i])] {
			return nil, i, invalid(w.Table.name(), "two writes of one item in one commit")
		}
		seen[string(keys[i])] = true
	}
	return keys, -1, nil
}

// AppendItemKey appends the encoded key of the item that a write is about: two writes of one table are about the same item if it is the same.
// Errors: those of the key, KindInvalid.
func (p Pinned) AppendItemKey(dst []byte, w *Write) ([]byte, error) {
	key, err := p.writeKey(dst, w)
	return key, wrap(p.name(), err)
}

// writeKey appends the key that a write is about.
func (p Pinned) writeKey(dst []byte, w *Write) ([]byte, error) {
	if w.Op == OpPut {
		return p.table.AppendKey(dst, w.Row)
	}
	return p.appendKey(dst, p.table.Primary, w.Row)
}

// apply does one write inside txn, whose snapshot shows the item; the item's latch is held or conflicts are retried.
func (p Pinned) apply(ctx context.Context, txn kv.Txn, key []byte, w *Write, r *WriteResult, s *scratch) error {
	*r = WriteResult{}
	if p.isBlind(w) {
		return p.writeBlind(ctx, txn, key, w, r, s)
	}
	old, exists, err := p.table.Get(ctx, txn, key, s.old[:0])
	if err != nil {
		return err
	}
	if exists {
		s.old = old
	}
	if err := p.check(w, r, key, old); err != nil {
		return err
	}
	if w.Op == OpCheck {
		if old != nil {
			r.Change.Before = old.Size()
		}
		return txn.Guard(key)
	}
	row, err := p.newRow(ctx, key, w, old, s)
	if err != nil {
		return err
	}
	if w.Validate != nil && (old != nil || row != nil) {
		if err := w.Validate(old, row); err != nil {
			return &Error{Kind: KindInvalid, Table: p.name(), Err: err}
		}
	}
	return p.store(txn, key, w, r, old, row, s)
}

// isBlind says whether a write needs nothing of the item before.
func (p Pinned) isBlind(w *Write) bool {
	return (w.Op == OpPut || w.Op == OpDelete) && len(p.table.Indexes) == 0 &&
		w.Condition == nil && !w.NeedOld && !w.NeedSizes && w.Validate == nil
}

func (p Pinned) writeBlind(ctx context.Context, txn kv.Txn, key []byte, w *Write, r *WriteResult, s *scratch) error {
	if w.Op == OpDelete {
		return txn.Delete(key)
	}
	row, err := p.withNames(ctx, w.Row, s)
	if err == nil {
		err = p.table.CheckColumns(row, nil)
	}
	if err != nil {
		return err
	}
	if w.NeedNew {
		r.New = slices.Clone(row)
	}
	r.Change.After = row.Size()
	return txn.Set(key, row)
}

// check is an error if the condition is false, unless the item that a put has could not be written anyway: that is told first.
func (p Pinned) check(w *Write, r *WriteResult, key []byte, old Row) error {
	if w.NeedOld && old != nil {
		r.Old = slices.Clone(old)
	}
	if w.Condition == nil {
		return nil
	}
	pass, err := expr.Match(w.Condition, expr.Source{Row: old, Names: p.Names()})
	if err != nil {
		return err
	}
	if !pass && w.Op == OpPut {
		if err := p.table.CheckIndexes(key, w.Row); err != nil {
			return err
		}
	}
	if !pass {
		return &Error{Kind: KindConditionFailed, Table: p.name(), Err: ErrConditionFailed}
	}
	return nil
}

// newRow returns the item after the write, nil for none. It may alias w.Row or s.
func (p Pinned) newRow(ctx context.Context, key []byte, w *Write, old Row, s *scratch) (Row, error) {
	switch w.Op {
	case OpDelete:
		return nil, nil
	case OpPut:
		row, err := p.withNames(ctx, w.Row, s)
		if err != nil {
			return nil, err
		}
		return row, p.table.CheckColumns(row, nil)
	}
	if old == nil && w.Update.OnlyRemoves() {
		return nil, nil
	}
	s.builder.Reset(p.Names())
	if old == nil {
		if err := p.beginItem(&s.builder, w.Row); err != nil {
			return nil, err
		}
	}
	if err := w.Update.Apply(expr.Source{Row: old, Names: p.Names()}, &s.builder); err != nil {
		return nil, err
	}
	s.new = s.builder.AppendTo(s.new[:0])
	row, err := p.withNames(ctx, s.new, s)
	if err == nil {
		err = p.table.CheckColumns(row, old)
	}
	if err != nil {
		return nil, err
	}
	return row, p.keepsKey(key, row, s)
}

// beginItem starts a new item with the attributes of its key. Computed parts are no attributes: the update must set what they are computed of, unless
// the key holds that.
func (p Pinned) beginItem(builder *value.RowBuilder, key Row) error {
	visible := p.table.Primary.Visible()
	for i := range visible {
		for j := range visible[i].Args {
			column := []byte(visible[i].Args[j].Column)
			v, ok := key.Get(p.Names(), column)
			if !ok {
				continue
			}
			if err := builder.Set(column, v); err != nil && err != value.ErrDuplicateName {
				return err
			}
		}
	}
	return nil
}

// keepsKey refuses an update that would move the item to another key.
func (p Pinned) keepsKey(key []byte, row Row, s *scratch) error {
	after, err := p.table.AppendKey(nil, row)
	if err != nil {
		return err
	}
	if !slices.Equal(after, key) {
		return invalid(p.name(), "an update can't change attributes of the primary key; delete the item and put the new one")
	}
	return nil
}

func (p Pinned) store(txn kv.Txn, key []byte, w *Write, r *WriteResult, old, row Row, s *scratch) error {
	if w.NeedNew && row != nil {
		r.New = slices.Clone(row)
	}
	if row == nil && old == nil {
		return txn.Guard(key)
	}
	if err := s.writer.Write(txn, p.table, key, old, row); err != nil {
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

// withNames gives ids to attribute names that the table has not seen, and returns the row with them. Once the dictionary knows
// the usual names this only looks through the row.
func (p Pinned) withNames(ctx context.Context, row Row, s *scratch) (Row, error) {
	var unknown []string
	attributes := row.Attributes(p.Names())
	for attributes.Next() {
		if attributes.ID() == 0 {
			unknown = append(unknown, string(attributes.Name()))
		}
	}
	if err := attributes.Err(); err != nil || unknown == nil || len(p.AttributeNames()) >= namesMax {
		return row, err
	}
	if err := p.version.Names.Add(ctx, unknown); err != nil {
		return nil, err
	}
	return value.Rename(nil, row, p.Names(), p.Names())
}
