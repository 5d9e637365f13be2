// SPDX-License-Identifier: Apache-2.0

// Package undo takes changes of a table back, in the table itself or in a copy of it.
//
// Knows: the changes of a journal, rows, unique indexes.
// Never: whether all changes are kept, rights to restore.
package undo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Bounds of one transaction. It is small because writers of its rows wait meanwhile.
const (
	rowsAtOnce  = 100
	bytesAtOnce = 1 << 20
)

// doneBytesMax bounds the keys that an undo keeps in memory, and doneBytes is the overhead of one.
const (
	doneBytesMax = 64 << 20
	doneBytes    = 64
)

// keptBytesMax bounds the rows that an undo keeps in memory because another row still has their key in a unique index.
const keptBytesMax = 64 << 20

// ErrFailed is wrapped by errors of an undo that no other attempt would do better.
var ErrFailed = errors.New("the changes can't be taken back")

// Undo takes back the changes of commits after a moment. Its fields are required.
//
// Each row is written once, however often it was changed: it becomes what it was before its first change after the
// moment. Later changes of it are passed over, and for that their keys are kept in memory; if these are too many, the
// rows are taken in parts, by a hash of their keys, and the changes are read for each part.
//
// A copy may be older than the snapshot in which the changes are read: what was before a change is written whether or
// not the copy shows the change. Between the first and the last step, two rows may have one key in a unique index,
// which they never had at any moment. In a copy nobody sees that. In the table itself the row that comes second is left
// out until the end.
type Undo struct {
	After  int64 // Unix milliseconds: the last moment whose commits stay
	Target *record.Table
	Lived  bool // Target is the table itself, which others use meanwhile
	// Commit runs f in a transaction that has the latches of rows.
	Commit func(ctx context.Context, rows [][]byte, f func(txn kv.Txn) error) error

	seed      maphash.Seed
	done      map[string]struct{} // the keys of rows that are written, or in the batch
	doneBytes int
	doneMax   int // 0: doneBytesMax

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
	u.seed = maphash.MakeSeed()
	return u.part(ctx, from, bucket, 0, 0)
}

// part takes back the changes of rows whose hashes begin with the lowest bits of prefix, as two halves if their keys
// are too many. What was written of them before that is written again, which changes nothing.
func (u *Undo) part(ctx context.Context, from kv.Snapshot, bucket journal.Bucket, prefix uint64, bits uint) error {
	changes := u.changes
	whole, err := u.pass(ctx, from, bucket, prefix, bits)
	if err != nil || whole {
		return err
	}
	u.changes = changes
	if err := u.part(ctx, from, bucket, prefix<<1, bits+1); err != nil {
		return err
	}
	return u.part(ctx, from, bucket, prefix<<1|1, bits+1)
}

// pass is part for as many rows as there is memory for; whole says that they are all.
func (u *Undo) pass(ctx context.Context, from kv.Snapshot, bucket journal.Bucket, prefix uint64, bits uint) (whole bool,
	err error) {
	u.done, u.doneBytes, u.batch, u.bytes = map[string]struct{}{}, 0, u.batch[:0], 0
	cursor := bucket.Scan(ctx, from, journal.Position{Stamp: kv.StampOf(u.After + 1)}, 0, false)
	defer cursor.Close()
	for cursor.Next() {
		if cursor.OriginMS() <= u.After { // on a cluster, where it came into the journal later
			continue
		}
		key := cursor.At().Key
		if bits > 0 && maphash.Bytes(u.seed, key)>>(64-bits) != prefix {
			continue
		}
		u.changes++
		if _, done := u.done[string(key)]; done {
			continue
		}
		e := cursor.Entry()
		if e.WasThere && e.Old == nil {
			return false, fmt.Errorf("%w: one of %s was kept without the row before it", ErrFailed,
				time.UnixMilli(cursor.OriginMS()).UTC().Format(time.RFC3339Nano))
		}
		if u.doneBytes += len(key) + doneBytes; u.doneBytes > cmp.Or(u.doneMax, doneBytesMax) {
			return false, cursor.Close()
		}
		u.done[string(key)] = struct{}{}
		if err := u.add(ctx, undone{key: append(bytes.Clone(u.Target.Primary.Prefix), key...),
			row: bytes.Clone(e.Old)}); err != nil {
			return false, err
		}
	}
	return true, errors.Join(cursor.Close(), u.flush(ctx))
}

// add gathers a row, and writes what was gathered when that is enough for a transaction.
func (u *Undo) add(ctx context.Context, one undone) error {
	u.batch = append(u.batch, one)
	if u.bytes += len(one.key) + len(one.row); len(u.batch) < rowsAtOnce && u.bytes < bytesAtOnce {
		return nil
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
	row, err := u.Target.Adapt(ctx, one.row)
	if err != nil || !u.Lived {
		return row, err
	}
	one.row = row
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

// Changes is the number of changes that were taken back.
func (u *Undo) Changes() int64 { return u.changes }

// Finish writes the rows that were left out. Their keys in unique indexes are free by now, unless somebody took them
// meanwhile.
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
