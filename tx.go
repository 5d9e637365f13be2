// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/database"
)

// Tx is a transaction: what it writes happens at once, at its commit, or not at all. It is used by one goroutine. Tables are named; they are those of the
// default database.
type Tx struct{ tx *database.Tx }

// Get returns the item with the given key and guards it: the commit fails if another transaction changed it.
func (tx *Tx) Get(ctx context.Context, table string, key Document) (item Item, ok bool, err error) {
	found, ok, err := tx.tx.Get(ctx, table, database.Document(key))
	return Item{found}, ok, err
}

// Put stores an item; see Table.Put.
func (tx *Tx) Put(ctx context.Context, table string, item Document, conditions ...Condition) error {
	in, err := faultless(conditions)
	if err != nil {
		return err
	}
	return tx.tx.Put(ctx, table, database.Document(item), in...)
}

// Delete removes an item; see Table.Delete.
func (tx *Tx) Delete(ctx context.Context, table string, key Document, conditions ...Condition) error {
	in, err := faultless(conditions)
	if err != nil {
		return err
	}
	return tx.tx.Delete(ctx, table, database.Document(key), in...)
}

// Change updates an item; see Table.Update.
func (tx *Tx) Change(ctx context.Context, table string, key Document, update Update, conditions ...Condition) error {
	in, err := faultless(conditions)
	if err != nil {
		return err
	}
	change, err := update.internal()
	if err != nil {
		return err
	}
	return tx.tx.Change(ctx, table, database.Document(key), change, in...)
}

// Query walks a table or index at the transaction's snapshot with its own writes. What it reads is not guarded. The cursor must be closed before the next write.
func (tx *Tx) Query(ctx context.Context, table string, q Query) (*Cursor, error) {
	in, err := q.internal()
	if err != nil {
		return nil, err
	}
	c, err := tx.tx.Query(ctx, table, in)
	return cursorOf(c, q.Limit, err)
}

// Savepoint makes a place that RollbackTo goes back to, and returns its number: how many there were. With savepoints, each write costs one more read.
func (tx *Tx) Savepoint() int { return tx.tx.Savepoint() }

// RollbackTo takes back what was written since savepoint n, which stays; later ones are gone. What was written or guarded still counts for conflicts.
// After an error nothing but Rollback is left.
func (tx *Tx) RollbackTo(n int) error { return tx.tx.RollbackTo(n) }

// Commit ends a transaction made by Begin. It waits for other writers of its items. Errors: KindConflict, KindTooLarge, KindReadOnly, KindUnknownOutcome.
func (tx *Tx) Commit(ctx context.Context) error { return tx.tx.Commit(ctx) }

// Rollback drops a transaction made by Begin. After Commit it does nothing.
func (tx *Tx) Rollback() { tx.tx.Rollback() }

// faultless returns conditions, or the fault that one carries.
func faultless(conditions []Condition) ([]expr.Condition, error) {
	in, err := expressions(conditions)
	if err != nil {
		return nil, &database.Error{Kind: database.KindInvalid, Err: err}
	}
	return in, nil
}
