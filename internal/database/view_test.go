// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// row builds a row of a table, or a key.
func row(t testing.TB, p database.Pinned, d testdoc.Document) value.Row {
	t.Helper()
	r, err := d.AppendRow(nil, p.Names())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func pin(t testing.TB, table *database.Table) database.Pinned {
	t.Helper()
	p, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Release)
	return p
}

// rowsOf counts the items of a walk and says which index it took.
func rowsOf(t testing.TB, c *database.Cursor, err error) (n int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for c.Next() {
		n++
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestOldSnapshotsNeedNoNewIndex: a view, or a transaction, that was begun before an index was built finds all items
// without it, and tells those who name it.
func TestOldSnapshotsNeedNoNewIndex(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.Number)})
		for i := range 100 {
			if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": i, "a": i % 10}); err != nil {
				t.Fatal(err)
			}
		}
		view, err := db.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer view.Close()
		tx, err := db.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if _, _, err := tx.View().Get(t.Context(), pinOnce(t, table),
			row(t, pinOnce(t, table), testdoc.Document{"k": 1}), nil); err != nil {
			t.Fatal(err) // the snapshot is taken at the first read at the latest
		}
		if err := table.AddIndex(t.Context(),
			database.IndexSpec{Name: "by_a", Key: database.Columns("a", schema.Number)}); err != nil {
			t.Fatal(err)
		}
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		p := pin(t, table)
		any := database.Query{AnyIndex: true, Where: govalue.Attribute("a").Equal(3)}
		plan, err := p.Plan(any)
		if err != nil || plan.Index.Name != "by_a" || plan.Class != access.Range || plan.Filter != nil ||
			!plan.Covering {
			t.Fatalf("%+v, %v", plan, err)
		}
		planned := any
		planned.Plan = &plan
		named := database.Query{Index: "by_a", Where: govalue.Attribute("a").Equal(3)}
		for name, query := range map[string]func(context.Context, database.Pinned, database.Query) (*database.Cursor,
			error){"view": view.Query, "transaction": tx.View().Query} {
			for _, q := range []database.Query{any, planned} {
				c, err := query(t.Context(), p, q)
				if n := rowsOf(t, c, err); n != 10 {
					t.Errorf("%s: %d items, 10 were wanted", name, n)
				}
			}
			if _, err := query(t.Context(), p, named); database.KindOf(err) != database.KindBusy {
				t.Errorf("%s: %v", name, err)
			}
		}
		c, err := testdoc.QueryIn(t.Context(), tx, "t", any)
		if n := rowsOf(t, c, err); n != 10 {
			t.Errorf("%d items, 10 were wanted", n)
		}
		now, err := db.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer now.Close()
		c, err = now.Query(t.Context(), p, planned)
		if n := rowsOf(t, c, err); n != 10 || c.Counts().Examined != 10 {
			t.Errorf("%d items, %+v", n, c.Counts())
		}
	})
}

// pinOnce pins a table for the moment.
func pinOnce(t testing.TB, table *database.Table) database.Pinned {
	t.Helper()
	p, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	p.Release()
	return p
}

// TestViewNeverChanges: what is written after a view was taken is not in it, whether it is read by a walk, by keys, or
// by many goroutines at once.
func TestViewNeverChanges(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.Number)})
		other := mustTable(t, db, database.TableSpec{Name: "u", Key: database.Columns("k", schema.Number)})
		for i := range 100 {
			if err := db.Update(t.Context(), func(tx *database.Tx) error {
				if err := testdoc.PutIn(t.Context(), tx, "t", testdoc.Document{"k": i}); err != nil {
					return err
				}
				return testdoc.PutIn(t.Context(), tx, "u", testdoc.Document{"k": i})
			}); err != nil {
				t.Fatal(err)
			}
		}
		view, err := db.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer view.Close()
		p, u := pin(t, table), pin(t, other)
		var group sync.WaitGroup
		group.Go(func() {
			for i := range 100 {
				if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": 100 + i}); err != nil {
					t.Error(err)
				}
				if err := testdoc.Delete(t.Context(), other, testdoc.Document{"k": i}); err != nil {
					t.Error(err)
				}
			}
		})
		for range 4 {
			group.Go(func() {
				for range 5 {
					c, err := view.Query(t.Context(), p, database.Query{})
					if n := rowsOf(t, c, err); n != 100 {
						t.Errorf("%d items, 100 were wanted", n)
					}
					checkKeys(t, view, p, u)
				}
			})
		}
		group.Wait()
	})
}

// checkKeys reads keys 0 to 199 of two tables, of which 0 to 99 are there.
func checkKeys(t *testing.T, view *database.View, p, u database.Pinned) {
	var reads []database.KeyRead
	for i := range 200 {
		reads = append(reads, database.KeyRead{Table: p, Key: row(t, p, testdoc.Document{"k": i})},
			database.KeyRead{Table: u, Key: row(t, u, testdoc.Document{"k": i})})
	}
	found := 0
	if _, err := view.GetAll(t.Context(), reads, func(i int, row value.Row) error {
		if (row != nil) != (i < 200) {
			return fmt.Errorf("key %d: %v", i/2, row)
		}
		found++
		return nil
	}); err != nil || found != len(reads) {
		t.Errorf("%d found, %v", found, err)
	}
	for i := range 200 {
		_, ok, err := view.Get(t.Context(), u, row(t, u, testdoc.Document{"k": i}), nil)
		if ok != (i < 100) || err != nil {
			t.Errorf("key %d: %v, %v", i, ok, err)
		}
	}
}

