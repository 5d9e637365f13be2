// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// people is a table with two unique indexes.
func people(t testing.TB, db *database.DB) *database.Table {
	return mustTable(t, db, database.TableSpec{Name: "people", Key: database.Columns("id", schema.Number),
		Indexes: []database.IndexSpec{
			{Name: "by_email", Key: database.Columns("email", schema.String), KeepNulls: true,
				Projection: schema.ProjectKeys, Unique: true},
			{Name: "by_name", Key: database.Columns("first", schema.String, "last", schema.String), KeepNulls: true,
				Unique: true},
		}})
}

// isDuplicate reports whether an error is that of a unique index.
func isDuplicate(err error, index string) bool {
	e, ok := errors.AsType[*database.DuplicateError](err)
	return ok && e.Index == index && database.KindOf(err) == database.KindConditionFailed
}

// TestUnique: a value is one item's alone, whatever writes it, and free again once that item has another or is gone.
func TestUnique(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		table := people(t, db)
		put := func(id int, email string) error {
			return testdoc.Put(t.Context(), table, testdoc.Document{"id": id, "email": email})
		}
		for _, err := range []error{put(1, "a"), put(1, "a"), put(2, "b"), put(1, "c"), put(3, "a")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := put(4, "b"); !isDuplicate(err, "by_email") {
			t.Errorf("a second item with b: %v", err)
		}
		if _, err := testdoc.Update(t.Context(), table, testdoc.Document{"id": 1},
			govalue.Attribute("email").Set("b")); !isDuplicate(err, "by_email") {
			t.Errorf("an update to b: %v", err)
		}
		// Nulls are distinct, and so are values of several columns of which one is null.
		for id := 10; id < 13; id++ {
			if err := testdoc.Put(t.Context(), table, testdoc.Document{"id": id, "first": "x"}); err != nil {
				t.Error(err)
			}
		}
		swap := func(tx *database.Tx) error {
			return errors.Join(testdoc.DeleteIn(t.Context(), tx, "people", testdoc.Document{"id": 2}),
				testdoc.PutIn(t.Context(), tx, "people", testdoc.Document{"id": 5, "email": "b"}))
		}
		if err := db.Update(t.Context(), swap); err != nil {
			t.Errorf("b in the same transaction that freed it: %v", err)
		}
		twice := func(tx *database.Tx) error {
			return errors.Join(testdoc.PutIn(t.Context(), tx, "people", testdoc.Document{"id": 6, "email": "z"}),
				testdoc.PutIn(t.Context(), tx, "people", testdoc.Document{"id": 7, "email": "z"}))
		}
		if err := db.Update(t.Context(), twice); !isDuplicate(err, "by_email") {
			t.Errorf("z twice in one transaction: %v", err)
		}
		verified(t, table)
	})
}

func verified(t testing.TB, table *database.Table) {
	t.Helper()
	report, err := table.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 {
		t.Errorf("verify: %v, %v", report.Faults, err)
	}
}

// TestUniqueManyWriters: of many writers that want one value, one gets it. At the end every item has the values that
// its writer was told it had.
func TestUniqueManyWriters(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		table := people(t, db)
		const writers, values = 8, 20
		var winners [values]atomic.Int64
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				for v := range values {
					document := testdoc.Document{"id": w*values + v, "email": fmt.Sprint("e", v),
						"first": fmt.Sprint(v), "last": "l"}
					var err error
					if w%2 == 0 {
						err = testdoc.Put(t.Context(), table, document)
					} else {
						err = db.Update(t.Context(),
							func(tx *database.Tx) error { return testdoc.PutIn(t.Context(), tx, "people", document) })
					}
					switch {
					case err == nil:
						winners[v].Add(1)
					case !isDuplicate(err, "by_email"):
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		for v := range winners {
			if n := winners[v].Load(); n != 1 {
				t.Errorf("%d items have e%d", n, v)
			}
		}
		verified(t, table)
	})
}

// TestUniqueBuiltUnderLoad builds a unique index while writers go on. At its end it holds what the rows say, and every
// later writer is held to it.
func TestUniqueBuiltUnderLoad(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		table := mustTable(t, db, database.TableSpec{Name: "people", Key: database.Columns("id", schema.Number)})
		for i := range 500 {
			if err := testdoc.Put(t.Context(), table, testdoc.Document{"id": i, "email": fmt.Sprint("e", i)}); err != nil {
				t.Fatal(err)
			}
		}
		seed := rounds.Seed(t)
		stop := make(chan struct{})
		var group sync.WaitGroup
		for w := range 4 {
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			group.Go(func() {
				for id := 1_000_000 * (w + 1); ; id++ {
					select {
					case <-stop:
						return
					default:
					}
					document := testdoc.Document{"id": id, "email": fmt.Sprint("w", id)}
					if random.IntN(2) == 0 {
						document = testdoc.Document{"id": random.IntN(500), "email": fmt.Sprint("w", id, "again")}
					}
					if err := testdoc.Put(t.Context(), table, document); err != nil {
						t.Error(err)
					}
				}
			})
		}
		spec := database.IndexSpec{Name: "by_email", Key: database.Columns("email", schema.String), KeepNulls: true,
			Projection: schema.ProjectKeys, Unique: true}
		if err := table.AddIndex(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return len(db.Jobs().List()) == 0 })
		close(stop)
		group.Wait()
		verified(t, table)
		item := testdoc.Document{"id": 9000, "email": "x"}
		if err := testdoc.Put(t.Context(), table, item); err != nil {
			t.Error(err)
		}
		item["id"] = 9001
		if err := testdoc.Put(t.Context(), table, item); !isDuplicate(err, "by_email") {
			t.Errorf("after the build: %v", err)
		}
	})
}

// TestUniqueNotBuilt: rows that have the same value keep a unique index from being built, and the progress names the
// value.
func TestUniqueNotBuilt(t *testing.T) {
	db := testdb.Open(t)
	table := mustTable(t, db, database.TableSpec{Name: "people", Key: database.Columns("id", schema.Number)})
	for i := range 10 {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"id": i, "email": fmt.Sprint("e", i%9)}); err != nil {
			t.Fatal(err)
		}
	}
	spec := database.IndexSpec{Name: "by_email", Key: database.Columns("email", schema.String), KeepNulls: true,
		Unique: true}
	if err := table.AddIndex(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	var progress database.Progress
	waitFor(t, func() bool {
		pin, err := db.PinIn("", "people")
		if err != nil {
			t.Fatal(err)
		}
		defer pin.Release()
		progress, _, err = pin.BuildProgress(t.Context(), "by_email")
		return err != nil || progress.Misfit
	})
	if progress.Duplicate == nil || string(progress.Duplicate.Values[0].Bytes()) != "e0" {
		t.Errorf("progress is %+v", progress)
	}
}

// waitFor looks again until something is so.
func waitFor(t testing.TB, so func() bool) {
	t.Helper()
	for !so() {
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(time.Millisecond):
		}
	}
}
