// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Bounds of one batch of a sweep: rows, and bytes of them. It is small because writers of these rows wait while it is
// committed.
const (
	sweepRows  = 100
	sweepBytes = 1 << 20
)

// expiredYearsMax is the age beyond which a row does not expire, as in DynamoDB, where such
// numbers are taken for mistakes.
const expiredYearsMax = 5

// sweep is one walk over the expired rows of one table.
type sweep struct {
	*expiry
	expiryKind
	now    time.Time
	whole  bool // begin at the oldest row
	before expiryProgress
	guard  Owner // without which nothing is deleted; nil: somebody asked for this look

	name       string // the table's
	index      uint32 // the id of its index; 0 before the first batch
	start, end []byte // relative keys of the index, between which rows have expired
	next       []byte // where the next batch begins
	damage     error  // of the first row that was passed over because it can't be read
}

// expiryBatch is one batch: the keys of rows, and the relative keys of the entries by which they were found.
type expiryBatch struct{ rows, entries [][]byte }

// batch deletes the next expired rows. more is false when it is through. Each batch pins the table by itself, so
// changes of the schema come in between.
func (s *sweep) batch(ctx context.Context) (deleted int64, more bool, err error) {
	version, err := s.Catalog.AcquireID(s.table)
	if err != nil {
		s.forget(s)
		return 0, false, nil
	}
	defer version.Release()
	described, ok := s.expiryKind.index(version.Table)
	if !ok || leaving(described.State) || version.Table.State == schema.Dropping {
		s.forget(s)
		return 0, false, nil
	}
	if !described.State.Readable() {
		return 0, false, nil
	}
	table := compile(version)
	index, _ := table.IndexByID(described.ID)
	if err := s.aim(table, index); err != nil {
		return 0, false, err
	}
	found, err := s.find(ctx, table, index)
	if err != nil {
		return 0, false, err
	}
	if len(found.rows) == 0 {
		s.done(s)
		return 0, false, s.damage
	}
	deleted, err = s.delete(ctx, table, index, found)
	return deleted, true, err
}

// compile is the table as the layer above compiles it, too, so that it is made once a version.
func compile(version *catalog.Version) *record.Table {
	return version.Derive(func(v *catalog.Version) any { return record.Compile(v.Table, v.Names) }).(*record.Table)
}

// aim finds the span of expired rows, at the first batch and after the index was made anew.
func (s *sweep) aim(table *record.Table, index *record.Index) error {
	if s.index == index.ID {
		return nil
	}
	s.name, s.index = table.Schema.Name, index.ID
	now := s.now.Unix()
	since := now - s.before.whole
	s.whole = s.whole || s.before.index != index.ID || since >= expirySlack || since < 0
	first := int64(0)
	if !s.cells {
		first = s.now.UTC().AddDate(-expiredYearsMax, 0, 0).Unix()
	}
	oldest, err := keyAt(index, first)
	if err != nil {
		return err
	}
	last, err := keyAt(index, now)
	if err != nil {
		return err
	}
	s.start, s.next = oldest, oldest
	s.end, _ = order.PrefixEnd(nil, last)
	if s.whole {
		return nil
	}
	recent, err := keyAt(index, min(s.before.until, now)-expirySlack)
	if bytes.Compare(recent, oldest) > 0 {
		s.next = recent
	}
	return err
}

// keyAt is the beginning of the entries of rows that expire at a time.
func keyAt(index *record.Index, seconds int64) ([]byte, error) {
	v := value.AppendNumber(nil, order.DecimalFromInt(seconds))
	key, _, err := indexkey.AppendValues(nil, index.Index, func(*schema.KeyPart) value.Value { return v })
	return key, err
}

// find reads the next entries.
func (s *sweep) find(ctx context.Context, table *record.Table, index *record.Index) (found expiryBatch, err error) {
	reader, err := s.Store.Read(ctx)
	if err != nil {
		return found, err
	}
	defer reader.Close()
	cursor := reader.Scan(ctx, index.Span(s.next, s.end), false)
	defer cursor.Close()
	for len(found.rows) < sweepRows && cursor.Next() {
		row, err := table.PrimaryKey(nil, index, cursor.Key())
		if err != nil {
			s.damage = cmp.Or(s.damage, err)
			continue
		}
		found.rows = append(found.rows, row)
		found.entries = append(found.entries, bytes.Clone(cursor.Key()[len(index.Prefix):]))
	}
	return found, cursor.Close()
}

// delete deletes the rows of a batch that have expired still. They are latched, so that writers in this process wait
// instead of failing; a writer elsewhere makes the commit conflict, and the rows are looked at again.
func (s *sweep) delete(ctx context.Context, table *record.Table, index *record.Index, found expiryBatch) (deleted int64,
	err error) {
	held, err := s.Latches.Lock(ctx, found.rows...)
	if err != nil {
		return 0, err
	}
	defer held.Unlock()
	var passed int
	err = kv.Update(ctx, s.Store, func(txn kv.Txn) (err error) {
		if s.guard != nil {
			if err := s.guard.Guard(ctx, txn); err != nil {
				return err
			}
		}
		deleted, passed, err = s.deleteDue(ctx, txn, table, index, found.rows)
		return err
	})
	if err != nil {
		return 0, err
	}
	s.next = append(found.entries[passed-1], 0)
	return deleted, nil
}

// deleteDue deletes rows until they are too many bytes for one commit. passed is the number of rows that it has read.
func (s *sweep) deleteDue(ctx context.Context, txn kv.Txn, table *record.Table, index *record.Index,
	keys [][]byte) (deleted int64, passed int, err error) {
	var writer record.Writer
	var row, scratch []byte
	for size := 0; passed < len(keys) && size < sweepBytes; passed++ {
		stored, ok, err := table.Get(ctx, txn, keys[passed], row[:0])
		if err != nil {
			return 0, 0, err
		}
		if !ok {
			continue
		}
		row = stored
		// A row of which not all is understood can't be deleted with all its entries.
		if err := stored.Validate(table.Names); err != nil {
			s.damage = cmp.Or(s.damage, fmt.Errorf("the expired row %s stays: %w", keyspace.Print(keys[passed]), err))
			continue
		}
		if scratch, ok = s.isDue(scratch[:0], table, index, stored); !ok {
			continue
		}
		if err := s.expire(txn, &writer, table, keys[passed], stored); err != nil {
			return 0, 0, err
		}
		size += len(stored)
		if writer.Change.Before > 0 && writer.Change.After == 0 {
			deleted++
		}
	}
	return deleted, passed, nil
}

// expire deletes a row whose time has come, or what has ended of it.
func (s *sweep) expire(txn kv.Txn, writer *record.Writer, table *record.Table, key []byte, stored value.Row) error {
	if !s.cells {
		return writer.Expire(txn, table, key, stored)
	}
	writer.Change.Before = 0
	_, err := writer.Clean(txn, table, key, stored, s.now.UnixMilli(), false)
	return err
}

// isDue reports whether a row, as it is now, has expired. The index entry may be outdated.
func (s *sweep) isDue(scratch []byte, table *record.Table, index *record.Index, row value.Row) ([]byte, bool) {
	if !s.cells {
		visible, ok, err := table.Visible(nil, row, s.now.UnixMilli())
		if !ok || err != nil {
			return scratch, false
		}
		row = visible
	}
	key, ok, err := indexkey.Append(scratch, index.Index, row, table.Names)
	return key, ok && err == nil && bytes.Compare(key, s.start) >= 0 && bytes.Compare(key, s.end) < 0
}
