// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/mem"
)

func TestDatabases(t *testing.T) {
	ctx := t.Context()
	store := mem.Open(mem.Options{})
	db, err := database.Open(ctx, store, database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { db.Close() }()
	want := func(names ...string) {
		t.Helper()
		if got := db.Databases(); !slices.Equal(got, names) {
			t.Errorf("%v, wanted %v", got, names)
		}
	}
	want("default")
	spec := database.TableSpec{Database: "a", Name: "t", Key: database.Columns("k", schema.String)}
	if _, err := db.CreateTable(ctx, spec); database.KindOf(err) != database.KindNotFound ||
		!errors.Is(err, database.ErrDatabaseNotFound) {
		t.Errorf("a table in no database: %v", err)
	}
	for _, name := range []string{"z", "a"} {
		if err := db.CreateDatabase(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.CreateDatabase(ctx, "a"); database.KindOf(err) != database.KindExists {
		t.Errorf("a second database a: %v", err)
	}
	if err := db.CreateDatabase(ctx, "a\x00b"); database.KindOf(err) != database.KindInvalid {
		t.Errorf("a zero byte: %v", err)
	}
	want("a", "default", "z")
	mustTable(t, db, spec)
	db.Close()
	if db, err = database.Open(ctx, store, database.Options{}); err != nil {
		t.Fatal(err)
	}
	want("a", "default", "z")
	for name, kind := range map[string]database.Kind{"a": database.KindInvalid, "default": database.KindInvalid,
		"b": database.KindNotFound} {
		if err := db.DropDatabase(ctx, name, false); database.KindOf(err) != kind {
			t.Errorf("drop %s: %v", name, err)
		}
	}
	if err := db.DropDatabase(ctx, "z", false); err != nil {
		t.Fatal(err)
	}
	if err := db.DropDatabase(ctx, "a", true); err != nil {
		t.Fatal(err)
	}
	want("default")
	if _, err := db.TableIn("a", "t"); database.KindOf(err) != database.KindNotFound {
		t.Errorf("a table in no database: %v", err)
	}
}

// TestTruncate: all items are gone at once, also from indexes, while an older pin still sees them; indexes and expiry
// go on as before, one that was being built is complete.
func TestTruncate(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		table := mustTable(t, db, database.TableSpec{
			Name: "t", Key: database.Columns("k", schema.Number),
			Columns: []schema.Column{{Name: "b", Type: schema.Int}},
			Indexes: []database.IndexSpec{{Name: "by_a", Key: database.Columns("a", schema.Number), KeepNulls: true}},
		})
		put := func(k int) {
			t.Helper()
			if err := testdoc.Put(ctx, table, testdoc.Document{"k": k, "a": k % 3, "b": k, "until": 1}); err != nil {
				t.Fatal(err)
			}
		}
		for k := range 30 {
			put(k)
		}
		if err := table.SetExpiry(ctx, "until"); err != nil {
			t.Fatal(err)
		}
		if err := db.WaitJobs(ctx); err != nil {
			t.Fatal(err)
		}
		before, err := table.Pin()
		if err != nil {
			t.Fatal(err)
		}
		count := func(p database.Pinned, q database.Query) int {
			t.Helper()
			c, err := p.Query(ctx, q)
			return rowsOf(t, c, err)
		}
		if err := db.TruncateTable(ctx, "", "t", nil); err != nil {
			t.Fatal(err)
		}
		if n := count(before, database.Query{}); n != 30 {
			t.Errorf("the older pin sees %d items", n)
		}
		after := pin(t, table)
		for _, q := range []database.Query{{}, {Index: "by_a"}} {
			if n := count(after, q); n != 0 {
				t.Errorf("%d items are left", n)
			}
		}
		if d := after.Descriptor(); d.ID == before.Descriptor().ID || d.Columns[0].Type != schema.Int ||
			database.ExpiryOf(d).State != database.ExpiryActive {
			t.Errorf("%+v", d)
		}
		before.Release()
		if err := db.WaitJobs(ctx); err != nil {
			t.Fatal(err)
		}
		put(7)
		for _, q := range []database.Query{{}, {Index: "by_a", Where: govalue.Attribute("a").Equal(1)}} {
			if n := count(after, q); n != 1 {
				t.Errorf("%d items after one was put", n)
			}
		}
		if report, err := table.Verify(ctx); err != nil || len(report.Faults) != 0 {
			t.Errorf("%+v, %v", report, err)
		}
		if names := db.Tables("", "", 10); !slices.Equal(names, []string{"t"}) {
			t.Errorf("%v", names)
		}
	})
}

// TestStoredViews checks that views live in databases, share names with tables and go with their database.
func TestStoredViews(t *testing.T) {
	ctx := t.Context()
	store := mem.Open(mem.Options{})
	db, err := database.Open(ctx, store, database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { db.Close() }()
	view := database.StoredView{Database: "shop", Name: "v", Query: "SELECT 1", Statement: "CREATE VIEW v AS SELECT 1"}
	if err := db.StoredViews().Put(ctx, view); !errors.Is(err, database.ErrDatabaseNotFound) {
		t.Errorf("a view without its database: %v", err)
	}
	spec := database.TableSpec{Database: "shop", Name: "v", Key: database.Columns("id", schema.String)}
	if err := errors.Join(db.CreateDatabase(ctx, "shop"), db.StoredViews().Put(ctx, view)); err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateTable(ctx, spec); database.KindOf(err) != database.KindExists {
		t.Errorf("a table of a view's name: %v", err)
	}
	spec.Name = "t"
	if _, err := db.CreateTable(ctx, spec); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"v", "t"} {
		if err := db.StoredViews().Put(ctx, database.StoredView{Database: "shop", Name: name}); err == nil {
			t.Errorf("a view of the name of %s: %v", name, err)
		}
	}
	db.Close()
	if db, err = database.Open(ctx, store, database.Options{}); err != nil { // another process finds it
		t.Fatal(err)
	}
	if found, ok := db.StoredViews().Get("shop", "v"); !ok || found != view {
		t.Errorf("found %v, %v", found, ok)
	}
	if err := db.DropDatabase(ctx, "shop", true); err != nil || len(db.StoredViews().List("shop")) > 0 {
		t.Errorf("dropping the database left %v, %v", db.StoredViews().List("shop"), err)
	}
	if err := db.StoredViews().Drop(ctx, "shop", "v"); err == nil {
		t.Errorf("dropping it again: %v", err)
	}
}

// TestDatabaseOptions sets an option, finds it in a store that is opened again, and loses it with its database.
func TestDatabaseOptions(t *testing.T) {
	ctx, store := t.Context(), mem.Open(mem.Options{})
	db, err := database.Open(ctx, store, database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { db.Close() }()
	if err := db.SetDatabaseOption(ctx, "shop", "MODE", "x"); database.KindOf(err) != database.KindNotFound {
		t.Errorf("an option of a database that there is not: %v", err)
	}
	if err := errors.Join(db.CreateDatabase(ctx, "shop"), db.SetDatabaseOption(ctx, "shop", "MODE", "x"),
		db.CreateDatabase(ctx, "more")); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if db, err = database.Open(ctx, store, database.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := db.DatabaseOption("shop", "MODE"); got != "x" {
		t.Errorf("after opening again: %q", got)
	}
	if err := errors.Join(db.DropDatabase(ctx, "shop", false), db.CreateDatabase(ctx, "shop")); err != nil {
		t.Fatal(err)
	}
	if got := db.DatabaseOption("shop", "MODE"); got != "" {
		t.Errorf("a new database has the option of the old one: %q", got)
	}
}

// withCells, withStream and withRecovery are edits of a table.
func withCells(rules cell.Rules) func(*schema.Table) error {
	return func(d *schema.Table) error { d.Cells = &rules; return nil }
}

func withStream(db *database.DB, images schema.Images) func(*schema.Table) error {
	return func(d *schema.Table) error { return db.Changes().StreamOn(d, images) }
}

func withRecovery(db *database.DB, days int) func(*schema.Table) error {
	return func(d *schema.Table) error { return db.Recovery().Keep(d, days) }
}
