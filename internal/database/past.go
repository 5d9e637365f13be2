// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"time"

	"github.com/weftdb/weft/internal/journal"
	"github.com/weftdb/weft/internal/past"
	"github.com/weftdb/weft/internal/tablecopy"
	"github.com/weftdb/weft/internal/value"
)

// Past reads what a table was.
type Past struct {
	DB *DB
	// Table is the table's id.
	Table uint32
	// Dir is a folder for temporary files. Default: none, and many changes are an error.
	Dir string
}

// Difference is what became of an item between two moments.
type Difference = past.Difference

// Rows calls visit for each item that the table had at a moment, to the millisecond, in the order of keys, with a row that is valid until visit returns.
// Errors: KindInvalid if the changes since then are not kept, KindNotFound for a table that is gone, visit's.
func (p Past) Rows(ctx context.Context, at time.Time, visit func(names value.Names, row value.Row) error) error {
	return p.view(ctx, at, func(v *past.View) error { return v.Rows(ctx, at.UnixMilli(), visit) })
}

// Differences calls visit for each item that was changed from a moment on and before another, and is not at the second what it was at the first, in the
// order of keys. Errors: those of Rows.
func (p Past) Differences(ctx context.Context, from, to time.Time, visit func(Difference) error) error {
	return p.view(ctx, from, func(v *past.View) error { return v.Differences(ctx, from.UnixMilli(), to.UnixMilli(), visit) })
}

// view shows a snapshot in which no change since a moment is missing.
func (p Past) view(ctx context.Context, since time.Time, read func(*past.View) error) (err error) {
	pin, err := p.DB.PinID(p.Table)
	if err != nil {
		return err
	}
	defer pin.Release()
	if p.DB.journal == nil {
		return wrap(pin.name(), journal.ErrNoStamps)
	}
	if err := p.DB.journal.Settle(ctx); err != nil {
		return wrap(pin.name(), err)
	}
	reader, err := p.DB.store.Read(ctx)
	if err != nil {
		return wrap(pin.name(), err)
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	v := &past.View{Reader: reader, ID: p.Table, Table: pin.table, Names: pin.Names(), Buckets: p.DB.buckets, Dir: p.Dir}
	pin.Release() // the snapshot shows what this version has written, and older ones
	if err = p.DB.checkKept(ctx, reader, p.Table, since.UnixMilli()); errors.Is(err, tablecopy.ErrGone) {
		return &Error{Kind: KindNotFound, Table: v.Table.Schema.Name, Detail: "the table was deleted", Err: err}
	}
	if err != nil {
		return err
	}
	return read(v)
}
