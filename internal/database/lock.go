// SPDX-License-Identifier: Apache-2.0

package database

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/readings"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Why a transaction could not have an item, in an Error of KindConflict or KindTooLarge.
var (
	// ErrLockWait: another transaction holds the item and did not end in time.
	ErrLockWait = record.ErrLatchWait
	// ErrDeadlock: transactions wait for one another's items. This one should be rolled back, so that the others go on.
	ErrDeadlock = record.ErrDeadlock
	// ErrManyLocks: the transaction holds LocksMax items.
	ErrManyLocks = record.ErrManyLatches
)

// lockWaitDefault is Options.LockWait's: shorter than most clients wait for an answer.
const lockWaitDefault = 5 * time.Second

// LocksMax is the number of items a transaction with TxOptions.Locks can hold, and LockBytes about what each costs
// until it ends.
const (
	LocksMax  = record.TakenMax
	LockBytes = record.TakenBytes
)

// TxOptions say how a transaction meets others. The zero value waits for nobody until it commits, and then without a
// limit.
type TxOptions struct {
	// Locks makes the transaction hold each item that it writes or guards from that moment to its end: other writers
	// wait, instead of one of the two failing.
	Locks bool
	// Wait is the time it waits for another writer of an item; 0: without a limit.
	Wait time.Duration
	// Serializable makes the transaction as if no other serializable one ran beside it: the commit fails if what it has
	// read is not what it would read then. It reads one snapshot to its end. Not over a store that several processes
	// share.
	Serializable bool
}

// BeginWith is Begin with options.
func (db *DB) BeginWith(ctx context.Context, o TxOptions) (*Tx, error) {
	if o.Serializable && !db.Serializes() {
		return nil, invalid("", "several processes share the store: it has no serializable transactions")
	}
	if err := db.errClosed(); err != nil {
		return nil, err
	}
	generation := db.catalog.Generation()
	txn, err := db.store.Begin(ctx)
	if err != nil {
		return nil, wrap("", err)
	}
	var noted *readings.Readings
	if o.Serializable {
		noted = readings.New(txn)
		txn = noted
	}
	tx := db.newTx(txn, db.latches.Claim(o.Wait).Name(ctx), generation)
	tx.locks, tx.noted = o.Locks, noted
	if o.Locks {
		tx.changes, _ = kv.RenewerOf(txn)
	}
	if !o.Serializable {
		tx.renewer = tx.changes
	}
	return tx, nil
}

// Locks reports whether the transaction holds items from when it writes or guards them.
func (tx *Tx) Locks() bool { return tx.locks }

// SetLockWait changes for how long the transaction waits for another writer of an item; 0: without a limit.
func (tx *Tx) SetLockWait(wait time.Duration) { tx.claim.SetWait(wait) }

// HeldItems is the number of items the transaction holds.
func (tx *Tx) HeldItems() int { return tx.claim.Taken() }

// Renew makes the transaction read the latest commits with its own writes on top, until Return: what a writer needs
// that has waited for another one. It does nothing without Locks, and over a store that can't; the commit then fails if
// an item that it writes was changed since the snapshot. No cursor may be open.
func (tx *Tx) Renew(ctx context.Context) error {
	if tx.renewer == nil {
		return nil
	}
	tx.view.atMS.Store(0)
	return wrap("", tx.renewer.Renew(ctx))
}

// Return makes the transaction read its own snapshot again. No cursor may be open.
func (tx *Tx) Return() {
	if tx.renewer != nil {
		tx.renewer.Return()
	}
}

// HoldMode says how a transaction holds an item. The zero value waits for others, and holds it alone.
type HoldMode struct {
	// Shared lets other transactions hold the item, too, if they do so with Shared: none writes it then. Whoever writes
	// it later waits for the others.
	Shared bool
	// Now is for not waiting.
	Now bool
}

// Hold holds the item with a key of AppendItemKey from now to the transaction's end. changed says that another
// transaction may have changed the item after what this one reads now: Renew shows it. Errors: ErrLockWait,
// ErrDeadlock, ErrManyLocks; ctx's. It does nothing without Locks.
func (tx *Tx) Hold(ctx context.Context, key []byte, h HoldMode) (changed bool, err error) {
	if !tx.locks {
		return false, nil
	}
	changed, err = tx.hold(ctx, key, h)
	return changed, wrap("", err)
}

func (tx *Tx) hold(ctx context.Context, key []byte, h HoldMode) (changed bool, err error) {
	fresh, err := tx.claim.Take(ctx, key, h.Shared, h.Now)
	if err != nil || !fresh || tx.changes == nil || !tx.changes.Changed(key) {
		return false, err
	}
	if tx.noted != nil {
		return true, &kv.ConflictError{Key: bytes.Clone(key)} // its snapshot is the one that it stays with
	}
	return true, nil
}

// Holds reports whether the transaction holds the item with a key of AppendItemKey; alone, if not shared.
func (tx *Tx) Holds(key []byte, shared bool) bool { return tx.locks && tx.claim.Has(key, shared) }

// take is hold for an item that was read already: a change since is a conflict.
func (tx *Tx) take(ctx context.Context, key []byte, shared bool) error {
	changed, err := tx.hold(ctx, key, HoldMode{Shared: shared})
	if err == nil && changed {
		err = &kv.ConflictError{Key: bytes.Clone(key)}
	}
	return err
}

// prepare makes sure that an item may be written.
func (tx *Tx) prepare(ctx context.Context, p Pinned, key []byte, w *Write) error {
	if !tx.locks {
		tx.claim.Add(key)
		return nil
	}
	if err := tx.take(ctx, key, false); err != nil {
		return err
	}
	if w.Op == OpPut && p.table.HasUnique() {
		if err := tx.takeUnique(ctx, p, key, w.Row); err != nil {
			return err
		}
	}
	if tx.renewer == nil || !tx.renewer.Hides(key) {
		return nil
	}
	return tx.uncover(ctx, p, key)
}

// takeUnique holds what an item adds to unique indexes, and reads what others have added meanwhile.
func (tx *Tx) takeUnique(ctx context.Context, p Pinned, key []byte, row value.Row) error {
	old, _, err := p.table.Get(ctx, tx.txn, key, nil)
	if err != nil {
		return err
	}
	added, err := p.table.AddedKeys(nil, old, row)
	for i := 0; i < len(added) && err == nil; i++ {
		var changed bool
		if changed, err = tx.hold(ctx, added[i], HoldMode{}); changed && err == nil {
			err = tx.Renew(ctx)
		}
	}
	return err
}

// uncover writes the index entries of an item as they are, if the transaction's own snapshot has others: what the
// transaction is about to write shows in its snapshot, and so must its entries. The item is held, so that they stay
// what they are.
func (tx *Tx) uncover(ctx context.Context, p Pinned, key []byte) error {
	before, was, err := tx.renewer.Before(ctx, key, nil)
	if err != nil {
		return err
	}
	if !was {
		before = nil
	}
	now, _, err := p.table.Get(ctx, tx.txn, key, nil)
	if err != nil {
		return err
	}
	return p.table.Reindex(tx.undo.Writes(ctx, tx.txn), slices.Clone(key), before, now)
}

// Waits adds up for how long a caller has waited for items that others held.
type Waits = record.Waits

// Wait is an item that is waited for.
type Wait = record.Wait

// Waits returns who waits for an item in this process now, and the items that were waited for since it began. See
// record.Latches.Waits.
func (db *DB) Waits() (now, since []Wait) { return db.latches.Waits(db.catalog.Schema) }
