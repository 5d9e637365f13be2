// SPDX-License-Identifier: Apache-2.0

// Package transfer makes one store hold what another one holds, whatever their engines: entry by entry in the order of
// keys, in transactions, each of which notes how far the copy is. Both stores are walked side by side and only
// differences are written, so that a copy that was interrupted goes on, and a copy of a store that was used on is
// brought up to date. Until it is whole no version of Weft opens it: its format is not one that they know.
//
// Knows: what belongs to a store's data and what to the processes that use it, counts and sums of each table and index.
// Never: what rows mean, engines, the command line.
package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Options say what to copy.
type Options struct {
	From, To kv.Store
	// Source names From, so that a copy that goes on is one of the same store.
	Source string
	// Again allows to bring a finished copy up to date: what was written to it since is lost.
	Again bool
	// Progress is called after each transaction. Default: nobody.
	Progress func(Progress)
}

// Progress is the progress of a copy.
type Progress struct {
	Entries, Written int64 // walked over, and written or deleted; when compared, entries read
	// what is copied or compared now: "database.table", "database.table.index", or the section of the map
	At        string
	Done      float64 // the share of what is to be copied or compared, from 0 to 1; 0 if nobody can estimate it
	Comparing bool    // the copy is made, and is compared with the source
}

// Errors of copies.
var (
	ErrEmpty  = errors.New("there is no database to copy: the source has no format")
	ErrTarget = errors.New("the target holds other data than a copy of this source: choose an empty target")
	ErrDone   = errors.New("the copy is complete: to bring it up to date, and lose anything written to it since, repeat the command")
)

// batchBytes is about what a transaction of the copy writes, and batchEntries how many entries it walks over at most
// before it notes where it is.
const (
	batchBytes   = 1 << 20
	batchEntries = 200_000
)

// note is the entry of the target that tells of the copy.
type note struct {
	Source string `json:"source"`
	Done   bool   `json:"done"`
	After  []byte `json:"after,omitempty"` // everything up to this key is copied
}

func noteKey() []byte   { return keyspace.AppendMeta(nil, "copy") }
func formatKey() []byte { return keyspace.AppendMeta(nil, "format") }

// formatUnfinished is the format of a store that is being copied to.
const formatUnfinished = 0

// Copy copies, and returns what was compared afterwards. Nobody may write to the target meanwhile; the source may be
// written to, and is copied as it was when the copy began. Errors: ErrEmpty, ErrTarget, ErrDone, a *DifferenceError,
// those of the stores.
func Copy(ctx context.Context, o Options) (list []Sum, err error) {
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	from, err := o.From.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	format, ok, err := from.Get(ctx, formatKey(), nil)
	if err != nil {
		return nil, err
	}
	if version, _, _ := order.CutUvarint(format); !ok || version == formatUnfinished {
		return nil, ErrEmpty
	}
	tables, err := tablesOf(ctx, from)
	if err != nil {
		return nil, err
	}
	c := &copier{Options: o, from: from, tables: tables, done: shareOf(ctx, o.From)}
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	for more := true; more; {
		if more, err = c.batch(ctx); err != nil {
			return nil, err
		}
	}
	if list, err = c.compare(ctx); err != nil {
		return list, err
	}
	return list, kv.Update(ctx, o.To, func(txn kv.Txn) error {
		return errors.Join(txn.Set(formatKey(), format), c.write(txn, note{Source: o.Source, Done: true}))
	})
}

type copier struct {
	Options
	from     kv.Reader
	tables   map[uint64]*schema.Table
	done     func(key []byte) float64
	after    []byte
	progress Progress
}

// begin looks at what the target holds, and closes it to everybody else.
func (c *copier) begin(ctx context.Context) error {
	return kv.Update(ctx, c.To, func(txn kv.Txn) error {
		stored, ok, err := txn.Get(ctx, noteKey(), nil)
		if err != nil {
			return err
		}
		if !ok {
			if err := isEmpty(ctx, txn); err != nil {
				return err
			}
			return c.open(txn, note{Source: c.Source})
		}
		var n note
		if err := json.Unmarshal(stored, &n); err != nil {
			return fmt.Errorf("%w (%w)", ErrTarget, err)
		}
		switch {
		case n.Source != c.Source:
			return fmt.Errorf("%w (it is one of %s)", ErrTarget, n.Source)
		case n.Done && !c.Again:
			return ErrDone
		case n.Done:
			n = note{Source: c.Source}
		}
		c.after = n.After
		return c.open(txn, n)
	})
}

