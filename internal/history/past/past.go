// SPDX-License-Identifier: Apache-2.0

// Package past shows what a table was: the rows of a snapshot, with the changes taken back that the journal has. The
// changes are sorted in bounded memory, the rest in files.
//
// Knows: rows and their changes, by key and by time.
// Never: whether all changes are kept, rights to see them.
package past

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/rows/query"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// View is a table in a snapshot that shows all its changes since the moments that are asked for. It serves one call at
// a time.
type View struct {
	Reader  kv.Reader
	ID      uint32 // of the table
	Table   *record.Table
	Names   value.Names
	Buckets int // of its journal
	// Dir is a folder for temporary files. Default: none, and many changes are an error.
	Dir string

	sorter  *query.Sorter
	current earlier
}

// Close closes the snapshot.
func (v *View) Close() error { return v.Reader.Close() }

// Difference is the change of an item between two moments. Its rows are valid until the call of visit returns.
type Difference struct {
	Names    value.Names
	Key      value.Row // the attributes of the key
	Old, New value.Row // nil: the item was not there
	LastMS   int64     // of the last change: Unix milliseconds
}

// earlier is a change that the snapshot shows, and what the row was before it.
type earlier struct {
	key  []byte
	atMS int64
	was  bool
	old  value.Row
}

// sort collects changes by key, those of one key in their order.
func (v *View) sort(ctx context.Context, sinceMS int64) error {
	sort := query.Sort{}
	if v.Dir != "" {
		sort.Spill = &spill.Folder{Dir: v.Dir}
	}
	v.sorter = sort.Open()
	var entry []byte
	for number := range uint8(v.Buckets) {
		bucket := journal.Bucket{Table: v.ID, Bucket: number}
		cursor := bucket.Scan(ctx, v.Reader, journal.Position{Stamp: kv.StampOf(sinceMS)}, 0, false)
		for cursor.Next() {
			e := cursor.Entry()
			if cursor.OriginMS() < sinceMS {
				continue // on a cluster, where it came into the journal later
			}
			if e.WasThere && e.Old == nil {
				return errors.Join(fmt.Errorf("a change at %s was kept without the row before it",
					time.UnixMilli(cursor.OriginMS()).UTC().Format(time.RFC3339)), cursor.Close())
			}
			entry = order.AppendBytes(entry[:0], cursor.At().Key)
			entry = binary.BigEndian.AppendUint64(entry, cursor.At().Stamp)
			entry = binary.BigEndian.AppendUint64(entry, uint64(cursor.OriginMS()))
			before := journal.Entry{WasThere: e.WasThere, Old: e.Old}
			if err := v.sorter.Add(before.Append(entry)); err != nil {
				return errors.Join(err, cursor.Close())
			}
		}
		if err := cursor.Close(); err != nil {
			return err
		}
	}
	return v.sorter.Finish()
}

// next moves to the next change; false at the end, when close has the error of reading.
func (v *View) next() (bool, error) {
	if !v.sorter.Next() {
		return false, nil
	}
	key, rest, err := order.CutBytes(v.sorter.Record(), nil)
	if err != nil || len(rest) < 16 {
		return false, fmt.Errorf("a change can't be read back: %w", err)
	}
	e, err := journal.Parse(rest[16:])
	v.current = earlier{key: append(v.current.key[:0], key...), atMS: int64(binary.BigEndian.Uint64(rest[8:])),
		was: e.WasThere, old: e.Old}
	return true, err
}

// nextKey moves to the first change of the next key.
func (v *View) nextKey(key []byte) (more bool, err error) {
	for more = true; more; {
		if more, err = v.next(); err != nil || more && !bytes.Equal(v.current.key, key) {
			return more, err
		}
	}
	return false, nil
}

