// SPDX-License-Identifier: Apache-2.0

// Package tablecopy keeps copies of single tables as they were at one moment, in the store itself: the descriptor, the
// attribute names, and all rows with the entries of the indexes that answered queries. They lie in sorted, compressed
// pieces, so that a table is made of a copy without deriving or sorting anything: the entries are added under the id of
// another table.
//
// Knows: pieces, what of a table is copied.
// Never: why, what rows mean, which settings a table that is made of a copy has.
package tablecopy

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// pieceBytes is about how much of entries a piece has, before compression. Every engine takes it as a value.
const pieceBytes = 1 << 20

// Head is all of a copy but its entries.
type Head struct {
	Schema   *schema.Table     `json:"schema"`
	Names    []string          `json:"names"` // of attributes, in the order of their ids, which begin with 1
	Counters map[uint64][]byte `json:"counters,omitempty"`
}

// Size is the size of a copy.
type Size struct {
	Rows, Bytes int64 // bytes of rows
	Pieces      uint64
}

// ErrGone says that the table is not there any more.
var ErrGone = errors.New("tablecopy: the table is gone")

// ErrPiece says that pieces of a copy are not what Write wrote.
var ErrPiece = errors.New("tablecopy: the copy is damaged")

// Commit runs fn in a transaction.
type Commit func(ctx context.Context, fn func(kv.Txn) error) error

// Told is called now and then with how many rows are done.
type Told func(rows int64)

// Write copies a table as it is when Write begins. Pieces of an attempt before are written over. Errors: ErrGone.
func Write(ctx context.Context, store kv.Store, table uint32, id string, commit Commit, told Told) (head Head,
	size Size, err error) {
	reader, err := store.Read(ctx)
	if err != nil {
		return head, size, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	if head, err = headOf(ctx, reader, table); err != nil {
		return head, size, err
	}
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return head, size, err
	}
	w := &writer{id: id, commit: commit, told: told, pack: pack}
	text, err := json.Marshal(&head)
	if err == nil {
		err = w.put(ctx, text)
	}
	if err == nil {
		err = w.entries(ctx, reader, head.Schema)
	}
	if err == nil {
		err = w.forgetRest(ctx, store)
	}
	w.size.Pieces = w.next
	return head, w.size, err
}

// headOf reads what is copied besides entries, and leaves indexes out that are being built or removed.
func headOf(ctx context.Context, from kv.Snapshot, table uint32) (h Head, err error) {
	stored, ok, err := from.Get(ctx, keyspace.AppendTable(nil, table), nil)
	if err != nil {
		return h, err
	}
	if !ok {
		return h, ErrGone
	}
	h.Schema = new(schema.Table)
	if err := json.Unmarshal(stored, h.Schema); err != nil {
		return h, err
	}
	if h.Schema.State == schema.Dropping {
		return h, ErrGone
	}
	kept := h.Schema.Indexes[:0]
	for _, x := range h.Schema.Indexes {
		if x.State == schema.Active && x.Rebuild == nil {
			kept = append(kept, x)
		}
	}
	h.Schema.Indexes = kept
	err = each(ctx, from, keyspace.AppendAttributes(nil, table), func(_, name []byte) error {
		h.Names = append(h.Names, string(name))
		return nil
	})
	if err != nil {
		return h, err
	}
	return h, each(ctx, from, keyspace.AppendCounters(nil, table), func(rest, value []byte) error {
		number, _, err := order.CutUvarint(rest)
		if h.Counters == nil {
			h.Counters = map[uint64][]byte{}
		}
		h.Counters[number] = bytes.Clone(value)
		return err
	})
}

// each calls visit with each entry of a prefix, without the prefix.
func each(ctx context.Context, from kv.Snapshot, prefix []byte, visit func(rest, value []byte) error) (err error) {
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		if err := visit(cursor.Key()[len(prefix):], cursor.Value()); err != nil {
			return err
		}
	}
	return nil
}

// writer writes pieces.
type writer struct {
	id     string
	commit Commit
	told   Told
	pack   *zstd.Encoder
	next   uint64 // piece
	plain  []byte
	size   Size
}

func (w *writer) entries(ctx context.Context, from kv.Snapshot, table *schema.Table) error {
	ids := []uint32{0}
	for i := range table.Indexes {
		ids = append(ids, table.Indexes[i].ID)
	}
	slices.Sort(ids) // which is the order of keys
	for _, id := range ids {
		prefix := keyspace.AppendRows(nil, table.ID, id)
		own := prefix[len(keyspace.AppendTableRows(nil, table.ID)):]
		err := each(ctx, from, prefix, func(rest, value []byte) error {
			if id == 0 {
				w.size.Rows, w.size.Bytes = w.size.Rows+1, w.size.Bytes+int64(len(rest)+len(value))
			}
			w.plain = binary.AppendUvarint(w.plain, uint64(len(own)+len(rest)))
			w.plain = binary.AppendUvarint(w.plain, uint64(len(value)))
			w.plain = append(append(append(w.plain, own...), rest...), value...)
			if len(w.plain) < pieceBytes {
				return nil
			}
			return w.flush(ctx)
		})
		if err != nil {
			return err
		}
	}
	return w.flush(ctx)
}

func (w *writer) flush(ctx context.Context) error {
	if len(w.plain) == 0 {
		return nil
	}
	err := w.put(ctx, w.plain)
	w.plain = w.plain[:0]
	w.told(w.size.Rows)
	return err
}

func (w *writer) put(ctx context.Context, plain []byte) error {
	packed := w.pack.EncodeAll(plain, nil)
	key := keyspace.AppendPiece(nil, w.id, w.next)
	w.next++
	return w.commit(ctx, func(txn kv.Txn) error { return txn.Set(key, packed) })
}

