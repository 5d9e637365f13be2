// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/pebble"
)

// embedded opens a database on Pebble in memory.
func embedded(t testing.TB) *database.DB {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), store,
		database.Options{Admin: store, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(); store.Close() })
	return db
}

func mustTable(t testing.TB, db *database.DB, spec database.TableSpec) *database.Table {
	t.Helper()
	table, err := db.CreateTable(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestOneItemManyWriters: 64 writers add 1 to one item; every write succeeds and none is lost.
func TestOneItemManyWriters(t *testing.T) {
	db := embedded(t)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.String)})
	const writers, each = 64, 50
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range each {
				if _, err := testdoc.Update(t.Context(), table, testdoc.Document{"pk": "x"},
					govalue.Attribute("n").Add(1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	item, _, err := testdoc.Get(t.Context(), table, testdoc.Document{"pk": "x"})
	if n, _ := item.Int("n"); err != nil || n != writers*each {
		t.Errorf("n is %d, %v; want %d", n, err, writers*each)
	}
}

// TestIndexBuiltUnderLoad adds and drops indexes while writers go on; at the end every index holds exactly what the
// rows say.
func TestIndexBuiltUnderLoad(t *testing.T) {
	t.Run("plain", func(t *testing.T) { builtUnderLoad(t, nil) })
	t.Run("cells", func(t *testing.T) { builtUnderLoad(t, &cell.Rules{Versions: 2, LifeMS: 300, MarkersMS: 100}) })
}

func builtUnderLoad(t *testing.T, rules *cell.Rules) {
	db := embedded(t)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.Number), Cells: rules})
	for i := range 3000 {
		if err := testdoc.Put(t.Context(), table,
			testdoc.Document{"pk": i, "color": fmt.Sprint("c", i%7), "size": i}); err != nil {
			t.Fatal(err)
		}
	}
	var stop atomic.Bool
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 7))
			for !stop.Load() {
				if err := randomWrite(t, table, rng); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for round := range 4 {
		name := fmt.Sprint("by-color-", round)
		spec := database.IndexSpec{Name: name, Key: database.Columns("color", schema.String, "size", schema.Number),
			KeepNulls: rules != nil}
		if rules != nil {
			rules.Versions = round // rows are rewritten meanwhile
			if err := errors.Join(table.Edit(t.Context(), withCells(*rules)), table.Compact(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		if err := table.AddIndex(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		if round%2 == 1 {
			if err := table.DropIndex(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		if report, err := table.Verify(t.Context()); err != nil || len(report.Faults) > 0 {
			t.Fatalf("round %d: %+v, %v", round, report, err)
		}
	}
	stop.Store(true)
	group.Wait()
	report, err := table.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 || report.Entries == 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func randomWrite(t *testing.T, table *database.Table, rng *rand.Rand) error {
	key := testdoc.Document{"pk": rng.IntN(3500)}
	switch rng.IntN(4) {
	case 0:
		return testdoc.Delete(t.Context(), table, key)
	case 1:
		_, err := testdoc.Update(t.Context(), table, key, govalue.Attribute("color").Set(fmt.Sprint("c", rng.IntN(7))))
		return err
	case 2:
		_, err := testdoc.Update(t.Context(), table, key,
			govalue.Updates(govalue.Attribute("color").Remove(), govalue.Attribute("size").Add(1)))
		return err
	}
	key["color"], key["size"] = fmt.Sprint("c", rng.IntN(7)), rng.IntN(100)
	return testdoc.Put(t.Context(), table, key)
}

// TestTransfers: transactions move amounts between items; the sum stays, whoever reads at whatever snapshot.
func TestTransfers(t *testing.T) {
	db := embedded(t)
	table := mustTable(t, db, database.TableSpec{Name: "accounts", Key: database.Columns("id", schema.Number)})
	const accounts, sum = 10, 1000
	for i := range accounts {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"id": i, "amount": sum / accounts}); err != nil {
			t.Fatal(err)
		}
	}
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 9))
			for range 60 {
				if err := transfer(t, db, rng.IntN(accounts), rng.IntN(accounts), rng.IntN(9)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 50 {
		total := int64(0)
		c, err := table.Query(t.Context(), database.Query{})
		if err != nil {
			t.Fatal(err)
		}
		for c.Next() {
			n, _ := c.Item().Int("amount")
			total += n
		}
		if err := c.Close(); err != nil || total != sum {
			t.Fatalf("the amounts add up to %d, %v; want %d", total, err, sum)
		}
	}
	group.Wait()
}

func transfer(t *testing.T, db *database.DB, from, to, amount int) error {
	return db.Update(t.Context(), func(tx *database.Tx) error {
		if from == to {
			return nil
		}
		for id, change := range map[int]int{from: -amount, to: amount} {
			item, _, err := testdoc.GetIn(t.Context(), tx, "accounts", testdoc.Document{"id": id})
			if err != nil {
				return err
			}
			now, _ := item.Int("amount")
			if err := testdoc.PutIn(t.Context(), tx, "accounts",
				testdoc.Document{"id": id, "amount": now + int64(change)}); err != nil {
				return err
			}
		}
		return nil
	})
}
