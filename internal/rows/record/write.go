// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/kv"
)

// Cause is why a row was written.
type Cause uint8

// The causes of a write.
const (
	ByRequest Cause = iota // somebody asked for it
	ByExpiry               // the row's time had come
)

// Change tells what one write did, in DynamoDB's item sizes (bytes).
type Change struct {
	Before, After int // size of the item; 0 = absent
	Cause         Cause
	Indexes       []IndexChange // without the internal ones
}

// IndexChange tells what one write did to one index. An index whose entry was absent before and after is not listed.
type IndexChange struct {
	Index         *schema.Index
	Before, After int  // size of the entry's item; 0 = absent
	Moved         bool // the entry's key changed: one entry was deleted and one added
	Written       bool // something was written at all
}

// Writer writes rows. It holds scratch space, so it is used by one goroutine at a time; the zero value is ready.
type Writer struct {
	Change Change

	oldKey, newKey, oldRow, newRow []byte
}

// Write replaces the row old stored under key by new within txn, and moves its entries in every index. A nil old is an
// absent row, a nil new deletes. key and old must be what the table holds at txn's snapshot. After it, w.Change tells
// what happened. An attribute of new that can't be a key of an index is an error of package indexkey.
func (w *Writer) Write(txn kv.Txn, t *Table, key []byte, old, new value.Row) error {
	return w.write(txn, t, key, old, new, ByRequest)
}

// Expire deletes a row because its time has come: it is Write without a new row, but for the cause.
func (w *Writer) Expire(txn kv.Txn, t *Table, key []byte, old value.Row) error {
	return w.write(txn, t, key, old, nil, ByExpiry)
}

// KeyBytesMax is the largest length of the stored key of a new row or index entry, whatever the engine takes: TiKV
// takes no longer ones, and every database can be copied there. Longer ones that are there can be read, changed and
// deleted.
const KeyBytesMax = 7 << 10

// CheckKey refuses a key that is too long for a new row or entry.
func CheckKey(key []byte) error {
	if len(key) > KeyBytesMax {
		return fmt.Errorf("the key of a row or index entry is too long, shorten the attributes of the key: %w",
			&kv.SizeError{What: "key", Bytes: len(key), BytesMax: KeyBytesMax})
	}
	return nil
}

func checkRow(key []byte, old, new value.Row) error {
	if old != nil || new == nil {
		return nil
	}
	return CheckKey(key)
}

// CheckOverwrite is CheckKey for a row that may be there.
func (t *Table) CheckOverwrite(ctx context.Context, from kv.Snapshot, key []byte) error {
	err := CheckKey(key)
	if err == nil {
		return nil
	}
	if _, exists, unread := t.Get(ctx, from, key, nil); exists || unread != nil {
		return unread
	}
	return err
}

func (w *Writer) write(txn kv.Txn, t *Table, key []byte, old, new value.Row, cause Cause) error {
	if err := t.Err(); err != nil {
		return err
	}
	if t.Cells != nil {
		return w.writeCells(txn, t, key, old, new, cause)
	}
	if err := checkRow(key, old, new); err != nil {
		return err
	}
	w.Change = Change{Before: sizeOf(old), After: sizeOf(new), Cause: cause, Indexes: w.Change.Indexes[:0]}
	for _, x := range t.Indexes {
		if err := w.writeEntry(txn, t, x, key, old, new); err != nil {
			return err
		}
	}
	return w.writeRow(txn, t, key, old, new, cause)
}

// writeRow writes the row itself, and its change to the journal.
func (w *Writer) writeRow(txn kv.Txn, t *Table, key []byte, old, new value.Row, cause Cause) error {
	if t.journal != nil && !(bytes.Equal(old, new) && (old == nil) == (new == nil)) {
		if err := w.writeChange(txn, t, key, old, new, cause); err != nil {
			return err
		}
	}
	if new == nil {
		return txn.Delete(key)
	}
	return txn.Set(key, new)
}

