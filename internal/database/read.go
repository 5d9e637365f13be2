// SPDX-License-Identifier: Apache-2.0

package database

import (
	"cmp"
	"context"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/asyncindex"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Reading returns the context of a read. One that need not be consistent may come from any replica of the data.
func (db *DB) Reading(ctx context.Context, consistent bool) context.Context {
	if consistent || db.gateway == nil {
		return ctx
	}
	return kv.FromReplicas(ctx)
}

// ReadsReplicas reports whether reads that need not be consistent come from any replica of the data.
func (db *DB) ReadsReplicas() bool { return kv.ReadsReplicas(db.store) }

// Get reads the item with the key attributes in key, appending its bytes to dst. key holds a computed key part under
// its own name, or the columns that it is computed from. It sees the latest commit. Errors: KindInvalid.
func (p Pinned) Get(ctx context.Context, key value.Row, dst []byte) (value.Row, bool, error) {
	return p.getFrom(ctx, p.db.store, key, dst, 0)
}

// getFrom is Get at a snapshot, or at the latest commits. nowMS is the present, for a table with CellRules; 0: it is
// looked up when the row is there.
func (p Pinned) getFrom(ctx context.Context, from record.Getter, key value.Row, dst []byte, nowMS int64) (value.Row,
	bool, error) {
	s := p.db.scratch.Get().(*scratch)
	row, ok, err := p.getWith(ctx, from, key, dst, nowMS, s)
	p.db.scratch.Put(s) // not after a panic, when it may still be in use
	return row, ok, wrap(p.name(), err)
}

func (p Pinned) getWith(ctx context.Context, from record.Getter, key value.Row, dst []byte, nowMS int64,
	s *scratch) (_ value.Row, ok bool, err error) {
	if s.Key, err = p.appendKey(s.Key[:0], p.table.Primary, key); err != nil {
		return nil, false, err
	}
	if err := p.db.guard.Read(ctx, p.table, s.Key); err != nil {
		return nil, false, err
	}
	if p.table.Cells == nil {
		return p.table.Get(ctx, from, s.Key, dst)
	}
	stored, ok, err := p.table.Get(ctx, from, s.Key, nil)
	if err != nil || !ok {
		return nil, false, err
	}
	if nowMS == 0 {
		nowMS = p.db.nowMS()
	}
	return p.visibleRow(dst, stored, nowMS)
}

// appendKey appends the key of the entry whose visible key parts have the values that key holds: a computed part under
// its own name, or as the columns that it is computed from, a plain one under its column's name or its own.
func (p Pinned) appendKey(dst []byte, x *record.Index, key value.Row) ([]byte, error) {
	dst = append(dst, x.Prefix...)
	return p.table.AppendParts(dst, x, key)
}

// KeyOf returns the primary key's attributes of an item, as a row: what Get takes.
func (p Pinned) KeyOf(dst []byte, item value.Row) (value.Row, error) {
	key, err := p.table.AppendKey(nil, item)
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	return p.decodeKey(dst, p.table.Primary, key[len(p.table.Primary.Prefix):])
}

// decodeKey turns the relative key of an entry into a row of the visible parts of the index and of the primary key:
// DynamoDB's LastEvaluatedKey.
func (p Pinned) decodeKey(dst []byte, x *record.Index, key []byte) (value.Row, error) {
	row, err := p.table.DecodeKey(dst, x, key)
	return row, wrap(p.name(), err)
}

// KeyRead is one item to read with GetAll.
type KeyRead struct {
	Table Pinned
	Key   value.Row
}

// GetAll reads many items, of several tables, at one snapshot. found is called once for each, in any order; row is nil
// for an absent item and valid only during the call. failed is the position of the key that the error is about, or -1.
func (db *DB) GetAll(ctx context.Context, reads []KeyRead, found func(i int, row value.Row) error) (failed int,
	err error) {
	reader, err := db.store.Read(ctx)
	if err != nil {
		return -1, wrap("", err)
	}
	defer reader.Close()
	return getAll(ctx, reader, reads, found, db.nowMS)
}

func getAll(ctx context.Context, from kv.Snapshot, reads []KeyRead, found func(i int, row value.Row) error,
	now func() int64) (failed int, err error) {
	return getStored(ctx, from, reads, func(i int, row value.Row) error {
		if p := &reads[i].Table; p.table.Cells != nil && row != nil {
			visible, ok, err := p.table.Visible(nil, row, now())
			if err != nil {
				return err
			}
			if row = visible; !ok {
				row = nil
			}
		}
		return found(i, row)
	})
}

// getStored is getAll for rows as they are stored.
func getStored(ctx context.Context, from kv.Snapshot, reads []KeyRead,
	found func(i int, row value.Row) error) (failed int, err error) {
	keys, room := make([][]byte, len(reads)), make([]byte, 0, 64*len(reads))
	for i := range reads {
		n, p := len(room), &reads[i].Table
		if room, err = p.appendKey(room, p.table.Primary, reads[i].Key); err != nil {
			return i, wrap(p.name(), err)
		}
		keys[i] = room[n:len(room):len(room)] // stays valid where room grows: its bytes don't change
		if err := p.db.guard.Read(ctx, p.table, keys[i]); err != nil {
			return i, err
		}
	}
	return -1, wrap("", from.GetMany(ctx, keys, func(i int, stored []byte, ok bool) error {
		if !ok {
			return cmp.Or(reads[i].Table.table.Err(), found(i, nil))
		}
		row, err := reads[i].Table.table.Adapt(ctx, stored)
		if err != nil {
			return err
		}
		return found(i, row)
	}))
}

// Verify checks all rows and index entries of a table against each other, at one snapshot.
func (t *Table) Verify(ctx context.Context) (Report, error) { return t.VerifyTelling(ctx, nil) }

// VerifyTelling is Verify, and tells now and then how many rows and index entries it has read, and which share of all
// that is. tell may be nil; it is called by one goroutine at a time.
func (t *Table) VerifyTelling(ctx context.Context, tell func(rows, entries int64, done float64)) (Report, error) {
	p, err := t.Pin()
	if err != nil {
		return Report{}, err
	}
	defer p.Release()
	if err := p.askWalk(ctx, &Query{}); err != nil {
		return Report{}, err
	}
	reader, err := t.db.store.Read(heat.OwnWork(ctx))
	if err != nil {
		return Report{}, wrap(t.name, err)
	}
	defer reader.Close()
	how := record.Verification{Progress: tell,
		Cut: func(ctx context.Context, x *record.Index, parts int) ([][]byte, error) {
			return query.Boundaries(ctx, reader, x, parts-1, p.sizer(ctx))
		}}
	if p.Descriptor().IsFollowed() {
		if how.Behind, err = asyncindex.Behind(ctx, reader, p.Descriptor().ID); err != nil {
			return Report{}, wrap(t.name, err)
		}
	}
	report, err := p.table.Verify(ctx, reader, how)
	return report, wrap(t.name, err)
}
