// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Entries of a search index. Each field has two lists of entries below the index's prefix, which a number
// distinguishes:
//
//	2*field   | word (order.AppendBytes) | primary key → search.Posting      for a field of words
//	2*field   | value, or null           | primary key → nothing             for a field of a column
//	2*field+1 | primary key → how many words the row has there (uvarint)     for a field of words
//	2*field+1 | primary key → nothing: the row's value can't stand in a key  for a field of a column
//
// In a field for all columns of a pattern, the name of the column (order.AppendBytes) follows the number: see
// Field.Named. So a word's rows, and a value's, come in the order of the primary key, and no two rows write the same
// entry.

// Field is a field of a search index.
type Field struct {
	// Index has the field's entries by value or by word: see schema.Index.FieldIndex.
	*Index
	Number uint32
	// Analyzer cuts the texts of a field of words; nil for a field of a column.
	Analyzer *search.Analyzer
	Columns  [][]byte
	// Side is the prefix of the field's second list.
	Side []byte
	err  error // the analyzer is not known

	whole *Index // whose key has the field, at a place
	at    int
}

// compileFields makes the fields of a search index ready.
func compileFields(table *schema.Table, x *Index) {
	for i := range x.Key {
		p := &x.Key[i]
		alone := x.FieldIndex(i, "")
		f := &Field{Index: &Index{Index: &alone,
			Prefix: order.AppendUvarint(slices.Clone(x.Prefix), 2*uint64(p.Field))}, Number: p.Field, whole: x, at: i}
		f.Side = order.AppendUvarint(slices.Clone(x.Prefix), 2*uint64(p.Field)+1)
		for j := range p.Args {
			f.Columns = append(f.Columns, []byte(p.Args[j].Column))
		}
		if p.Function == schema.Words {
			f.Analyzer, f.err = search.Open(p.Analyzer)
		}
		if table.Cells != nil {
			f.columns, f.nulls = keyColumns(&alone), alone.KeepNulls
		}
		x.Fields = append(x.Fields, f)
	}
}

// Field returns a field of a search index by its place in the index's key.
func (x *Index) Field(at int) *Field { return x.Fields[at] }

// isPattern reports whether the field is for all columns of a pattern.
func (f *Field) isPattern() bool { return f.whole.Key[f.at].Pattern }

// Named is the field of one column of a pattern; the field itself where it is no pattern's.
func (f *Field) Named(column string) *Field {
	if !f.isPattern() {
		return f
	}
	alone, name := f.whole.FieldIndex(f.at, column), []byte(column)
	own := *f
	own.Index = &Index{Index: &alone, Prefix: order.AppendBytes(slices.Clone(f.Prefix), name)}
	own.Side, own.Columns = order.AppendBytes(slices.Clone(f.Side), name), [][]byte{name}
	return &own
}

// rest cuts what stands before the primary key off a relative key of a search index.
func (x *Index) rest(key []byte) (primary []byte, err error) {
	if !x.Search {
		return indexkey.Skip(x.Index, key)
	}
	number, rest, err := order.CutUvarint(key)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(x.Fields, func(f *Field) bool { return uint64(f.Number) == number/2 })
	switch {
	case at < 0:
		return nil, fmt.Errorf("record: no field %d", number/2)
	case x.Fields[at].isPattern():
		if _, rest, err = order.CutBytes(rest, nil); err != nil {
			return nil, err
		}
	}
	if number%2 == 1 {
		return rest, nil
	}
	return x.Fields[at].Rest(rest)
}

// Rest cuts a word or a value off what follows the field's prefix: the primary key is left.
func (f *Field) Rest(key []byte) (primary []byte, err error) {
	if f.Analyzer == nil {
		return indexkey.Skip(f.Index.Index, key)
	}
	var room [search.TermBytesMax + 1]byte
	_, rest, err := order.CutBytes(key, room[:0])
	return rest, err
}

// WordPrefix appends the beginning of the entries of a word, or of words that begin so if whole is not set.
func (f *Field) WordPrefix(dst, word []byte, whole bool) []byte {
	dst = append(dst, f.Prefix...)
	if whole {
		return order.AppendBytes(dst, word)
	}
	return order.AppendBytesPrefix(dst, word)
}

// Texts appends the texts of the field that a row has.
func (f *Field) Texts(dst [][]byte, row value.Row, names value.Names) [][]byte {
	for i, column := range f.Columns {
		v, _ := row.Get(names, column)
		if codec := f.Key[0].Args[i].Codec; codec != value.AsIs {
			v, _ = codec.Decode(nil, v)
		}
		dst = v.AppendTexts(dst)
	}
	return dst
}

