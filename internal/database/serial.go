// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"time"

	"github.com/weftdb/weft/kv"
)

// A serializable transaction notes what it reads. Its commit reads all of it again, from the latest commits, and fails
// if anything differs, be it by a key more or less in a range. From that to its commit no other serializable
// transaction commits, so all of them are as if they had run one after the other, in the order of their commits. One
// that writes nothing has read what the commits before its snapshot left, and needs no look back.

// Serializes reports whether the database has serializable transactions: it has none over a store that several
// processes share.
func (db *DB) Serializes() bool {
	_, shared := kv.SharedOf(db.store)
	return !shared
}

// commitSerial commits a serializable transaction.
func (tx *Tx) commitSerial(ctx context.Context) error {
	if !tx.noted.Writes() {
		return tx.txn.Commit(ctx)
	}
	select {
	case tx.db.serial <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-tx.db.serial }()
	if err := tx.noted.Validate(ctx, tx.db.store); err != nil {
		return err
	}
	return tx.txn.Commit(ctx)
}

// serialTriesMax is the number of tries of updateSerializable.
const serialTriesMax = 64

// updateSerializable is UpdateWith in a serializable transaction.
func (db *DB) updateSerializable(ctx context.Context, wait time.Duration, fn func(*Tx) error) error {
	for try := 1; ; try++ {
		tx, err := db.BeginWith(ctx, TxOptions{Wait: wait, Serializable: true})
		if err != nil {
			return err
		}
		if err = fn(tx); err == nil {
			err = tx.Commit(ctx)
		}
		tx.Rollback()
		if err == nil || KindOf(err) != KindConflict || try == serialTriesMax {
			return err
		}
		select {
		case <-time.After(time.Duration(try) * time.Millisecond):
		case <-ctx.Done():
			return wrap("", ctx.Err())
		}
	}
}
