// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/database"
)

// Tx is a transaction: what is written through its tables happens at once, at its commit, or not at all. It reads
// one snapshot with its own writes. Items that Table.Get reads are guarded: the commit fails if another transaction
// has changed one. Queries are not guarded. It is used by one goroutine.
type Tx struct {
	db    *DB
	tx    *database.Tx
	walks int  // cursors that are open
	ended bool // nothing can be done with it any more
}

// transactionKey is the key of the context in which a transaction of a DB runs.
type transactionKey struct{ db *DB }

// Update runs fn in a transaction and commits it, again from the start if other writers won in between. fn must not
// have effects elsewhere that may not happen twice. It writes through tx alone: with fn's ctx, a write through a
// table of the DB is refused. With the ctx from outside it can't be told from one of another goroutine, and is a
// commit of its own, which stays if the transaction fails: name fn's parameter ctx too, so that it hides the other.
// Errors: fn's; KindConflict if writers in other processes won too often;
// KindUnknownOutcome.
func (db *DB) Update(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	if err := db.outside(ctx, "another Update"); err != nil {
		return err
	}
	within := context.WithValue(ctx, transactionKey{db}, true)
	var own error // fn's
	err := db.db.Update(ctx, func(in *database.Tx) error {
		tx := &Tx{db: db, tx: in}
		defer func() { tx.ended = true }()
		own = fn(within, tx)
		return own
	})
	if own != nil && errors.Is(err, own) {
		return own
	}
	return public(err)
}

// Begin starts a transaction without retry: Commit may fail with KindConflict. It must end in Commit or Rollback,
// soon: changes of the tables that it uses wait for it.
func (db *DB) Begin(ctx context.Context) (*Tx, error) {
	in, err := db.db.Begin(ctx)
	if err != nil {
		return nil, public(err)
	}
	return &Tx{db: db, tx: in}, nil
}

// outside refuses what would wait for the transaction in whose context it is called.
func (db *DB) outside(ctx context.Context, what string) error {
	if ctx.Value(transactionKey{db}) != nil {
		return invalid("", what+" inside Update would wait for the transaction around it: do it before or after")
	}
	return nil
}

// mayWrite refuses a write past the transaction in whose context it is called, and one to what a cursor of the
// transaction walks over.
func (t *Table) mayWrite(ctx context.Context) error {
	if err := t.attached(); err != nil {
		return err
	}
	switch {
	case t.tx == nil && ctx.Value(transactionKey{t.db}) != nil:
		return invalid(t.Name(), "use tx.Table inside Update: this write would not be part of the transaction")
	case t.tx != nil && t.tx.walks > 0:
		return invalid(t.Name(), "a query of the transaction is still open: collect what it finds, and write then")
	}
	return nil
}

// Table returns a table of the default database as the transaction sees it: see DB.Table.
func (tx *Tx) Table(name string) *Table { return tx.TableIn("", name) }

// TableIn is Table for any database; "" is the default one.
func (tx *Tx) TableIn(database, name string) *Table {
	t := tx.db.TableIn(database, name)
	t.tx = tx
	return t
}

// Savepoint makes a place that RollbackTo goes back to, and returns its number: how many there were. With
// savepoints, each write costs one more read.
func (tx *Tx) Savepoint() int { return tx.tx.Savepoint() }

// RollbackTo takes back what was written since savepoint n, which stays; later ones are gone. What was written or
// guarded still counts for conflicts. Errors: KindInvalid if there is no such savepoint, or the transaction has ended.
// After another one nothing but Rollback is left.
func (tx *Tx) RollbackTo(n int) error {
	if tx.ended {
		return invalid("", "the transaction has ended")
	}
	return public(tx.tx.RollbackTo(n))
}

// Commit ends a transaction made by Begin. It waits for other writers of its items. Errors: KindConflict,
// KindTooLarge, KindReadOnly, KindUnknownOutcome; KindInvalid once the transaction has ended.
func (tx *Tx) Commit(ctx context.Context) error {
	if tx.ended {
		return invalid("", "the transaction has ended")
	}
	tx.ended = true
	return public(tx.tx.Commit(ctx))
}

// Rollback drops a transaction made by Begin. After Commit it does nothing.
func (tx *Tx) Rollback() {
	tx.ended = true
	tx.tx.Rollback()
}