// entry is an entry of an index: its whole key, and what it keeps.
type entry struct{ key, kept []byte }

// appendEntries appends the entries that a row has in the field. key is the row's own, whole.
func (f *Field) appendEntries(dst []entry, t *Table, key []byte, row value.Row) ([]entry, error) {
	switch {
	case row == nil:
		return dst, nil
	case f.err != nil:
		return dst, f.err
	case f.Analyzer != nil:
		return f.appendWords(dst, t, key, row), nil
	case f.isPattern():
		return f.appendNamed(dst, t, key, row)
	}
	return f.appendValues(dst, t, key, row), nil
}

// appendNamed appends the entries of the columns of a pattern.
func (f *Field) appendNamed(dst []entry, t *Table, key []byte, row value.Row) ([]entry, error) {
	attributes := row.Attributes(t.Names)
	for attributes.Next() {
		if name := string(attributes.Name()); f.whole.Key[f.at].Covers(name) {
			dst = f.Named(name).appendValues(dst, t, key, row)
		}
	}
	return dst, attributes.Err()
}

// appendValues appends the entry of a value, or that of a row whose value can't stand in a key.
func (f *Field) appendValues(dst []entry, t *Table, key []byte, row value.Row) []entry {
	keys, err := t.entryKeys(f.Index, key, row)
	if err != nil {
		return append(dst, entry{append(slices.Clone(f.Side), key[len(t.Primary.Prefix):]...), []byte{}})
	}
	for _, own := range keys {
		dst = append(dst, entry{own, []byte{}})
	}
	return dst
}

func (f *Field) appendWords(dst []entry, t *Table, key []byte, row value.Row) []entry {
	texts := f.Texts(nil, row, t.Names)
	if len(texts) == 0 {
		return dst
	}
	primary := key[len(t.Primary.Prefix):]
	document := f.Analyzer.Document(texts...)
	dst = slices.Grow(dst, len(document.Words)+1)
	size := 0
	for word, places := range document.Words {
		size += len(f.Prefix) + len(word) + len(primary) + 4 + 4*len(places)
	}
	room := make([]byte, 0, size) // of all entries
	for word, places := range document.Words {
		from := len(room)
		room = append(f.WordPrefix(room, []byte(word), true), primary...)
		own := room[from:len(room):len(room)]
		from = len(room)
		room = search.AppendPosting(room, document.Length, places)
		dst = append(dst, entry{own, room[from:len(room):len(room)]})
	}
	return append(dst, entry{append(slices.Clone(f.Side), primary...),
		binary.AppendUvarint(nil, uint64(document.Length))})
}

// isSame reports whether two rows have the same in a field.
func (f *Field) isSame(t *Table, old, new value.Row) bool {
	if old == nil || new == nil || t.Cells != nil || f.isPattern() {
		return false
	}
	return !slices.ContainsFunc(f.Columns, func(column []byte) bool {
		was, _ := old.Get(t.Names, column)
		is, _ := new.Get(t.Names, column)
		return !bytes.Equal(was, is)
	})
}

// writeSearch updates the entries of a row in a search index from its old state to its new one.
func (t *Table) writeSearch(txn kv.Txn, x *Index, key []byte, old, new value.Row) error {
	if !x.State.TakesDeletes() {
		old = nil
	}
	if !x.State.TakesWrites() {
		new = nil
	}
	if x.Async != nil && !x.State.Building() {
		return t.writeAsync(txn, x, key, old, new)
	}
	for _, f := range x.Fields {
		if x.State == schema.Active && f.isSame(t, old, new) {
			continue
		}
		before, err := f.appendEntries(nil, t, key, old)
		if err != nil {
			return err
		}
		after, err := f.appendEntries(nil, t, key, new)
		if err != nil {
			return err
		}
		if err := moveAll(txn, appendMoves(nil, before, after, x.State == schema.Active)); err != nil {
			return err
		}
	}
	return nil
}

// writeAsync is writeSearch for an asynchronous index that is complete: a change of few entries is written, any other
// is left to the caller of Follow. As long as the index is being built, all are written, so that building it needs no
// order among changes and rows.
func (t *Table) writeAsync(txn kv.Txn, x *Index, key []byte, old, new value.Row) error {
	if x.Async.EntriesMax == 0 {
		return nil
	}
	var moves []move
	for _, f := range x.Fields {
		if f.isSame(t, old, new) {
			continue
		}
		var err error
		if moves, err = f.appendMoves(moves, t, key, old, new); err != nil {
			return err
		}
		if len(moves) > x.Async.EntriesMax {
			return nil
		}
	}
	return moveAll(txn, moves)
}

