// SPDX-License-Identifier: Apache-2.0

package change

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/kv"
)

// stampMSMax is the latest time that a write can be given, and the longest life. The greatest integer is HBase's word
// for the server's clock.
const stampMSMax = math.MaxInt64 - 1

// applyCells is apply for a table with rules of cells: conditions and updates are about the item as it is seen, and
// what is stored is that with its history.
func (t Target) applyCells(ctx context.Context, txn kv.Txn, key []byte, w *Write, r *Result, s *Scratch) error {
	stored, exists, err := t.Table.Get(looking(ctx, w), txn, key, s.old[:0])
	if err != nil {
		return err
	}
	nowMS, old := t.Now(), value.Row(nil)
	if exists {
		s.old = stored
		if old, err = t.seen(w, stored, nowMS, s); err != nil {
			return err
		}
	}
	if err := t.check(w, r, key, old); err != nil {
		return err
	}
	if w.Op == OpCheck {
		if old != nil {
			r.Change.Before = old.Size()
		}
		return txn.Guard(key)
	}
	cells := t.cellWrite
	if w.Edits != nil {
		cells = t.cellEdits
	}
	change, err := cells(ctx, key, w, stored, old, nowMS, s)
	if err != nil {
		return err
	}
	if change == nil {
		return txn.Guard(key)
	}
	if w.Validate != nil && (old != nil || change.Next != nil) {
		if err := w.Validate(old, change.Next); err != nil {
			return &RefusedError{Err: err}
		}
	}
	next, err := t.Table.Cells.Store(s.next[:0], &s.stored, change, t.Table.Names, t.Table.IsKey, nowMS)
	if ahead, ok := errors.AsType[*cell.AheadError](err); ok {
		return refused("%s", ahead)
	}
	if err != nil {
		return err
	}
	if next != nil {
		s.next = next
	}
	return t.storeCells(txn, key, w, r, stored, old, next, nowMS, s)
}

// seen is the part of an item that readers see, or nil if a write doesn't look at it. It is valid until the scratch is
// used again.
func (t Target) seen(w *Write, stored value.Row, nowMS int64, s *Scratch) (value.Row, error) {
	if w.Edits != nil && !w.NeedOld && w.Condition == nil && w.Validate == nil && w.Op != OpCheck {
		return nil, nil
	}
	old, _, err := t.Table.Visible(s.seen[:0], stored, nowMS)
	if err == nil && len(old) > 0 && &old[0] != &stored[0] {
		s.seen = old
	}
	return old, err
}

// cellWrite says what a write does to the cells of an item; nil if it does nothing.
func (t Target) cellWrite(ctx context.Context, key []byte, w *Write, stored, old value.Row, nowMS int64,
	s *Scratch) (*cell.Write, error) {
	if err := t.checkCells(w); err != nil {
		return nil, err
	}
	if err := t.nameCells(ctx); err != nil {
		return nil, err
	}
	row, err := t.newRow(ctx, key, w, old, s)
	if err != nil || row == nil && w.Op != OpDelete {
		return nil, err
	}
	change := &cell.Write{Stored: stored, Next: row, Keeps: true, Stamp: cell.Stamp{AtMS: w.AtMS, LifeMS: w.LifeMS}}
	if w.AtMS == 0 {
		change.Stamp.AtMS, change.Stamp.Implicit = nowMS, true
	}
	switch w.Op {
	case OpDelete:
		if own, err := t.Table.AppendKey(nil, w.Row); err == nil && bytes.Equal(own, key) {
			change.Key = w.Row
		}
	case OpPut:
		change.Replaces = w.Written == nil
		if w.Written != nil {
			change.Written = t.cellsOf(slices.Values(w.Written))
		}
	default:
		change.Written = t.cellsOf(written(w.Update))
	}
	return change, nil
}

