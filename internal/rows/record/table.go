// SPDX-License-Identifier: Apache-2.0

// Package record keeps rows and all their index entries in step: a row and its entries are written in one transaction,
// so an index never lags and never lies. A row is one entry of the key space, self-contained: it holds its key
// attributes too, so that it can be checked against its key and an index can be rebuilt from rows alone. An index
// entry's key is the index key followed by the primary key, its value the projected attributes as a row.
//
// Knows: a row's bytes, its index entries, latches.
// Never: languages, costs, protocols; where descriptors come from.
package record

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// ErrNoKey is returned for a row that lacks an attribute of the primary key.
var ErrNoKey = errors.New("record: the row lacks an attribute of the primary key")

// Table is one version of a table, made ready for reading and writing rows. It is immutable and safe for concurrent
// use.
type Table struct {
	Schema  *schema.Table
	Names   value.Names
	learns  learner // nil: nobody else adds to Names
	ends    ender   // nil: the version is never over
	Primary *Index
	// Indexes are the secondary indexes that are not being dropped.
	Indexes []*Index
	// Cells are the table's rules; nil if it has none.
	Cells *cell.Rules

	journal *journal.Book          // nil: nobody wants the table's changes
	columns map[string]schema.Type // declared; nil if none is
	unique  bool                   // an index is unique
}

// Index is an index with its place in the key space.
type Index struct {
	*schema.Index
	// Prefix starts the keys of all entries.
	Prefix []byte
	// Named are the names of visible key parts that are not those of their columns: computed ones, and those written
	// desc(..).
	Named [][]byte
	// keep names the projected attributes; nil projects all.
	keep map[string]bool
	// columns are the columns of the key; nil unless the table has rules of cells.
	columns map[string]bool
	nulls   bool // rows that miss a column of the key have an entry
	// Fields are the fields of a search index; nil for others.
	Fields []*Field
	// sources are the columns that a unique index is made of, each once, in their order; nil for others.
	sources [][]byte
}

// learner is a dictionary to which other processes add.
type learner interface {
	Know(ctx context.Context, row value.Row) error
}

// ender is a dictionary that can be over.
type ender interface{ Err() error }

// Err returns the reason why this version of the table must not be used any more; nil: it may be. Once it is not nil,
// the store may hold rows of another version that its holder was not told of. A write within a transaction asks
// after the transaction began.
func (t *Table) Err() error {
	if t.ends == nil {
		return nil
	}
	return t.ends.Err()
}

// Adapt returns a stored row, or the row in an index entry, as the table's dictionary describes it. It waits within ctx
// until the dictionary knows the names in a row that another process may have written. If attributes have been renamed,
// the row's size counts their present names.
func (t *Table) Adapt(ctx context.Context, row value.Row) (value.Row, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if t.learns != nil {
		if err := t.learns.Know(ctx, row); err != nil {
			return nil, err
		}
	}
	return t.resize(row), nil
}

// resize corrects the size of a row that may have been written before a rename.
func (t *Table) resize(row value.Row) value.Row {
	if t.Schema.Renames == 0 {
		return row
	}
	return value.Resize(row, t.Names)
}

// Compile prepares a version of a table.
func Compile(table *schema.Table, names value.Names) *Table {
	t := &Table{Schema: table, Names: names, Cells: table.Cells, columns: columnTypes(table)}
	t.learns, _ = names.(learner)
	t.ends, _ = names.(ender)
	t.Primary = compileIndex(table, &table.Primary)
	if images, ok := table.Journaled(); ok {
		t.journal = &journal.Book{Table: table.ID, Images: images}
	}
	for i := range table.Indexes {
		if table.Indexes[i].State != schema.Dropping {
			t.Indexes = append(t.Indexes, compileIndex(table, &table.Indexes[i]))
			t.unique = t.unique || table.Indexes[i].Unique
		}
	}
	return t
}

