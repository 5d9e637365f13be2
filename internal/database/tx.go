// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/readings"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Tx is a transaction over any tables: reads of one snapshot and its own writes, committed at once or not at all. Items
// read by Get are guarded: the commit fails if another transaction changed one of them, so transactions that read by
// Get are serializable. Walks (Query) are not guarded. It is used by one goroutine.
type Tx struct {
	db      *DB
	txn     kv.Txn
	claim   *record.Claim     // of the items that are guarded or written
	pins    map[string]Pinned // by database and name
	view    View
	latest  scratch
	undo    record.Undo
	locks   bool               // items are held as soon as they are written or guarded
	renewer kv.Renewer         // nil: it reads one snapshot to its end
	changes kv.Renewer         // tells what others change; nil: nobody can
	noted   *readings.Readings // of a serializable transaction
}

func (db *DB) newTx(txn kv.Txn, claim *record.Claim, generation uint64) *Tx {
	return &Tx{db: db, txn: txn, claim: claim, pins: map[string]Pinned{},
		view: View{db: db, from: txn, generation: generation}}
}

// Update runs fn in a transaction and commits it, again from the start if other writers won meanwhile. The second try
// waits first for other writers of the items that the one before wrote or guarded. fn must not have effects elsewhere
// that may not happen twice, and must not write those items past its transaction: it would wait for itself. Errors:
// fn's; KindConflict if writers in other processes won too often; KindUnknownOutcome.
//
// keys, of AppendItemKey, are of written items that the caller knows beforehand: the first try waits for other writers
// of these already.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error, keys ...[]byte) error {
	return db.UpdateWith(ctx, TxOptions{Wait: db.options.LockWait}, keys, fn)
}

// UpdateWith is Update with options, of which Locks is not looked at. Errors: ErrLockWait, too.
func (db *DB) UpdateWith(ctx context.Context, o TxOptions, keys [][]byte, fn func(*Tx) error) error {
	if o.Serializable {
		return db.updateSerializable(ctx, o.Wait, fn)
	}
	if err := db.errClosed(); err != nil {
		return err
	}
	claim := db.latches.Claim(o.Wait)
	for _, key := range keys {
		claim.Add(key)
	}
	if err := claim.Hold(ctx); err != nil {
		return wrap("", err)
	}
	defer claim.Release()
	generation := db.catalog.Generation()
	return wrap("", kv.Update(ctx, db.store, func(txn kv.Txn) error {
		tx := db.newTx(txn, claim, generation)
		defer tx.release()
		if err := fn(tx); err != nil {
			return err
		}
		return claim.Hold(ctx)
	}))
}

// Begin starts a transaction without retry: Commit may fail with KindConflict. It must end in Commit or Rollback, soon:
// changes of the schema of its tables wait for it.
func (db *DB) Begin(ctx context.Context) (*Tx, error) {
	return db.BeginWith(ctx, TxOptions{Wait: db.options.LockWait})
}

// Commit ends a transaction made by Begin. It waits for other writers of its items. Errors: KindConflict, KindTooLarge,
// KindReadOnly, KindUnknownOutcome.
func (tx *Tx) Commit(ctx context.Context) error {
	defer tx.Rollback()
	if err := tx.claim.Hold(ctx); err != nil {
		return wrap("", err)
	}
	if tx.noted != nil {
		return wrap("", tx.commitSerial(ctx))
	}
	defer tx.db.changes.Stir()
	return wrap("", tx.txn.Commit(ctx))
}

// Rollback drops a transaction made by Begin. After Commit it does nothing.
func (tx *Tx) Rollback() {
	tx.txn.Rollback()
	tx.claim.Release()
	tx.release()
}

func (tx *Tx) release() {
	for name, p := range tx.pins {
		p.Release()
		delete(tx.pins, name)
	}
}

// Savepoint makes a place that RollbackTo goes back to, and returns its number: how many there were. With savepoints,
// writes cost a read more.
func (tx *Tx) Savepoint() int {
	tx.undo.Set()
	return tx.undo.Savepoints() - 1
}

// RollbackTo takes back what was written since savepoint n, which stays; later ones are gone. What was written or
// guarded still counts for conflicts. Errors: KindInvalid if there is no such savepoint. After another one nothing but
// Rollback is left.
func (tx *Tx) RollbackTo(n int) error {
	if n < 0 || n >= tx.undo.Savepoints() {
		return &Error{Kind: KindInvalid, Detail: fmt.Sprintf("there is no savepoint %d", n)}
	}
	return wrap("", tx.undo.Back(tx.txn, n))
}

// ReleaseSavepoint forgets savepoint n and keeps what was written since. Later savepoints move down by one.
func (tx *Tx) ReleaseSavepoint(n int) { tx.undo.Release(n) }

// PinIn returns the version of a table that the transaction works with. The transaction releases it.
func (tx *Tx) PinIn(database, table string) (Pinned, error) {
	name := databaseOr(database) + "\x00" + table
	if p, ok := tx.pins[name]; ok {
		return p.unreleasable(), nil
	}
	p, err := tx.db.PinIn(database, table)
	if err == nil {
		if err = tx.errCopied(p); err != nil {
			p.Release()
			return Pinned{}, err
		}
		tx.pins[name] = p
	}
	return p.unreleasable(), err
}

// Uses reports whether the transaction has pinned a table, and whether it has pinned any.
func (tx *Tx) Uses(database, table string) (it, any bool) {
	_, it = tx.pins[databaseOr(database)+"\x00"+table]
	return it, len(tx.pins) > 0
}

