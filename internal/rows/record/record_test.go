// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

func part(t *testing.T, name string, typ schema.Type) schema.KeyPart {
	t.Helper()
	p, _, err := keytext.Parse(name, typ)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// people is a table of names with an index by city, which keeps the keys only, in the given state.
func people(t *testing.T, state schema.State) *Table {
	t.Helper()
	return Compile(&schema.Table{
		ID:      1,
		Primary: schema.Index{Key: []schema.KeyPart{part(t, "name", schema.String)}, PartitionParts: 1},
		Indexes: []schema.Index{{ID: 1, Name: "by-city", Key: []schema.KeyPart{part(t, "city", schema.String)},
			PartitionParts: 1,
			Projection:     schema.ProjectKeys, State: state}},
	}, value.NoNames)
}

func person(t *testing.T, name, city string) value.Row {
	t.Helper()
	var b value.RowBuilder
	set := func(attribute, text string) {
		if err := b.Set([]byte(attribute), value.AppendString(nil, []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	set("name", name)
	set("note", "about "+name)
	if city != "" {
		set("city", city)
	}
	return b.AppendTo(nil)
}

// write does one write and returns what it did to the index.
func write(t *testing.T, store kv.Store, table *Table, name string, old, row value.Row) string {
	t.Helper()
	key, err := table.AppendKey(nil, person(t, name, ""))
	if err != nil {
		t.Fatal(err)
	}
	var w Writer
	if err := kv.Update(t.Context(), store,
		func(txn kv.Txn) error { return w.Write(txn, table, key, old, row) }); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("item %d to %d", w.Change.Before, w.Change.After)
	for _, x := range w.Change.Indexes {
		text += fmt.Sprintf("; %s %d to %d moved %v written %v", x.Index.Name, x.Before, x.After, x.Moved, x.Written)
	}
	return text
}

func keys(t *testing.T, store kv.Store) (all []string) {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	walk := reader.Scan(t.Context(), kv.Range{}, false)
	for walk.Next() {
		all = append(all, keyspace.Print(walk.Key()))
	}
	if err := walk.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWrite follows one row through all that can happen to its entry.
func TestWrite(t *testing.T) {
	store := teststore.Store(t)
	table := people(t, schema.Active)
	ann, moved, homeless := person(t, "ann", "oslo"), person(t, "ann", "rome"), person(t, "ann", "")
	for _, step := range []struct {
		old, row value.Row
		want     string
		keys     int
	}{
		{nil, ann, "item 0 to 28; by-city 0 to 15 moved false written true", 2},
		{ann, ann, "item 28 to 28; by-city 15 to 15 moved false written false", 2},
		{ann, moved, "item 28 to 28; by-city 15 to 15 moved true written true", 2},
		{moved, homeless, "item 28 to 20; by-city 15 to 0 moved false written true", 1},
		{homeless, ann, "item 20 to 28; by-city 0 to 15 moved false written true", 2},
		{ann, nil, "item 28 to 0; by-city 15 to 0 moved false written true", 0},
	} {
		if got := write(t, store, table, "ann", step.old, step.row); got != step.want {
			t.Errorf("%s, want %s", got, step.want)
		}
		if held := keys(t, store); len(held) != step.keys {
			t.Errorf("keys %v, want %d", held, step.keys)
		}
	}
}

// TestStates checks what a write does to an index in each state of its life.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		state       schema.State
		adds, drops bool
	}{
		{schema.Active, true, true}, {schema.DeleteOnly, false, true}, {schema.WriteOnly, true, true},
		{schema.Backfill, true, true},
		{schema.Retiring, true, true}, {schema.Dropping, false, false},
	} {
		store := teststore.Store(t)
		active, table := people(t, schema.Active), people(t, c.state)
		bob, ann := person(t, "bob", "rome"), person(t, "ann", "oslo")
		write(t, store, active, "bob", nil, bob)
		write(t, store, table, "ann", nil, ann)
		if added := len(keys(t, store)) == 4; added != c.adds {
			t.Errorf("%v adds an entry: %v, want %v", c.state, added, c.adds)
		}
		before := len(keys(t, store))
		write(t, store, table, "bob", bob, nil)
		if dropped := before-len(keys(t, store)) == 2; dropped != c.drops {
			t.Errorf("%v deletes an entry: %v, want %v", c.state, dropped, c.drops)
		}
	}
}

// TestVerifyFinds plants one fault after another; Verify must name each.
func TestVerifyFinds(t *testing.T) {
	table := people(t, schema.Active)
	ann := person(t, "ann", "oslo")
	key, err := table.AppendKey(nil, ann)
	if err != nil {
		t.Fatal(err)
	}
	entry := append(append(bytes.Clone(table.Indexes[0].Prefix), order.AppendBytes(nil, []byte("oslo"))...),
		key[len(table.Primary.Prefix):]...)
	for fault, plant := range map[string]func(kv.Txn) error{
		"":                        func(kv.Txn) error { return nil },
		"lacks the entry":         func(txn kv.Txn) error { return txn.Delete(entry) },
		"has other attributes":    func(txn kv.Txn) error { return txn.Set(entry, person(t, "ann", "rome")) },
		"its rows make 1":         func(txn kv.Txn) error { return txn.Set(append(bytes.Clone(entry), 1), ann) },
		"holds the attributes of": func(txn kv.Txn) error { return txn.Set(key, person(t, "bob", "oslo")) },
		"row /row":                func(txn kv.Txn) error { return txn.Set(key, []byte{9, 9}) },
	} {
		store := teststore.Store(t)
		write(t, store, table, "ann", nil, ann)
		if err := kv.Update(t.Context(), store, plant); err != nil {
			t.Fatal(err)
		}
		reader, err := store.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		report, err := table.Verify(t.Context(), reader, Verification{})
		found := strings.Join(report.Faults, "\n")
		if err != nil || (fault == "") != (found == "") || !strings.Contains(found, fault) {
			t.Errorf("planted %q, found %q, %v", fault, found, err)
		}
		reader.Close()
	}
}

// TestLatches: of many goroutines that lock overlapping sets of keys, no two ever hold the same key, none waits for
// ever, and a cancelled one leaves nothing behind.
func TestLatches(t *testing.T) {
	latches := NewLatches()
	var group sync.WaitGroup
	var held [8]sync.Mutex
	for w := range 16 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			for range 300 {
				lockSome(t, latches, &held, rng)
			}
		})
	}
	group.Wait()
	for i := range latches.shards {
		if n := len(latches.shards[i].held); n != 0 {
			t.Errorf("%d latches are left", n)
		}
	}
}

