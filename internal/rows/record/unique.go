// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// A unique index holds at most one row for each index key without a null. Its entries are those of any index: the
// primary key tells them apart. A writer that adds an entry looks for another with the same index key, and then deletes
// the index key by itself. No entry has that key, but a deletion is a write: so of two commits that add the same index
// key, the later one fails and is tried again.

// DuplicateError is a row with an index key that another row has in a unique index.
type DuplicateError struct {
	Index string
	// Columns are the index's columns, and Values the row's values in them.
	Columns []string
	Values  []value.Value
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("record: another row has the same values in the unique index %s", e.Index)
}

// CheckUnique looks whether a row that is about to be written has an index key that another row has, in any unique
// index, and makes sure that nobody else takes it first. key is the row's own; old is what the table holds, nil for
// nothing, and so is new. It must come before any write of the row. The error is a *DuplicateError.
func (t *Table) CheckUnique(ctx context.Context, txn kv.Txn, key []byte, old, new value.Row) error {
	if !t.unique || new == nil {
		return nil
	}
	var added [][]byte
	for _, x := range t.Indexes {
		if !x.Unique || !x.State.TakesWrites() || x.State == schema.Retiring {
			continue
		}
		own, err := t.addedKey(x, old, new)
		if err == nil && own != nil {
			err = t.checkAlone(ctx, txn, x, own, key, new)
			added = append(added, own)
		}
		if err != nil {
			return err
		}
	}
	for _, own := range added {
		if err := txn.Delete(own); err != nil {
			return err
		}
	}
	return nil
}

// HasUnique reports whether an index of the table is unique.
func (t *Table) HasUnique() bool { return t.unique }

// addedKey is the index key that a write adds to a unique index, with the index's prefix; nil for none that must be
// alone.
func (t *Table) addedKey(x *Index, old, new value.Row) ([]byte, error) {
	own, err := t.uniqueKey(x, new)
	if own == nil || err != nil || old == nil || x.State != schema.Active {
		return own, err
	}
	if before, err := t.uniqueKey(x, old); err == nil && bytes.Equal(before, own) {
		return nil, nil
	}
	return own, nil
}

// uniqueKey is the key of a row in a unique index, without the primary key behind it; nil for a row that has a null
// there or is not in the index.
func (t *Table) uniqueKey(x *Index, row value.Row) ([]byte, error) {
	if t.hasNull(x, row) {
		return nil, nil
	}
	own, ok, err := indexkey.Append(slices.Clone(x.Prefix), x.Index, row, t.Names)
	if err != nil || !ok {
		return nil, err
	}
	return own, nil
}

// hasNull reports whether a row lacks a column of the index's key.
func (t *Table) hasNull(x *Index, row value.Row) bool {
	for _, column := range x.sources {
		if v, ok := row.Get(t.Names, column); !ok || v.Kind() == value.Null {
			return true
		}
	}
	return false
}

// checkAlone refuses an index key that a row other than that of key has.
func (t *Table) checkAlone(ctx context.Context, from kv.Snapshot, x *Index, own, key []byte, row value.Row) error {
	_, found, err := t.holder(ctx, from, x, own, key)
	if err != nil || !found {
		return err
	}
	return t.duplicate(x, row)
}

func (t *Table) duplicate(x *Index, row value.Row) error {
	e := &DuplicateError{Index: x.Name}
	for _, column := range x.sources {
		v, _ := row.Get(t.Names, column)
		e.Columns, e.Values = append(e.Columns, string(column)), append(e.Values, bytes.Clone(v))
	}
	return e
}

// Unique looks for rows with the same key among the entries of a unique index, which it is given in their order. The
// zero value has seen none.
type Unique struct{ before []byte }

// Check looks at the next entry, given by its whole key and what it keeps. Without a unique index it does nothing.
// Errors: *DuplicateError if the entry before has the same key.
func (u *Unique) Check(t *Table, x *Index, entry []byte, kept value.Row) error {
	if !x.Unique {
		return nil
	}
	own := t.ownKey(x, entry, kept)
	if own != nil && bytes.Equal(u.before, own) {
		return t.duplicate(x, kept)
	}
	u.before = append(u.before[:0], own...)
	return nil
}

// ownKey is the key that the row of an entry has in a unique index, without the primary key behind it; nil for a row
// that has a null there, and for an entry that can't be read.
func (t *Table) ownKey(x *Index, entry []byte, kept value.Row) []byte {
	rest, err := indexkey.Skip(x.Index, entry[len(x.Prefix):])
	if err != nil || t.hasNull(x, kept) {
		return nil
	}
	return entry[:len(entry)-len(rest)]
}

// holder finds the row that has an index key in an index; except is the key of one that does not count, nil for none.
func (t *Table) holder(ctx context.Context, from kv.Snapshot, x *Index, own, except []byte) (key []byte, found bool,
	err error) {
	end, _ := order.PrefixEnd(nil, own)
	cursor := from.Scan(ctx, kv.Range{Start: own, End: end}, false)
	defer cursor.Close()
	for !found && cursor.Next() {
		if key, err = t.PrimaryKey(key[:0], x, cursor.Key()); err != nil {
			return nil, false, err
		}
		if found = !bytes.Equal(key, except); found && x.State.Building() {
			if found, err = t.holds(ctx, from, x, own, key); err != nil {
				return nil, false, err
			}
		}
	}
	return key, found, cursor.Close()
}

// holds reports whether a row has a key in a unique index. Its entries do not tell while the index is being built: they
// may be those of what the row was.
func (t *Table) holds(ctx context.Context, from kv.Snapshot, x *Index, own, key []byte) (bool, error) {
	row, ok, err := t.Get(ctx, from, key, nil)
	if err != nil || !ok {
		return false, err
	}
	its, err := t.uniqueKey(x, row)
	return err != nil || bytes.Equal(its, own), nil
}

// Holder finds the key of the row that has the same key as row in a unique index. found is false, too, where row has a
// null there.
func (t *Table) Holder(ctx context.Context, from kv.Snapshot, x *Index, row value.Row) (key []byte, found bool,
	err error) {
	own, err := t.uniqueKey(x, row)
	if own == nil || err != nil {
		return nil, false, err
	}
	return t.holder(ctx, from, x, own, nil)
}

// CheckFill is CheckUnique for a row that is there and gets its entry in an index that is being built.
func (t *Table) CheckFill(ctx context.Context, txn kv.Txn, x *Index, key []byte, row value.Row) error {
	if !x.Unique {
		return nil
	}
	own, err := t.uniqueKey(x, row)
	if own == nil || err != nil {
		return nil // Fill tells
	}
	if err := t.checkAlone(ctx, txn, x, own, key, row); err != nil {
		return err
	}
	return txn.Delete(own)
}

// AddedKeys appends the keys that a write from old to new adds to unique indexes, where no other row may have them.
func (t *Table) AddedKeys(dst [][]byte, old, new value.Row) ([][]byte, error) {
	if !t.unique || new == nil {
		return dst, nil
	}
	for _, x := range t.Indexes {
		if !x.Unique || !x.State.TakesWrites() || x.State == schema.Retiring {
			continue
		}
		own, err := t.addedKey(x, old, new)
		if err != nil {
			return dst, err
		}
		if own != nil {
			dst = append(dst, own)
		}
	}
	return dst, nil
}