// TestLock: an item that a transaction has locked and not written keeps it from its commit if somebody else writes it.
func TestLock(t *testing.T) {
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		if err := db.CreateDatabase(t.Context(), "other"); err != nil {
			t.Fatal(err)
		}
		table := mustTable(t, db, database.TableSpec{Name: "t", Database: "other",
			Key: database.Columns("k", schema.Number)})
		for _, locks := range []bool{false, true} {
			tx, err := db.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			p, err := tx.PinIn("other", "t")
			if err != nil {
				t.Fatal(err)
			}
			if again, err := tx.PinIn("other", "t"); err != nil || again.Descriptor() != p.Descriptor() {
				t.Fatal(err)
			}
			if _, err := tx.PinIn("", "t"); database.KindOf(err) != database.KindNotFound {
				t.Errorf("found in the default database: %v", err)
			}
			key := row(t, p, testdoc.Document{"k": 1})
			if _, _, err := tx.View().Get(t.Context(), p, key, nil); err != nil {
				t.Fatal(err)
			}
			if locks {
				if err := tx.Lock(t.Context(), p, key, false); err != nil {
					t.Fatal(err)
				}
			}
			var result database.WriteResult
			if err := tx.Write(t.Context(), p,
				&database.Write{Row: row(t, p, testdoc.Document{"k": 2, "locks": locks})}, &result); err != nil {
				t.Fatal(err)
			}
			own, ok, err := tx.View().Get(t.Context(), p, row(t, p, testdoc.Document{"k": 2}), nil)
			if err != nil || !ok || testdoc.Of((database.Item{Row: own, Names: p.Names()}))["locks"] != locks {
				t.Errorf("the transaction's own write: %v, %v", ok, err)
			}
			if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": 1, "locks": locks}); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(t.Context()); (database.KindOf(err) == database.KindConflict) != locks ||
				(err == nil) == locks {
				t.Errorf("locked %v: %v", locks, err)
			}
		}
	})
}

// TestSplit: the parts of a query give what the whole gives, in its order, with every kind of key and either direction,
// and are several.
func TestSplit(t *testing.T) {
	db := testdb.Open(t)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.Number),
		Indexes: []database.IndexSpec{
			{Name: "desc", Key: []schema.KeyPart{mustPart(t, "desc(a)", schema.Number)}, KeepNulls: true},
			{Name: "place", Key: []schema.KeyPart{mustPart(t, "zorder(a number, b number)", schema.Binary)}},
		}})
	big := strings.Repeat("x", 4000)
	p := pin(t, table)
	var writes []database.TableWrite
	for i := range 2000 {
		writes = append(writes, database.TableWrite{Table: p,
			Write: database.Write{Row: row(t, p,
				testdoc.Document{"k": i, "a": i * 7 % 500, "b": i % 300, "text": big})}})
	}
	if _, err := db.WriteAll(t.Context(), writes); err != nil {
		t.Fatal(err)
	}
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	keys := func(q database.Query) (keys []string) {
		c, err := view.Query(t.Context(), p, q)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for c.Next() {
			keys = append(keys, fmt.Sprint(testdoc.Of(c.Item())["k"]))
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return keys
	}
	k, a, b := govalue.Attribute("k"), govalue.Attribute("a"), govalue.Attribute("b")
	for name, q := range map[string]database.Query{
		"whole": {}, "reverse": {Reverse: true}, "range": {Where: k.Between(100, 1900)},
		"spans":      {Where: govalue.Any(k.Less(900), k.Greater(1200), k.Equal(1000)), Reverse: true},
		"index":      {Index: "desc", Where: a.Greater(10)},
		"boxes":      {Index: "place", Where: govalue.All(a.Between(10, 480), b.Between(5, 290))},
		"boxes back": {Index: "place", Where: govalue.All(a.Between(10, 480), b.Between(5, 290)), Reverse: true},
		"any":        {AnyIndex: true, Where: a.Between(10, 490)}, "filter": {Filter: b.Equal(7)},
	} {
		want := keys(q)
		for _, parts := range []int{1, 2, 5} {
			list, err := view.Split(t.Context(), p, q, parts)
			if err != nil || len(list) != parts {
				t.Fatalf("%s: %d parts, %v", name, len(list), err)
			}
			var got []string
			for _, one := range list {
				some := keys(one)
				if len(some) == 0 && name != "filter" {
					t.Errorf("%s: an empty part of %d", name, parts)
				}
				got = append(got, some...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d items in %d parts, %d in all", name, len(got), parts, len(want))
			}
		}
	}
	for name, q := range map[string]database.Query{"items": {Where: k.In(1, 2, 3)},
		"nothing": {Where: govalue.All(k.Less(1), k.Greater(5))}, "a page": {ExaminedMax: 5}} {
		if list, err := view.Split(t.Context(), p, q, 4); err != nil || len(list) != 1 {
			t.Errorf("%s: %d parts, %v", name, len(list), err)
		}
	}
}
