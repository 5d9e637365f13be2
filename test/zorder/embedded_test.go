// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// typed are attributes of the embedded API with values of its own types, which DynamoDB has not: machine integers,
// floats with a NaN and two zeros, times.
var typed = []struct {
	declaration string
	values      []any
}{
	{"f f64", []any{float(math.NaN()), float(math.Inf(1)), float(math.Inf(-1)), float(0), float(math.Copysign(0, -1)),
		float(1.5), json.Number("1.5"), json.Number("1.5000000000000000000000000001"), float(1e300), -1}},
	{"g f32:7", []any{float(math.NaN()), float(-1e39), float(3.5), 0, 16777216, 16777217, json.Number("1e125")}},
	{"i i16", []any{integer(math.MinInt64), integer(-32768), -1, 0, integer(0), 1, float(1.5), 32767,
		integer(math.MaxInt64)}},
	{"u u64", []any{uint64(math.MaxUint64), uint64(1) << 63, integer(1 << 62), float(0.5), 1, -7}},
	{"at timestamp(ms)", []any{moment(-1), moment(0), moment(1469566800000), json.Number("1469566800000.5"),
		moment(1469566800001), 12}},
	{"d number:30", []any{json.Number("12345678901234567890123456789012345678"),
		json.Number("12345678901234567890123456789012345679"), json.Number("1e-130"), 0, -1, float(0.1),
		json.Number("0.1")}},
	{"t text[3]", []any{"", "abc", "abcd", "abd", "a\x00b", "\xff\xff\xff\xff", "\u00e9", "e\u0301"}},
	{"b binary[2]", []any{[]byte{}, []byte{0}, []byte{0, 0, 0}, []byte{0, 1}, []byte{255, 255}, []byte{255, 255, 1}}},
	{"yes bool", []any{true, false}},
}

func float(x float64) value.Value { return value.AppendFloat(nil, x) }
func integer(x int64) value.Value { return value.AppendInt(nil, x) }
func moment(ms int64) value.Value { return value.AppendTimestamp(nil, ms) }

// embedded is a random table of the embedded API and its indexes.
type embedded struct {
	t      *testing.T
	random *rand.Rand
	table  *database.Table
	used   []int // of typed
	names  []string
	curve  string
}

// TestEmbedded asks random conditions of Z-order indexes through the embedded API, by name or as the planner's choice:
// several partition keys at once, parts of the key behind the Z-order, indexes that keep nulls, values of types that
// DynamoDB has not.
func TestEmbedded(t *testing.T) {
	seed := rounds.Seed(t)
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		found := 0
		for i := range rounds.Of(t, 60) {
			e := newEmbedded(t, db, rand.New(rand.NewPCG(seed, uint64(i))), fmt.Sprint("t", i))
			for range 15 {
				found += e.ask()
			}
			if t.Failed() {
				t.Fatalf("round %d: %s", i, e.curve)
			}
		}
		if found == 0 {
			t.Error("nothing was asked")
		}
	})
}