func compileIndex(table *schema.Table, x *schema.Index) *Index {
	index := &Index{Index: x, Prefix: keyspace.AppendRows(nil, table.ID, x.ID)}
	for _, part := range x.Visible() {
		if part.Column() != part.Name {
			index.Named = append(index.Named, []byte(part.Name))
		}
	}
	if x.Search {
		compileFields(table, index)
	}
	if table.Cells != nil {
		index.columns, index.nulls = keyColumns(x), hasNulls(x)
	}
	if x.Unique {
		index.sources = sourcesOf(x)
	}
	if !x.IsPrimary() && x.Projection != schema.ProjectAll {
		index.keep = map[string]bool{}
		keepColumns(index.keep, table.Primary.Key)
		keepColumns(index.keep, x.Key)
		for _, name := range x.Include {
			index.keep[name] = true
		}
	}
	return index
}

// sourcesOf returns the columns that an index's key is made of.
func sourcesOf(x *schema.Index) (sources [][]byte) {
	for _, part := range x.Visible() {
		for _, argument := range part.Args {
			column := []byte(argument.Column)
			if len(column) > 0 && !slices.ContainsFunc(sources,
				func(other []byte) bool { return bytes.Equal(other, column) }) {
				sources = append(sources, column)
			}
		}
	}
	return sources
}

func keepColumns(keep map[string]bool, parts []schema.KeyPart) {
	for _, part := range parts {
		for _, argument := range part.Args {
			if argument.Column != "" {
				keep[argument.Column] = true
			}
		}
	}
}

// Projects reports whether the index's entries carry the attribute.
func (x *Index) Projects(name string) bool { return x.keep == nil || x.keep[name] }

// Range returns all keys of the index.
func (x *Index) Range() kv.Range {
	end, _ := order.PrefixEnd(nil, x.Prefix)
	return kv.Range{Start: x.Prefix, End: end}
}

// Span returns the keys between two relative keys of the index; a nil end is the index's own.
func (x *Index) Span(start, end []byte) kv.Range {
	r := kv.Range{Start: x.Prefix}
	room := make([]byte, 0, 2*len(x.Prefix)+len(start)+len(end))
	if start != nil {
		r.Start = append(append(room, x.Prefix...), start...)
		room, r.Start = r.Start[len(r.Start):], slices.Clip(r.Start)
	}
	if end != nil {
		r.End = append(append(room, x.Prefix...), end...)
	} else {
		r.End = x.Range().End
	}
	return r
}

// Index returns the compiled index of that name, the primary one for "". Internal ones are not found.
func (t *Table) Index(name string) (*Index, bool) {
	if name == "" {
		return t.Primary, true
	}
	for _, x := range t.Indexes {
		if x.Name == name && !x.Internal {
			return x, true
		}
	}
	return nil, false
}

// IndexByID returns the compiled index with that id, internal ones too.
func (t *Table) IndexByID(id uint32) (*Index, bool) {
	if id == t.Primary.ID {
		return t.Primary, true
	}
	for _, x := range t.Indexes {
		if x.ID == id {
			return x, true
		}
	}
	return nil, false
}

// AppendKey appends the key under which a row is stored. Errors: ErrNoKey and those of package indexkey.
func (t *Table) AppendKey(dst []byte, row value.Row) ([]byte, error) {
	dst = append(dst, t.Primary.Prefix...)
	key, ok, err := indexkey.Append(dst, t.Primary.Index, row, t.Names)
	if err == nil && !ok {
		err = ErrNoKey
	}
	return key, err
}

// Getter reads single keys: a snapshot, or a store at its latest commits.
type Getter interface {
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
}

// Get reads the row stored under key, appending it to dst.
func (t *Table) Get(ctx context.Context, from Getter, key, dst []byte) (value.Row, bool, error) {
	row, ok, err := from.Get(ctx, key, dst)
	if err != nil || !ok {
		return nil, false, cmp.Or(err, t.Err())
	}
	found, err := t.Adapt(ctx, row[len(dst):])
	return found, err == nil, err
}

// PrimaryKey returns the row key that an entry of a secondary index points at, appended to dst. entry is the whole key
// of the entry.
func (t *Table) PrimaryKey(dst []byte, x *Index, entry []byte) ([]byte, error) {
	if x.IsPrimary() {
		return append(dst, entry...), nil
	}
	rest, err := x.rest(entry[len(x.Prefix):])
	if err != nil {
		return nil, x.malformed(entry, err)
	}
	return append(append(dst, t.Primary.Prefix...), rest...), nil
}
