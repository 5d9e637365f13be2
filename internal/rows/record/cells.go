// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/zorder/codec"
)

// Tables with rules of cells. The store holds more than readers see, and what they see changes with time, without any
// write. Entries are derived from the stored row alone: those of its attributes, and, in an index that has a place for
// rows without some of its columns, those of the row as it will be when cells of it have ended. So at any time the
// entry of the row as it is seen then is there, besides others. A reader that reads by an index takes an entry only if
// it is the one that the visible row derives: see Derives.

// keyColumns returns the columns that an index's key is made of.
func keyColumns(x *schema.Index) map[string]bool {
	columns := map[string]bool{}
	keepColumns(columns, x.Key)
	return columns
}

// hasNulls reports whether an index has a place for rows that miss a column of its key.
func hasNulls(x *schema.Index) bool {
	if x.KeepNulls {
		return true
	}
	for i := range x.Key {
		if x.Key[i].Curve == nil {
			continue
		}
		for _, one := range x.Key[i].Curve.Codecs {
			if one.Attribute().Nulls == codec.NullsFirst {
				return true
			}
		}
	}
	return false
}

// IsKey reports whether an attribute is one of those that the primary key is made of. They have no cells.
func (t *Table) IsKey(name []byte) bool { return t.Primary.columns[string(name)] }

// Visible returns a stored row as readers see it at a time: row itself, or appended to dst. ok is false for a row that
// they don't see.
func (t *Table) Visible(dst []byte, row value.Row, nowMS int64) (visible value.Row, ok bool, err error) {
	if t.Cells == nil {
		return row, true, nil
	}
	return t.Cells.Visible(dst, row, t.Names, t.IsKey, nowMS)
}

// HasHistory reports whether a stored row tells of its cells.
func (t *Table) HasHistory(stored value.Row) bool {
	_, ok := stored.Get(t.Names, []byte(cell.History))
	return ok
}

// Derives reports whether a row as readers see it has that entry in an index. key is the row's own, entry the whole key
// of the entry.
func (t *Table) Derives(scratch []byte, x *Index, key []byte, visible value.Row, entry []byte) (grown []byte,
	yes bool) {
	grown, ok, err := t.appendEntryKey(scratch, x, key, visible)
	return grown, ok && err == nil && bytes.Equal(grown, entry)
}

// entryKeys returns the keys of all entries that a stored row has in an index.
func (t *Table) entryKeys(x *Index, key []byte, stored value.Row) (keys [][]byte, err error) {
	if stored == nil || t.Cells != nil && !x.IsCells() && cell.IsDead(stored, t.Names, t.IsKey) {
		return nil, nil
	}
	add := func(row value.Row) error {
		entry, ok, err := t.appendEntryKey(nil, x, key, row)
		if err == nil && ok && !slices.ContainsFunc(keys,
			func(other []byte) bool { return bytes.Equal(other, entry) }) {
			keys = append(keys, entry)
		}
		return err
	}
	if err := add(stored); err != nil || t.Cells == nil || !x.nulls {
		return keys, err
	}
	matters := func(name []byte) bool { return x.columns[string(name)] }
	return keys, t.Cells.Futures(stored, t.Names, t.IsKey, matters, add)
}

// writeCells is write for a table with rules of cells.
func (w *Writer) writeCells(txn kv.Txn, t *Table, key []byte, old, new value.Row, cause Cause) error {
	if err := checkRow(key, old, new); err != nil {
		return err
	}
	w.Change = Change{Before: t.seenSize(old), After: t.seenSize(new), Cause: cause, Indexes: w.Change.Indexes[:0]}
	for _, x := range t.Indexes {
		if err := w.writeEntries(txn, t, x, key, old, new); err != nil {
			return err
		}
	}
	return w.writeRow(txn, t, key, old, new, cause)
}

// seenSize is the size of the visible part of a row that was just written.
func (t *Table) seenSize(stored value.Row) int {
	if stored == nil {
		return 0
	}
	return cell.SeenSize(stored, t.Names, t.IsKey)
}

// writeEntries moves the entries of one row in one index.
func (w *Writer) writeEntries(txn kv.Txn, t *Table, x *Index, key []byte, old, new value.Row) (err error) {
	if x.Search {
		return t.writeSearch(txn, x, key, old, new)
	}
	var before, after [][]byte
	if x.State.TakesDeletes() {
		// An old row whose attributes don't fit the index has no entry: it was written before the index was there.
		if before, err = t.entryKeys(x, key, old); err != nil {
			before = nil
		}
	}
	if x.State.TakesWrites() {
		if after, err = t.entryKeys(x, key, new); err != nil {
			return err
		}
	}
	if len(before)+len(after) == 0 {
		return nil
	}
	was, is := w.project(t, x, old, &w.oldRow, len(before) > 0), w.project(t, x, new, &w.newRow, len(after) > 0)
	change := IndexChange{Index: x.Index, Before: sizeOf(was), After: sizeOf(is)}
	in := func(list [][]byte, key []byte) bool {
		return slices.ContainsFunc(list, func(other []byte) bool { return bytes.Equal(other, key) })
	}
	for _, entry := range before {
		if in(after, entry) {
			continue
		}
		change.Written, change.Moved = true, len(after) > 0
		if err := txn.Delete(entry); err != nil {
			return err
		}
	}
	// Until history is complete the entry of an old row may be missing, so equality with it proves nothing.
	same := x.State == schema.Active && bytes.Equal(was, is)
	for _, entry := range after {
		if same && in(before, entry) {
			continue
		}
		change.Written = true
		if !in(before, entry) {
			if err := CheckKey(entry); err != nil {
				return err
			}
		}
		if err := txn.Set(entry, is); err != nil {
			return err
		}
	}
	if !x.Internal {
		w.Change.Indexes = append(w.Change.Indexes, change)
	}
	return nil
}

// Clean writes a row without what has ended by now, within txn; markers says that delete markers go, too. cleaned is
// false for a row that has nothing to clean. stored must be what the table holds at txn's snapshot.
func (w *Writer) Clean(txn kv.Txn, t *Table, key []byte, stored value.Row, nowMS int64, markers bool) (cleaned bool,
	err error) {
	next, err := t.Cells.Clean(nil, stored, t.Names, t.IsKey, nowMS, markers)
	if err != nil || bytes.Equal(next, stored) {
		return false, err
	}
	return true, w.writeCells(txn, t, key, stored, next, ByExpiry)
}

// deriveCells is Derive for a table with rules of cells.
func (w *Writer) deriveCells(t *Table, x *Index, key []byte, stored value.Row,
	set func(entry, kept []byte) error) (filled bool, err error) {
	entries, err := t.entryKeys(x, key, stored)
	if err != nil && x.KeepNulls {
		return false, t.nameRow(err, key)
	}
	if err != nil {
		return false, nil
	}
	row := w.project(t, x, stored, &w.newRow, len(entries) > 0)
	for _, entry := range entries {
		if err := set(entry, row); err != nil {
			return false, err
		}
	}
	return true, nil
}