// forgetRest removes pieces of an attempt before that had more.
func (w *writer) forgetRest(ctx context.Context, store kv.Store) error {
	reader, err := store.Read(ctx)
	if err != nil {
		return err
	}
	var old [][]byte
	prefix := keyspace.AppendPieces(nil, w.id)
	err = each(ctx, reader, prefix, func(rest, _ []byte) error {
		number, _, err := order.CutUvarint(rest)
		if number >= w.next {
			old = append(old, append(bytes.Clone(prefix), rest...))
		}
		return err
	})
	if err := errors.Join(err, reader.Close()); err != nil || len(old) == 0 {
		return err
	}
	return w.commit(ctx, func(txn kv.Txn) error {
		for _, key := range old {
			if err := txn.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
}

// Range returns the span of keys of a copy's pieces.
func Range(id string) kv.Range {
	prefix := keyspace.AppendPieces(nil, id)
	end, _ := order.PrefixEnd(nil, prefix)
	return kv.Range{Start: prefix, End: end}
}

// pieceMax bounds a piece, unpacked: an entry may be larger than pieceBytes.
const pieceMax = 64 << 20

// ReadHead returns all of a copy but its entries.
func ReadHead(ctx context.Context, from kv.Store, id string) (h Head, err error) {
	packed, ok, err := from.Get(ctx, keyspace.AppendPiece(nil, id, 0), nil)
	if err == nil && !ok {
		err = ErrPiece
	}
	if err != nil {
		return h, err
	}
	unpack, err := newUnpacker()
	if err != nil {
		return h, err
	}
	defer unpack.Close()
	text, err := unpack.DecodeAll(packed, nil)
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil || h.Schema == nil {
		return h, fmt.Errorf("%w: its first piece: %w", ErrPiece, err)
	}
	return h, nil
}

func newUnpacker() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(pieceMax))
}

// Reader reads the entries of a copy in order, as those of another table.
type Reader struct {
	cursor kv.Cursor
	unpack *zstd.Decoder
	prefix int             // length of what stands in key before the entry's own
	kept   map[uint32]bool // indexes
	plain  []byte
	rest   []byte
	key    []byte
	told   Told
	rows   int64 // that Next has passed
}

// NewReader reads a copy in a snapshot, as entries of the table's id. Indexes that it does not have are left out, and
// so are the indexes to be rebuilt.
func NewReader(ctx context.Context, from kv.Snapshot, id string, table *schema.Table, told Told) (*Reader, error) {
	unpack, err := newUnpacker()
	if err != nil {
		return nil, err
	}
	r := &Reader{unpack: unpack, told: told, kept: map[uint32]bool{0: true},
		key: keyspace.AppendTableRows(nil, table.ID)}
	for i := range table.Indexes {
		r.kept[table.Indexes[i].ID] = !table.Indexes[i].State.Building()
	}
	r.prefix = len(r.key)
	all := Range(id)
	all.Start = keyspace.AppendPiece(nil, id, 1)
	r.cursor = from.Scan(ctx, all, false)
	return r, nil
}

// Next returns the next entry; both are good until the next call. Errors: io.EOF at the end, ErrPiece.
func (r *Reader) Next() (key, value []byte, err error) {
	for {
		for len(r.rest) == 0 {
			r.told(r.rows)
			if !r.cursor.Next() {
				if err := r.cursor.Close(); err != nil {
					return nil, nil, err
				}
				return nil, nil, io.EOF
			}
			if r.plain, err = r.unpack.DecodeAll(r.cursor.Value(), r.plain[:0]); err != nil {
				return nil, nil, fmt.Errorf("%w: %w", ErrPiece, err)
			}
			r.rest = r.plain
		}
		var own []byte
		if own, value, r.rest, err = cutEntry(r.rest); err != nil {
			return nil, nil, err
		}
		index, _, err := order.CutUvarint(own)
		if err != nil {
			return nil, nil, ErrPiece
		}
		if index == 0 {
			r.rows++
		}
		if r.kept[uint32(index)] {
			r.key = append(r.key[:r.prefix], own...)
			return r.key, value, nil
		}
	}
}

// Put adds all entries in transactions of about pieceBytes, those of an attempt before once more.
func (r *Reader) Put(ctx context.Context, commit Commit) error {
	for {
		var batch [][2][]byte
		var end error
		for size := 0; size < pieceBytes && end == nil; {
			var key, value []byte
			if key, value, end = r.Next(); end == nil {
				batch = append(batch, [2][]byte{append([]byte(nil), key...), append([]byte(nil), value...)})
				size += len(key) + len(value)
			}
		}
		if end != nil && !errors.Is(end, io.EOF) {
			return end
		}
		err := commit(ctx, func(txn kv.Txn) error {
			for _, e := range batch {
				if err := txn.Set(e[0], e[1]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || end != nil {
			return err
		}
	}
}

// cutEntry takes the first entry off a piece.
func cutEntry(b []byte) (key, value, rest []byte, err error) {
	keySize, n := binary.Uvarint(b)
	if n <= 0 || keySize > pieceMax {
		return nil, nil, nil, ErrPiece
	}
	valueSize, k := binary.Uvarint(b[n:])
	if k <= 0 || valueSize > pieceMax {
		return nil, nil, nil, ErrPiece
	}
	b = b[n+k:]
	if uint64(len(b)) < keySize+valueSize {
		return nil, nil, nil, ErrPiece
	}
	return b[:keySize], b[keySize : keySize+valueSize], b[keySize+valueSize:], nil
}

// Close ends the reading.
func (r *Reader) Close() error {
	r.unpack.Close()
	return r.cursor.Close()
}
