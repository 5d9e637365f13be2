// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
)

// ticker is a clock that tests turn, in milliseconds.
type ticker struct{ atMS atomic.Int64 }

func (c *ticker) now() time.Time { return time.UnixMilli(c.atMS.Load()) }

// openCells opens a database over an engine by its name; it looks for what has ended only when it is told to.
func openCells(t testing.TB, engine string, c *ticker) *database.DB {
	t.Helper()
	db, _ := openCellStore(t, engine, c)
	return db
}

// openCellStore is openCells, and returns the store; reopen opens it again after db was closed.
func openCellStore(t testing.TB, engine string, c *ticker) (db *database.DB, reopen func() *database.DB) {
	t.Helper()
	var store kv.Store
	if engine == "mem" {
		store = mem.Open(mem.Options{})
	} else {
		opened, err := pebble.Open(pebble.Options{Dir: "data", FS: vfs.NewMem(), ReadOnlyBelowBytes: -1})
		if err != nil {
			t.Fatal(err)
		}
		store = opened
	}
	t.Cleanup(func() { store.Close() })
	reopen = func() *database.DB {
		db, err := database.Open(t.Context(), store, database.Options{
			Admin: store.(kv.Admin), Logger: slog.New(slog.DiscardHandler), Now: c.now, ExpiryInterval: -1,
			RebuildInterval: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	return reopen(), reopen
}

// told is one thing that happened to a cell, or with an empty name to all cells of a row.
type told struct {
	name     string
	at, life int64
	value    any // nil: it was deleted
	number   int // in the order of writes
}

// cellModel is what a row must look like, from all that ever happened to it.
type cellModel struct {
	life int64
	rows map[int][]told
}

// see returns the attributes that are seen at a time; nil for a row that is not there.
func (m *cellModel) see(key int, now int64) map[string]any {
	newest := map[string]told{}
	for _, one := range m.rows[key] {
		names := []string{one.name}
		if one.name == "" {
			names = slices.Collect(maps.Keys(newest))
		}
		for _, name := range names {
			if was, ok := newest[name]; !ok || one.at > was.at || one.at == was.at && one.number > was.number {
				newest[name] = one
			}
		}
	}
	// Deletions count for cells that were written after them, too.
	for _, one := range m.rows[key] {
		if one.name != "" {
			continue
		}
		for name, was := range newest {
			if one.at > was.at || one.at == was.at && one.number > was.number {
				newest[name] = one
			}
		}
	}
	seen := map[string]any{}
	there := false
	for name, one := range newest {
		life := one.life
		if life == 0 || m.life > 0 && m.life < life {
			life = m.life
		}
		if one.value == nil || life > 0 && one.at+life <= now {
			continue
		}
		if there = true; name != "row" {
			seen[name] = one.value
		}
	}
	if !there {
		return nil
	}
	return seen
}

// follow is the time of a write by the clock: no earlier than what is there, as no time of this test is far ahead.
func (m *cellModel) follow(key int, now int64) int64 {
	for _, one := range m.rows[key] {
		now = max(now, one.at)
	}
	return now
}

// cellsTest is one table under random writes, with what it must hold.
type cellsTest struct {
	*asking
	clock  *ticker
	reopen func() *database.DB
	model  cellModel
	used   map[int64]bool
	count  int
}

// TestCellsAreAsTheModelHasThem writes at random times, with and without lives, deletes and lets time pass, and
// compares all that can be read with a model and every index with the table.
func TestCellsAreAsTheModelHasThem(t *testing.T) {
	for _, engine := range []string{"mem", "pebble"} {
		t.Run(engine, func(t *testing.T) {
			seed := rounds.Seed(t)
			taken := map[string]int{}
			for round := range 4 {
				random := rand.New(rand.NewPCG(seed, uint64(round)))
				c := &cellsTest{clock: new(ticker), used: map[int64]bool{}}
				c.clock.atMS.Store(1_700_000_000_000)
				c.model = cellModel{life: []int64{0, 3000}[round%2], rows: map[int][]told{}}
				c.asking = &asking{t: t, random: random, taken: taken}
				c.db, c.reopen = openCellStore(t, engine, c.clock)
				c.table = mustTable(t, c.db, database.TableSpec{
					Name: "t", Key: parts(t, "k", "int"), HashDistributed: round == 2,
					Cells: &cell.Rules{Versions: 1 + round, LifeMS: c.model.life, MarkersMS: 1 << 40},
					Indexes: []database.IndexSpec{
						{Name: "a_b", Key: parts(t, "a", "int", "desc(b)", "text"), KeepNulls: true,
							Projection: schema.ProjectKeys},
						{Name: "c", Key: parts(t, "c", "float"), KeepNulls: true},
						{Name: "sparse", Key: parts(t, "b", "text", "c", "float"), Projection: schema.ProjectInclude,
							Include: []string{"a"}},
						{Name: "place", Key: []schema.KeyPart{mustPart(t,
							"zorder(a i64 nulls=first, c f64 nulls=first)", schema.Binary)},
							Projection: schema.ProjectKeys},
						{Name: "key", Key: parts(t, "desc(k)", "int"), Projection: schema.ProjectKeys},
					},
				})
				for range max(rounds.Of(t, 120), 40) {
					c.step()
				}
			}
			for _, name := range []string{"a_b", "c", "sparse", "place"} {
				if taken[name] == 0 {
					t.Errorf("%s was never taken: %v", name, taken)
				}
			}
		})
	}
}

func (c *cellsTest) step() {
	t := c.t
	t.Helper()
	for range 1 + c.random.IntN(8) {
		c.write()
	}
	if c.random.IntN(2) == 0 {
		c.clock.atMS.Add(c.random.Int64N(1500))
	}
	c.compareRows()
	for range 3 {
		c.ask()
	}
	switch c.random.IntN(10) {
	case 0, 1:
		if _, err := c.db.Jobs().Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.compareRows()
	case 2:
		if err := c.table.DropIndex(t.Context(), "a_b"); err != nil {
			t.Fatal(err)
		}
		if err := c.table.AddIndex(t.Context(),
			database.IndexSpec{Name: "a_b", Key: parts(t, "a", "int", "desc(b)", "text"),
				KeepNulls: true}); err != nil {
			// The one that was dropped is on its way out still.
			if err := c.db.WaitJobs(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := c.table.AddIndex(t.Context(),
				database.IndexSpec{Name: "a_b", Key: parts(t, "a", "int", "desc(b)", "text"),
					KeepNulls: true}); err != nil {
				t.Fatal(err)
			}
		}
		c.write()
		c.end()
	case 3: // rows are rewritten
		rules := cell.Rules{Versions: 1 + c.random.IntN(4), LifeMS: c.model.life, MarkersMS: 1 << 40}
		if err := c.table.Edit(t.Context(), withCells(rules)); err != nil {
			t.Fatal(err)
		}
		c.write()
		c.end()
	}
	report, err := c.table.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 {
		t.Fatal(report, err)
	}
}

// end waits for background work, which is cut off and taken up again now and then.
func (c *cellsTest) end() {
	c.t.Helper()
	if c.random.IntN(2) == 0 {
		if err := c.db.Close(); err != nil {
			c.t.Fatal(err)
		}
		c.db = c.reopen()
		table, err := c.db.Table("t")
		if err != nil {
			c.t.Fatal(err)
		}
		c.table = table
	}
	if err := c.db.WaitJobs(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// stamp returns a time that somebody chooses, which no other write has; 0 is the clock.
func (c *cellsTest) stamp() int64 {
	if c.random.IntN(3) > 0 {
		return 0
	}
	for {
		if at := c.clock.atMS.Load() - 4000 + c.random.Int64N(5000); !c.used[at] {
			c.used[at] = true
			return at
		}
	}
}

// write does one random write to the table and the model.
func (c *cellsTest) write() {
	c.count++
	key, now, stamp := c.random.IntN(12), c.clock.atMS.Load(), c.stamp()
	at := stamp
	if stamp == 0 {
		at = c.model.follow(key, now)
		c.used[at] = true
	}
	before := c.model.see(key, now)
	w := database.Write{AtMS: stamp}
	note := func(name string, life int64, v any) {
		c.model.rows[key] = append(c.model.rows[key], told{name: name, at: at, life: life, value: v, number: c.count})
	}
	document := testdoc.Document{"k": value.Value(value.AppendInt(nil, int64(key)))}
	switch kind := c.random.IntN(8); {
	case kind == 0:
		w.Op = database.OpDelete
		note("", 0, nil)
	case kind == 1:
		w.Op = database.OpUpdate
		name := []string{"a", "b", "c"}[c.random.IntN(3)]
		w.Update = govalue.Attribute(name).Remove()
		if before != nil {
			note(name, 0, nil)
			if delete(before, name); len(before) == 0 {
				note("row", 0, true)
			}
		}
	case kind < 5 && stamp == 0:
		w.Op = database.OpPut
		for _, name := range []string{"a", "b", "c", "note"} {
			// what others write at times of their own is never left out
			if v := c.valueOf(name); c.random.IntN(3) > 0 || name == "a" || name == "b" {
				document[name] = v
				note(name, 0, v)
			} else {
				note(name, 0, nil)
			}
		}
	default:
		w.Op = database.OpUpdate
		name := []string{"a", "b"}[c.random.IntN(2)]
		if stamp == 0 && c.random.IntN(3) == 0 {
			name, w.LifeMS = "note", 1+c.random.Int64N(4000) // nothing older may arrive once it has ended
		}
		v := c.valueOf(name)
		w.Update = govalue.Attribute(name).Set(v)
		note(name, w.LifeMS, v)
	}
	p, err := c.table.Pin() // for as long as the write takes: indexes come and go
	if err != nil {
		c.t.Fatal(err)
	}
	defer p.Release()
	w.Row = row(c.t, p, document)
	if w.Op == database.OpPut && c.random.IntN(2) == 0 {
		w.NeedOld, w.NeedNew, w.NeedSizes = true, true, true
	}
	var result database.WriteResult
	if err := p.Write(c.t.Context(), &w, &result); err != nil {
		c.t.Fatal(err)
	}
}

// valueOf is a value that both the model and the conditions of asking know.
func (c *cellsTest) valueOf(name string) any {
	if name == "note" {
		return strconv.Itoa(c.random.IntN(100))
	}
	if name == "b" {
		return []string{"a", "ab", "b", "é"}[c.random.IntN(4)]
	}
	return c.value(name)
}

// compareRows compares the table with the model, read as a whole and one by one.
func (c *cellsTest) compareRows() {
	t := c.t
	t.Helper()
	p := pinOnce(t, c.table)
	found := map[int64]string{}
	cursor, err := p.Query(t.Context(), database.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for cursor.Next() {
		k, _ := cursor.Item().Int("k")
		found[k] = fmt.Sprint(testdoc.Of(cursor.Item()))
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
	now := c.clock.atMS.Load()
	for key := range 12 {
		want := ""
		if seen := c.model.see(key, now); seen != nil {
			d := testdoc.Document{"k": value.Value(value.AppendInt(nil, int64(key)))}
			for name, v := range seen {
				d[name] = v
			}
			r := row(t, p, d)
			want = fmt.Sprint(testdoc.Of(database.Item{Row: r, Names: p.Names()}))
		}
		if found[int64(key)] != want {
			t.Fatalf("row %d at %d is %q, the model has %q: %+v", key, now, found[int64(key)], want, c.model.rows[key])
		}
		got, ok, err := p.Get(t.Context(),
			row(t, p, testdoc.Document{"k": value.Value(value.AppendInt(nil, int64(key)))}), nil)
		if err != nil || ok != (want != "") ||
			ok && fmt.Sprint(testdoc.Of(database.Item{Row: got, Names: p.Names()})) != want {
			t.Fatalf("row %d: %v %v, %q is wanted", key, ok, err, want)
		}
	}
}

// versionsOf reads versions of all cells of the table.
func versionsOf(t *testing.T, p database.Pinned, want cell.Select) (rows []string) {
	t.Helper()
	c, err := p.Query(t.Context(), database.Query{AnyIndex: true, Where: govalue.Attribute("k").AtLeast(0),
		Cells: &want})
	if err != nil {
		t.Fatal(err)
	}
	for c.Next() {
		rows = append(rows, fmt.Sprint(testdoc.Of(c.Item())))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestVersions: a Query shows versions by their rank, within times, with their times; Compact leaves what is seen.
func TestVersions(t *testing.T) {
	clock := new(ticker)
	clock.atMS.Store(100)
	db := openCells(t, "pebble", clock)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.Number),
		Cells:   &cell.Rules{Versions: 3, MarkersMS: 1000},
		Indexes: []database.IndexSpec{{Name: "a", Key: database.Columns("a", schema.String)}}})
	write := func(at int64, d testdoc.Document) {
		t.Helper()
		p := pinOnce(t, table)
		w := database.Write{Op: database.OpPut, Row: row(t, p, d), AtMS: at}
		for name := range d {
			w.Written = append(w.Written, []byte(name))
		}
		if err := p.Write(t.Context(), &w, &database.WriteResult{}); err != nil {
			t.Fatal(err)
		}
	}
	write(10, testdoc.Document{"k": 1, "a": "ten", "b": "x"})
	write(30, testdoc.Document{"k": 1, "a": "thirty"})
	write(20, testdoc.Document{"k": 1, "a": "twenty"})
	p := pinOnce(t, table)
	for _, one := range []struct {
		want cell.Select
		rows []string
	}{
		{cell.Select{}, []string{"map[a:thirty b:x k:1]"}},
		{cell.Select{Versions: 9}, []string{"map[a:thirty b:x k:1]", "map[a:twenty k:1]", "map[a:ten k:1]"}},
		{cell.Select{Versions: 2, Times: "_at"},
			[]string{"map[a:thirty a_at:30 b:x b_at:10 k:1]", "map[a:twenty a_at:20 k:1]"}},
		{cell.Select{ToMS: 30}, []string{"map[a:twenty b:x k:1]"}},
		{cell.Select{FromMS: 20, ToMS: 21}, []string{"map[a:twenty k:1]"}},
		{cell.Select{FromMS: 31}, nil},
	} {
		if got := versionsOf(t, p, one.want); !slices.Equal(got, one.rows) {
			t.Errorf("%+v: %q, wanted %q", one.want, got, one.rows)
		}
	}
	if _, err := p.Query(t.Context(), database.Query{Index: "a", Cells: &cell.Select{}}); database.KindOf(
		err) != database.KindInvalid {
		t.Error(err)
	}
	if names := p.AttributeNames(); !slices.Equal(slices.Sorted(slices.Values(names)), []string{"a", "b", "k"}) {
		t.Errorf("names %q", names)
	}
	if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": 1, "\x00cells": 1}); database.KindOf(
		err) != database.KindInvalid {
		t.Error(err)
	}
	// A deletion masks what was written before its time, whenever that arrives, as long as its mark is kept.
	if err := testdoc.Delete(t.Context(), table, testdoc.Document{"k": 1}); err != nil {
		t.Fatal(err)
	}
	write(90, testdoc.Document{"k": 1, "a": "late"})
	if got := versionsOf(t, p, cell.Select{Versions: 9}); got != nil {
		t.Error(got)
	}
	c, err := p.Query(t.Context(), database.Query{})
	if n := rowsOf(t, c, err); n != 0 || c.Counts().Dead != 1 || c.Counts().Examined != 0 {
		t.Errorf("%d rows, %+v", n, c.Counts())
	}
	if err := table.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err = p.Query(t.Context(), database.Query{})
	if n := rowsOf(t, c, err); n != 0 || c.Counts().Dead != 0 {
		t.Errorf("%d rows, %+v", n, c.Counts())
	}
	write(95, testdoc.Document{"k": 1, "a": "back"})
	if got := versionsOf(t, p, cell.Select{}); !slices.Equal(got, []string{"map[a:back k:1]"}) {
		t.Error(got)
	}
}

// TestRulesChange: a table in use gets rules, and others; what was written before counts as written then.
func TestRulesChange(t *testing.T) {
	clock := new(ticker)
	clock.atMS.Store(1_000_000)
	db := openCells(t, "mem", clock)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.Number),
		Indexes: []database.IndexSpec{
			{Name: "a", Key: database.Columns("a", schema.String), KeepNulls: true},
			{Name: "place", Key: []schema.KeyPart{mustPart(t, "zorder(x i64 nulls=first, y i64 nulls=first)",
				schema.Binary)}},
		}})
	put := func(d testdoc.Document) {
		t.Helper()
		if err := testdoc.Put(t.Context(), table, d); err != nil {
			t.Fatal(err)
		}
	}
	count := func(q database.Query) int {
		t.Helper()
		c, err := pinOnce(t, table).Query(t.Context(), q)
		return rowsOf(t, c, err)
	}
	check := func(all, withoutA, withoutX int) {
		t.Helper()
		noA, noX := govalue.Attribute("a").Missing(), govalue.Attribute("x").Missing()
		got := []int{count(database.Query{}), count(database.Query{Filter: noA}),
			count(database.Query{Index: "a", Where: noA}), count(database.Query{Filter: noX}),
			count(database.Query{Index: "place", Where: noX})}
		if !slices.Equal(got, []int{all, withoutA, withoutA, withoutX, withoutX}) {
			t.Fatalf("%v rows, wanted %d, %d without a and %d without x", got, all, withoutA, withoutX)
		}
	}
	set := func(rules cell.Rules) {
		t.Helper()
		if err := table.Edit(t.Context(), withCells(rules)); err != nil {
			t.Fatal(err)
		}
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		report, err := table.Verify(t.Context())
		if err != nil || len(report.Faults) > 0 {
			t.Fatal(report, err)
		}
	}
	put(testdoc.Document{"k": 1, "a": "old", "x": 1, "y": 1})
	put(testdoc.Document{"k": 2, "a": "old"})
	check(2, 0, 1)
	set(cell.Rules{})
	clock.atMS.Add(500)
	if _, err := testdoc.Update(t.Context(), table, testdoc.Document{"k": 1}, govalue.Attribute("x").Set(2)); err != nil {
		t.Fatal(err)
	}
	put(testdoc.Document{"k": 3, "a": "new", "y": 2})
	check(3, 0, 2)
	set(cell.Rules{LifeMS: 800})
	clock.atMS.Add(299)
	check(3, 0, 2)
	clock.atMS.Add(1) // what was there before the table had rules has ended
	check(2, 1, 1)
	clock.atMS.Add(200) // jobs go by whole seconds
	if deleted, err := db.Jobs().Expire(t.Context()); err != nil || deleted != 1 {
		t.Fatal(deleted, err)
	}
	set(cell.Rules{LifeMS: 801}) // it does not come back, for it was cleaned away
	check(2, 1, 1)
	set(cell.Rules{})
	clock.atMS.Add(1_000_000)
	check(2, 1, 1)
	set(cell.Rules{LifeMS: 1})
	check(0, 0, 0)
	c, err := pinOnce(t, table).Query(t.Context(), database.Query{})
	if n := rowsOf(t, c, err); n != 0 || c.Counts().Dead != 0 {
		t.Errorf("%d rows, %+v", n, c.Counts())
	}
	if err := table.Edit(t.Context(),
		func(d *schema.Table) error { d.Cells = nil; return nil }); database.KindOf(err) != database.KindInvalid {
		t.Error(err)
	}
}

// TestRulesWaitForOldVersions: as long as somebody works by a version of the table without rules, nobody writes what
// that one would not understand.
func TestRulesWaitForOldVersions(t *testing.T) {
	clock := new(ticker)
	clock.atMS.Store(1_000_000)
	db := openCells(t, "mem", clock)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.Number)})
	old, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- table.Edit(t.Context(), withCells(cell.Rules{LifeMS: 1000})) }()
	for pinOnce(t, table).Descriptor().Cells == nil {
		runtime.Gosched()
	}
	put := func() {
		t.Helper()
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": 1, "a": 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := testdoc.Update(t.Context(), table, testdoc.Document{"k": 1}, govalue.Attribute("b").Set(2)); err != nil {
			t.Fatal(err)
		}
	}
	put()
	got, ok, err := old.Get(t.Context(), row(t, old, testdoc.Document{"k": 1}), nil)
	if err != nil || !ok || got.Len() != 3 {
		t.Fatal(got, ok, err)
	}
	if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": 1, "\x00due": 1}); database.KindOf(
		err) != database.KindInvalid {
		t.Error(err)
	}
	clock.atMS.Add(500)
	old.Release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	clock.atMS.Add(999)
	item, ok, err := testdoc.Get(t.Context(), table, testdoc.Document{"k": 1})
	if err != nil || !ok || item.Row.Len() != 3 {
		t.Fatal(item, ok, err)
	}
	clock.atMS.Add(1)
	if _, ok, err := testdoc.Get(t.Context(), table, testdoc.Document{"k": 1}); err != nil || ok {
		t.Fatal(ok, err)
	}
	put()
	if _, ok, err := testdoc.Get(t.Context(), table, testdoc.Document{"k": 1}); err != nil || !ok {
		t.Fatal(ok, err)
	}
}
