// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/kv"
)

// Report is the result of Verify.
type Report struct {
	Rows    int64
	Entries int64    // of all readable indexes
	Faults  []string // at most faultsMax, for people
	More    int64    // faults beyond those listed
}

const faultsMax = 100

// Verification says how a table is verified. The zero value works.
type Verification struct {
	// Cut returns relative keys, ascending, that cut an index into about so many parts, which are read side by side.
	// Default: nothing is cut.
	Cut func(ctx context.Context, x *Index, parts int) ([][]byte, error)
	// Progress is called now and then with how far the reading is: rows and entries read, and the share of all parts,
	// from 0 to 1. It is called by one goroutine at a time.
	Progress func(rows, entries int64, done float64)
	// Behind says of keys of rows, without the table's prefix, that asynchronous indexes have yet to follow changes of
	// these: they are passed over there. nil: of none.
	Behind func(row []byte) bool
}

// partsEach is into how many parts an index is cut for each reader. More parts tell progress more finely and end more
// evenly.
const partsEach = 8

// Verify checks a whole table at one snapshot: every row is well formed and stands under its own key, every row has
// exactly the entries that it should have in each readable index, with the right bytes, and no index holds any other
// entry. It reads everything once, side by side: the entries that rows make, and those that are there, are counted and
// summed up by two random hash functions of 64 bits. Sums that differ are looked into, row by row; sums that agree by
// chance are as good as impossible.
func (t *Table) Verify(ctx context.Context, from kv.Snapshot, how Verification) (Report, error) {
	v := &verifier{Verification: how, table: t, from: from,
		seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	for _, x := range t.Indexes {
		if x.State == schema.Active {
			v.indexes = append(v.indexes, x)
		}
	}
	v.made, v.found = make([]sum, len(v.indexes)), make([]sum, len(v.indexes))
	if err := v.readAll(ctx); err != nil {
		return v.report, err
	}
	for i, x := range v.indexes {
		v.report.Entries += int64(v.found[i].count)
		if v.made[i] == v.found[i] {
			continue
		}
		if err := v.explain(ctx, x); err != nil {
			return v.report, err
		}
		if v.made[i].count != v.found[i].count {
			v.fault("index %s holds %d entries, its rows make %d", x.Name, v.found[i].count, v.made[i].count)
		}
	}
	return v.report, nil
}

// sum identifies a set of entries: their number, and the sums of two hashes of each.
type sum struct{ count, first, second uint64 }

func (s *sum) add(o sum) {
	s.count, s.first, s.second = s.count+o.count, s.first+o.first, s.second+o.second
}

type verifier struct {
	Verification
	table   *Table
	from    kv.Snapshot
	seeds   [2]maphash.Seed
	indexes []*Index // those that are readable

	mu          sync.Mutex // of what follows
	made, found []sum      // by index: the entries that rows make, and those that are there
	report      Report

	rows, entries, done atomic.Int64 // read so far; done counts parts
	parts               int64
}

// piece is a part of an index that one reader reads.
type piece struct {
	index int // of verifier.indexes; -1: rows
	span  kv.Range
}

// readAll reads rows and entries.
func (v *verifier) readAll(ctx context.Context) error {
	readers := runtime.GOMAXPROCS(0)
	pieces, err := v.cut(ctx, readers*partsEach)
	if err != nil {
		return err
	}
	v.parts = int64(len(pieces))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan piece, len(pieces))
	for _, p := range pieces {
		todo <- p
	}
	close(todo)
	var group sync.WaitGroup
	for range readers {
		group.Go(func() {
			r := &entryReader{verifier: v, made: make([]sum, len(v.indexes))}
			for p := range todo {
				if err := r.read(ctx, p); err != nil {
					cancel(err)
					return
				}
			}
			r.hand()
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// cut returns the parts of all that is to be read.
func (v *verifier) cut(ctx context.Context, count int) (pieces []piece, err error) {
	for i := -1; i < len(v.indexes); i++ {
		x := v.table.Primary
		if i >= 0 {
			x = v.indexes[i]
		}
		var cuts [][]byte
		if v.Cut != nil {
			if cuts, err = v.Cut(ctx, x, count); err != nil {
				return nil, err
			}
		}
		var start []byte
		for _, end := range append(cuts, nil) {
			pieces = append(pieces, piece{i, x.Span(start, end)})
			start = end
		}
	}
	return pieces, nil
}

// entryReader reads parts, one after another.
type entryReader struct {
	*verifier
	writer  Writer
	made    []sum
	scratch []byte
	input   []byte // of the hash functions
	unique  []byte // the key of the entry before, of a unique index; empty for none
}

// tellEvery is the number of rows or entries between two reports of progress.
const tellEvery = 10_000

func (r *entryReader) read(ctx context.Context, p piece) error {
	cursor := r.from.Scan(ctx, p.span, false)
	defer cursor.Close()
	read, found := int64(0), sum{}
	counter := &r.entries
	if p.index < 0 {
		counter = &r.rows
	}
	for cursor.Next() {
		if p.index < 0 {
			r.row(cursor.Key(), r.table.resize(cursor.Value()))
		} else {
			if !r.isBehindEntry(r.indexes[p.index], cursor.Key()) {
				found.add(r.sumOf(cursor.Key(), r.table.kept(r.indexes[p.index], cursor.Value())))
			}
			r.alone(r.indexes[p.index], cursor.Key(), cursor.Value())
		}
		if read++; read == tellEvery {
			counter.Add(read)
			read = 0
			r.tell()
		}
	}
	counter.Add(read)
	if err := errors.Join(cursor.Close(), ctx.Err()); err != nil {
		return err
	}
	r.done.Add(1)
	r.mu.Lock()
	if p.index >= 0 {
		r.found[p.index].add(found)
	} else {
		r.report.Rows = r.rows.Load()
	}
	r.mu.Unlock()
	r.tell()
	return nil
}

// alone finds an entry of a unique index that has the key of the one before it in its part.
func (r *entryReader) alone(x *Index, entry []byte, kept value.Row) {
	if !x.Unique {
		return
	}
	own := r.table.ownKey(x, entry, kept)
	if own != nil && bytes.Equal(r.unique, own) {
		r.fault("unique index %s holds %s twice", x.Name, keyspace.Print(own))
	}
	r.unique = append(r.unique[:0], own...)
}

// hand gives back what was summed up.
func (r *entryReader) hand() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.made {
		r.verifier.made[i].add(r.made[i])
	}
}

func (v *verifier) tell() {
	if v.Progress == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Progress(v.rows.Load(), v.entries.Load(), float64(v.done.Load())/float64(v.parts))
}

// row checks a row by itself and sums up the entries that it makes.
func (r *entryReader) row(key []byte, row value.Row) {
	if err := row.Validate(r.table.Names); err != nil {
		r.fault("row %s: %v", keyspace.Print(key), err)
		return
	}
	own, err := r.table.AppendKey(r.scratch[:0], row)
	r.scratch = own
	if err != nil || !bytes.Equal(own, key) {
		r.fault("row %s holds the attributes of key %s (%v)", keyspace.Print(key), keyspace.Print(own), err)
	}
	for i, x := range r.indexes {
		if r.isBehind(x, key) {
			continue
		}
		// a row that does not fit has no entry; if it has, the sums differ
		_ = r.writer.entriesOf(r.table, x, key, row, func(entry, kept []byte) error {
			r.made[i].add(r.sumOf(entry, kept))
			return nil
		})
	}
}

// kept returns the value of an index entry as it would be written now.
func (t *Table) kept(x *Index, stored []byte) []byte {
	if x.Search {
		return stored // no row
	}
	return t.resize(stored)
}

// isBehind reports whether an index has yet to follow changes of a row, whose whole key is key.
func (v *verifier) isBehind(x *Index, key []byte) bool {
	return x.Async != nil && v.Behind != nil && v.Behind(key[len(v.table.Primary.Prefix):])
}

func (v *verifier) isBehindEntry(x *Index, entry []byte) bool {
	if x.Async == nil || v.Behind == nil {
		return false
	}
	row, err := x.rest(entry[len(x.Prefix):])
	return err == nil && v.Behind(row)
}

// sumOf is the sum of one entry.
func (r *entryReader) sumOf(key, entry []byte) sum {
	// The length tells where the key ends.
	r.input = binary.LittleEndian.AppendUint32(append(append(r.input[:0], key...), entry...), uint32(len(key)))
	return sum{1, maphash.Bytes(r.seeds[0], r.input), maphash.Bytes(r.seeds[1], r.input)}
}

// explain finds out what is wrong with an index: it looks up the entries of each row, and the row of each entry.
func (v *verifier) explain(ctx context.Context, x *Index) error {
	var w Writer
	rows := v.from.Scan(ctx, v.table.Primary.Range(), false)
	defer rows.Close()
	for rows.Next() {
		row := v.table.resize(rows.Value())
		if row.Validate(v.table.Names) != nil || v.isBehind(x, rows.Key()) {
			continue // it has been told, or has yet to be followed
		}
		if err := v.explainRow(ctx, x, rows.Key(), row, &w); err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil {
		return err
	}
	entries := v.from.Scan(ctx, x.Range(), false)
	defer entries.Close()
	for entries.Next() {
		if v.isBehindEntry(x, entries.Key()) {
			continue
		}
		if err := v.explainEntry(ctx, x, entries.Key()); err != nil {
			return err
		}
	}
	return entries.Close()
}

func (v *verifier) explainRow(ctx context.Context, x *Index, key []byte, row value.Row, w *Writer) error {
	var unread error
	// explainEntry tells if a row that does not fit has one
	_ = w.entriesOf(v.table, x, key, row, func(entry, kept []byte) error {
		stored, ok, err := v.from.Get(ctx, entry, nil)
		switch {
		case err != nil:
			unread = err
		case !ok:
			v.fault("index %s lacks the entry of row %s", x.Name, keyspace.Print(key))
		case !bytes.Equal(v.table.kept(x, stored), kept):
			v.fault("index %s has other attributes than row %s", x.Name, keyspace.Print(key))
		}
		return unread
	})
	return unread
}

func (v *verifier) explainEntry(ctx context.Context, x *Index, entry []byte) error {
	if _, err := x.rest(entry[len(x.Prefix):]); err != nil {
		v.fault("index %s: entry %s: %v", x.Name, keyspace.Print(entry), err)
		return nil
	}
	key, err := v.table.PrimaryKey(nil, x, entry)
	if err != nil {
		return err
	}
	row, ok, err := v.table.Get(ctx, v.from, key, nil)
	if err != nil {
		return err
	}
	if ok && row.Validate(v.table.Names) == nil {
		found := false
		var w Writer
		err := w.entriesOf(v.table, x, key, row, func(own, _ []byte) error {
			found = found || bytes.Equal(own, entry)
			return nil
		})
		if found && err == nil {
			return nil
		}
	}
	v.fault("index %s holds the entry %s, which no row makes", x.Name, keyspace.Print(entry))
	return nil
}

func (v *verifier) fault(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.report.Faults) == faultsMax {
		v.report.More++
		return
	}
	v.report.Faults = append(v.report.Faults, fmt.Sprintf(format, args...))
}
