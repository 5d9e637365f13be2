// SPDX-License-Identifier: Apache-2.0

// Package undo takes changes of a table back, the last one first, in the table itself or in a copy of it.
//
// Knows: the changes of a journal, rows, unique indexes.
// Never: whether all changes are kept, who may restore.
package undo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/journal"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/value"
	"github.com/weftdb/weft/kv"
)

// Bounds of one transaction. It is small because writers of its rows wait meanwhile.
const (
	rowsAtOnce  = 100
	bytesAtOnce = 1 << 20
)

// keptBytesMax bounds the rows that an undo keeps in memory because another row still has their key in a unique index.
const keptBytesMax = 64 << 20

// ErrFailed is wrapped by errors of an undo that no other attempt would do better.
var ErrFailed = errors.New("the changes can't be taken back")

// Undo takes back the changes of commits after a moment. Its fields are required.
//
// A copy may be older than the snapshot in which the changes are read: what was before a change is written whether or not the copy shows the change.
// On a cluster the rows of a bucket are taken back by themselves. So, between the first and the last step, two rows may have one key in a unique index, which
// they never had at any moment. In a copy nobody sees that. In the table itself the row that comes second is left out until the end.
type Undo struct {
	After  int64 // Unix milliseconds: the last moment whose commits stay
	Target *record.Table
	Lived  bool // Target is the table itself, which others use meanwhile
	// Commit runs f in a transaction that has the latches of rows.
	Commit func(ctx context.Context, rows [][]byte, f func(txn kv.Txn) error) error

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

// Bucket takes the changes back that a snapshot shows of a bucket. Errors: ErrFailed.
func (u *Undo) Bucket(ctx context.Context, from kv.Snapshot, bucket journal.Bucket) error {
	cursor := bucket.Scan(ctx, from, journal.Position{Stamp: kv.StampOf(u.After + 1)}, 0, true)
	defer cursor.Close()
	for cursor.Next() {
		if cursor.OriginMS() <= u.After {
			continue // on a cluster, where it came into the journal later
		}
		e := cursor.Entry()
		if e.WasThere && e.Old == nil {
			return fmt.Errorf("%w: one of %s was kept without what was before it", ErrFailed, time.UnixMilli(cursor.OriginMS()).UTC().Format(time.RFC3339Nano))
		}
		u.batch = append(u.batch, undone{key: append(bytes.Clone(u.Target.Primary.Prefix), cursor.At().Key...), row: bytes.Clone(e.Old)})
		if u.bytes += len(cursor.At().Key) + len(e.Old); len(u.batch) < rowsAtOnce && u.bytes < bytesAtOnce {
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
func (u *Undo) flush(ctx context.Context) error {
	if len(u.batch) == 0 {
		return nil
	}
	left := map[string]value.Row{}
	err := u.Commit(ctx, u.keys(), func(txn kv.Txn) error {
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
			if u.kept == nil {
				u.kept = map[string]value.Row{}
			}
			u.kept[key] = left[key]
			u.keptBytes += len(left[key])
		}
	}
	u.changes += int64(len(u.batch))
	u.batch, u.bytes = u.batch[:0], 0
	if u.keptBytes > keptBytesMax {
		return fmt.Errorf("%w: more than %d MiB of rows exchange their keys in a unique index; restore it to a new table, under another name", ErrFailed, keptBytesMax>>20)
	}
	return nil
}

func (u *Undo) keys() (keys [][]byte) {
	for i := range u.batch {
		keys = append(keys, u.batch[i].key)
	}
	return keys
}

// fit returns the row to write for now: none if another row has its key in a unique index.
func (u *Undo) fit(ctx context.Context, txn kv.Txn, one undone) (value.Row, error) {
	if err := u.Target.Know(ctx, one.row); err != nil || !u.Lived {
		return one.row, err
	}
	now, _, err := u.Target.Get(ctx, txn, one.key, nil)
	if err != nil {
		return nil, err
	}
	err = u.Target.CheckUnique(ctx, txn, one.key, now, one.row)
	if _, taken := errors.AsType[*record.DuplicateError](err); taken {
		return nil, nil
	}
	return one.row, err
}

func (u *Undo) write(ctx context.Context, txn kv.Txn, key []byte, row value.Row) error {
	now, _, err := u.Target.Get(ctx, txn, key, nil)
	if err != nil || now == nil && row == nil {
		return err
	}
	var writer record.Writer
	return writer.Write(txn, u.Target, key, now, row)
}

// Changes is how many changes were taken back.
func (u *Undo) Changes() int64 { return u.changes }

// Finish writes the rows that were left out. Their keys in unique indexes are free by now, unless somebody took them meanwhile.
func (u *Undo) Finish(ctx context.Context) error {
	for key, row := range u.kept {
		err := u.Commit(ctx, [][]byte{[]byte(key)}, func(txn kv.Txn) error {
			now, _, err := u.Target.Get(ctx, txn, []byte(key), nil)
			if err == nil {
				err = u.Target.CheckUnique(ctx, txn, []byte(key), now, row)
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
