// SPDX-License-Identifier: Apache-2.0

// Package ingest is for loads of many rows that do not go through commits: what puts of the rows would store is derived
// row by row, sorted by whoever loads, and added to an empty table in one step.
//
// Knows: what entries a put makes, when a table can take them in one step.
// Never: where rows come from, sorting, files.
package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/rows/change"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// ErrUnable is wrapped by the error of an Ingest that can't be: rows must be put instead.
var ErrUnable = errors.New("rows must be put, not ingested")

// Table is one version of a table, for a load. It is used only as long as that version is pinned. It is safe for
// concurrent use.
type Table struct {
	change.Target
	Store   kv.Store
	Admin   kv.Admin // nil if there is none
	Regions *region.Keeper
	// Judged says that the dialect which has rules about the table's rows has checked those that are derived.
	Judged bool
	// AsStored says that rows are derived as another store has them: see change.Write.
	AsStored bool
}

// Deriver derives entries. It is used by one goroutine at a time.
type Deriver struct {
	table   *Table
	write   change.Write
	result  change.Result
	scratch change.Scratch
	entries entries
}

// Deriver returns a Deriver for the table.
func (t *Table) Deriver() *Deriver { return &Deriver{table: t} }

// Derive calls set with each entry that a put of the row stores in an empty table: those of the indexes first, the
// row's own last. It goes the very way of a put. key and value are valid during the call only; isRow marks the row's
// own. Names that the table has not seen become known, which is a commit. Errors: those of a put, set's.
func (d *Deriver) Derive(ctx context.Context, row value.Row,
	set func(key, value []byte, isRow bool) error) (err error) {
	d.write = change.Write{Op: change.OpPut, Row: row, Judged: d.table.Judged, AsStored: d.table.AsStored}
	t := d.table.Target
	if d.scratch.Key, err = t.Table.AppendKey(d.scratch.Key[:0], row); err != nil {
		return err
	}
	d.entries = entries{rows: t.Table.Primary.Prefix, set: set}
	return t.Apply(ctx, &d.entries, d.scratch.Key, &d.write, &d.result, &d.scratch)
}

// Able returns nil if Ingest is possible now, else why not: a table that has rows or keeps times of its cells, or an
// engine that can't. Errors: ErrUnable, and those of reading.
func (t *Table) Able(ctx context.Context) error {
	_, shared := kv.SharedOf(t.Store)
	switch {
	case t.Target.Table.Cells != nil && !t.AsStored:
		return fmt.Errorf("%w: the table keeps cell timestamps", ErrUnable)
	case t.Target.Table.Journaled():
		return fmt.Errorf("%w: the changes of the table are kept, for its stream, to restore it, or for an asynchronous index", ErrUnable)
	case t.Target.Table.HasUnique():
		return fmt.Errorf("%w: the table has a unique index, which a load in one step can't check", ErrUnable)
	case t.Admin == nil || shared:
		return fmt.Errorf("%w: this engine can't ingest sorted runs", ErrUnable)
	}
	empty, err := t.isEmpty(ctx)
	if err == nil && !empty {
		err = fmt.Errorf("%w: the table has rows", ErrUnable)
	}
	return err
}

func (t *Table) isEmpty(ctx context.Context) (empty bool, err error) {
	reader, err := t.Store.Read(ctx)
	if err != nil {
		return false, err
	}
	defer reader.Close()
	cursor := reader.Scan(ctx, t.Target.Table.Primary.Range(), false)
	empty = !cursor.Next()
	return empty, cursor.Close()
}

// Ingest adds all entries of next, which Derive made of rows with different keys, in the order of their keys: all at
// once, or none. Nobody else may write to the table until it returns. next returns io.EOF at the end. Errors: those of
// Able, next's, kv.ErrReadOnly.
func (t *Table) Ingest(ctx context.Context, next func() (key, value []byte, err error)) error {
	if err := t.Able(ctx); err != nil {
		return err
	}
	return t.Admin.Ingest(ctx, next)
}

// Has reports whether the store holds an entry that Derive made.
func (t *Table) Has(ctx context.Context, key, value []byte) (bool, error) {
	stored, ok, err := t.Store.Get(ctx, key, nil)
	return ok && bytes.Equal(stored, value), err
}

// SplitAt makes regions begin at keys that Derive made, before much is written between them.
func (t *Table) SplitAt(ctx context.Context, keys [][]byte) error {
	table := t.Target.Table
	for _, x := range append([]*record.Index{table.Primary}, table.Indexes...) {
		var own [][]byte
		for _, key := range keys {
			if rest, ok := bytes.CutPrefix(key, x.Prefix); ok && len(rest) > 0 {
				own = append(own, rest)
			}
		}
		if _, err := t.Regions.Split(ctx, region.Place{Table: table.Schema.ID, Index: x.ID}, x, own, true); err != nil {
			return err
		}
	}
	return nil
}

// PrefixLen is the number of bytes the keys of all entries have in common at least.
func (t *Table) PrefixLen() int { return len(keyspace.AppendTableRows(nil, t.Target.Table.Schema.ID)) }