func newEmbedded(t *testing.T, db *database.DB, random *rand.Rand, name string) *embedded {
	e := &embedded{t: t, random: random, used: random.Perm(len(typed))[:1+random.IntN(3)]}
	var list []string
	for _, at := range e.used {
		name, _, _ := strings.Cut(typed[at].declaration, " ")
		e.names, list = append(e.names, name), append(list, typed[at].declaration)
	}
	e.curve = "zorder(" + strings.Join(list, ", ") + ")"
	curve, err := database.Part(e.curve, schema.Binary)
	if err != nil {
		t.Fatal(err)
	}
	size, err := database.Part("desc(size)", schema.Number)
	if err != nil {
		t.Fatal(err)
	}
	kind := database.Columns("kind", schema.String)[0]
	e.table, err = db.CreateTable(t.Context(), database.TableSpec{
		Name: name, Key: database.Columns("id", schema.Number), HashDistributed: random.IntN(2) == 0,
		Indexes: []database.IndexSpec{
			{Name: "below", Key: []schema.KeyPart{kind, curve}},
			{Name: "alone", Key: []schema.KeyPart{curve}, Projection: schema.ProjectKeys},
			{Name: "between", Key: []schema.KeyPart{kind, curve, size}, PartitionParts: 2},
			{Name: "nulls", Key: []schema.KeyPart{kind, curve}, KeepNulls: true},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for id := range 50 {
		row := testdoc.Document{"id": id, "kind": fmt.Sprint("k", id%3), "size": id % 4}
		for i, name := range e.names {
			if random.IntN(9) > 0 {
				row[name] = e.value(i)
			}
		}
		if err := testdoc.Put(t.Context(), e.table, row); err != nil {
			t.Fatalf("%v: %v", row, err)
		}
	}
	return e
}

func (e *embedded) value(i int) any {
	values := typed[e.used[i]].values
	if e.random.IntN(20) == 0 {
		return typed[e.used[i]].values[0]
	}
	return values[e.random.IntN(len(values))]
}

// condition is a random condition on one attribute, or on several.
func (e *embedded) condition(depth int) expr.Condition {
	if depth > 0 {
		switch e.random.IntN(6) {
		case 0, 1, 2:
			return govalue.All(e.condition(depth-1), e.condition(depth-1))
		case 3:
			return govalue.Any(e.condition(depth-1), e.condition(depth-1))
		case 4:
			return govalue.All(govalue.Attribute("kind").In("k2", "k0", "k0"), e.condition(depth-1))
		}
	}
	i := e.random.IntN(len(e.names))
	f := govalue.Attribute(e.names[i])
	switch e.random.IntN(9) {
	case 0:
		return f.Between(e.value(i), e.value(i))
	case 1:
		return f.In(e.value(i), e.value(i))
	case 2:
		return f.Missing()
	case 3:
		return f.BeginsWith(e.value(i))
	case 4:
		return f.Less(e.value(i))
	case 5:
		return f.AtMost(e.value(i))
	case 6:
		return f.Greater(e.value(i))
	case 7:
		return f.AtLeast(e.value(i))
	}
	return f.Equal(e.value(i))
}

// ask compares what every index finds with what reading the table does. It returns how many items that were.
func (e *embedded) ask() int {
	e.t.Helper()
	where := e.condition(3)
	whole := e.find(database.Query{Filter: where})
	slices.Sort(whole)
	sparse := where
	for _, name := range e.names {
		sparse = govalue.All(sparse, govalue.Attribute(name).Exists())
	}
	indexed := e.find(database.Query{Filter: sparse})
	slices.Sort(indexed)
	for _, c := range []struct {
		query database.Query
		want  []string
	}{
		{database.Query{Index: "below"}, indexed}, {database.Query{Index: "alone", Fetch: true}, indexed},
		{database.Query{Index: "between"}, indexed}, {database.Query{Index: "nulls"}, whole},
		{database.Query{AnyIndex: true, Fetch: true}, whole},
	} {
		c.query.Where = where
		if c.query.ExaminedMax = e.random.IntN(9); c.query.AnyIndex {
			c.query.ExaminedMax = 0 // whoever goes on has to name the index
		}
		forward := e.find(c.query)
		c.query.Reverse = true
		backward := e.find(c.query)
		slices.Reverse(backward)
		if !c.query.AnyIndex && !slices.Equal(forward, backward) {
			e.t.Errorf("%s: forwards %v, backwards %v", c.query.Index, forward, backward)
		}
		for _, got := range [][]string{forward, backward} {
			if slices.Sort(got); !slices.Equal(got, c.want) {
				e.t.Errorf("%s, any %v, WHERE %s:\n got %v\nwant %v", c.query.Index, c.query.AnyIndex,
					expr.Notation{}.AppendCondition(nil, where), got, c.want)
			}
		}
	}
	return len(indexed)
}

// find reads all pages.
func (e *embedded) find(q database.Query) (ids []string) {
	e.t.Helper()
	for pages := 0; ; pages++ {
		cursor, err := e.table.Query(e.t.Context(), q)
		if err != nil {
			e.t.Fatalf("%+v: %v", q, err)
		}
		for cursor.Next() {
			ids = append(ids, fmt.Sprint(testdoc.Of(cursor.Item())["id"]))
		}
		last, err := cursor.LastKey()
		more := cursor.More()
		if err := cursor.Close(); err != nil {
			e.t.Fatal(err)
		}
		if err != nil || pages > 200 {
			e.t.Fatalf("%v after %d pages", err, pages)
		}
		if !more {
			return ids
		}
		if q.AnyIndex {
			e.t.Fatal("not to be paged")
		}
		q.After = last
	}
}
