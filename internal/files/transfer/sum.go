// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Sum is the size of a part of a store: a table's rows, an index, or a section of the map that is neither.
type Sum struct {
	Name    string // "database.table", "database.table.index", or the section's
	Entries int64
	CRC     uint64 // CRC-64 of all keys and values in order
}

// DifferenceError says that a copy differs from its source after all.
type DifferenceError struct{ Want, Got Sum }

// Error names the part.
func (e *DifferenceError) Error() string {
	return fmt.Sprintf("the copy differs in %s: %d entries with checksum %016x in the source, %d with %016x in the copy; stop all writes to it, and copy again",
		e.Want.Name, e.Want.Entries, e.Want.CRC, e.Got.Entries, e.Got.CRC)
}

var polynomial = crc64.MakeTable(crc64.ECMA) // immutable

// compare reads both stores from beginning to end.
func (c *copier) compare(ctx context.Context) (list []Sum, err error) {
	target, err := c.To.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	got, failed := make(chan []Sum, 1), make(chan error, 1)
	go func() {
		list, err := sums(ctx, target, c.tables, func(int64, place, []byte) {})
		got <- list
		failed <- err
	}()
	list, err = sums(ctx, c.from, c.tables, func(entries int64, at place, key []byte) {
		c.Progress(Progress{Entries: entries, Written: c.progress.Written, At: nameOf(at, c.tables), Done: c.done(key),
			Comparing: true})
	})
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

// placeOf returns the place of a key; the zero place if it is none of the map's.
func placeOf(key []byte) place {
	section, parts, err := keyspace.Parse(key)
	if err != nil {
		return place{}
	}
	at := place{section: section.Name}
	if section.Owner == "record" && len(parts) >= 2 {
		at.table, at.index = parts[0].Number, parts[1].Number
	}
	return at
}

// tellEvery is the number of compared entries between two reports of progress.
const tellEvery = 100_000

// sums adds up each part of a store, in the order of keys.
func sums(ctx context.Context, from kv.Snapshot, tables map[uint64]*schema.Table,
	tell func(entries int64, at place, key []byte)) (list []Sum, err error) {
	s := newSide(from.Scan(ctx, kv.Range{}, false))
	defer func() { err = errors.Join(err, s.close()) }()
	var now place
	var buf []byte
	for entries := int64(1); s.ok; entries++ {
		if at := placeOf(s.key()); at != now {
			now = at
			list = append(list, Sum{Name: nameOf(at, tables)})
		}
		sum := &list[len(list)-1]
		buf = binary.AppendUvarint(buf[:0], uint64(len(s.key())))
		buf = append(buf, s.key()...)
		sum.Entries++
		sum.CRC = crc64.Update(crc64.Update(sum.CRC, polynomial, buf), polynomial, s.cursor.Value())
		if entries%tellEvery == 0 {
			tell(entries, now, s.key())
		}
		s.next()
	}
	return list, nil
}

// tablesOf reads the descriptors of all tables, by id.
func tablesOf(ctx context.Context, from kv.Snapshot) (tables map[uint64]*schema.Table, err error) {
	start := keyspace.AppendTables(nil)
	end, _ := order.PrefixEnd(nil, start)
	tables = map[uint64]*schema.Table{}
	cursor := from.Scan(ctx, kv.Range{Start: start, End: end}, false)
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		table := new(schema.Table)
		if err := json.Unmarshal(cursor.Value(), table); err != nil {
			return nil, fmt.Errorf("%s: %w", keyspace.Print(cursor.Key()), err)
		}
		tables[uint64(table.ID)] = table
	}
	return tables, nil
}

// shareOf returns what tells which share of a store lies before a key, by the engine's estimates.
func shareOf(ctx context.Context, store kv.Store) func(key []byte) float64 {
	admin, ok := store.(kv.Admin)
	if !ok {
		return func([]byte) float64 { return 0 }
	}
	whole, err := admin.ApproximateSize(ctx, kv.Range{})
	return func(key []byte) float64 {
		if err != nil || whole <= 0 {
			return 0
		}
		before, err := admin.ApproximateSize(ctx, kv.Range{End: key})
		if err != nil {
			return 0
		}
		return min(float64(before)/float64(whole), 1)
	}
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
