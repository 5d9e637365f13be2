// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/past"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// moment is what a table held at a time.
type moment struct {
	at    time.Time
	items map[string]string
}

// pastOf is what Past shows of a moment.
func pastOf(t *testing.T, open func(at time.Time) *past.View, at time.Time) map[string]string {
	t.Helper()
	items := map[string]string{}
	view := open(at)
	defer view.Close()
	err := view.Rows(t.Context(), at.UnixMilli(), func(names value.Names, row value.Row) error {
		key, _ := row.Get(names, []byte("k"))
		items[key.String()] = string(row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// TestPast: what Past shows of earlier moments is what the table had, and the differences of two moments make the items
// of the first those of the second.
func TestPast(t *testing.T) {
	t.Parallel() // it mostly waits
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		seed := rounds.Seed(t)
		random := rand.New(rand.NewPCG(uint64(seed), 4))
		table, err := db.CreateTable(t.Context(),
			database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
		if err != nil {
			t.Fatal(err)
		}
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": "k0", "v": 1}); err != nil {
			t.Fatal(err)
		}
		if err := table.Edit(t.Context(), withRecovery(db, 1)); err != nil {
			t.Fatal(err)
		}
		moments := []moment{}
		for range max(rounds.Of(t, 5), 2) {
			time.Sleep(3 * time.Millisecond)
			moments = append(moments, moment{at: time.Now(), items: itemsOf(t, table)})
			time.Sleep(3 * time.Millisecond)
			for range random.IntN(20) {
				if err := mutate(t.Context(), random, db, table); err != nil {
					t.Fatal(err)
				}
			}
		}
		pin, err := table.Pin()
		if err != nil {
			t.Fatal(err)
		}
		id := pin.Descriptor().ID
		pin.Release()
		open := func(at time.Time) *past.View {
			view, err := db.Recovery().Past(t.Context(), id, at, "")
			if err != nil {
				t.Fatal(err)
			}
			return view
		}
		for i, m := range moments {
			if got := pastOf(t, open, m.at); !maps.Equal(got, m.items) {
				t.Errorf("moment %d: %d items, not %d", i, len(got), len(m.items))
			}
			for j := i + 1; j < len(moments); j++ {
				checkDifferences(t, open, m, moments[j])
			}
		}
		_, err = db.Recovery().Past(t.Context(), id, time.Now().Add(-time.Hour), "")
		if database.KindOf(err) != database.KindInvalid {
			t.Errorf("a moment out of reach: %v", err)
		}
	})
}

func checkDifferences(t *testing.T, open func(at time.Time) *past.View, from, to moment) {
	t.Helper()
	items := maps.Clone(from.items)
	keys := []string{}
	view := open(from.at)
	defer view.Close()
	err := view.Differences(t.Context(), from.at.UnixMilli(), to.at.UnixMilli(), func(d past.Difference) error {
		v, _ := d.Key.Get(d.Names, []byte("k"))
		key := v.String()
		keys = append(keys, key)
		if old := items[key]; old != string(d.Old) || d.LastMS < from.at.UnixMilli() || d.LastMS >= to.at.UnixMilli() ||
			d.Key.Len() != 1 {
			t.Errorf("%s: %q was %q; last change at %d of %d to %d", key, d.Old, old, d.LastMS, from.at.UnixMilli(),
				to.at.UnixMilli())
		}
		if d.New == nil {
			delete(items, key)
		} else {
			items[key] = string(d.New)
		}
		return nil
	})
	if err != nil || !maps.Equal(items, to.items) {
		t.Errorf("the differences make other items: %v, %v", keys, err)
	}
	if !slices.IsSorted(keys) {
		t.Errorf("keys are not in order: %v", keys)
	}
}
