// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/catalog"
	"github.com/weftdb/weft/internal/indexkey"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/value"
	"github.com/weftdb/weft/kv"
)

const namesMax = catalog.NamesMax

// Get reads the item with the key attributes in key, appending its bytes to dst. key holds a computed key part under its own name, or the columns that
// it is computed from. It sees the latest commit. Errors: KindInvalid.
func (p Pinned) Get(ctx context.Context, key Row, dst []byte) (Row, bool, error) {
	s := p.db.scratch.Get().(*scratch)
	defer p.db.scratch.Put(s)
	var err error
	if s.key, err = p.appendKey(s.key[:0], p.table.Primary, key); err != nil {
		return nil, false, wrap(p.name(), err)
	}
	row, ok, err := p.db.store.Get(ctx, s.key, dst)
	if err != nil || !ok {
		return nil, false, wrap(p.name(), err)
	}
	return Row(row[len(dst):]), true, nil
}

// getFrom is Get at a snapshot.
func (p Pinned) getFrom(ctx context.Context, from kv.Snapshot, key Row, dst []byte) (Row, bool, error) {
	s := p.db.scratch.Get().(*scratch)
	defer p.db.scratch.Put(s)
	var err error
	if s.key, err = p.appendKey(s.key[:0], p.table.Primary, key); err != nil {
		return nil, false, wrap(p.name(), err)
	}
	row, ok, err := p.table.Get(ctx, from, s.key, dst)
	return row, ok, wrap(p.name(), err)
}

// appendKey appends the key of the entry whose visible key parts have the values that key holds: a computed part under its own name, or as the
// columns that it is computed from, a plain one under its column's name or its own.
func (p Pinned) appendKey(dst []byte, x *record.Index, key Row) ([]byte, error) {
	dst = append(dst, x.Prefix...)
	return p.appendParts(dst, x, key)
}

func (p Pinned) appendParts(dst []byte, x *record.Index, key Row) (_ []byte, err error) {
	var ok bool
	if p.hasNamedPart(x, key) {
		dst, ok, err = p.appendNamedParts(dst, x, key)
	} else {
		dst, ok, err = indexkey.Append(dst, x.Index, key, p.Names())
	}
	if err == nil && !ok {
		err = ErrNoKey
	}
	return dst, err
}

// hasNamedPart says whether key holds a part under a name that is no column's.
func (p Pinned) hasNamedPart(x *record.Index, key Row) bool {
	for _, name := range x.Named {
		if _, ok := key.Get(p.Names(), name); ok {
			return true
		}
	}
	return false
}

// appendNamedParts looks each part up under both of its names, and computes what it does not find.
func (p Pinned) appendNamedParts(dst []byte, x *record.Index, key Row) ([]byte, bool, error) {
	names := p.Names()
	return indexkey.AppendValues(dst, x.Index, func(part *KeyPart) Value {
		if column := part.Column(); column != "" {
			if v, ok := key.Get(names, []byte(column)); ok {
				return v
			}
		}
		v, ok := key.Get(names, []byte(part.Name))
		if !ok && part.Computed() {
			v, _, _ = indexkey.Compute(part, func(column string) Value { // a column of a wrong type is missing
				v, _ := key.Get(names, []byte(column))
				return v
			}, nil)
		}
		return v
	})
}

// KeyOf returns the primary key's attributes of an item, as a row: what Get takes.
func (p Pinned) KeyOf(dst []byte, item Row) (Row, error) {
	key, err := p.table.AppendKey(nil, item)
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	return p.decodeKey(dst, p.table.Primary, key[len(p.table.Primary.Prefix):])
}

// decodeKey turns the relative key of an entry into a row of the visible parts of the index and of the primary key: DynamoDB's LastEvaluatedKey.
func (p Pinned) decodeKey(dst []byte, x *record.Index, key []byte) (Row, error) {
	var builder value.RowBuilder
	builder.Reset(p.Names())
	add := func(part *KeyPart, v Value) error {
		if v.IsMissing() {
			return nil // a null of an index that keeps nulls
		}
		name := part.Name
		if column := part.Column(); column != "" {
			name = column
		}
		err := builder.Set([]byte(name), v)
		if err == value.ErrDuplicateName {
			return nil // a column of both keys
		}
		return err
	}
	rest, err := indexkey.Values(x.Index, key, nil, add)
	if err == nil && !x.IsPrimary() {
		_, err = indexkey.Values(p.table.Primary.Index, rest, nil, add)
	}
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	return builder.AppendTo(dst), nil
}

// KeyRead is one item to read with GetAll.
type KeyRead struct {
	Table Pinned
	Key   Row
}

// GetAll reads many items, of several tables, at one snapshot. found is called once for each, in any order; row is nil for an absent item and valid only
// during the call. failed is the position of the key that the error is about, or -1.
func (db *DB) GetAll(ctx context.Context, reads []KeyRead, found func(i int, row Row) error) (failed int, err error) {
	reader, err := db.store.Read(ctx)
	if err != nil {
		return -1, wrap("", err)
	}
	defer reader.Close()
	return getAll(ctx, reader, reads, found)
}

func getAll(ctx context.Context, from kv.Snapshot, reads []KeyRead, found func(i int, row Row) error) (failed int, err error) {
	keys, room := make([][]byte, len(reads)), make([]byte, 0, 64*len(reads))
	for i := range reads {
		n := len(room)
		if room, err = reads[i].Table.appendKey(room, reads[i].Table.table.Primary, reads[i].Key); err != nil {
			return i, wrap(reads[i].Table.name(), err)
		}
		keys[i] = room[n:len(room):len(room)] // stays valid where room grows: its bytes don't change
	}
	return -1, wrap("", from.GetMany(ctx, keys, func(i int, row []byte, ok bool) error {
		if !ok {
			return found(i, nil)
		}
		return found(i, row)
	}))
}

// Verify checks all rows and index entries of a table against each other, at one snapshot.
func (t *Table) Verify(ctx context.Context) (Report, error) {
	p, err := t.Pin()
	if err != nil {
		return Report{}, err
	}
	defer p.Release()
	reader, err := t.db.store.Read(ctx)
	if err != nil {
		return Report{}, wrap(t.name, err)
	}
	defer reader.Close()
	report, err := p.table.Verify(ctx, reader)
	return report, wrap(t.name, err)
}