// View returns the transaction as a View: its snapshot with its own writes. It is used by the transaction's goroutine
// and ends with the transaction. Nothing that is read through it is guarded.
func (tx *Tx) View() *View { return &tx.view }

// Prefetch reads the items together, by their keys of AppendItemKey, that the transaction is about to look at one by
// one, where that saves time.
func (tx *Tx) Prefetch(ctx context.Context, keys [][]byte) error {
	return wrap("", kv.Prefetch(ctx, tx.txn, keys))
}

// Lock guards the item with the key attributes in key, be it there or not: the commit fails if another transaction
// changed it. shared is Holding's, where the transaction holds items.
func (tx *Tx) Lock(ctx context.Context, p Pinned, key value.Row, shared bool) error {
	var err error
	if tx.latest.Key, err = p.appendKey(tx.latest.Key[:0], p.table.Primary, key); err != nil {
		return wrap(p.name(), err)
	}
	return wrap(p.name(), tx.guard(ctx, tx.latest.Key, shared))
}

// Mark holds what refers to an item, from now to the transaction's end. A transaction that writes an item that names
// another marks that one, shared, and looks whether it is there; one that takes it away marks it alone and looks what
// names it: the second of two waits, or fails and is tried again. Where transactions hold no items, or several
// processes share the store, nobody shares. renewed says that the transaction has begun to read the latest commits
// because of a mark of another one.
func (tx *Tx) Mark(ctx context.Context, p Pinned, key value.Row, shared bool) (renewed bool, err error) {
	item, err := p.appendKey(nil, p.table.Primary, key)
	if err != nil {
		return false, wrap(p.name(), err)
	}
	mark := append(item, 0) // the key of no item; it is never there, but its deletion is a write
	if !tx.locks {
		tx.claim.Add(mark)
		return false, wrap(p.name(), tx.txn.Delete(mark))
	}
	shared = shared && tx.changes != nil && tx.db.Serializes()
	if renewed, err = tx.hold(ctx, mark, HoldMode{Shared: shared}); renewed && err == nil {
		err = tx.Renew(ctx)
	}
	switch {
	case err != nil:
	case shared:
		err = tx.changes.Touch(mark)
	default:
		err = tx.txn.Delete(mark)
	}
	return renewed, wrap(p.name(), err)
}

// guard makes the commit fail if another transaction changed the item.
func (tx *Tx) guard(ctx context.Context, key []byte, shared bool) error {
	if !tx.locks {
		tx.claim.Add(key)
	} else if err := tx.take(ctx, key, shared); err != nil {
		return err
	}
	return tx.txn.Guard(key)
}

// GetGuarded reads the item with the key attributes in key, and guards it.
func (tx *Tx) GetGuarded(ctx context.Context, p Pinned, key value.Row) (found value.Row, ok bool, err error) {
	stored, err := p.appendKey(nil, p.table.Primary, key)
	if err != nil {
		return nil, false, wrap(p.name(), err)
	}
	if err := p.db.guard.Read(ctx, p.table, stored); err != nil {
		return nil, false, err
	}
	if err := tx.guard(ctx, stored, false); err != nil {
		return nil, false, wrap(p.name(), err)
	}
	found, ok, err = p.table.Get(ctx, tx.txn, stored, nil)
	if ok && err == nil && p.table.Cells != nil {
		found, ok, err = p.visibleRow(nil, found, tx.view.now())
	}
	return found, ok, wrap(p.name(), err)
}

// Write does one write within the transaction.
func (tx *Tx) Write(ctx context.Context, p Pinned, w *Write, r *WriteResult) error {
	key, err := p.writeKey(nil, w)
	if err != nil {
		return wrap(p.name(), err)
	}
	if err := tx.prepare(ctx, p, key, w); err != nil {
		return wrap(p.name(), err)
	}
	err = p.apply(ctx, tx.undo.Writes(ctx, tx.txn), key, w, r, &tx.latest)
	r.Change.Indexes = slices.Clone(r.Change.Indexes)
	return wrap(p.name(), err)
}

// Walk walks a table or index at the transaction's snapshot with its own writes, in the order that q asks for. The
// cursor must be closed before the next write.
func (tx *Tx) Walk(ctx context.Context, p Pinned, q Query) (*Cursor, error) {
	if err := p.inOrder(&q); err != nil {
		return nil, err
	}
	return tx.view.Query(ctx, p, q)
}

// Holder reads the item that has the same key as row in a unique index, as the transaction sees it, appending its bytes
// to dst. ok is false if there is none, and where row lacks a column of the index. Errors: KindNotFound for an index
// that is not there.
func (tx *Tx) Holder(ctx context.Context, p Pinned, index string, row value.Row, dst []byte) (holder value.Row, ok bool,
	err error) {
	x, ok := p.table.Index(index)
	if !ok || !x.Unique {
		return nil, false, &Error{Kind: KindNotFound, Table: p.name(), Detail: "no unique index " + index}
	}
	key, ok, err := p.table.Holder(ctx, tx.txn, x, row)
	if err != nil || !ok {
		return nil, false, wrap(p.name(), err)
	}
	if err := p.db.guard.Read(ctx, p.table, key); err != nil {
		return nil, false, err
	}
	holder, ok, err = p.table.Get(ctx, tx.txn, key, dst)
	return holder, ok, wrap(p.name(), err)
}
