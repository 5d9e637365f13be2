// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/recovery"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
)

func put(t *testing.T, table *database.Table, from, to int, value string) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := testdoc.Put(t.Context(), table,
			testdoc.Document{"k": fmt.Sprintf("k%05d", i), "v": value, "a" + fmt.Sprint(i%30): i}); err != nil {
			t.Fatal(err)
		}
	}
}

// sum counts a table's items by their values, and wants its indexes to agree with it.
func sum(t *testing.T, db *database.DB, name string) map[string]int {
	t.Helper()
	table, err := db.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	err = testdoc.Each(t.Context(), table, database.Query{}, func(d testdoc.Document) bool {
		counts[d["v"].(string)]++
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if report, err := table.Verify(t.Context()); err != nil || len(report.Faults) > 0 {
		t.Errorf("%s: %+v, %v", name, report, err)
	}
	return counts
}

// checkLater wants the asynchronous index of a table that was restored to be built anew.
func checkLater(t *testing.T, db *database.DB) {
	t.Helper()
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	table, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	p := mustPin(t, table)
	defer p.Release()
	c, err := p.Query(t.Context(), database.Query{Index: "later", Where: govalue.Attribute("v").Equal("old"),
		Wait: true})
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for c.Next() {
		rows++
	}
	if err := c.Close(); err != nil || rows != 3000 {
		t.Errorf("the asynchronous index finds %d rows, %v", rows, err)
	}
}

// puts is an engine that can't ingest.
type puts struct{ kv.Store }

// TestTableBackup: a table that is restored is the table as it was, with its indexes, on engines that ingest and on
// those that do not.
func TestTableBackup(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (kv.Store, kv.Admin){
		"pebble": func(t *testing.T) (kv.Store, kv.Admin) {
			s, err := pebble.Open(pebble.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			return s, s
		},
		"mem":  func(*testing.T) (kv.Store, kv.Admin) { s := mem.Open(mem.Options{}); return s, s },
		"puts": func(*testing.T) (kv.Store, kv.Admin) { return puts{mem.Open(mem.Options{})}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			store, admin := open(t)
			defer store.Close()
			db, err := database.Open(t.Context(), store,
				database.Options{Admin: admin, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			testTableBackup(t, db, name != "puts")
		})
	}
}

// testTableBackup is TestTableBackup on an engine, which gives stamps or does not.
func testTableBackup(t *testing.T, db *database.DB, stamps bool) {
	ctx := t.Context()
	spec := database.TableSpec{Name: "t", Key: database.Columns("k", schema.String), Indexes: []database.IndexSpec{
		{Name: "by_v", Key: database.Columns("v", schema.String)},
		{Name: "by_a", Key: database.Columns("a1", schema.Number), Unique: true},
		{Name: "words", Key: database.Columns("v", schema.String), Search: true},
		{Name: "later", Key: database.Columns("v", schema.String), Search: true, Async: &schema.Async{}}}}
	if !stamps {
		spec.Indexes = spec.Indexes[:3]
	}
	table, err := db.CreateTable(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	put(t, table, 0, 3000, "old")
	if err := table.SetExpiry(ctx, "at"); err != nil {
		t.Fatal(err)
	}
	if err := db.WaitJobs(ctx); err != nil {
		t.Fatal(err)
	}
	b, err := db.Recovery().Backup(ctx, "", "t", "mine")
	if err != nil || b.Ready {
		t.Fatal(b, err)
	}
	if err := db.Tasks().Wait(ctx); err != nil {
		t.Fatal(err)
	}
	put(t, table, 1000, 4000, "new")
	if b, err = db.Recovery().Find(ctx, b.ID); err != nil || !b.Ready || b.Rows != 3000 || b.Bytes == 0 ||
		b.Name != "mine" {
		t.Fatalf("%+v, %v", b, err)
	}
	if _, err := db.Recovery().Restore(ctx, b.ID, "", "t",
		func(*schema.Table) error { return nil }); database.KindOf(err) != database.KindExists {
		t.Errorf("restored over a table: %v", err)
	}
	if err := db.DropTable(ctx, "", "t"); err != nil {
		t.Fatal(err)
	}
	if err := db.WaitJobs(ctx); err != nil {
		t.Fatal(err)
	}
	restore(t, db, b.ID, "t", func(*schema.Table) error { return nil })
	if got := sum(t, db, "t"); got["old"] != 3000 || len(got) != 1 {
		t.Errorf("restored: %v", got)
	}
	if stamps {
		checkLater(t, db)
	}
	restore(t, db, b.ID, "less", func(table *schema.Table) error {
		table.Indexes = table.Indexes[1:2]
		return nil
	})
	if got := sum(t, db, "less"); got["old"] != 3000 {
		t.Errorf("restored: %v", got)
	}
	less, err := db.Table("less")
	if err != nil {
		t.Fatal(err)
	}
	put(t, less, 2990, 3010, "more") // with names of attributes that it has, and others
	if err := testdoc.Put(ctx, less, testdoc.Document{"k": "new", "v": "more", "unheard": 1}); err != nil {
		t.Fatal(err)
	}
	if got := sum(t, db, "less"); got["old"] != 2990 || got["more"] != 21 {
		t.Errorf("written: %v", got)
	}
	if _, err := db.Recovery().DeleteBackup(ctx, b.ID); err != nil {
		t.Fatal(err)
	}
	if err := db.Tasks().Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Recovery().Find(ctx, b.ID); !errors.Is(err, recovery.ErrBackupNotFound) {
		t.Errorf("a backup that was deleted: %v", err)
	}
	if all, err := db.Recovery().Backups(ctx); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func restore(t *testing.T, db *database.DB, id, name string, edit func(*schema.Table) error) {
	t.Helper()
	if _, err := db.Recovery().Restore(t.Context(), id, "", name, edit); err != nil {
		t.Fatal(err)
	}
	if err := db.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if arrivals, err := db.Recovery().Arrivals(t.Context()); err != nil || len(arrivals) > 0 {
		t.Fatalf("%+v, %v", arrivals, err)
	}
}

// TestTableBackupGoesOn: what a process has begun the next one does.
func TestTableBackupGoesOn(t *testing.T) {
	store := mem.Open(mem.Options{})
	open := func(idle bool) *database.DB {
		db, err := database.Open(context.WithoutCancel(t.Context()), store,
			database.Options{Admin: store, Idle: idle, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open(true)
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
	if err != nil {
		t.Fatal(err)
	}
	put(t, table, 0, 100, "old")
	b, err := db.Recovery().Backup(t.Context(), "", "t", "b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Recovery().DeleteBackup(t.Context(), b.ID); !errors.Is(err, recovery.ErrBackupInUse) {
		t.Errorf("a backup that is being made was deleted: %v", err)
	}
	_ = db.Close()
	db = open(false)
	if err := db.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	db = open(true)
	if _, err := db.Recovery().Restore(t.Context(), b.ID, "", "r", func(*schema.Table) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Recovery().Restore(t.Context(), b.ID, "", "r",
		func(*schema.Table) error { return nil }); database.KindOf(err) != database.KindExists {
		t.Errorf("two tables of a name are on their way: %v", err)
	}
	if _, err := db.Recovery().DeleteBackup(t.Context(), b.ID); !errors.Is(err, recovery.ErrBackupInUse) {
		t.Errorf("a backup that is being restored was deleted: %v", err)
	}
	arrivals, err := db.Recovery().Arrivals(t.Context())
	if err != nil || len(arrivals) != 1 || arrivals[0].Schema.Name != "r" {
		t.Errorf("%+v, %v", arrivals, err)
	}
	_ = db.Close()
	db = open(false)
	if err := db.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := sum(t, db, "r"); got["old"] != 100 {
		t.Errorf("restored: %v", got)
	}
	_ = db.Close()
	db = open(false)
	defer db.Close()
	if got := sum(t, db, "r"); got["old"] != 100 {
		t.Errorf("opened again: %v", got)
	}
}