func (c *copier) open(txn kv.Txn, n note) error {
	return errors.Join(txn.Set(formatKey(), order.AppendUvarint(nil, formatUnfinished)), c.write(txn, n))
}

func (c *copier) write(txn kv.Txn, n note) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return txn.Set(noteKey(), raw)
}

func isEmpty(ctx context.Context, txn kv.Txn) error {
	cursor := txn.Scan(ctx, kv.Range{}, false)
	found := cursor.Next()
	if err := cursor.Close(); err != nil || !found {
		return err
	}
	return ErrTarget
}

// belongs reports whether an entry is part of the data. Records of processes that share a store are not, nor a copy's
// own notes.
func belongs(key []byte) bool {
	return !keyspace.IsOfProcess(key) && !bytes.Equal(key, noteKey()) && !bytes.Equal(key, formatKey())
}

// batch walks on over both stores and writes what differs, in one transaction. more is false at the end.
func (c *copier) batch(ctx context.Context) (more bool, err error) {
	var next []byte
	err = kv.Update(ctx, c.To, func(txn kv.Txn) error {
		b := &step{txn: txn, limit: batchBytes}
		if limit := c.To.Limits().TxnBytesMax; limit > 0 {
			b.limit = min(b.limit, limit/2)
		}
		if more, err = b.walk(ctx, c.from, c.To, c.after); err != nil {
			return err
		}
		next = b.last
		c.progress.Entries, c.progress.Written = c.progress.Entries+b.entries, c.progress.Written+b.written
		return c.write(txn, note{Source: c.Source, After: next})
	})
	if err != nil {
		return false, err
	}
	c.after = next
	if next != nil {
		c.progress.At, c.progress.Done = nameOf(placeOf(next), c.tables), c.done(next)
	}
	c.Progress(c.progress)
	return more, nil
}

// step is one transaction of a copy.
type step struct {
	txn              kv.Txn
	limit, bytes     int
	entries, written int64
	last             []byte
}

func (b *step) walk(ctx context.Context, from kv.Reader, to kv.Store, after []byte) (more bool, err error) {
	start := append(bytes.Clone(after), 0)
	if after == nil {
		start = nil
	}
	b.last = bytes.Clone(after)
	target, err := to.Read(ctx) // its cursor may stay open while the transaction is written to
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	want, have := newSide(from.Scan(ctx, kv.Range{Start: start}, false)),
		newSide(target.Scan(ctx, kv.Range{Start: start}, false))
	defer func() { err = errors.Join(err, have.close(), want.close()) }()
	for b.bytes < b.limit && b.entries < batchEntries {
		if !want.ok && !have.ok {
			return false, nil
		}
		if err := b.one(want, have); err != nil {
			return false, err
		}
	}
	return true, nil
}

// one makes the target right at the next key of either side.
func (b *step) one(want, have *side) error {
	n := compareSides(want, have)
	least := want
	if n > 0 {
		least = have
	}
	b.last = append(b.last[:0], least.key()...)
	b.entries++
	var err error
	switch {
	case n > 0:
		b.bytes, b.written = b.bytes+len(have.key()), b.written+1
		err = b.txn.Delete(have.key())
	case n < 0 || !bytes.Equal(want.cursor.Value(), have.cursor.Value()):
		b.bytes, b.written = b.bytes+len(want.key())+len(want.cursor.Value()), b.written+1
		err = b.txn.Set(want.key(), want.cursor.Value())
	}
	if n <= 0 {
		want.next()
	}
	if n >= 0 {
		have.next()
	}
	return err
}

// side walks over what belongs to the data of one store.
type side struct {
	cursor kv.Cursor
	ok     bool
}

func newSide(cursor kv.Cursor) *side {
	s := &side{cursor: cursor}
	s.next()
	return s
}

func (s *side) next() {
	for s.ok = s.cursor.Next(); s.ok && !belongs(s.cursor.Key()); s.ok = s.cursor.Next() {
		continue
	}
}

func (s *side) key() []byte  { return s.cursor.Key() }
func (s *side) close() error { return s.cursor.Close() }

// compareSides compares the keys; one that has ended is behind all.
func compareSides(a, b *side) int {
	switch {
	case !a.ok:
		return 1
	case !b.ok:
		return -1
	}
	return bytes.Compare(a.key(), b.key())
}