func lockSome(t *testing.T, latches *Latches, held *[8]sync.Mutex, rng *rand.Rand) {
	ctx, cancel := context.Background(), func() {}
	if rng.IntN(3) == 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rng.IntN(50))*time.Microsecond)
	}
	defer cancel()
	set := rng.Perm(len(held))[:1+rng.IntN(3)]
	var wanted [][]byte
	for _, i := range set {
		wanted = append(wanted, []byte{byte(i)})
	}
	lock, err := latches.Lock(ctx, wanted...)
	if err != nil {
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		return
	}
	defer lock.Unlock()
	for _, i := range set {
		if !held[i].TryLock() {
			t.Errorf("two hold key %d", i)
			continue
		}
		defer held[i].Unlock()
	}
}

func BenchmarkLatch(b *testing.B) {
	latches, key := NewLatches(), []byte("a key of usual length")
	b.ReportAllocs()
	for b.Loop() {
		held, err := latches.Lock(b.Context(), key)
		if err != nil {
			b.Fatal(err)
		}
		held.Unlock()
	}
}

// TestVerifyInParts: however indexes are cut, a whole table is found whole and one with a fault is not; progress ends
// with all.
func TestVerifyInParts(t *testing.T) {
	seed := rounds.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	table := people(t, schema.Active)
	store := teststore.Store(t)
	const rows = 200
	for i := range rows {
		write(t, store, table, fmt.Sprintf("p%03d", i), nil,
			person(t, fmt.Sprintf("p%03d", i), fmt.Sprint(rng.IntN(20))))
	}
	verify := func() Report {
		t.Helper()
		reader, err := store.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		var seenRows, seenEntries int64
		var share float64
		cut := func(_ context.Context, x *Index, parts int) (cuts [][]byte, err error) {
			all := reader.Scan(t.Context(), x.Range(), false)
			for all.Next() {
				if len(cuts) < parts-1 && rng.IntN(10) == 0 {
					cuts = append(cuts, bytes.Clone(all.Key()[len(x.Prefix):]))
				}
			}
			return cuts, all.Close()
		}
		report, err := table.Verify(t.Context(), reader,
			Verification{Cut: cut, Progress: func(rows, entries int64, done float64) {
				if rows < seenRows || entries < seenEntries || done < share {
					t.Errorf("progress goes back: %d, %d, %f after %d, %d, %f", rows, entries, done, seenRows,
						seenEntries,
						share)
				}
				seenRows, seenEntries, share = rows, entries, done
			}})
		if err != nil || share != 1 || seenRows != report.Rows || seenEntries != report.Entries {
			t.Errorf("progress ends with %d rows, %d entries, %f; %+v, %v", seenRows, seenEntries, share, report, err)
		}
		return report
	}
	if report := verify(); report.Rows != rows || report.Entries != rows || len(report.Faults) > 0 {
		t.Errorf("%+v", report)
	}
	// An entry under another key: as many as there should be.
	entries := keys(t, store)
	moved, err := keyspace.ParseText(entries[len(entries)-1-rng.IntN(rows)])
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
		stored, _, err := txn.Get(t.Context(), moved, nil)
		return errors.Join(err, txn.Delete(moved), txn.Set(append(bytes.Clone(moved), 0), stored))
	}); err != nil {
		t.Fatal(err)
	}
	report := verify()
	if found := strings.Join(report.Faults, "\n"); len(report.Faults) != 2 ||
		!strings.Contains(found, "lacks the entry") || !strings.Contains(found, "which no row makes") {
		t.Errorf("%+v", report)
	}
}
