// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// curveName has an attribute of each kind that is hard for raw codecs: clustered numbers, skewed ones, and texts that
// begin alike.
const curveName = "zorder(lat f64, population u64, url text[16])"

// openCurved opens a database that rebuilds Z-order indexes only when it is told to.
func openCurved(t testing.TB, store kv.Store, options database.Options) *database.DB {
	t.Helper()
	options.Logger, options.RebuildInterval, options.ExpiryInterval = slog.New(slog.NewTextHandler(io.Discard, nil)),
		-1, -1
	if m, ok := store.(*mem.Store); ok {
		options.Admin = m
	}
	db, err := database.Open(t.Context(), store, options)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// newCurved returns an open database whose table t has the index z by a Z-order.
func newCurved(t testing.TB, clock *clock, options database.Options, name string) (*database.DB, *database.Table) {
	t.Helper()
	store := mem.Open(mem.Options{})
	if clock != nil {
		options.Now = clock.now
	}
	db := openCurved(t, store, options)
	t.Cleanup(func() { db.Close(); store.Close() })
	part, err := database.Part(name, schema.Binary)
	if err != nil {
		t.Fatal(err)
	}
	table, err := db.CreateTable(t.Context(), database.TableSpec{
		Name: "t", Key: database.Columns("id", schema.Number),
		Indexes: []database.IndexSpec{{Name: "z", Key: []schema.KeyPart{part}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, table
}

func testRand(t testing.TB) *rand.Rand {
	seed := rounds.Seed(t)
	return rand.New(rand.NewPCG(seed, 11))
}

// place is a random row: half of them in a few clusters, many equal, some without an attribute.
func place(rng *rand.Rand, id int) testdoc.Document {
	d := testdoc.Document{"id": id, "lat": 40 + rng.NormFloat64()/100, "population": int(math.Exp(rng.Float64() * 16)),
		"url": fmt.Sprintf("http://www.%x.org", rng.Uint32N(5000))}
	switch rng.IntN(10) {
	case 0:
		d["lat"] = rng.Float64()*180 - 90
	case 1, 2:
		d["lat"], d["population"], d["url"] = 40.5, 0, "http://www.example.org"
	case 3:
		delete(d, []string{"lat", "population", "url"}[rng.IntN(3)])
	}
	return d
}

func putPlaces(t testing.TB, table *database.Table, rng *rand.Rand, from, to int) {
	t.Helper()
	for id := from; id < to; id++ {
		if err := testdoc.Put(t.Context(), table, place(rng, id)); err != nil {
			t.Fatal(err)
		}
	}
}

// box is a random condition on some of the attributes.
func box(rng *rand.Rand) expr.Condition {
	lat, population, url := govalue.Attribute("lat"), govalue.Attribute("population"), govalue.Attribute("url")
	low := 40 + rng.NormFloat64()/50
	all := []expr.Condition{
		lat.Between(low, low+rng.Float64()/50), population.AtLeast(int(math.Exp(rng.Float64() * 12))),
		population.Less(1 + rng.IntN(1000)),
		url.BeginsWith(fmt.Sprintf("http://www.%x", rng.IntN(16))), url.Equal("http://www.example.org"), lat.Less(40),
		lat.Equal(40.5),
		govalue.Any(lat.Greater(40.02), population.Equal(0)),
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return govalue.All(all[:1+rng.IntN(3)]...)
}

func ids(documents []testdoc.Document) []string {
	list := make([]string, len(documents))
	for i, d := range documents {
		list[i] = fmt.Sprint(d["id"])
	}
	slices.Sort(list)
	return list
}

// indexed is the condition that a row stands in the index.
func indexed() expr.Condition {
	return govalue.All(govalue.Attribute("lat").Exists(), govalue.Attribute("population").Exists(),
		govalue.Attribute("url").Exists())
}

// walkWith is walk with something done between two pages.
func walkWith(ctx context.Context, table *database.Table, q database.Query,
	between func(page int) error) (all []testdoc.Document, err error) {
	for page := 0; ; page++ {
		c, err := table.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for c.Next() {
			all = append(all, testdoc.Of(c.Item()))
		}
		last, err := c.LastKey()
		more, boundaries := c.More(), c.Boundaries()
		if closeErr := c.Close(); err != nil || closeErr != nil || !more {
			return all, cmp.Or(err, closeErr)
		}
		q.After, q.Boundaries = last, boundaries
		if err := between(page); err != nil {
			return nil, err
		}
	}
}

func mustRebuild(t testing.TB, db *database.DB) {
	t.Helper()
	if err := errors.Join(db.TableNamed("", "t").RebuildIndex(t.Context(), "z"), db.WaitJobs(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// TestCurveRebuildBetweenPages rebuilds the index while walks are between two pages, of every size and in both
// directions: each answer is that of a full scan.
func TestCurveRebuildBetweenPages(t *testing.T) {
	rng, clock := testRand(t), clockAt(1_800_000_000)
	db, table := newCurved(t, clock, database.Options{}, curveName)
	putPlaces(t, table, rng, 0, 1500)
	for round, page := range []int{1, 2, 3, 5, 8, 21, 55, 144, 377, 987, 1500} {
		for _, reverse := range []bool{false, true} {
			where := box(rng)
			full, err := walk(t.Context(), table, database.Query{Filter: govalue.All(where, indexed())})
			if err != nil {
				t.Fatal(err)
			}
			at := rng.IntN(3)
			got, err := walkWith(t.Context(), table,
				database.Query{Index: "z", Where: where, Reverse: reverse, ExaminedMax: page}, func(n int) error {
					if n == at {
						return errors.Join(db.TableNamed("", "t").RebuildIndex(t.Context(), "z"), db.WaitJobs(t.Context()))
					}
					return nil
				})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(ids(got), ids(full)) {
				t.Fatalf("round %d, pages of %d, reverse %v: %d rows, a full scan has %d", round, page, reverse,
					len(got), len(full))
			}
		}
		clock.seconds.Add(3600)
		if _, err := db.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, table)
}

// TestCurveRebuildUnderWrites rebuilds again and again while rows are written: rows that nobody writes are in every
// walk exactly once.
func TestCurveRebuildUnderWrites(t *testing.T) {
	rng, clock := testRand(t), clockAt(1_800_000_000)
	db, table := newCurved(t, clock, database.Options{}, curveName)
	putPlaces(t, table, rng, 0, 800)
	still, err := walk(t.Context(), table, database.Query{Filter: indexed()})
	if err != nil {
		t.Fatal(err)
	}
	stop, group := make(chan struct{}), sync.WaitGroup{}
	for w := range 3 {
		group.Go(func() { writePlaces(t, table, rand.New(rand.NewPCG(uint64(w), 5)), stop) })
	}
	for i := range 12 {
		if err := db.TableNamed("", "t").RebuildIndex(t.Context(), "z"); err != nil {
			t.Fatal(err)
		}
		for len(db.Jobs().List()) > 0 {
			compareStill(t, table, still, 1+rng.IntN(300), i%2 == 0)
		}
		compareStill(t, table, still, 100, i%2 == 1)
		clock.seconds.Add(1800)
		if _, err := db.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	group.Wait()
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, table)
}

// writePlaces writes rows beside those from 0 to 999.
func writePlaces(t *testing.T, table *database.Table, rng *rand.Rand, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		id := 1000 + rng.IntN(400)
		err := testdoc.Put(t.Context(), table, place(rng, id))
		if rng.IntN(3) == 0 {
			err = testdoc.Delete(t.Context(), table, testdoc.Document{"id": id})
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}

func compareStill(t *testing.T, table *database.Table, still []testdoc.Document, page int, reverse bool) {
	t.Helper()
	got, err := walk(t.Context(), table, database.Query{Index: "z", ExaminedMax: page, Reverse: reverse})
	if err != nil {
		t.Fatal(err)
	}
	got = slices.DeleteFunc(got, func(d testdoc.Document) bool { return number(d, "id") >= 1000 })
	if !slices.Equal(ids(got), ids(still)) {
		t.Fatalf("pages of %d, reverse %v: %d rows that nobody writes, want %d", page, reverse, len(got), len(still))
	}
}

// TestCurveRebuildOverRestarts closes the database again and again while an index is rebuilt, and goes on with a walk
// from before.
func TestCurveRebuildOverRestarts(t *testing.T) {
	rng, clock, store := testRand(t), clockAt(1_800_000_000), mem.Open(mem.Options{})
	defer store.Close()
	options := database.Options{Now: clock.now, BackfillPause: time.Hour}
	db := openCurved(t, store, options)
	defer func() { db.Close() }()
	table, err := db.CreateTable(t.Context(), database.TableSpec{
		Name: "t", Key: database.Columns("id", schema.Number),
		Indexes: []database.IndexSpec{{Name: "z", Key: []schema.KeyPart{mustPart(t, curveName, schema.Binary)}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	putPlaces(t, table, rng, 0, 2000)
	full, err := walk(t.Context(), table, database.Query{Filter: indexed()})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.TableNamed("", "t").RebuildIndex(t.Context(), "z"); err != nil {
		t.Fatal(err)
	}
	if err := db.TableNamed("", "t").RebuildIndex(t.Context(), "z"); database.KindOf(err) != database.KindBusy {
		t.Fatalf("a second rebuild at once gives %v", err)
	}
	restart := func() error {
		err := db.Close()
		db = openCurved(t, store, options)
		return err
	}
	got, err := walkAcross(t, func() *database.DB { return db }, func(page int) error {
		if page%10 == 0 {
			return restart()
		}
		return nil
	})
	if err != nil || !slices.Equal(ids(got), ids(full)) {
		t.Fatalf("%d rows, want %d, %v", len(got), len(full), err)
	}
	options.BackfillPause = 0
	if err := cmp.Or(restart(), db.WaitJobs(t.Context())); err != nil {
		t.Fatal(err)
	}
	clock.seconds.Add(3600)
	if err := restart(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := db.PinIn("", "t")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	if indexes := p.Descriptor().Indexes; len(indexes) != 1 || indexes[0].ID != 2 || indexes[0].Name != "z" {
		t.Errorf("%d indexes are left", len(indexes))
	}
	table, _ = db.Table("t")
	mustVerify(t, table)
}

// walkAcross walks the index in small pages over databases that come and go.
func walkAcross(t *testing.T, db func() *database.DB, between func(page int) error) (all []testdoc.Document,
	err error) {
	q := database.Query{Index: "z", ExaminedMax: 30}
	for page := 0; ; page++ {
		table, err := db().Table("t")
		if err != nil {
			return nil, err
		}
		c, err := table.Query(t.Context(), q)
		if err != nil {
			return nil, err
		}
		for c.Next() {
			all = append(all, testdoc.Of(c.Item()))
		}
		last, err := c.LastKey()
		if closeErr := c.Close(); err != nil || closeErr != nil || !c.More() {
			return all, cmp.Or(err, closeErr)
		}
		q.After = last
		if err := between(page); err != nil {
			return nil, err
		}
	}
}

// lookedAt is the number of entries a hundred boxes, the same for the same seed, look at.
func lookedAt(t *testing.T, table *database.Table) (entries int64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		low, rank := 40+rng.NormFloat64()/100, rng.Float64()*14
		where := govalue.All(govalue.Attribute("lat").Between(low, low+0.002),
			govalue.Attribute("population").Between(int(math.Exp(rank)), int(math.Exp(rank+1))),
			govalue.Attribute("url").Between("http://www.4", "http://www.8"))
		c, err := table.Query(t.Context(), database.Query{Index: "z", Where: where})
		if err != nil {
			t.Fatal(err)
		}
		for c.Next() {
		}
		counts := c.Counts()
		entries += counts.Looked()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return entries
}

// TestCurveLearned compares raw codecs with learned ones on skewed rows, and tells of both.
func TestCurveLearned(t *testing.T) {
	rng, clock := testRand(t), clockAt(1_800_000_000)
	db, table := newCurved(t, clock, database.Options{RebuildRowsMin: 3000}, curveName)
	putPlaces(t, table, rng, 0, 3000)
	if begun, err := db.Rebuild(t.Context()); begun != 0 || err != nil {
		t.Fatalf("%d rebuilds with too few rows, %v", begun, err)
	}
	putPlaces(t, table, rng, 3000, 6000)
	compareCurve(t, db, "raw", 0)
	before := lookedAt(t, table)
	begun, err := db.Rebuild(t.Context())
	if err := cmp.Or(err, db.WaitJobs(t.Context())); begun != 1 || err != nil {
		t.Fatalf("%d rebuilds, %v", begun, err)
	}
	compareCurve(t, db, "quantile", clock.seconds.Load())
	after := lookedAt(t, table)
	t.Logf("entries looked at: raw %d, learned %d", before, after)
	if after*2 > before {
		t.Errorf("learned codecs look at %d entries, raw ones at %d", after, before)
	}
}

func compareCurve(t *testing.T, db *database.DB, codec string, learnedAt int64) {
	t.Helper()
	p, err := db.PinIn("", "t")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	curve, err := p.CurveOf(t.Context(), "z")
	if err != nil || len(curve) != 3 || curve[0].Name != "lat" || curve[2].Name != "url" {
		t.Fatalf("%+v, %v", curve, err)
	}
	for _, a := range curve {
		quantile := codec == "quantile"
		if a.Codec != codec || quantile &&
			(a.LearnedAt.Unix() != learnedAt || a.SampleRows < 1000 || a.Skew.Due || a.Skew.Ratio > 3 ||
				a.Version != 2 || a.Bits != 16) {
			t.Errorf("%+v", a)
		}
	}
	if curve, err := p.CurveOf(t.Context(), ""); len(curve) != 0 || err != nil {
		t.Errorf("the table's key: %+v, %v", curve, err)
	}
}

// TestCurveDrift moves the rows away from what the codecs were learned from: one rebuild comes, and no second within
// ten minutes.
func TestCurveDrift(t *testing.T) {
	rng, clock := testRand(t), clockAt(1_800_000_000)
	db, table := newCurved(t, clock, database.Options{RebuildRowsMin: 1000},
		"zorder(lat f64, population u64 codec=raw)")
	fill := func(from, to int, at float64) {
		for id := from; id < to; id++ {
			if err := testdoc.Put(t.Context(), table,
				testdoc.Document{"id": id, "lat": at + rng.NormFloat64(), "population": rng.IntN(100)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	rebuilds := func(want int) {
		t.Helper()
		begun, err := db.Rebuild(t.Context())
		if err := cmp.Or(err, db.WaitJobs(t.Context())); begun != want || err != nil {
			t.Fatalf("%d rebuilds, want %d, %v", begun, want, err)
		}
	}
	fill(0, 2000, 10)
	rebuilds(1)
	rebuilds(0)
	fill(2000, 2500, 50)
	rebuilds(0)
	clock.seconds.Add(601)
	rebuilds(1)
	rebuilds(0)
	clock.seconds.Add(601)
	rebuilds(0)
	p, err := db.PinIn("", "t")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	curve, err := p.CurveOf(t.Context(), "z")
	if err != nil || curve[0].Version != 3 || curve[0].Codec != "quantile" || curve[1].Version != 1 ||
		curve[1].Codec != "raw" {
		t.Errorf("%+v, %v", curve, err)
	}
	mustVerify(t, table)
}

// TestCurveRaw never rebuilds codecs that are declared raw, nor other indexes.
func TestCurveRaw(t *testing.T) {
	rng, clock := testRand(t), clockAt(1_800_000_000)
	db, table := newCurved(t, clock, database.Options{RebuildRowsMin: 10},
		"zorder(lat f64 codec=raw, population u64 codec=raw)")
	putPlaces(t, table, rng, 0, 3000)
	if begun, err := db.Rebuild(t.Context()); begun != 0 || err != nil {
		t.Errorf("%d rebuilds, %v", begun, err)
	}
	if err := db.TableNamed("", "t").RebuildIndex(t.Context(), "z"); database.KindOf(err) != database.KindInvalid {
		t.Errorf("%v", err)
	}
	if err := db.TableNamed("", "t").RebuildIndex(t.Context(), "y"); database.KindOf(err) != database.KindNotFound {
		t.Errorf("%v", err)
	}
}

// TestCurveAdded builds an index on a table with rows: its codecs are learned before, but for one with too few values.
func TestCurveAdded(t *testing.T) {
	rng := testRand(t)
	db, table := newCurved(t, nil, database.Options{}, "zorder(lat f64)")
	putPlaces(t, table, rng, 0, 2000)
	for id := range 100 {
		if _, err := testdoc.Update(t.Context(), table, testdoc.Document{"id": id},
			govalue.Attribute("rare").Set(id)); err != nil {
			t.Fatal(err)
		}
	}
	spec := database.IndexSpec{Name: "added",
		Key: []schema.KeyPart{mustPart(t, "zorder(lat f64:20, rare i32 nulls=first, population u64 codec=quantile)",
			schema.Binary)}}
	if err := cmp.Or(table.AddIndex(t.Context(), spec), db.WaitJobs(t.Context())); err != nil {
		t.Fatal(err)
	}
	p, err := db.PinIn("", "t")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	curve, err := p.CurveOf(t.Context(), "added")
	if err != nil || len(curve) != 3 || curve[0].Codec != "quantile" || curve[0].Bits != 20 ||
		curve[1].Codec != "raw" || curve[2].Codec != "quantile" || curve[2].SampleRows < 1500 {
		t.Errorf("%+v, %v", curve, err)
	}
	mustVerify(t, table)
}

// TestCurvePageKeyLife uses page keys of an index that was replaced, until it is dropped.
func TestCurvePageKeyLife(t *testing.T) {
	rng, clock := testRand(t), clockAt(1_800_000_000)
	db, table := newCurved(t, clock, database.Options{PageKeyLife: time.Minute}, curveName)
	putPlaces(t, table, rng, 0, 600)
	c, err := table.Query(t.Context(), database.Query{Index: "z", ExaminedMax: 10})
	if err != nil {
		t.Fatal(err)
	}
	for c.Next() {
	}
	after, err := c.LastKey()
	if err := cmp.Or(err, c.Close()); err != nil {
		t.Fatal(err)
	}
	mustRebuild(t, db)
	next := func(index string) error {
		c, err := table.Query(t.Context(), database.Query{Index: index, After: after, ExaminedMax: 10})
		if err == nil {
			err = c.Close()
		}
		return err
	}
	for range 2 {
		if err := next("z"); err != nil {
			t.Fatal(err)
		}
		clock.seconds.Add(59)
		if _, err := db.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(db.Jobs().List()) == 0 {
			continue
		}
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := next("z"); !errors.Is(err, database.ErrPageKey) || database.KindOf(err) != database.KindInvalid {
		t.Errorf("after its index was dropped a page key gives %v", err)
	}
	if err := cmp.Or(table.DropIndex(t.Context(), "z"), db.WaitJobs(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// TestCurveDropped drops an index while it is rebuilt, with others that were replaced before: nothing is left, and the
// name is free.
func TestCurveDropped(t *testing.T) {
	rng, store := testRand(t), mem.Open(mem.Options{})
	defer store.Close()
	db := openCurved(t, store, database.Options{BackfillPause: time.Millisecond})
	defer db.Close()
	spec := database.IndexSpec{Name: "z", Key: []schema.KeyPart{mustPart(t, curveName, schema.Binary)}}
	table, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: "t", Key: database.Columns("id", schema.Number), Indexes: []database.IndexSpec{spec}})
	if err != nil {
		t.Fatal(err)
	}
	putPlaces(t, table, rng, 0, 1000)
	mustRebuild(t, db)
	err = cmp.Or(table.RebuildIndex(t.Context(), "z"), table.DropIndex(t.Context(), "z"), db.WaitJobs(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	p, err := db.PinIn("", "t")
	if err != nil {
		t.Fatal(err)
	}
	left := len(p.Descriptor().Indexes)
	p.Release()
	if left != 0 {
		t.Errorf("%d indexes are left", left)
	}
	if err := cmp.Or(table.AddIndex(t.Context(), spec), db.WaitJobs(t.Context())); err != nil {
		t.Fatal(err)
	}
	mustVerify(t, table)
}

// TestCurveSegments begins the workers of a parallel scan before and after a rebuild: together they see every row once.
func TestCurveSegments(t *testing.T) {
	for _, hash := range []bool{false, true} {
		rng, clock := testRand(t), clockAt(1_800_000_000)
		db, _ := newCurved(t, clock, database.Options{}, curveName)
		table, err := db.CreateTable(t.Context(), database.TableSpec{
			Name: "u", Key: database.Columns("id", schema.Number), HashDistributed: hash,
			Indexes: []database.IndexSpec{{Name: "z", Key: []schema.KeyPart{mustPart(t, curveName, schema.Binary)}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		putPlaces(t, table, rng, 0, 1000)
		full, err := walk(t.Context(), table, database.Query{Filter: indexed()})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			var got []testdoc.Document
			for segment := range 5 {
				some, err := walkWith(t.Context(), table,
					database.Query{Index: "z", Segment: segment, Segments: 5, ExaminedMax: 40}, func(page int) error {
						if segment == 1 && page == 1 {
							return errors.Join(table.RebuildIndex(t.Context(), "z"), db.WaitJobs(t.Context()))
						}
						return nil
					})
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, some...)
				clock.seconds.Add(20)
			}
			if !slices.Equal(ids(got), ids(full)) {
				t.Fatalf("hash %v: %d rows in 5 segments, want %d", hash, len(got), len(full))
			}
			clock.seconds.Add(61)
		}
	}
}

// TestCurveTransaction walks an index in a transaction that began before it was rebuilt.
func TestCurveTransaction(t *testing.T) {
	rng := testRand(t)
	db, table := newCurved(t, nil, database.Options{}, curveName)
	putPlaces(t, table, rng, 0, 500)
	full, err := walk(t.Context(), table, database.Query{Filter: indexed()})
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	mustRebuild(t, db)
	mustRebuild(t, db)
	for range 2 {
		var got []testdoc.Document
		c, err := testdoc.QueryIn(t.Context(), tx, "t", database.Query{Index: "z"})
		if err != nil {
			t.Fatal(err)
		}
		for c.Next() {
			got = append(got, testdoc.Of(c.Item()))
		}
		if err := c.Close(); err != nil || !slices.Equal(ids(got), ids(full)) {
			t.Fatalf("%d rows, want %d, %v", len(got), len(full), err)
		}
	}
}
