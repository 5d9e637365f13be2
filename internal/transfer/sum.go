// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"

	"github.com/weftdb/weft/internal/keyspace"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/kv"
)

// Sum is how much a part of a store holds: a table's rows, an index, or a section of the map that is neither.
type Sum struct {
	Name    string // "database.table", "database.table.index", or the section's
	Entries int64
	CRC     uint64 // CRC-64 of all keys and values in order
}

// DifferenceError says that a copy differs from its source after all.
type DifferenceError struct{ Want, Got Sum }

// Error names the part.
func (e *DifferenceError) Error() string {
	return fmt.Sprintf("the copy differs in %s: %d entries with checksum %016x in the source, %d with %016x in the copy; nobody may write to it meanwhile",
		e.Want.Name, e.Want.Entries, e.Want.CRC, e.Got.Entries, e.Got.CRC)
}

var polynomial = crc64.MakeTable(crc64.ECMA) // immutable

// compare reads both stores from beginning to end.
func compare(ctx context.Context, from kv.Snapshot, to kv.Store) (list []Sum, err error) {
	target, err := to.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	got, failed := make(chan []Sum, 1), make(chan error, 1)
	go func() {
		list, err := sums(ctx, target)
		got <- list
		failed <- err
	}()
	list, err = sums(ctx, from)
	copied := <-got
	if err := errors.Join(err, <-failed); err != nil {
		return nil, err
	}
	for i := 0; i < max(len(list), len(copied)); i++ {
		var want, have Sum
		if i < len(list) {
			want = list[i]
		}
		if i < len(copied) {
			have = copied[i]
		}
		if want != have {
			return list, &DifferenceError{want, have}
		}
	}
	return list, nil
}

// place is a section of the map, and in that of rows an index of a table.
type place struct {
	section      string
	table, index uint64
}

// sums adds up each part of a store, in the order of keys.
func sums(ctx context.Context, from kv.Snapshot) (list []Sum, err error) {
	s := newSide(from.Scan(ctx, kv.Range{}, false))
	defer func() { err = errors.Join(err, s.close()) }()
	tables := map[uint64]*schema.Table{}
	var now place
	var buf []byte
	for ; s.ok; s.next() {
		section, parts, err := keyspace.Parse(s.key())
		if err != nil {
			return nil, err
		}
		at := place{section: section.Name}
		if section.Owner == "record" && len(parts) >= 2 {
			at.table, at.index = parts[0].Number, parts[1].Number
		}
		if section.Name == "table" && len(parts) == 1 {
			table := new(schema.Table)
			if err := json.Unmarshal(s.cursor.Value(), table); err != nil {
				return nil, fmt.Errorf("%s: %w", keyspace.Print(s.key()), err)
			}
			tables[parts[0].Number] = table
		}
		if at != now {
			now = at
			list = append(list, Sum{Name: nameOf(at, tables)})
		}
		sum := &list[len(list)-1]
		buf = binary.AppendUvarint(buf[:0], uint64(len(s.key())))
		buf = append(buf, s.key()...)
		sum.Entries++
		sum.CRC = crc64.Update(crc64.Update(sum.CRC, polynomial, buf), polynomial, s.cursor.Value())
	}
	return list, nil
}

func nameOf(at place, tables map[uint64]*schema.Table) string {
	table := tables[at.table]
	if table == nil {
		return at.section
	}
	name := table.Database + "." + table.Name
	if x, ok := table.IndexByID(uint32(at.index)); ok && !x.IsPrimary() {
		return name + "." + x.Name
	}
	return name
}
