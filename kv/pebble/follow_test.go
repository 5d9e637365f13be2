// SPDX-License-Identifier: Apache-2.0

package pebble_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

func openMemory(t *testing.T) *pebble.Store {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: vfs.NewMem(), MemTableBytes: 1 << 20,
		ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func entriesOf(t *testing.T, store kv.Store) map[string]string {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	all := map[string]string{}
	cursor := reader.Scan(t.Context(), kv.Range{}, false)
	for cursor.Next() {
		all[string(cursor.Key())] = string(cursor.Value())
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFollow writes from several goroutines, small and large transactions and deletions of ranges, and makes the
// changes again in another store: all of them, and once more from some change on, as a copy does that has seen a part
// of them.
func TestFollow(t *testing.T) {
	store, copied := openMemory(t), openMemory(t)
	f, err := store.Follow(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Follow(1); err == nil {
		t.Error("two follow")
	}
	seed := rounds.Seed(t)
	var writing sync.WaitGroup
	for w := range 4 {
		random := rand.New(rand.NewPCG(seed, uint64(w)))
		writing.Go(func() {
			for i := range 150 {
				err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
					for range 1 + random.IntN(5) {
						key, size := fmt.Append(nil, "k", random.IntN(100)), 10
						if i%50 == 7 {
							size = 700_000 // a batch that is larger than half a memtable
						}
						if err := errors.Join(txn.Set(key, make([]byte, size)),
							txn.Delete(fmt.Append(nil, "k", random.IntN(100)))); err != nil {
							return err
						}
					}
					return txn.Set(fmt.Append(nil, "last", w), fmt.Append(nil, i))
				})
				if i%20 == 3 {
					err = errors.Join(err,
						store.DeleteRange(t.Context(), kv.Range{Start: []byte("k2"), End: []byte("k4")}))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	var changes []kv.Change
	last := int64(0) // all before was handed out
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	for open := true; open; {
		select {
		case <-done:
			open = false
		default:
		}
		for more := true; more; {
			var some []kv.Change
			until := int64(0)
			if some, until, more, err = f.Next(10_000); err != nil {
				t.Fatal(err)
			}
			changes = append(changes, some...)
			if next := until + 1; len(some) > 0 && some[0].MS < last {
				t.Fatalf("all before %d was handed out, then a change of %d", last, some[0].MS)
			} else {
				last = next
			}
		}
	}
	if begun, durable := f.Counts(); begun != int64(len(changes)) || durable != begun {
		t.Errorf("%d changes, but %d were begun and %d are durable", len(changes), begun, durable)
	}
	for i := 1; i < len(changes); i++ {
		if changes[i].MS < changes[i-1].MS {
			t.Fatalf("change %d is of %d, the one before of %d", i, changes[i].MS, changes[i-1].MS)
		}
	}
	want := entriesOf(t, store)
	if err := copied.Redo(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	if got := entriesOf(t, copied); !maps.Equal(got, want) {
		t.Errorf("the changes make %d entries, the store has %d", len(got), len(want))
	}
	if err := copied.Redo(t.Context(), changes[len(changes)/2:]); err != nil {
		t.Fatal(err)
	}
	if got := entriesOf(t, copied); !maps.Equal(got, want) {
		t.Errorf("made again from the middle, the changes make %d entries, the store has %d", len(got), len(want))
	}
	f.Close()
	if f, err = store.Follow(1); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := kv.Update(t.Context(), store,
		func(txn kv.Txn) error { return txn.Set([]byte("more"), []byte("than a byte")) }); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := f.Next(100); !errors.Is(err, kv.ErrGap) {
		t.Errorf("more waits than there is room for: %v", err)
	}
}
