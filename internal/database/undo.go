// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/history/tablecopy"
	"github.com/weftdb/weft/internal/history/undo"
	"github.com/weftdb/weft/kv"
)

// undo takes back the changes of a table, and returns how many. It looks whether they are all there at the snapshot in
// which it reads them. Errors: ErrNotRestorable, undo.ErrFailed, tablecopy.ErrGone.
func (db *DB) undo(ctx context.Context, source uint32, u *undo.Undo) (changes int64, err error) {
	u.Commit = func(ctx context.Context, rows [][]byte, f func(kv.Txn) error) error {
		return db.updateLatched(ctx, rows, func(txn kv.Txn, _ *scratch) error { return f(txn) })
	}
	if err := db.changes.Settle(ctx); err != nil {
		return 0, err
	}
	reader, err := db.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	if err := db.checkKept(ctx, reader, source, u.After); err != nil {
		return 0, err
	}
	for number := range uint8(db.changes.Buckets) {
		if err := u.Bucket(ctx, reader, journal.Bucket{Table: source, Bucket: number}); err != nil {
			return u.Changes(), err
		}
	}
	return u.Changes(), u.Finish(ctx)
}

// checkKept wants all changes of a table after a moment to be in the journal that a snapshot shows. It asks the
// descriptor in the same snapshot: another gateway may have a newer one than this, and have dropped changes.
func (db *DB) checkKept(ctx context.Context, from kv.Snapshot, id uint32, afterMS int64) error {
	stored, ok, err := from.Get(ctx, keyspace.AppendTable(nil, id), nil)
	if err != nil {
		return err
	}
	table := new(schema.Table)
	if ok {
		err = json.Unmarshal(stored, table)
	}
	if err != nil || !ok || table.State == schema.Dropping {
		return errors.Join(tablecopy.ErrGone, err)
	}
	return db.checkRestorable(table, time.UnixMilli(afterMS))
}
