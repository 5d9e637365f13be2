// SPDX-License-Identifier: Apache-2.0

package database

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/journal"
	"github.com/weftdb/weft/internal/keyspace"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/tablecopy"
	"github.com/weftdb/weft/internal/value"
	"github.com/weftdb/weft/kv"
)

// Bounds of one transaction of a restore. It is small because writers of its rows wait meanwhile.
const (
	undoAtOnce    = 100
	undoBytesOnce = 1 << 20
)

// keptBytesMax bounds the rows that an undo keeps in memory because another row still has their key in a unique index.
const keptBytesMax = 64 << 20

// errUndo is wrapped by errors of an undo that no other attempt would do better.
var errUndo = errors.New("the changes can't be taken back")

// undo takes back the changes of commits after a moment, the last one first, in the table itself or in a copy of it.
//
// A copy may be older than the snapshot in which the changes are read: what was before a change is written whether or not the copy shows the change.
// On a cluster the rows of a bucket are taken back by themselves. So, between the first and the last step, two rows may have one key in a unique index, which
// they never had at any moment. In a copy nobody sees that. In the table itself the row that comes second is left out until the end.
type undo struct {
	after  int64 // Unix milliseconds: the last moment whose commits stay
	source uint32
	target *record.Table
	lived  bool // target is the source itself, which others use meanwhile

	db        *DB
	batch     []undone
	bytes     int
	changes   int64
	kept      map[string]value.Row // by key: rows that are left out until the end
	keptBytes int
}

type undone struct {
	key []byte // of the row, whole
	row value.Row
}

// undo does u, and returns how many changes it took back. It looks whether they are all there at the snapshot in which it reads them. Errors: ErrNotRestorable,
// errUndo, tablecopy.ErrGone.
func (db *DB) undo(ctx context.Context, u *undo) (changes int64, err error) {
	u.db, u.kept = db, map[string]value.Row{}
	if db.journal == nil {
		return 0, journal.ErrNoStamps
	}
	if err := db.journal.Settle(ctx); err != nil {
		return 0, err
	}
	reader, err := db.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	if err := db.checkKept(ctx, reader, u.source, u.after); err != nil {
		return 0, err
	}
	for number := range uint8(db.buckets) {
		if err := u.bucket(ctx, reader, journal.Bucket{Table: u.source, Bucket: number}); err != nil {
			return u.changes, err
		}
	}
	return u.changes, u.finish(ctx)
}

// checkKept wants all changes of a table after a moment to be in the journal that a snapshot shows. It asks the descriptor in the same snapshot: another gateway
// may have a newer one than this, and have dropped changes.
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

func (u *undo) bucket(ctx context.Context, from kv.Snapshot, bucket journal.Bucket) error {
	cursor := bucket.Scan(ctx, from, Position{Stamp: kv.StampOf(u.after + 1)}, 0, true)
	defer cursor.Close()
	for cursor.Next() {
		if cursor.OriginMS() <= u.after {
			continue // on a cluster, where it came into the journal later
		}
		e := cursor.Entry()
		if e.WasThere && e.Old == nil {
			return fmt.Errorf("%w: one of %s was kept without what was before it", errUndo, time.UnixMilli(cursor.OriginMS()).UTC().Format(time.RFC3339Nano))
		}
		u.batch = append(u.batch, undone{key: append(bytes.Clone(u.target.Primary.Prefix), cursor.At().Key...), row: bytes.Clone(e.Old)})
		if u.bytes += len(cursor.At().Key) + len(e.Old); len(u.batch) < undoAtOnce && u.bytes < undoBytesOnce {
			continue
		}
		if err := u.flush(ctx); err != nil {
			return err
		}
	}
	if err := cursor.Close(); err != nil {
		return err
	}
	return u.flush(ctx)
}

// flush writes what was gathered.
func (u *undo) flush(ctx context.Context) error {
	if len(u.batch) == 0 {
		return nil
	}
	left := map[string]value.Row{}
	err := u.db.updateLatched(ctx, u.keys(), func(txn kv.Txn, _ *scratch) error {
		clear(left)
		for _, one := range u.batch {
			row, err := u.fit(ctx, txn, one)
			if err == nil {
				err = u.write(ctx, txn, one.key, row)
			}
			if err != nil {
				return err
			}
			if delete(left, string(one.key)); row == nil && one.row != nil {
				left[string(one.key)] = one.row
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, one := range u.batch {
		key := string(one.key)
		u.keptBytes -= len(u.kept[key])
		if delete(u.kept, key); left[key] != nil {
			u.kept[key] = left[key]
			u.keptBytes += len(left[key])
		}
	}
	u.changes += int64(len(u.batch))
	u.batch, u.bytes = u.batch[:0], 0
	if u.keptBytes > keptBytesMax {
		return fmt.Errorf("%w: more than %d MiB of rows exchange their keys in a unique index; restore the table beside, under another name", errUndo, keptBytesMax>>20)
	}
	return nil
}

func (u *undo) keys() (keys [][]byte) {
	for i := range u.batch {
		keys = append(keys, u.batch[i].key)
	}
	return keys
}

// fit returns the row to write for now: none if another row has its key in a unique index.
func (u *undo) fit(ctx context.Context, txn kv.Txn, one undone) (value.Row, error) {
	if err := u.target.Know(ctx, one.row); err != nil || !u.lived {
		return one.row, err
	}
	now, _, err := u.target.Get(ctx, txn, one.key, nil)
	if err != nil {
		return nil, err
	}
	err = u.target.CheckUnique(ctx, txn, one.key, now, one.row)
	if _, taken := errors.AsType[*record.DuplicateError](err); taken {
		return nil, nil
	}
	return one.row, err
}

func (u *undo) write(ctx context.Context, txn kv.Txn, key []byte, row value.Row) error {
	now, _, err := u.target.Get(ctx, txn, key, nil)
	if err != nil || now == nil && row == nil {
		return err
	}
	var writer record.Writer
	return writer.Write(txn, u.target, key, now, row)
}

// finish writes the rows that were left out. Their keys in unique indexes are free by now, unless somebody took them meanwhile.
func (u *undo) finish(ctx context.Context) error {
	for key, row := range u.kept {
		err := u.db.updateLatched(ctx, [][]byte{[]byte(key)}, func(txn kv.Txn, _ *scratch) error {
			now, _, err := u.target.Get(ctx, txn, []byte(key), nil)
			if err == nil {
				err = u.target.CheckUnique(ctx, txn, []byte(key), now, row)
			}
			if err != nil {
				return err
			}
			return u.write(ctx, txn, []byte(key), row)
		})
		if err != nil {
			return fmt.Errorf("while the table was restored others took the key of a row in a unique index; restore it again: %w", err)
		}
	}
	return nil
}