func (w *Writer) writeChange(txn kv.Txn, t *Table, key []byte, old, new value.Row, cause Cause) error {
	c := journal.Change{Key: key[len(t.Primary.Prefix):], Old: old, New: new, ByExpiry: cause == ByExpiry}
	if t.journal.Images == 0 || t.journal.Images == schema.NewImage && new == nil ||
		t.journal.Images == schema.OldImage && old == nil {
		row := new
		if row == nil {
			row = old
		}
		w.newRow = value.Project(w.newRow[:0], row, t.Names, t.IsKeyColumn)
		c.Keys = w.newRow
	}
	return t.journal.Write(txn, &c)
}

// IsKeyColumn reports whether an attribute is one of those that the primary key is made of.
func (t *Table) IsKeyColumn(name []byte) bool {
	for i := range t.Primary.Key {
		for j := range t.Primary.Key[i].Args {
			if t.Primary.Key[i].Args[j].Column == string(name) {
				return true
			}
		}
	}
	return false
}

// Journaled reports whether the table's changes are kept. Then nothing may be written without Writer, nor without
// having read what was there.
func (t *Table) Journaled() bool { return t.journal != nil }

func (w *Writer) writeEntry(txn kv.Txn, t *Table, x *Index, key []byte, old, new value.Row) error {
	if x.Search {
		return t.writeSearch(txn, x, key, old, new)
	}
	var err error
	hadEntry, hasEntry := false, false
	if old != nil && x.State.TakesDeletes() {
		// An old row whose attributes don't fit the index has no entry: it was written before the index was there.
		w.oldKey, hadEntry, err = t.appendEntryKey(w.oldKey[:0], x, key, old)
		hadEntry = hadEntry && err == nil
	}
	if new != nil && x.State.TakesWrites() {
		if w.newKey, hasEntry, err = t.appendEntryKey(w.newKey[:0], x, key, new); err != nil {
			return err
		}
	}
	if !hadEntry && !hasEntry {
		return nil
	}
	return w.moveEntry(txn, t, x, w.project(t, x, old, &w.oldRow, hadEntry), w.project(t, x, new, &w.newRow, hasEntry))
}

// moveEntry writes what differs between the entry before and after; nil is absent. The keys stand in w.oldKey and
// w.newKey.
func (w *Writer) moveEntry(txn kv.Txn, t *Table, x *Index, before, after value.Row) error {
	change := IndexChange{Index: x.Index, Before: sizeOf(before), After: sizeOf(after)}
	sameKey := before != nil && after != nil && bytes.Equal(w.oldKey, w.newKey)
	change.Moved = before != nil && after != nil && !sameKey
	// Until history is complete the entry of an old row may be missing, so equality with it proves nothing.
	unchanged := sameKey && x.State == schema.Active && bytes.Equal(before, after)
	change.Written = !unchanged
	if !x.Internal {
		w.Change.Indexes = append(w.Change.Indexes, change)
	}
	if unchanged {
		return nil
	}
	if before != nil && !sameKey {
		if err := txn.Delete(w.oldKey); err != nil {
			return err
		}
	}
	if after == nil {
		return nil
	}
	if before == nil || !sameKey {
		if err := CheckKey(w.newKey); err != nil {
			return err
		}
	}
	return txn.Set(w.newKey, after)
}

func (w *Writer) project(t *Table, x *Index, row value.Row, scratch *[]byte, wanted bool) value.Row {
	if !wanted {
		return nil
	}
	projected := t.Project((*scratch)[:0], x, row)
	if x.keep != nil || t.Cells != nil && len(projected) != len(row) {
		*scratch = projected // not the row itself
	}
	return projected
}

// Project returns what an index keeps of a row: the row itself, or the kept attributes appended to dst.
func (t *Table) Project(dst []byte, x *Index, row value.Row) value.Row {
	if x.keep == nil && t.Cells != nil {
		return cell.Stripped(dst, row, t.Names)
	}
	if x.keep == nil {
		return row
	}
	return value.Project(dst, row, t.Names, func(name []byte) bool { return x.keep[string(name)] })
}

// Fill adds the entries of one existing row to an index that is being built. See Derive.
func (w *Writer) Fill(txn kv.Txn, t *Table, x *Index, key []byte, row value.Row) (filled bool, err error) {
	return w.Derive(t, x, key, row, txn.Set)
}

