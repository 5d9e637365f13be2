// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

var partTypes = map[string]schema.Type{"int": schema.Int, "text": schema.String, "float": schema.Float,
	"number": schema.Number, "bytes": schema.Binary}

func parts(t *testing.T, pairs ...string) (key []schema.KeyPart) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		key = append(key, mustPart(t, pairs[i], partTypes[pairs[i+1]]))
	}
	return key
}

// shapes are tables and indexes as SQL makes them: with nulls, descending parts, hashes of several columns, Z-orders in
// which every attribute may be null, and keys of sixteen parts.
func shapes(t *testing.T) []database.TableSpec {
	place := mustPart(t, "zorder(a i64 nulls=first, c f64 nulls=first)", schema.Binary)
	sixteen := []string{"a", "int", "desc(b)", "text", "c", "float", "desc(d)", "number", "e", "bytes"}
	for i := range 11 {
		sixteen = append(sixteen, fmt.Sprintf("x%d", i), "int")
	}
	return []database.TableSpec{
		{Key: parts(t, "hash32(k,l)", "bytes", "k", "int", "l", "text"), PartitionParts: 1,
			Indexes: []database.IndexSpec{
				{Name: "a_b", Key: parts(t, "a", "int", "desc(b)", "text"), KeepNulls: true,
					Projection: schema.ProjectKeys},
				{Name: "c_a", Key: parts(t, "desc(c)", "float", "a", "int"), KeepNulls: true,
					Projection: schema.ProjectInclude, Include: []string{"d"}},
				{Name: "hash", Key: parts(t, "hash32(a,b)", "bytes", "a", "int", "b", "text"), KeepNulls: true,
					Projection: schema.ProjectKeys},
				{Name: "sparse", Key: parts(t, "b", "text", "d", "number")},
				{Name: "back", Key: parts(t, "reverse(b)", "text"), KeepNulls: true},
			}},
		{Key: parts(t, "desc(k)", "int", "l", "text"), Indexes: []database.IndexSpec{
			{Name: "place", Key: []schema.KeyPart{place}},
			{Name: "b_place", Key: append(parts(t, "b", "text"),
				mustPart(t, "zorder(a i64 nulls=first, d number:40 nulls=first)", schema.Binary)),
				Projection: schema.ProjectKeys},
			{Name: "a", Key: parts(t, "a", "int"), KeepNulls: true, Projection: schema.ProjectKeys},
			{Name: "c", Key: parts(t, "c", "float"), Projection: schema.ProjectKeys},
		}},
		{Key: parts(t, "k", "int", "l", "text"), HashDistributed: true, Indexes: []database.IndexSpec{
			{Name: "sixteen", Key: parts(t, sixteen...), KeepNulls: true, Projection: schema.ProjectKeys},
			{Name: "d_b", Key: parts(t, "d", "number", "b", "text"), KeepNulls: true},
			{Name: "e", Key: parts(t, "desc(e)", "bytes"), KeepNulls: true, Projection: schema.ProjectKeys},
		}},
	}
}

// asking is one table with random rows, and conditions on it.
type asking struct {
	t      *testing.T
	random *rand.Rand
	db     *database.DB
	table  *database.Table
	nulls  bool
	taken  map[string]int
}

