// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// nearCurves are Z-orders over a and b, with codes that are fine and coarse, of all numbers, and with a third
// attribute. Those marked are built on rows, and so learn their codes.
var nearCurves = []string{
	"zorder(a f64, b f64)", "zorder(a f64, b f64; order=aaab)", "zorder(a lat, b lon)", "zorder(a f32:3, b f64:4)",
	"zorder(b number, a number)", "zorder(a i8, b i16)",
	"zorder(a f64, c u8 nulls=first, b f64)", "zorder(a f64:16 codec=quantile, b number:12 codec=quantile)",
	"zorder(a linear(-10,10):5, b linear(0,1))",
}

type nearRow struct {
	id   string
	at   []float64
	have bool
	c    int64
}

// nearTable makes a table with random places, many of them the same, and the index "near".
func nearTable(t *testing.T, random *rand.Rand, db *database.DB, name, curve string, behind bool) (*database.Table,
	[]nearRow) {
	t.Helper()
	table, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: name, Key: database.Columns("id", schema.String)})
	if err != nil {
		t.Fatal(err)
	}
	var rows []nearRow
	scale := math.Pow(10, float64(random.IntN(6)-2))
	for i := range 20 + random.IntN(1500) {
		r := nearRow{id: fmt.Sprintf("%05d", random.IntN(100000)*10+i%10), at: make([]float64, 2), have: true,
			c: random.Int64N(5)}
		for j := range r.at {
			if r.at[j] = random.NormFloat64() * scale; random.IntN(3) == 0 {
				r.at[j] = math.Round(r.at[j])
			}
		}
		item := testdoc.Document{"id": r.id, "a": r.at[0], "b": r.at[1], "c": r.c}
		if random.IntN(20) == 0 {
			delete(item, []string{"a", "b"}[random.IntN(2)])
			r.have = false
		}
		if random.IntN(20) == 0 {
			delete(item, "c")
			r.c = -1
		}
		if err := testdoc.Put(t.Context(), table, item); err != nil {
			t.Fatal(err)
		}
		rows = slices.DeleteFunc(rows, func(o nearRow) bool { return o.id == r.id })
		rows = append(rows, r)
	}
	index := database.IndexSpec{Name: "near", Key: []schema.KeyPart{mustPart(t, curve, schema.Binary)}}
	if behind {
		index.Key = append(database.Columns("c", schema.Number), index.Key...)
	}
	if random.IntN(2) == 0 {
		index.Projection = schema.ProjectKeys
	}
	if err := cmp.Or(table.AddIndex(t.Context(), index), db.WaitJobs(t.Context())); err != nil {
		t.Fatal(err)
	}
	return table, rows
}

// TestNearest: the nearest items are those that sorting all by distance and key gives, whatever the codes are, with and
// without conditions.
func TestNearest(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	db := testdb.Open(t)
	for i, curve := range nearCurves {
		table, rows := nearTable(t, random, db, fmt.Sprintf("t%d", i), curve, false)
		for range rounds.Of(t, 12) {
			q := database.Query{Near: &database.Near{Columns: []string{"a", "b"},
				To: []float64{random.NormFloat64() * 3, float64(random.IntN(7) - 3)}}, Index: "near", Fetch: true}
			if random.IntN(3) == 0 {
				q.Index, q.AnyIndex, q.Fetch = "", true, false
			}
			keep := func(nearRow) bool { return true }
			switch low := random.NormFloat64(); random.IntN(4) {
			case 0:
				q.Where, keep = govalue.Attribute("a").AtLeast(low), func(r nearRow) bool { return r.at[0] >= low }
			case 1:
				q.Where = govalue.All(govalue.Attribute("b").Between(-1, 1), govalue.Attribute("c").Equal(2))
				keep = func(r nearRow) bool { return r.at[1] >= -1 && r.at[1] <= 1 && r.c == 2 }
			case 2:
				q.Filter, keep = govalue.Attribute("c").Greater(2), func(r nearRow) bool { return r.c > 2 }
			}
			checkNearest(t, curve, table, q, rows, keep, random.IntN(60))
		}
	}
}

