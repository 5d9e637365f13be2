// SPDX-License-Identifier: Apache-2.0

package region_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/background/region"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/mem"
)

// source makes random numbers of a seed that is printed, or that WEFT_TEST_SEED gives.
func source(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rounds.Seed(t)
	return rand.New(rand.NewPCG(seed, 1))
}

// world is a database whose time the test makes, and whose requests are counted.
type world struct {
	*testing.T
	db    *database.DB
	table *database.Table
	heat  *heat.Map
	now   time.Time
}

func newWorld(t *testing.T, settings database.RegionSettings) *world {
	t.Helper()
	w := &world{T: t, heat: heat.New(heat.Options{}), now: time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)}
	store := mem.Open(mem.Options{})
	settings.Interval = -1
	var err error
	w.db, err = database.Open(t.Context(), heat.Wrap(store, w.heat), database.Options{
		Admin: store, Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.now }, Regions: settings,
		Traffic:        region.OfHeat(w.heat),
		ExpiryInterval: -1, RebuildInterval: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	w.heat.Tick(w.now.UnixMilli())
	spec := database.TableSpec{Name: "t", Key: database.Columns("id", schema.String), PartitionParts: 1,
		Indexes: []database.IndexSpec{
			{Name: "by-n", Key: database.Columns("n", schema.Int), PartitionParts: 1, Projection: schema.ProjectAll},
		}}
	if w.table, err = w.db.CreateTable(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) put(id string, n int) {
	w.Helper()
	row := testdoc.Document{"id": id, "n": n, "text": "some text of a row"}
	if err := testdoc.Put(w.Context(), w.table, row); err != nil {
		w.Fatal(err)
	}
}

func (w *world) get(id string) {
	w.Helper()
	if _, _, err := testdoc.Get(w.Context(), w.table, testdoc.Document{"id": id}); err != nil &&
		database.KindOf(err) != database.KindNotFound {
		w.Fatal(err)
	}
}

func (w *world) look() (steps int) {
	w.Helper()
	steps, err := w.db.AllRegions().Look(w.Context(), true)
	if err != nil {
		w.Fatal(err)
	}
	return steps
}

// pass lets time pass, seconds at a time.
func (w *world) pass(d time.Duration) {
	for end := w.now.Add(d); w.now.Before(end); {
		w.now = w.now.Add(time.Second)
		w.heat.Tick(w.now.UnixMilli())
	}
}

func (w *world) regions(index string) []database.Region {
	w.Helper()
	p, err := w.table.Pin()
	if err != nil {
		w.Fatal(err)
	}
	defer p.Release()
	list, err := p.Regions(w.Context(), index)
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// cover expects regions to follow one another and to hold so many rows together.
func (w *world) cover(rows int64) {
	w.Helper()
	for _, index := range []string{"", "by-n"} {
		list, sum := w.regions(index), int64(0)
		for i := range list {
			sum += list[i].Rows
			if i > 0 && fmt.Sprint(list[i-1].End) != fmt.Sprint(list[i].Start) {
				w.Fatalf("%q: region %s ends at %v, %s begins at %v", index, list[i-1].ID, list[i-1].End, list[i].ID,
					list[i].Start)
			}
		}
		if sum != rows || len(list[0].Start) > 0 || len(list[len(list)-1].End) > 0 {
			w.Fatalf("%q: %d rows in %d regions, want %d", index, sum, len(list), rows)
		}
	}
}

// TestSizes splits a table that grows, and merges it once it has shrunk.
func TestSizes(t *testing.T) {
	w := newWorld(t, database.RegionSettings{BytesMax: 10_000})
	for i := range 2000 {
		w.put(fmt.Sprintf("%05d", i*7919%2000), i)
	}
	w.look()
	w.cover(2000)
	grown := w.regions("")
	if len(grown) < 10 {
		t.Fatalf("%d regions", len(grown))
	}
	for i := range grown {
		if grown[i].Bytes > 10_000 || grown[i].Bytes < 1_000 {
			t.Errorf("region %s has %d bytes", grown[i].ID, grown[i].Bytes)
		}
	}
	if n := w.look(); n > 0 {
		t.Errorf("%d steps more, and nothing has changed", n)
	}
	sizes := slices.DeleteFunc(w.db.AllRegions().Sizes(), func(s database.RegionSize) bool { return s.Index != "" })
	if len(sizes) != len(grown) || sizes[0].ID != grown[0].ID || sizes[0].Bytes <= 0 {
		t.Errorf("%d sizes of %d regions, the first is %+v", len(sizes), len(grown), sizes[0])
	}
	for i := range 1990 {
		if err := testdoc.Delete(t.Context(), w.table, testdoc.Document{"id": fmt.Sprintf("%05d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.look(); n > 0 {
		t.Errorf("%d regions were merged that are young", n)
	}
	w.pass(time.Hour + time.Minute)
	for range 8 {
		w.look()
		w.cover(10)
	}
	if list := w.regions(""); len(list) != 1 || list[0].ID != grown[0].ID {
		t.Errorf("%d regions are left", len(list))
	}
}

// TestLoads tries what programs do on a table, minute after minute, and looks after its regions every ten seconds.
func TestLoads(t *testing.T) {
	random := source(t)
	const rows = 5000
	id := func(n int) string { return fmt.Sprintf("%07d", n) }
	for _, load := range []struct {
		name        string
		do          func(w *world, step int)
		least, most int // regions of the table in the end
		fault       string
	}{
		{"uniform", func(w *world, step int) { w.get(id(random.IntN(rows))) }, 4, 64, ""},
		{"increasing", func(w *world, step int) { w.put(id(rows+step), step) }, 1, 1, "growing key"},
		{"one row", func(w *world, step int) { w.get(id(4711)) }, 1, 1, "one row"},
		{"narrow", func(w *world, step int) { w.get(id(2000 + random.IntN(500))) }, 2, 16, ""},
		{"absent keys", func(w *world, step int) { w.get("x" + id(step)) }, 1, 1, ""},
	} {
		t.Run(load.name, func(t *testing.T) {
			w := newWorld(t, database.RegionSettings{RequestsMax: 5})
			for i := range rows {
				w.put(id(i), i)
			}
			w.pass(20 * time.Minute)
			fault := ""
			for step := range 18_000 { // fifteen minutes
				load.do(w, step)
				if step%20 == 0 { // so many a second
					w.pass(time.Second)
				}
				if step%200 == 0 {
					w.look()
					for _, r := range w.regions("") {
						if r.Fault != "" {
							fault = r.Fault
						}
					}
				}
			}
			if n := len(w.regions("")); n < load.least || n > load.most || fault != load.fault && load.fault != "" {
				t.Errorf("%d regions, fault %q; want %d to %d, %q", n, fault, load.least, load.most, load.fault)
			}
		})
	}
}

// TestScansUnderSplits pages through parallel scans while regions are split and merged at random: each row is met once,
// whatever happens.
func TestScansUnderSplits(t *testing.T) {
	random := source(t)
	w := newWorld(t, database.RegionSettings{BytesMax: 4_000, Age: time.Second, PresetAge: time.Second})
	var ids []string
	for i := range 1500 {
		ids = append(ids, fmt.Sprintf("%04d", random.IntN(10_000)*10_000+i))
		w.put(ids[i], i)
	}
	for range 20 {
		w.scan(random, len(ids))
		w.shake(random)
	}
	w.cover(int64(len(ids)))
}

// shake changes regions.
func (w *world) shake(random *rand.Rand) {
	w.Helper()
	switch random.IntN(4) {
	case 0:
		w.look()
	case 1:
		w.pass(2 * time.Second)
		w.look()
	case 2:
		if _, err := w.table.Split(w.Context(), "", database.RegionSpec{Count: 1 + random.IntN(40)}); err != nil {
			w.Fatal(err)
		}
	default:
		key := value.AppendString(nil, fmt.Append(nil, random.IntN(100_000_000)))
		if _, err := w.table.Split(w.Context(), "", database.RegionSpec{Keys: []value.Value{key}}); err != nil {
			w.Fatal(err)
		}
	}
}

// scan reads the table or the index by some workers in turn, in pages of any length, with time and splits between the
// pages.
func (w *world) scan(random *rand.Rand, rows int) {
	w.Helper()
	type worker struct {
		after      value.Row
		boundaries uint64
		done       bool
	}
	workers := make([]worker, 1+random.IntN(9))
	index := []string{"", "by-n"}[random.IntN(2)]
	seen := map[string]int{}
	for left := len(workers); left > 0; {
		i := random.IntN(len(workers))
		if workers[i].done {
			continue
		}
		p, err := w.table.Pin()
		if err != nil {
			w.Fatal(err)
		}
		cursor, err := p.Query(w.Context(), database.Query{
			Index: index, Segment: i, Segments: len(workers), After: workers[i].after,
			Boundaries: workers[i].boundaries, ExaminedMax: 1 + random.IntN(300),
		})
		if err != nil {
			w.Fatal(err)
		}
		for cursor.Next() {
			id, _ := cursor.Row().Get(p.Names(), []byte("id"))
			seen[id.String()]++
		}
		if workers[i].after, err = cursor.LastKey(); err != nil {
			w.Fatal(err)
		}
		workers[i].boundaries = cursor.Boundaries()
		if !cursor.More() {
			workers[i].done = true
			left--
		}
		if err := cursor.Close(); err != nil {
			w.Fatal(err)
		}
		p.Release()
		if random.IntN(6) == 0 {
			w.shake(random)
		}
		if random.IntN(20) == 0 {
			w.pass(15 * time.Second)
		}
	}
	for id, n := range seen {
		if n != 1 {
			w.Fatalf("%d workers on %q met %s %d times", len(workers), index, id, n)
		}
	}
	if len(seen) != rows {
		w.Fatalf("%d workers on %q met %d of %d rows", len(workers), index, len(seen), rows)
	}
}

// TestCounted cuts a table in parts for View.Split where its regions begin, and walks all of it once.
func TestCounted(t *testing.T) {
	w := newWorld(t, database.RegionSettings{BytesMax: 200_000})
	text := string(slices.Repeat([]byte("x"), 2000))
	for i := range 2000 {
		if err := testdoc.Put(t.Context(), w.table,
			testdoc.Document{"id": fmt.Sprintf("%05d", i), "n": i, "text": text}); err != nil {
			t.Fatal(err)
		}
	}
	w.look()
	p, err := w.table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	view, err := w.db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	for _, parts := range []int{2, 7, 100} {
		queries, err := view.Split(t.Context(), p, database.Query{}, parts)
		if err != nil || len(queries) < 2 || len(queries) > parts {
			t.Fatalf("%d queries, %v", len(queries), err)
		}
		rows := 0
		for _, q := range queries {
			cursor, err := view.Query(t.Context(), p, q)
			if err != nil {
				t.Fatal(err)
			}
			for cursor.Next() {
				rows++
			}
			if err := cursor.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if rows != 2000 {
			t.Errorf("%d parts have %d rows", len(queries), rows)
		}
	}
}