// cellEdits is cellWrite for a write of single cells.
func (t Target) cellEdits(ctx context.Context, _ []byte, w *Write, stored, _ value.Row, nowMS int64,
	_ *Scratch) (*cell.Write, error) {
	if err := t.nameCells(ctx); err != nil {
		return nil, err
	}
	edits, err := w.Edits(stored, nowMS)
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	names := make([]string, 0, len(edits))
	for i := range edits {
		e := &edits[i]
		if e.AtMS < 0 && e.AtMS != cell.Epoch || e.AtMS > stampMSMax || e.LifeMS < 0 || e.LifeMS > stampMSMax {
			return nil, refused("times and lives of cells are from 0 to %d milliseconds", stampMSMax)
		}
		if _, ok := t.Table.Names.ID(e.Name); !ok && e.Kind == cell.PutCell {
			names = append(names, string(e.Name))
		}
	}
	if len(names) > 0 && len(t.Names.All()) < catalog.NamesMax {
		if err := t.Names.Add(ctx, names); err != nil {
			return nil, err
		}
	}
	return &cell.Write{Stored: stored, Key: w.Row, Edits: edits, Stamp: cell.Stamp{AtMS: nowMS, Implicit: true}}, nil
}

// checkCells refuses what a table with rules can't keep.
func (t Target) checkCells(w *Write) error {
	if w.AtMS < 0 || w.AtMS > stampMSMax || w.LifeMS < 0 || w.LifeMS > stampMSMax {
		return refused("times and lives of cells are from 0 to %d milliseconds", stampMSMax)
	}
	for attributes := w.Row.Attributes(t.Table.Names); attributes.Next(); {
		if cell.IsHidden(attributes.Name()) {
			return refused("the attribute name %q is the database's own", attributes.Name())
		}
	}
	if w.Update != nil {
		for name := range written(w.Update) {
			if cell.IsHidden(name) {
				return refused("the attribute name %q is the database's own", name)
			}
		}
	}
	return nil
}

// nameCells gives ids to the names under which histories stand.
func (t Target) nameCells(ctx context.Context) error {
	var unknown []string
	for _, name := range [...]string{cell.History, cell.Due, cell.Existence} {
		if _, ok := t.Table.Names.ID([]byte(name)); !ok {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil || len(t.Names.All()) >= catalog.NamesMax {
		return nil
	}
	return t.Names.Add(ctx, unknown)
}

// written yields the names of the attributes that an update writes; one may come twice.
func written(u *expr.Update) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		paths := func(path *expr.Path) bool { return yield([]byte(path.Name)) }
		for i := range u.Set {
			if !paths(&u.Set[i].Path) {
				return
			}
		}
		for i := range u.Remove {
			if !paths(&u.Remove[i]) {
				return
			}
		}
		for i := range u.Add {
			if !paths(&u.Add[i].Path) {
				return
			}
		}
		for i := range u.Delete {
			if !paths(&u.Delete[i].Path) {
				return
			}
		}
	}
}

// cellsOf returns those of the names that have cells: all but the key's. The list is not nil.
func (t Target) cellsOf(names func(yield func([]byte) bool)) [][]byte {
	list := [][]byte{}
	for name := range names {
		if !t.Table.IsKey(name) {
			list = append(list, name)
		}
	}
	return list
}

// storeCells writes the row and its entries, and reports the outcome.
func (t Target) storeCells(txn kv.Txn, key []byte, w *Write, r *Result, stored, old, next value.Row, nowMS int64,
	s *Scratch) error {
	if w.NeedNew && next != nil {
		visible, ok, err := t.Table.Visible(nil, next, nowMS)
		if err != nil {
			return err
		}
		if ok {
			r.New = slices.Clone(visible)
		}
	}
	if next == nil && stored == nil {
		return txn.Guard(key)
	}
	if err := s.writer.Write(txn, t.Table, key, stored, next); err != nil {
		return err
	}
	r.Change = s.writer.Change
	switch {
	case old != nil:
		r.Change.Before = old.Size()
	case w.Edits == nil:
		r.Change.Before = 0
	}
	r.Change.Indexes = nil
	if w.NeedSizes {
		r.Change.Indexes = slices.Clone(s.writer.Change.Indexes)
	}
	return nil
}