// visible is a row as readers saw it at a moment; nil if they did not.
func (v *View) visible(ctx context.Context, row value.Row, atMS int64) (value.Row, error) {
	row, err := v.Table.Adapt(ctx, row)
	if err != nil || v.Table.Cells == nil {
		return row, err
	}
	shown, ok, err := v.Table.Visible(nil, row, atMS)
	if !ok {
		shown = nil
	}
	return shown, err
}

// Rows calls visit for each row that the table had at a moment, in Unix milliseconds, in the order of keys, with one
// that is valid until visit returns.
func (v *View) Rows(ctx context.Context, atMS int64, visit func(names value.Names, row value.Row) error) (err error) {
	if err := v.sort(ctx, atMS+1); err != nil {
		return errors.Join(err, v.sorter.Close())
	}
	defer func() { err = errors.Join(err, v.sorter.Close()) }()
	show := func(row value.Row) error {
		shown, err := v.visible(ctx, row, atMS)
		if err != nil || shown == nil {
			return err
		}
		return visit(v.Names, shown)
	}
	cursor := v.Reader.Scan(ctx, v.Table.Primary.Range(), false)
	defer cursor.Close()
	changed, err := v.next()
	if err != nil {
		return err
	}
	there := cursor.Next()
	for there || changed {
		way := -1
		if there && changed {
			way = bytes.Compare(cursor.Key()[len(v.Table.Primary.Prefix):], v.current.key)
		} else if changed {
			way = 1
		}
		if way < 0 {
			err = show(cursor.Value())
		} else if v.current.was {
			err = show(v.current.old)
		}
		if err != nil {
			return err
		}
		if way >= 0 {
			if changed, err = v.nextKey(bytes.Clone(v.current.key)); err != nil {
				return err
			}
		}
		if way <= 0 {
			there = cursor.Next()
		}
	}
	return cursor.Close()
}

// Differences calls visit for each row that was changed from a moment on and before another, and is not at the second
// what it was at the first, in the order of keys. It looks at the changes of one key after the other: what was before
// the first of them, and before the first that came too late, or is now.
func (v *View) Differences(ctx context.Context, fromMS, toMS int64, visit func(Difference) error) (err error) {
	if err := v.sort(ctx, fromMS); err != nil {
		return errors.Join(err, v.sorter.Close())
	}
	defer func() { err = errors.Join(err, v.sorter.Close()) }()
	more, err := v.next()
	for more && err == nil {
		first := v.current
		first.key, first.old = bytes.Clone(first.key), bytes.Clone(first.old)
		lastMS, late := int64(0), false
		var until earlier
		for more && err == nil && bytes.Equal(v.current.key, first.key) {
			if v.current.atMS < toMS {
				lastMS = max(lastMS, v.current.atMS)
			} else if !late {
				late, until = true, earlier{was: v.current.was, old: bytes.Clone(v.current.old)}
			}
			more, err = v.next()
		}
		if err == nil && lastMS > 0 {
			err = v.difference(ctx, first, until, late, lastMS, toMS, visit)
		}
	}
	return err
}

func (v *View) difference(ctx context.Context, first, until earlier, late bool, lastMS, toMS int64,
	visit func(Difference) error) error {
	if !late {
		row, ok, err := v.Table.Get(ctx, v.Reader, append(bytes.Clone(v.Table.Primary.Prefix), first.key...), nil)
		if err != nil {
			return err
		}
		until = earlier{was: ok, old: row}
	}
	d := Difference{Names: v.Names, LastMS: lastMS}
	var err error
	if first.was {
		if d.Old, err = v.visible(ctx, first.old, first.atMS); err != nil {
			return err
		}
	}
	if until.was {
		if d.New, err = v.visible(ctx, until.old, toMS); err != nil {
			return err
		}
	}
	any := d.New
	if any == nil {
		any = d.Old
	}
	if any == nil || bytes.Equal(d.Old, d.New) {
		return nil
	}
	d.Key = value.Project(nil, any, v.Names, v.Table.IsKeyColumn)
	return visit(d)
}