// Follow updates the entries of a row in an asynchronous index from a change's state to the row's present one,
// within txn: old is the row before that change. It returns how many entries it writes. Once it was called for each
// change of a row, in their order, the row has the entries that it makes, whoever wrote some of them meanwhile, and
// however often it is called again: a word that the row has since some change is written with it, and one that it has
// lost since is deleted with that.
func (t *Table) Follow(txn kv.Txn, x *Index, key []byte, old, now value.Row) (writes int, err error) {
	moves, err := x.moves(t, key, old, now)
	if err != nil {
		return 0, err
	}
	return len(moves), moveAll(txn, moves)
}

// FollowSome is Follow for a row whose entries are too many for one commit: it leaves out those that are right already,
// and stops after some bytes. left says that there are more: then it is called again in the next transaction.
func (t *Table) FollowSome(ctx context.Context, txn kv.Txn, x *Index, key []byte, old, now value.Row,
	bytesMax int) (written int, left bool, err error) {
	moves, err := x.moves(t, key, old, now)
	if err != nil {
		return 0, false, err
	}
	for _, m := range moves {
		kept, has, err := txn.Get(ctx, m.key, nil)
		if err != nil {
			return written, false, err
		}
		if has == (m.kept != nil) && bytes.Equal(kept, m.kept) {
			continue
		}
		if written > bytesMax {
			return written, true, nil
		}
		if err := moveAll(txn, []move{m}); err != nil {
			return written, false, err
		}
		written += len(m.key) + len(m.kept)
	}
	return written, false, nil
}

// moves are the changes that turn the entries of a row into those of another, in all fields.
func (x *Index) moves(t *Table, key []byte, old, now value.Row) (moves []move, err error) {
	for _, f := range x.Fields {
		if f.isSame(t, old, now) {
			continue
		}
		if moves, err = f.appendMoves(moves, t, key, old, now); err != nil {
			return nil, err
		}
	}
	return moves, nil
}

// move is an entry that is to be written, or to be deleted if kept is nil.
type move = entry

// appendMoves appends what turns the entries of a row in a field into those of another.
func (f *Field) appendMoves(dst []move, t *Table, key []byte, old, new value.Row) ([]move, error) {
	before, err := f.appendEntries(nil, t, key, old)
	if err != nil {
		return dst, err
	}
	after, err := f.appendEntries(nil, t, key, new)
	return appendMoves(dst, before, after, true), err
}

// appendMoves appends what turns entries into others; complete says that those before are all there.
func appendMoves(dst []move, before, after []entry, complete bool) []move {
	byKey := func(a, b entry) int { return bytes.Compare(a.key, b.key) }
	slices.SortFunc(before, byKey)
	slices.SortFunc(after, byKey)
	for _, e := range before {
		if _, stays := slices.BinarySearchFunc(after, e, byKey); !stays {
			dst = append(dst, move{e.key, nil})
		}
	}
	for _, e := range after {
		at, was := slices.BinarySearchFunc(before, e, byKey)
		if was && complete && bytes.Equal(before[at].kept, e.kept) {
			continue
		}
		dst = append(dst, e)
	}
	return dst
}

// moveAll writes entries.
func moveAll(txn kv.Txn, moves []move) (err error) {
	for _, m := range moves {
		if m.kept == nil {
			err = txn.Delete(m.key)
		} else if err = CheckKey(m.key); err == nil {
			err = txn.Set(m.key, m.kept)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// entriesOf calls visit with each entry that a stored row has in an index. The bytes are valid until it returns.
func (w *Writer) entriesOf(t *Table, x *Index, key []byte, stored value.Row,
	visit func(entry, kept []byte) error) error {
	if x.Search {
		for _, f := range x.Fields {
			entries, err := f.appendEntries(nil, t, key, stored)
			if err != nil {
				return err
			}
			for _, e := range entries {
				if err := visit(e.key, e.kept); err != nil {
					return err
				}
			}
		}
		return nil
	}
	keys, err := t.entryKeys(x, key, stored)
	if err != nil {
		return err
	}
	kept := w.project(t, x, stored, &w.newRow, len(keys) > 0)
	for _, own := range keys {
		if err := visit(own, kept); err != nil {
			return err
		}
	}
	return nil
}

// malformed says that an entry can't be read.
func (x *Index) malformed(entry []byte, err error) error {
	return fmt.Errorf("record: entry %s of index %s: %w", keyspace.Print(entry), x.Name, err)
}
