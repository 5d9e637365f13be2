// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"cmp"
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql/fault"
)

// locks reports whether the rows are held or guarded: what others write to them waits, or makes the commit fail.
func (r *reader) locks() bool { return r.locking.ForUpdate && r.tx != nil }

// hold holds the rows that the statement will show, before it shows the first one, and makes it read what is latest of
// them. Those are the first most that are found; negative: all. A transaction that holds no rows guards them as they
// are shown.
func (r *reader) hold(ctx context.Context, most int) error {
	tx := r.tx
	if !tx.Locks() {
		if r.locking.SkipLocked {
			return &fault.Error{Code: fault.NotSupported, State: fault.NotSupported.State(),
				Message: "SKIP LOCKED needs transactions that hold rows: SET weft_conflicts = 'wait'"}
		}
		return nil
	}
	if most == 0 {
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
		if again, err = r.holdFound(ctx, most); err != nil {
			return err
		}
	}
	return nil
}

// holdFound holds the rows that are found now.
func (r *reader) holdFound(ctx context.Context, most int) (again bool, err error) {
	if err := r.open(ctx); err != nil {
		return false, err
	}
	for left := most; left != 0 && r.rows.Next(); {
		held, changed := false, false
		if held, changed, err = r.holdItem(ctx); err != nil {
			break
		}
		if held {
			left--
		}
		again = again || changed
		r.x.Context.Reset()
	}
	err = cmp.Or(err, r.rows.Close())
	return again, err
}

// holdItem holds the row at hand, unless SKIP LOCKED passes over it.
func (r *reader) holdItem(ctx context.Context) (held, changed bool, err error) {
	item, err := r.x.Pinned.KeyOf(r.lockKey[:0], r.rows.item)
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
func (r *reader) holdOne(ctx context.Context, item value.Row) (changed bool, err error) {
	tx := r.tx
	key, err := r.x.Pinned.AppendItemKey(nil, &database.Write{Op: database.OpDelete, Row: item})
	if err != nil {
		return false, nil // a key that can't be belongs to no row
	}
	before := tx.HeldItems()
	changed, err = tx.Hold(ctx, key,
		database.HoldMode{Shared: r.locking.ForShare, Now: r.locking.NoWait || r.locking.SkipLocked})
	switch {
	case errors.Is(err, database.ErrLockWait) && r.locking.SkipLocked:
		return false, errSkipped
	case errors.Is(err, database.ErrLockWait) && r.locking.NoWait:
		return false, fault.Because(err, fault.NotAtOnce)
	case err != nil:
		return false, err
	}
	if more := tx.HeldItems() - before; r.kept != nil && !r.kept.Grow(int64(more)*database.LockBytes) {
		return false, fault.New(fault.OutOfResources,
			"not enough memory for the rows that this transaction locks (--sql-memory): lock fewer at once, commit sooner, or try again later")
	}
	return changed, nil
}

// lockPoint guards the only row that can match, be it there or not.
func (r *reader) lockPoint(ctx context.Context) error {
	if !r.locks() || r.access.Point == nil || r.skipsLocked(r.access.Point) {
		return nil
	}
	return r.tx.Lock(ctx, r.x.Pinned, r.access.Point, r.locking.ForShare)
}

// lock guards the row at hand. skip says that another transaction holds it and the statement passes over such rows.
func (r *reader) lock(ctx context.Context) (skip bool, err error) {
	key, err := r.x.Pinned.KeyOf(r.lockKey[:0], r.rows.item)
	if err != nil {
		return false, err
	}
	r.lockKey = key
	if r.skipsLocked(key) {
		return true, nil
	}
	return false, r.tx.Lock(ctx, r.x.Pinned, key, r.locking.ForShare)
}

// skipsLocked reports whether SKIP LOCKED leaves an item out.
func (r *reader) skipsLocked(item value.Row) bool {
	if !r.locking.SkipLocked {
		return false
	}
	key, err := r.x.Pinned.AppendItemKey(nil, &database.Write{Op: database.OpDelete, Row: item})
	return err == nil && !r.tx.Holds(key, r.locking.ForShare)
}
