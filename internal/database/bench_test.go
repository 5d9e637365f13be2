// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
)

// The benchmarks run on both engines, Pebble on a real disk. bench/ compares with others; these find out what a change
// did.

const (
	benchPartitions = 200
	benchItems      = 100 // of each partition
	benchWriters    = 64
)

// benchTable is a table of benchPartitions times benchItems items of about 300 bytes.
type benchTable struct {
	db    *database.DB
	table *database.Table
	admin kv.Admin
}

func openBench(b *testing.B, engine string, indexes ...database.IndexSpec) *benchTable {
	b.Helper()
	ctx := context.Background()
	var store interface {
		kv.Store
		kv.Admin
	} = mem.Open(mem.Options{})
	if engine == "pebble" {
		var err error
		if store, err = pebble.Open(pebble.Options{Dir: b.TempDir(), ReadOnlyBelowBytes: -1}); err != nil {
			b.Fatal(err)
		}
	}
	db, err := database.Open(ctx, store,
		database.Options{Admin: store, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	table, err := db.CreateTable(ctx, database.TableSpec{Name: "bench",
		Key: database.Columns("pk", schema.String, "sk", schema.String), Indexes: indexes})
	if err != nil {
		b.Fatal(err)
	}
	t := &benchTable{db, table, store}
	t.load(b)
	if err := store.Compact(ctx, kv.Range{}); err != nil {
		b.Fatal(err)
	}
	return t
}

func (t *benchTable) load(b *testing.B) {
	p := t.pin(b)
	defer p.Release()
	for partition := range benchPartitions {
		writes := make([]database.TableWrite, benchItems)
		for i := range writes {
			row, err := benchItem(partition*benchItems+i, 0).AppendRow(nil, p.Names())
			if err != nil {
				b.Fatal(err)
			}
			writes[i] = database.TableWrite{Table: p, Write: database.Write{Op: database.OpPut, Row: row}}
		}
		if _, err := t.db.WriteAll(context.Background(), writes); err != nil {
			b.Fatal(err)
		}
	}
}

func (t *benchTable) pin(b *testing.B) database.Pinned {
	p, err := t.table.Pin()
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func benchPartition(i int) string { return fmt.Sprintf("p%05d", i) }

func benchKey(n int) testdoc.Document {
	return testdoc.Document{"pk": benchPartition(n / benchItems), "sk": fmt.Sprintf("s%03d", n%benchItems)}
}

func benchItem(n, fresh int) testdoc.Document {
	d := benchKey(n)
	d["customer"], d["mail"] = fmt.Sprintf("customer %08d", fresh), fmt.Sprintf("customer.%08d@example.com", n)
	d["visits"], d["balance"], d["active"], d["since"] = 1, fresh, true, "2024-05-06T07:08:09Z"
	d["tags"], d["address"] = []string{"gold", "weekly"}, map[string]any{"city": "Nara", "zip": "630-8001",
		"country": "JP"}
	d["remark"] = "prefers deliveries in the morning; call before, ring twice, leave parcels with the neighbours"
	return d
}

// benchRows are rows made beforehand, where building them is not what is measured.
func (t *benchTable) benchRows(b *testing.B, document func(n int) testdoc.Document) []value.Row {
	p := t.pin(b)
	defer p.Release()
	rows := make([]value.Row, benchPartitions*benchItems)
	for n := range rows {
		var err error
		if rows[n], err = document(n).AppendRow(nil, p.Names()); err != nil {
			b.Fatal(err)
		}
	}
	return rows
}

// runParallel runs op in at least the given number of goroutines, each with random numbers of its own.
func runParallel(b *testing.B, goroutines int, op func(p database.Pinned, n int) error, t *benchTable) {
	b.SetParallelism((goroutines + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
	var seed atomic.Uint64
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		random := rand.New(rand.NewPCG(seed.Add(1), 7))
		for pb.Next() {
			p, err := t.table.Pin()
			if err == nil {
				err = op(p, random.IntN(benchPartitions*benchItems))
				p.Release()
			}
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func onEngines(b *testing.B, run func(b *testing.B, engine string)) {
	for _, engine := range []string{"mem", "pebble"} {
		b.Run(engine, func(b *testing.B) { run(b, engine) })
	}
}

func BenchmarkGet(b *testing.B) {
	ctx := context.Background()
	onEngines(b, func(b *testing.B, engine string) {
		t := openBench(b, engine)
		keys := t.benchRows(b, benchKey)
		runParallel(b, 1, func(p database.Pinned, n int) error {
			_, ok, err := p.Get(ctx, keys[n], make([]byte, 0, 512))
			if err == nil && !ok {
				return fmt.Errorf("item %d is missing", n)
			}
			return err
		}, t)
	})
}

// BenchmarkPut replaces items without looking at the old ones.
func BenchmarkPut(b *testing.B) {
	onEngines(b, func(b *testing.B, engine string) { benchPut(b, openBench(b, engine)) })
}

// BenchmarkPutIndexed replaces items of which each stands in three indexes, and moves in two of them.
func BenchmarkPutIndexed(b *testing.B) {
	onEngines(b, func(b *testing.B, engine string) {
		benchPut(b, openBench(b, engine,
			database.IndexSpec{Name: "by-customer", Key: database.Columns("customer", schema.String)},
			database.IndexSpec{Name: "by-balance", Key: database.Columns("pk", schema.String, "balance", schema.Number),
				Projection: schema.ProjectKeys},
			database.IndexSpec{Name: "by-mail", Key: database.Columns("mail", schema.String)}))
	})
}

func benchPut(b *testing.B, t *benchTable) {
	ctx := context.Background()
	versions := [2][]value.Row{}
	for i := range versions {
		versions[i] = t.benchRows(b, func(n int) testdoc.Document { return benchItem(n, n*2+i) })
	}
	var turn atomic.Uint64
	runParallel(b, benchWriters, func(p database.Pinned, n int) error {
		var result database.WriteResult
		return p.Write(ctx, &database.Write{Op: database.OpPut, Row: versions[turn.Add(1)%2][n]}, &result)
	}, t)
}

func BenchmarkUpdate(b *testing.B) {
	ctx := context.Background()
	onEngines(b, func(b *testing.B, engine string) {
		t := openBench(b, engine)
		keys := t.benchRows(b, benchKey)
		update := govalue.Updates(govalue.Attribute("visits").Add(1), govalue.Attribute("customer").Set("customer"))
		condition := govalue.All(govalue.Attribute("pk").Exists(), govalue.Attribute("visits").AtLeast(1))
		runParallel(b, benchWriters, func(p database.Pinned, n int) error {
			var result database.WriteResult
			return p.Write(ctx, &database.Write{Op: database.OpUpdate, Row: keys[n], Update: update,
				Condition: condition}, &result)
		}, t)
	})
}

func BenchmarkQuery100(b *testing.B) {
	ctx := context.Background()
	onEngines(b, func(b *testing.B, engine string) {
		t := openBench(b, engine)
		runParallel(b, 1, func(p database.Pinned, n int) error {
			cursor, err := p.Query(ctx, database.Query{
				Where: govalue.Attribute("pk").Equal(benchPartition(n / benchItems))})
			if err != nil {
				return err
			}
			count := 0
			for cursor.Next() {
				count++
			}
			if count != benchItems {
				b.Errorf("%d items", count)
			}
			return cursor.Close()
		}, t)
	})
}

// BenchmarkPlan plans a point, a range beside an index, and a list of tuples.
func BenchmarkPlan(b *testing.B) {
	t := openBench(b, "mem", database.IndexSpec{Name: "a", Key: database.Columns("a", schema.String), KeepNulls: true},
		database.IndexSpec{Name: "ab", Key: database.Columns("a", schema.String, "b", schema.Number), KeepNulls: true})
	p := t.pin(b)
	defer p.Release()
	pk, sk, a := govalue.Attribute("pk"), govalue.Attribute("sk"), govalue.Attribute("a")
	var tuples []expr.Condition
	for i := range 100 {
		tuples = append(tuples, govalue.All(pk.Equal("p"), sk.Equal(fmt.Sprint(i))))
	}
	for _, one := range []struct {
		name  string
		where expr.Condition
	}{
		{"point", govalue.All(pk.Equal("p"), sk.Equal("s"))},
		{"range", govalue.All(pk.Equal("p"), sk.Greater("s"), a.Equal("x"), govalue.Attribute("b").AtLeast(7))},
		{"tuples", govalue.Any(tuples...)},
	} {
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Plan(database.Query{AnyIndex: true, Where: one.where,
					Wanted: []string{"pk"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCount counts the items of a table of 400,000 by one walk, and by several at once over one view.
func BenchmarkCount(b *testing.B) {
	t := openBench(b, "pebble")
	p := t.pin(b)
	defer p.Release()
	t.more(b, p, 400_000)
	for _, parts := range []int{1, 2, 4} {
		b.Run(fmt.Sprint(parts), func(b *testing.B) {
			for b.Loop() {
				if n := t.count(b, p, parts); n != benchPartitions*benchItems+400_000 {
					b.Fatal(n)
				}
			}
		})
	}
}

// more puts further items.
func (t *benchTable) more(b *testing.B, p database.Pinned, items int) {
	writes := make([]database.TableWrite, 1000)
	for at := 0; at < items; at += len(writes) {
		for i := range writes {
			row, err := testdoc.Document{"pk": fmt.Sprintf("more %03d", (at+i)/1000), "sk": fmt.Sprintf("%07d", at+i),
				"a": "some text of a column", "n": at + i}.AppendRow(nil, p.Names())
			if err != nil {
				b.Fatal(err)
			}
			writes[i] = database.TableWrite{Table: p, Write: database.Write{Row: row}}
		}
		if _, err := t.db.WriteAll(b.Context(), writes); err != nil {
			b.Fatal(err)
		}
	}
	if err := t.admin.Compact(b.Context(), kv.Range{}); err != nil {
		b.Fatal(err)
	}
}

func (t *benchTable) count(b *testing.B, p database.Pinned, parts int) int64 {
	view, err := t.db.View(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer view.Close()
	list, err := view.Split(b.Context(), p, database.Query{Wanted: []string{}}, parts)
	if err != nil {
		b.Fatal(err)
	}
	var group sync.WaitGroup
	var rows atomic.Int64
	for _, q := range list {
		group.Go(func() {
			c, err := view.Query(b.Context(), p, q)
			if err != nil {
				b.Error(err)
				return
			}
			for c.Next() {
			}
			rows.Add(c.Counts().Returned)
			if err := c.Close(); err != nil {
				b.Error(err)
			}
		})
	}
	group.Wait()
	return rows.Load()
}

// BenchmarkKeys reads 2,000 items by their keys: one by one, together, and by a query of as many tuples, planned before
// or not.
func BenchmarkKeys(b *testing.B) {
	for _, engine := range []string{"mem", "pebble"} {
		t := openBench(b, engine)
		p := t.pin(b)
		defer p.Release()
		view, err := t.db.View(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		defer view.Close()
		const keys = 2000
		reads := make([]database.KeyRead, keys)
		tuples := make([]expr.Condition, keys)
		for i := range reads {
			key := benchKey(i * 7)
			row, err := key.AppendRow(nil, p.Names())
			if err != nil {
				b.Fatal(err)
			}
			reads[i] = database.KeyRead{Table: p, Key: row}
			tuples[i] = govalue.All(govalue.Attribute("pk").Equal(key["pk"]), govalue.Attribute("sk").Equal(key["sk"]))
		}
		run := func(name string, read func() int) {
			b.Run(engine+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if n := read(); n != keys {
						b.Fatal(n)
					}
				}
			})
		}
		var dst []byte
		run("Get", func() (n int) {
			for i := range reads {
				row, ok, err := view.Get(b.Context(), p, reads[i].Key, dst[:0])
				if !ok || err != nil {
					b.Fatal(err)
				}
				dst = row
				n++
			}
			return n
		})
		run("Pinned.Get", func() (n int) {
			for i := range reads {
				row, ok, err := p.Get(b.Context(), reads[i].Key, dst[:0])
				if !ok || err != nil {
					b.Fatal(err)
				}
				dst = row
				n++
			}
			return n
		})
		run("GetAll", func() (n int) {
			if _, err := view.GetAll(b.Context(), reads, func(int, value.Row) error { n++; return nil }); err != nil {
				b.Fatal(err)
			}
			return n
		})
		for _, planned := range []bool{false, true} {
			q := database.Query{Where: govalue.Any(tuples[:900]...)}
			if planned {
				plan, err := p.Plan(q)
				if err != nil || plan.Class != access.Get || plan.Keys != 900 || plan.Filter != nil {
					b.Fatalf("%+v %v", plan, err)
				}
				q.Plan = &plan
			}
			run(fmt.Sprintf("900 tuples/planned=%v", planned), func() (n int) {
				c, err := view.Query(b.Context(), p, q)
				if err != nil {
					b.Fatal(err)
				}
				defer c.Close()
				for c.Next() {
					n++
				}
				return n + 1100
			})
		}
	}
}

// BenchmarkCells is what times and lives of cells cost: the same as BenchmarkGet, BenchmarkPut and BenchmarkQuery100 on
// a table that keeps them.
func BenchmarkCells(b *testing.B) {
	ctx := context.Background()
	open := func(b *testing.B) *benchTable {
		t := openBench(b, "pebble")
		if err := t.table.Edit(ctx, withCells(cell.Rules{LifeMS: 1 << 40, MarkersMS: 1000})); err != nil {
			b.Fatal(err)
		}
		p := t.pin(b)
		defer p.Release()
		for _, row := range t.benchRows(b, func(n int) testdoc.Document { return benchItem(n, n) }) {
			if err := p.Write(ctx, &database.Write{Op: database.OpPut, Row: row}, &database.WriteResult{}); err != nil {
				b.Fatal(err)
			}
		}
		return t
	}
	b.Run("get", func(b *testing.B) {
		t := open(b)
		keys := t.benchRows(b, benchKey)
		runParallel(b, 1, func(p database.Pinned, n int) error {
			_, _, err := p.Get(ctx, keys[n], make([]byte, 0, 512))
			return err
		}, t)
	})
	b.Run("put", func(b *testing.B) { benchPut(b, open(b)) })
	b.Run("query", func(b *testing.B) {
		t := open(b)
		runParallel(b, 1, func(p database.Pinned, n int) error {
			cursor, err := p.Query(ctx, database.Query{
				Where: govalue.Attribute("pk").Equal(benchPartition(n / benchItems))})
			if err != nil {
				return err
			}
			for cursor.Next() {
			}
			return cursor.Close()
		}, t)
	})
}