// checkNearest compares the first items with those of a sort.
func checkNearest(t *testing.T, curve string, table *database.Table, q database.Query, rows []nearRow,
	keep func(nearRow) bool, limit int) {
	t.Helper()
	type far struct {
		id       string
		distance float64
	}
	var want []far
	for _, r := range rows {
		if r.have && keep(r) {
			want = append(want, far{r.id, q.Near.Distance(r.at)})
		}
	}
	slices.SortFunc(want, func(a, b far) int {
		if a.distance != b.distance {
			return int(math.Copysign(1, a.distance-b.distance))
		}
		return bytes.Compare([]byte(a.id), []byte(b.id))
	})
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	cursor, err := pin.Query(t.Context(), q)
	if err != nil {
		t.Fatal(curve, err)
	}
	if limit == 0 {
		limit = len(want) + 1
	}
	var got []string
	for len(got) < limit && cursor.Next() {
		got = append(got, cursor.Item().Text("id"))
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(curve, err)
	}
	want = want[:min(limit, len(want))]
	for i := range max(len(want), len(got)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i].id {
			t.Fatalf("%s, %v to %v: item %d differs: %v, not %v", curve, q.Where, q.Near.To, i, got, want)
		}
	}
}

// TestNearestAtBorders: items that lie where cells begin, many of them equally far, come by their keys.
func TestNearestAtBorders(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	db := testdb.Open(t)
	table, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: "t", Key: database.Columns("id", schema.String), Indexes: []database.IndexSpec{
			{Name: "near", Key: []schema.KeyPart{mustPart(t, "zorder(a i8, b i16)", schema.Binary)}}}})
	if err != nil {
		t.Fatal(err)
	}
	var rows []nearRow
	for i, id := range random.Perm(17 * 17) {
		r := nearRow{id: fmt.Sprintf("%03d", id), at: []float64{float64(i%17 - 8), float64(i/17 - 8)}, have: true}
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"id": r.id, "a": r.at[0], "b": r.at[1]}); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	for _, to := range [][]float64{{0, 0}, {0.5, 0.5}, {0.03, 1}, {-3, 2.5}, {4, -0.25}, {7.9, 8}} {
		q := database.Query{Near: &database.Near{Columns: []string{"a", "b"}, To: to}, Index: "near", Fetch: true}
		checkNearest(t, "borders", table, q, rows, func(nearRow) bool { return true }, 0)
	}
}

// TestNearestBehind: the Z-order may stand behind parts that are bound to single values.
func TestNearestBehind(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	db := testdb.Open(t)
	table, rows := nearTable(t, random, db, "t", "zorder(a f64, b f64)", true)
	near := &database.Near{Columns: []string{"a", "b"}, To: []float64{0.5, -0.5}}
	in := func(values ...any) database.Query {
		return database.Query{Index: "near", Fetch: true, Near: near, Where: govalue.Attribute("c").In(values...)}
	}
	for range rounds.Of(t, 20) {
		checkNearest(t, "one", table, in(3), rows, func(r nearRow) bool { return r.c == 3 }, random.IntN(30))
		checkNearest(t, "two", table, in(1, 4), rows, func(r nearRow) bool { return r.c == 1 || r.c == 4 },
			random.IntN(30))
		some := in(1, 4)
		some.Where = govalue.All(some.Where, govalue.Attribute("b").Less(0.25))
		checkNearest(t, "box", table, some, rows,
			func(r nearRow) bool { return (r.c == 1 || r.c == 4) && r.at[1] < 0.25 }, random.IntN(30))
		near.To = []float64{random.NormFloat64(), random.NormFloat64()}
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	for _, q := range []database.Query{{Index: "near", Near: near}, {AnyIndex: true, Near: near}, {Near: near}} {
		cursor, err := pin.Query(t.Context(), q)
		if err == nil {
			if cursor.Next() {
				t.Error("there is no order in an index whose first part is not bound")
			}
			err = cursor.Close()
		}
		if database.KindOf(err) != database.KindInvalid {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
