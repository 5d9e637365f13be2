// SPDX-License-Identifier: Apache-2.0

package undo

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// history is a table with all its changes, and what it was at one moment of them.
type history struct {
	t      *testing.T
	store  kv.Store
	table  *record.Table
	rows   map[string]value.Row // by key
	then   map[string]value.Row
	after  int64 // the moment
	later  int64 // changes after it
	writes int   // rows that were written by undoing
}

// newHistory changes 300 rows 6,000 times, and remembers the moment after a third of that.
func newHistory(t *testing.T, random *rand.Rand) *history {
	t.Helper()
	part, _, err := keytext.Parse("name", schema.String)
	if err != nil {
		t.Fatal(err)
	}
	table := record.Compile(&schema.Table{ID: 1, Primary: schema.Index{Key: []schema.KeyPart{part}, PartitionParts: 1}},
		value.NoNames)
	h := &history{t: t, store: mem.Open(mem.Options{}), table: table, rows: map[string]value.Row{}}
	t.Cleanup(func() { h.store.Close() })
	const changes, begin = 6000, 1_000_000
	for i := range changes {
		if i == changes/3 {
			h.then, h.after = maps.Clone(h.rows), begin+int64(i)-1
		}
		if h.then != nil {
			h.later++
		}
		h.change(random, begin+int64(i))
	}
	return h
}

// change writes a row, or removes it, at a moment.
func (h *history) change(random *rand.Rand, ms int64) {
	name := value.AppendString(nil, fmt.Appendf(nil, "name %d", random.IntN(300)))
	var b value.RowBuilder
	_ = b.Set([]byte("name"), name)                                                   // neither is too large
	_ = b.Set([]byte("note"), value.AppendString(nil, fmt.Appendf(nil, "at %d", ms))) // as above
	row := value.Row(b.AppendTo(nil))
	key, err := h.table.AppendKey(nil, row)
	if err != nil {
		h.t.Fatal(err)
	}
	old := h.rows[string(key)]
	if old != nil && random.IntN(4) == 0 {
		row = nil
	}
	e := journal.Entry{WasThere: old != nil, IsThere: row != nil, Old: old, New: row}
	err = kv.Update(h.t.Context(), h.store, func(txn kv.Txn) error {
		place := append(keyspace.AppendJournal(nil, 1, 0, kv.StampOf(ms)),
			bytes.TrimPrefix(key, h.table.Primary.Prefix)...)
		if err := txn.Set(place, e.Append(nil)); err != nil {
			return err
		}
		var w record.Writer
		return w.Write(txn, h.table, key, old, row)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	if h.rows[string(key)] = row; row == nil {
		delete(h.rows, string(key))
	}
}

// undo takes the changes back with so much memory for keys, and returns what the table is then.
func (h *history) undo(doneMax int) (now map[string]value.Row, changes int64) {
	u := &Undo{After: h.after, Target: h.table, Lived: true, doneMax: doneMax,
		Commit: func(ctx context.Context, rows [][]byte, f func(kv.Txn) error) error {
			h.writes += len(rows)
			return kv.Update(ctx, h.store, f)
		}}
	reader, err := h.store.Read(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	defer reader.Close()
	if err := u.Bucket(h.t.Context(), reader, journal.Bucket{Table: 1}); err != nil {
		h.t.Fatal(err)
	}
	if err := u.Finish(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	after, err := h.store.Read(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	defer after.Close()
	now = map[string]value.Row{}
	cursor := after.Scan(h.t.Context(), h.table.Primary.Range(), false)
	for cursor.Next() {
		now[string(cursor.Key())] = bytes.Clone(cursor.Value())
	}
	if err := cursor.Close(); err != nil {
		h.t.Fatal(err)
	}
	return now, u.Changes()
}

// TestParts takes changes back with memory for all keys, and for few of them: the table becomes what it was, and where
// there is memory each row is written once.
func TestParts(t *testing.T) {
	seed := rounds.Seed(t)
	for _, keys := range []int{0, 100, 7, 1} {
		t.Run(fmt.Sprint(keys), func(t *testing.T) {
			h := newHistory(t, rand.New(rand.NewPCG(seed, 1)))
			now, changes := h.undo(keys * (doneBytes + 12))
			equal := func(a, b value.Row) bool { return bytes.Equal(a, b) }
			if !maps.EqualFunc(now, h.then, equal) {
				t.Errorf("%d rows, want the %d of the moment", len(now), len(h.then))
			}
			if changes != h.later {
				t.Errorf("%d changes were taken back, want %d", changes, h.later)
			}
			if keys == 0 && h.writes > 300 {
				t.Errorf("%d writes for 300 rows", h.writes)
			}
		})
	}
}