// TestAnyIndexAnswersAsFullScans: whatever index is chosen for a condition, whatever is wanted of the items, and
// however the walk is made, the answer is that of looking at every item.
func TestAnyIndexAnswersAsFullScans(t *testing.T) {
	seed := rounds.Seed(t)
	count := max(rounds.Of(t, 6), 3)
	taken := map[string]int{}
	for round := range count {
		for i, spec := range shapes(t) {
			// other indexes refuse the value NULL
			a := &asking{t: t, random: rand.New(rand.NewPCG(seed, uint64(round))), db: testdb.Open(t), taken: taken,
				nulls: i == 2}
			spec.Name = "t"
			late := spec.Indexes[0]
			if round%3 == 2 {
				spec.Indexes = spec.Indexes[1:] // it is built on rows that are there
			}
			a.table = mustTable(t, a.db, spec)
			a.fill(200)
			if round%3 == 2 {
				if err := a.table.AddIndex(t.Context(), late); err != nil {
					t.Fatal(err)
				}
				if err := a.db.WaitJobs(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for range 60 {
				a.ask()
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Log(taken)
	for _, name := range []string{"a_b", "c_a", "hash", "sparse", "place", "b_place", "a", "c", "sixteen", "d_b", "e",
		"", "covering", "get", "found"} {
		if taken[name] == 0 && count > 3 {
			t.Errorf("%q was never taken: %v", name, taken)
		}
	}
}

// attribute is one that conditions are about.
func (a *asking) attribute() string {
	return []string{"k", "l", "a", "b", "c", "d", "e", "a", "b", "x0", "x5"}[a.random.IntN(11)]
}

// value is a value for an attribute; few, so that conditions meet some.
func (a *asking) value(name string) any {
	n := a.random.IntN(6)
	switch name {
	case "k":
		return value.Value(value.AppendInt(nil, int64(a.random.IntN(20)-5)))
	case "b", "l":
		return []string{"", "a", "ab", "b", "b\x00", "é"}[n]
	case "c":
		return value.Value(value.AppendFloat(nil, []float64{0, -1.5, 2.5, 1e300, 3, -7}[n]))
	case "d":
		return []any{0, -1, 12, 120, 2.5, 7}[n]
	case "e":
		return []byte{0, 1, 255, 1, 7, 9}[n : 1+min(n+a.random.IntN(2), 5)]
	}
	return value.Value(value.AppendInt(nil, int64(n-2)))
}

func (a *asking) document() testdoc.Document {
	d := testdoc.Document{"k": a.value("k"), "l": []string{"x", "y", "z"}[a.random.IntN(3)], "note": "n"}
	for _, name := range []string{"a", "b", "c", "d", "e", "x0", "x5", "x10"} {
		switch a.random.IntN(8) {
		case 0, 1:
		case 2:
			if a.nulls {
				d[name] = nil
			}
		default:
			d[name] = a.value(name)
		}
	}
	// Sparse indexes take no empty text, as DynamoDB has it.
	if d["b"] == "" {
		delete(d, "b")
	}
	return d
}

func (a *asking) fill(items int) {
	for range items {
		if err := testdoc.Put(a.t.Context(), a.table, a.document()); err != nil {
			a.t.Fatal(err)
		}
	}
}

func (a *asking) condition(depth int) expr.Condition {
	name := a.attribute()
	f, x, y := govalue.Attribute(name), a.value(name), a.value(name)
	isNull := func(f govalue.Field) expr.Condition { return govalue.Any(f.Missing(), f.Equal(nil)) }
	switch a.random.IntN(16) {
	case 0:
		return f.Less(x)
	case 1:
		return f.AtMost(x)
	case 2:
		return f.Greater(x)
	case 3:
		return f.Between(x, y)
	case 4, 5:
		return f.In(x, y, a.value(name))
	case 6, 7:
		return isNull(f)
	case 8:
		return govalue.Any(f.Equal(x), isNull(f))
	case 9:
		return govalue.Not(f.Equal(x))
	case 10:
		other := a.attribute()
		g, z := govalue.Attribute(other), a.value(other)
		return govalue.Any(f.Greater(x), govalue.All(f.Equal(x), g.Greater(z))) // (f, g) > (x, z)
	case 11:
		if depth > 0 {
			return govalue.Any(govalue.All(a.condition(depth-1), a.condition(depth-1)), a.condition(depth-1),
				f.Equal(x))
		}
	case 12:
		if depth > 0 {
			return govalue.Any(govalue.All(f.Equal(x), a.condition(depth-1)),
				govalue.All(f.Equal(y), a.condition(depth-1)))
		}
	}
	return f.Equal(x)
}

func (a *asking) where() expr.Condition {
	list := []expr.Condition{a.condition(2)}
	for range a.random.IntN(3) {
		list = append(list, a.condition(1))
	}
	if a.random.IntN(6) == 0 {
		list = append(list, govalue.Attribute("k").Equal(a.value("k")), govalue.Attribute("l").In("x", "y"))
	}
	return govalue.All(list...)
}

// source is what a walk is made on.
type source interface {
	Query(context.Context, database.Pinned, database.Query) (*database.Cursor, error)
}

// ask compares one random question in every way to ask it.
func (a *asking) ask() {
	t, ctx := a.t, a.t.Context()
	p, err := a.table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	where := a.where()
	q := database.Query{AnyIndex: true, Where: where, Reverse: a.random.IntN(4) == 0, SpansMax: a.random.IntN(3) * 5}
	if a.random.IntN(3) > 0 {
		q.Wanted = []string{"k", "l", "a", "b", "c", "d"}[:2+a.random.IntN(5)]
	}
	if a.random.IntN(4) == 0 {
		q.Filter = a.condition(0)
	}
	if a.random.IntN(5) == 0 {
		if _, err := p.Explain(ctx, q); err != nil { // counts and samples
			t.Fatal(err)
		}
	}
	tx, err := a.db.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	from := source(tx.View())
	if a.random.IntN(2) == 0 {
		view, err := a.db.View(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer view.Close()
		from = view
	} else if err := testdoc.PutIn(ctx, tx, "t", a.document()); err != nil {
		t.Fatal(err)
	}
	want := a.walk(from, p, database.Query{
		Filter: govalue.All(slices.DeleteFunc([]expr.Condition{where, q.Filter},
			func(c expr.Condition) bool { return c == nil })...)}, q.Wanted)
	a.taken["found"] += len(want)
	a.compare("any index", q, want, a.walk(from, p, q, q.Wanted))
	for range 6 {
		plan, err := p.Plan(q)
		if err != nil {
			t.Fatal(err)
		}
		a.note(&plan)
		planned := q
		planned.Plan = &plan
		if a.random.IntN(3) == 0 {
			planned.ExaminedMax = 1 + a.random.IntN(20)
		}
		a.compare("planned on "+plan.Index.Name, planned, want, a.walk(from, p, planned, q.Wanted))
		if plan.Index.IsPrimary() {
			break
		}
		q.Ignore = append(q.Ignore, plan.Index.Name)
	}
}

func (a *asking) note(plan *database.Plan) {
	a.taken[plan.Index.Name]++
	if plan.Covering && !plan.Index.IsPrimary() {
		a.taken["covering"]++
	}
	if plan.Class == access.Get {
		a.taken["get"]++
	}
}

// walk returns what is wanted of each item found, page by page, in order of their texts.
func (a *asking) walk(from source, p database.Pinned, q database.Query, wanted []string) (found []string) {
	a.t.Helper()
	for {
		c, err := from.Query(a.t.Context(), p, q)
		if err != nil {
			a.t.Fatalf("%+v: %v", q, err)
		}
		for c.Next() {
			d := testdoc.Of(c.Item())
			if wanted != nil {
				for name := range d {
					if !slices.Contains(wanted, name) {
						delete(d, name)
					}
				}
			}
			found = append(found, fmt.Sprint(d))
		}
		after, err := c.LastKey()
		if err != nil {
			a.t.Fatal(err)
		}
		more := c.More()
		if err := c.Close(); err != nil {
			a.t.Fatal(err)
		}
		if !more {
			slices.Sort(found)
			return found
		}
		q.After = after
	}
}

func (a *asking) compare(how string, q database.Query, want, got []string) {
	a.t.Helper()
	if !slices.Equal(want, got) {
		p, _ := a.table.Pin()
		defer p.Release()
		e, err := p.Explain(a.t.Context(), q)
		a.t.Fatalf("%s: %d items instead of %d, wanted %v\n%s%v", how, len(got), len(want), q.Wanted, e.Text(), err)
	}
}