// Derive calls set with each entry that an existing row has in an index that is being built. The bytes are valid until
// it returns. filled is false for a row whose attributes don't fit a sparse index, which is legal: the row was written
// before the index was there. In an index that keeps nulls it is an error. Others: set's.
func (w *Writer) Derive(t *Table, x *Index, key []byte, row value.Row,
	set func(entry, kept []byte) error) (filled bool, err error) {
	switch err := t.Err(); {
	case err != nil:
		return false, err
	case x.Search:
		return true, w.entriesOf(t, x, key, row, func(entry, kept []byte) error {
			if err := CheckKey(entry); err != nil {
				return err
			}
			return set(entry, kept)
		})
	case t.Cells != nil:
		return w.deriveCells(t, x, key, row, set)
	}
	entry, ok, err := t.appendEntryKey(w.newKey[:0], x, key, row)
	if err != nil && x.KeepNulls {
		return false, t.nameRow(err, key)
	}
	if err != nil {
		return false, nil
	}
	if !ok {
		return true, nil // absent from a sparse index, as it should be
	}
	w.newKey = entry
	return true, set(entry, w.project(t, x, row, &w.newRow, true))
}

// Settle writes the entries that a row has now in an index that is being built, and deletes those that only what it was
// before has; nil is an absent row. filled is Derive's.
func (w *Writer) Settle(txn kv.Txn, t *Table, x *Index, key []byte, was, now value.Row) (filled bool, err error) {
	if was != nil {
		// A row that does not fit had no entries.
		if _, err := w.Derive(t, x, key, was, func(entry, _ []byte) error { return txn.Delete(entry) }); err != nil &&
			!indexkey.IsMisfit(err) {
			return false, err
		}
	}
	if now == nil {
		return true, nil
	}
	return w.Derive(t, x, key, now, txn.Set)
}

// nameRow says in an error which row it is about.
func (t *Table) nameRow(err error, key []byte) error {
	if misfit, ok := errors.AsType[*indexkey.TypeError](err); ok && misfit.Row == "" {
		misfit.Row = indexkey.KeyText(t.Primary.Index, key[len(t.Primary.Prefix):])
	}
	return err
}

// Reindex writes the entries of a row anew, and deletes those of the row before. nil is an absent row.
func (t *Table) Reindex(txn kv.Txn, key []byte, before, now value.Row) error {
	if err := t.Err(); err != nil {
		return err
	}
	var w Writer
	for _, x := range t.Indexes {
		if x.Search {
			if err := t.writeSearch(txn, x, key, before, nil); err != nil {
				return err
			}
			if err := t.writeSearch(txn, x, key, nil, now); err != nil {
				return err
			}
			continue
		}
		if before != nil && x.State.TakesDeletes() && t.Cells == nil {
			entry, ok, err := t.appendEntryKey(nil, x, key, before)
			if ok && err == nil {
				err = txn.Delete(entry)
			} else {
				err = nil // it had no entry
			}
			if err != nil {
				return err
			}
		}
		if now == nil || !x.State.TakesWrites() {
			continue
		}
		if _, err := w.Fill(txn, t, x, key, now); err != nil {
			return err
		}
	}
	return nil
}

// appendEntryKey appends the whole key of the entry that a row has in an index; key is the row's own.
func (t *Table) appendEntryKey(dst []byte, x *Index, key []byte, row value.Row) ([]byte, bool, error) {
	dst = append(dst, x.Prefix...)
	dst, ok, err := indexkey.Append(dst, x.Index, row, t.Names)
	if err != nil || !ok {
		return dst, false, err
	}
	return append(dst, key[len(t.Primary.Prefix):]...), true, nil
}

// CheckIndexes is the error of an index that the attributes of a row don't fit; key is the row's own.
func (t *Table) CheckIndexes(key []byte, row value.Row) error {
	for _, x := range t.Indexes {
		if !x.State.TakesWrites() || x.Search {
			continue
		}
		if _, _, err := t.appendEntryKey(nil, x, key, row); err != nil {
			return err
		}
	}
	return nil
}

func sizeOf(row value.Row) int {
	if row == nil {
		return 0
	}
	return row.Size()
}
