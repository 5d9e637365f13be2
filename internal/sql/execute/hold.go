// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
)

// locks reports whether the rows are held or guarded: what others write to them waits, or makes the commit fail.
func (r *runner) locks() bool { return r.request.Statement.ForUpdate && r.request.Tx != nil }

// hold holds the rows that the statement will show, before it shows the first one, and makes it read what is latest of
// them. A transaction that holds no rows guards them as they are shown.
func (r *runner) hold(ctx context.Context) error {
	tx := r.request.Tx
	if !tx.Locks() {
		if r.request.Statement.SkipLocked {
			return &fault.Error{Code: fault.NotSupported, State: fault.NotSupported.State(),
				Message: "SKIP LOCKED needs transactions that hold rows: SET weft_conflicts = 'wait'"}
		}
		return nil
	}
	if r.output.full() {
		return nil
	}
	if point := r.access.Point; point != nil {
		if _, err := r.holdOne(ctx, point); err != nil && !errors.Is(err, errSkipped) {
			return err
		}
		return tx.Renew(ctx)
	}
	for again := true; again; { // until all are held and nobody changed one in between
		if err := tx.Renew(ctx); err != nil {
			return err
		}
		var err error
		if again, err = r.holdFound(ctx); err != nil {
			return err
		}
	}
	return nil
}

// holdFound holds the rows that are found now.
func (r *runner) holdFound(ctx context.Context) (again bool, err error) {
	request := r.request
	if err := r.rows.open(ctx, request.View, request.Statement.Source, &request.Execution, &r.access); err != nil {
		return false, err
	}
	for left := r.rowsToShow(); left != 0 && r.rows.Next(); {
		held, changed := false, false
		if held, changed, err = r.holdItem(ctx); err != nil {
			break
		}
		if held {
			left--
		}
		again = again || changed
		request.Context.Reset()
	}
	if closed := r.rows.Close(); err == nil {
		err = closed
	}
	return again, err
}

// rowsToShow is the number of the rows that are found will be shown or skipped; negative: all, or it is not known.
func (r *runner) rowsToShow() int {
	s, o := r.request.Statement, &r.output
	if s.Groups != nil || s.Having != nil || o.sorter != nil || o.distinct != nil || o.left < 0 {
		return -1
	}
	return o.skip + o.left
}

// holdItem holds the row at hand, unless SKIP LOCKED passes over it.
func (r *runner) holdItem(ctx context.Context) (held, changed bool, err error) {
	item, err := r.request.Pinned.KeyOf(r.lockKey[:0], r.rows.item)
	if err != nil {
		return false, false, err
	}
	r.lockKey = item
	changed, err = r.holdOne(ctx, item)
	if errors.Is(err, errSkipped) {
		return false, false, nil
	}
	return err == nil, changed, err
}

// errSkipped is about a row that another transaction holds, in a statement with SKIP LOCKED.
var errSkipped = errors.New("execute: another transaction holds the row")

// holdOne holds an item by its key attributes.
func (r *runner) holdOne(ctx context.Context, item value.Row) (changed bool, err error) {
	s, tx := r.request.Statement, r.request.Tx
	key, err := r.request.Pinned.AppendItemKey(nil, &database.Write{Op: database.OpDelete, Row: item})
	if err != nil {
		return false, nil // a key that can't be belongs to no row
	}
	before := tx.HeldItems()
	changed, err = tx.Hold(ctx, key, database.HoldMode{Shared: s.ForShare, Now: s.NoWait || s.SkipLocked})
	switch {
	case errors.Is(err, database.ErrLockWait) && s.SkipLocked:
		return false, errSkipped
	case errors.Is(err, database.ErrLockWait) && s.NoWait:
		return false, fault.Because(err, fault.NotAtOnce)
	case err != nil:
		return false, err
	}
	if more := tx.HeldItems() - before; r.request.Kept != nil && !r.request.Kept.Grow(int64(more)*database.LockBytes) {
		return false, fault.New(fault.OutOfResources,
			"not enough memory for the rows that this transaction locks (--sql-memory): lock fewer at once, commit sooner, or try again later")
	}
	return changed, nil
}

// lockPoint guards the only row that can match, be it there or not.
func (r *runner) lockPoint(ctx context.Context) error {
	if !r.locks() || r.access.Point == nil || r.skipsLocked(r.access.Point) {
		return nil
	}
	return r.request.Tx.Lock(ctx, r.request.Pinned, r.access.Point, r.request.Statement.ForShare)
}

// lock guards the row at hand. skip says that another transaction holds it and the statement passes over such rows.
func (r *runner) lock(ctx context.Context) (skip bool, err error) {
	key, err := r.request.Pinned.KeyOf(r.lockKey[:0], r.rows.item)
	if err != nil {
		return false, err
	}
	r.lockKey = key
	if r.skipsLocked(key) {
		return true, nil
	}
	return false, r.request.Tx.Lock(ctx, r.request.Pinned, key, r.request.Statement.ForShare)
}

// skipsLocked reports whether SKIP LOCKED leaves an item out.
func (r *runner) skipsLocked(item value.Row) bool {
	if !r.request.Statement.SkipLocked {
		return false
	}
	key, err := r.request.Pinned.AppendItemKey(nil, &database.Write{Op: database.OpDelete, Row: item})
	return err == nil && !r.request.Tx.Holds(key, r.request.Statement.ForShare)
}
