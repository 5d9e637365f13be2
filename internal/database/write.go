// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/files/ingest"
	"github.com/weftdb/weft/internal/rows/change"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Op is the kind of a Write.
type Op = change.Op

// The operations.
const (
	OpPut    = change.OpPut    // replaces the item by Row
	OpUpdate = change.OpUpdate // applies Update to the item, or to one made of its key alone
	OpDelete = change.OpDelete // removes the item; an absent one is no error
	OpCheck  = change.OpCheck  // writes nothing: only Condition counts
)

type (
	// Write is one conditional write of one item.
	Write = change.Write
	// WriteResult is the result of a Write. Old and New are the caller's. After a failed condition Old is set if
	// NeedOld was.
	WriteResult = change.Result

	scratch = change.Scratch
)

// Errors that are wrapped by those of writes.
var (
	// ErrConditionFailed is the cause where the condition was false.
	ErrConditionFailed = change.ErrConditionFailed
	// ErrNoCells is the cause where a write or a Query speaks of the times of cells to a table without CellRules.
	ErrNoCells = change.ErrNoCells
	// ErrHeld is the cause where the rows of the table are being copied into the one that will take its place.
	ErrHeld = change.ErrHeld
)

// apply does one write inside txn, whose snapshot shows the item; the item's latch is held or conflicts are retried.
func (p Pinned) apply(ctx context.Context, txn kv.Txn, key []byte, w *Write, r *WriteResult, s *scratch) error {
	if err := p.db.guard.Write(ctx, p.table, key, w); err != nil {
		return err
	}
	if p.table.Journaled() {
		p.db.changes.Stir()
	}
	return p.target().Apply(ctx, txn, key, w, r, s)
}

func (p Pinned) target() change.Target {
	return change.Target{Table: p.table, Names: p.version.Names, Now: p.db.now}
}

// Loading is the table as the loads of many rows see it that `weft import` makes.
func (p Pinned) Loading() *ingest.Table {
	return &ingest.Table{Target: p.target(), Store: p.db.store, Admin: p.db.admin, Regions: p.db.regions}
}

// Write does one write. It waits for other writers of the same item and never fails because of them; those that wait at
// the same time may be committed together, one on top of the other. Errors: KindConditionFailed, KindInvalid,
// KindTooLarge, KindReadOnly, KindUnknownOutcome.
func (p Pinned) Write(ctx context.Context, w *Write, r *WriteResult) error {
	s := p.db.scratch.Get().(*scratch)
	err := p.writeLatched(ctx, w, r, s)
	p.db.scratch.Put(s) // not after a panic, when it may still be in use
	return wrap(p.name(), err)
}

func (p Pinned) writeLatched(ctx context.Context, w *Write, r *WriteResult, s *scratch) (err error) {
	if s.Key, err = p.writeKey(s.Key[:0], w); err != nil {
		return err
	}
	var held record.Held
	if err = record.ErrLatchWait; !p.db.crowds.rivals.Has(s.Key) {
		held, err = p.db.latches.LockWithin(ctx, -1, s.Key)
	}
	switch {
	case !errors.Is(err, record.ErrLatchWait):
	case p.mayJoin(ctx, w):
		return p.writeTogether(ctx, s.Key, w, r, s)
	default:
		held, err = p.db.latches.LockWithin(ctx, p.db.options.LockWait, s.Key)
	}
	if err != nil {
		return err
	}
	defer held.Unlock()
	return p.db.updateItem(ctx, s.Key, func(txn kv.Txn) error { return p.apply(ctx, txn, s.Key, w, r, s) })
}

// TableWrite is a Write to one of several tables.
type TableWrite struct {
	Table Pinned
	Write
	Result WriteResult
}

// WriteAll does several writes of different items in one commit: all of them, or none. failed is the position of the
// write that the error is about, or -1. Errors: as Write; KindInvalid if two writes name one item.
func (db *DB) WriteAll(ctx context.Context, writes []TableWrite) (failed int, err error) {
	keys, failed, err := writeKeys(writes)
	if err != nil {
		return failed, err
	}
	err = db.updateLatched(ctx, keys, func(txn kv.Txn, s *scratch) error {
		failed = -1
		if err := prefetch(ctx, txn, writes, keys); err != nil {
			return err
		}
		for i := range writes {
			if err := writes[i].do(ctx, txn, keys[i], s); err != nil {
				failed = i
				return err
			}
		}
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

// AppendItemKey appends the encoded key of the item that a write is about: two writes of one table are about the same
// item if it is the same. Errors: those of the key, KindInvalid.
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
