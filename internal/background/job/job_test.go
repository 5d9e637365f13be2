// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

func open(t *testing.T, store kv.Store, pause time.Duration) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), store,
		database.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), BackfillPause: pause})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// TestResume closes the database again and again while an index is built and another is dropped: the work goes on where
// it was, no batch is done twice, and the index is whole.
func TestResume(t *testing.T) {
	store := teststore.Store(t)
	defer store.Close()
	db := open(t, store, time.Hour)
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("pk", schema.Number)})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 2000
	for i := range rows {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"pk": i, "color": fmt.Sprint("c", i%5)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.AddIndex(t.Context(),
		database.IndexSpec{Name: "by-color", Key: database.Columns("color", schema.String)}); err != nil {
		t.Fatal(err)
	}
	last := int64(0)
	for restarts := 0; len(db.Jobs().List()) > 0; restarts++ {
		if restarts > 20 {
			t.Fatal("the build makes no progress over restarts")
		}
		last = progress(t, db, last)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = open(t, store, time.Hour)
		if last == rows {
			break
		}
	}
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if table, err = db.Table("t"); err != nil {
		t.Fatal(err)
	}
	report, err := table.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 || report.Entries != rows {
		t.Errorf("%+v, %v", report, err)
	}
	db.Close()
}

// TestBuildUnderConflicts lets most commits of an index build lose to others: its batches get smaller, and the index is
// whole.
func TestBuildUnderConflicts(t *testing.T) {
	store := kvwrap.Faulty(teststore.Store(t), kvwrap.FaultyOptions{})
	db := open(t, store, 0)
	defer db.Close()
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("pk", schema.Number)})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 700
	for i := range rows {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"pk": i, "color": fmt.Sprint("c", i%5)}); err != nil {
			t.Fatal(err)
		}
	}
	for commit := range 60 {
		if commit%7 > 0 {
			store.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Nth: commit + 1, Err: kv.ErrConflict})
		}
	}
	if err := table.AddIndex(t.Context(),
		database.IndexSpec{Name: "by-color", Key: database.Columns("color", schema.String)}); err != nil {
		t.Fatal(err)
	}
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	report, err := table.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 || report.Entries != rows {
		t.Errorf("%+v, %v", report, err)
	}
}

// progress waits until the build has done more rows than last, and returns how many.
func progress(t *testing.T, db *database.DB, last int64) int64 {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		jobs := db.Jobs().List()
		if len(jobs) == 0 {
			return 2000
		}
		if jobs[0].Done > last {
			return jobs[0].Done
		}
	}
	t.Fatal("no progress in 30 s")
	return 0
}

// TestDroppedWhileBuilt drops a table while its index is built: both jobs end.
func TestDroppedWhileBuilt(t *testing.T) {
	store := teststore.Store(t)
	defer store.Close()
	db := open(t, store, time.Millisecond)
	defer db.Close()
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("pk", schema.Number)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"pk": i, "color": "c"}); err != nil {
			t.Fatal(err)
		}
	}
	err = errors.Join(table.AddIndex(t.Context(),
		database.IndexSpec{Name: "x", Key: database.Columns("color", schema.String)}),
		db.DropTable(t.Context(), "", "t"),
		db.WaitJobs(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Table("t"); database.KindOf(err) != database.KindNotFound {
		t.Errorf("the dropped table gives %v", err)
	}
	most := 4
	if _, ok := kv.SharedOf(store); ok {
		most += 12 // the gateway's record, who owns which work, and the last changes of the schema
	}
	if n := keysLeft(t, store); n > most {
		t.Errorf("%d keys are left of a dropped table", n)
	}
}

// TestDropBesideBuild drops a table while the index of another one is built, which takes hours: the space is freed
// meanwhile.
func TestDropBesideBuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := mem.Open(mem.Options{})
		defer store.Close()
		db := open(t, store, time.Hour)
		defer db.Close()
		for _, name := range []string{"built", "dropped"} {
			table, err := db.CreateTable(t.Context(),
				database.TableSpec{Name: name, Key: database.Columns("pk", schema.Number)})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 500 {
				if err := testdoc.Put(t.Context(), table, testdoc.Document{"pk": i, "color": "c"}); err != nil {
					t.Fatal(err)
				}
			}
			if err := table.AddIndex(t.Context(),
				database.IndexSpec{Name: "x", Key: database.Columns("color", schema.String)}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait() // the first build rests, and the second one waits for it
		before := keysLeft(t, store)
		if err := db.DropTable(t.Context(), "", "dropped"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if freed := before - keysLeft(t, store); freed < 500 {
			t.Errorf("%d keys were freed while the index is built", freed)
		}
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		table, err := db.Table("built")
		if err != nil {
			t.Fatal(err)
		}
		if report, err := table.Verify(t.Context()); err != nil || len(report.Faults) > 0 {
			t.Error(report, err)
		}
	})
}

// keysLeft counts all keys of the store.
func keysLeft(t *testing.T, store kv.Store) (n int) {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	walk := reader.Scan(t.Context(), kv.Range{}, false)
	for walk.Next() {
		n++
	}
	if err := walk.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}
