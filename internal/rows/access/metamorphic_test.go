// SPDX-License-Identifier: Apache-2.0

package access

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// tables are the shapes of the metamorphic test. Rows have the attributes k, a, b and c.
var tables = [][]string{
	{"k S", "i: a N; b S", "j: desc(b) S", "n: a int; desc(b) S | nulls", "c: concat(a,'#',b) S; k S | partition=2"},
	{"k S; a N | hash", "i: a N; desc(k) S", "h: hash8(b) B; desc(b) any", "r: reverse(b) S; a N",
		"n: desc(c) any | nulls"},
	{"desc(a) N; k S | hash partition=2", "i: b any; c any", "f: c float", "t: hash32(a,b) B",
		"s: b S; desc(c) S | keys"},
	{"k S", "n: desc(a) float; b S | nulls", "c: concat('x',b) S", "b: c bool", "d: desc(c) S; desc(b) S; desc(a) N"},
	{"k S", "s: b S", "m: desc(a) int", "e: concat(c) S", "f: c float", "o: b B"},
	{"k S; a N", "z: zorder(a number:24 nulls=first, c f64:20 nulls=first) B", "i: a N; desc(b) S; c float",
		"m: desc(c) float; b S; a N | nulls", "p: a N; zorder(c f64:20 nulls=first, b text[2] nulls=first) B",
		"k: zorder(c f64:20 nulls=first, a number:24 nulls=first) B | nulls",
		"l: desc(b) S; zorder(c f64:20 nulls=first, a number nulls=first) B | nulls"},
	{"hash32(a,b) B; a N; b S", "i: c float; desc(a) N; b S | nulls keys", "n: hash32(a,b) B; c any; a N; b S | nulls",
		"z: zorder(a number, c f64) B"},
	{"concat(k,b) S; a N | hash", "i: reverse(a) N", "h: hash64(c) B; c any"},
}

// literals are the values that rows and conditions draw from.
var literals = []string{
	"0", "1", "-1", "2.5", "12", "120", "100000000000000000000", "1i", "12i", "2.5f", "-1.5f", "1e200f", "7t",
	`""`, `"a"`, `"ab"`, `"b"`, `"\x00"`, `"a\x00"`, `"1#a"`, `"é"`, `x""`, `x"00"`, `x"61"`, `x"ff"`, `x"ffff"`,
	"true", "false", "null", "[1]",
}

// TestPathsAnswerAsFullScans builds random tables, reads them through every path for random conditions and compares
// with checking each row.
func TestPathsAnswerAsFullScans(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	chosen := map[string]int{} // paths, and how much was seen
	for round := range 320 {
		table, err := parseTable(tables[round%len(tables)])
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, random, table, random.IntN(2) == 0)
		for range 40 {
			w.check(t, chosen)
		}
	}
	if len(chosen) < 12 || chosen["matched"] < 1500 || chosen["by name"] < 100 {
		t.Errorf("this test has seen too little: %v", chosen)
	}
}

// world is a table with its rows and the entries of its indexes.
type world struct {
	random  *rand.Rand
	table   *schema.Table
	literal []value.Value
	rows    map[string]value.Row // by primary key
	entries map[uint32][]entry
	// complete says that no row was passed over by an index.
	complete bool
}

type entry struct {
	key []byte
	row value.Row
}

func newWorld(t *testing.T, random *rand.Rand, table *schema.Table, complete bool) *world {
	w := &world{random: random, table: table, rows: map[string]value.Row{}, entries: map[uint32][]entry{},
		complete: complete}
	for _, text := range literals {
		v, err := valuetest.ParseText(text)
		if err != nil {
			t.Fatal(text, err)
		}
		w.literal = append(w.literal, v)
	}
	for range 60 {
		w.insert(t)
	}
	return w
}

func (w *world) anyLiteral() value.Value { return w.literal[w.random.IntN(len(w.literal))] }

// insert adds a random row, unless it has no primary key or, in a complete world, an index refuses it. An index of any
// world passes over rows that it refuses, as if they had been there before it.
func (w *world) insert(t *testing.T) {
	var b value.RowBuilder
	b.Reset(value.NoNames)
	for _, name := range []string{"k", "a", "b", "c"} {
		v := w.anyLiteral()
		if name == "k" && w.random.IntN(8) > 0 {
			v = value.AppendString(nil, fmt.Append(nil, w.random.IntN(40)))
		}
		if w.random.IntN(6) == 0 {
			continue
		}
		if err := b.Set([]byte(name), v); err != nil {
			t.Fatal(err)
		}
	}
	row := b.AppendTo(nil)
	primary, ok, err := indexkey.Append(nil, &w.table.Primary, row, value.NoNames)
	if !ok || err != nil || w.rows[string(primary)] != nil {
		return
	}
	added := map[uint32]entry{}
	for i := range w.table.Indexes {
		x := &w.table.Indexes[i]
		key, ok, err := indexkey.Append(nil, x, row, value.NoNames)
		if err != nil && (w.complete || x.KeepNulls) {
			return
		}
		if ok && err == nil {
			added[x.ID] = entry{append(key, primary...), row}
		}
	}
	w.rows[string(primary)] = row
	w.entries[0] = append(w.entries[0], entry{primary, row})
	for id, e := range added {
		w.entries[id] = append(w.entries[id], e)
	}
}

// check compares one random condition through the chosen path and through each index by name.
func (w *world) check(t *testing.T, chosen map[string]int) {
	where := w.condition()
	s := Statistics{Indexes: map[uint32]IndexStatistics{}}
	for i := range w.table.Indexes {
		s.Indexes[uint32(i+1)] = IndexStatistics{Complete: w.complete}
	}
	q := Query{Where: where, PointsMax: w.random.IntN(30)}
	path, err := Choose(w.table, q, s)
	if err != nil {
		t.Fatalf("%s: %v", text(where), err)
	}
	chosen[fmt.Sprint(w.table.Primary.Visible()[0].Name, path.Index.ID)]++
	chosen["matched"] += w.compare(t, where, &path, w.entries[0])
	for i := range w.table.Indexes {
		q.Index = w.table.Indexes[i].Name
		path, err := Choose(w.table, q, s)
		if err != nil {
			t.Fatalf("%s by %s: %v", text(where), q.Index, err)
		}
		w.compare(t, where, &path, w.entries[uint32(i+1)])
		w.checkNamed(t, q, &w.table.Indexes[i], chosen)
	}
}

// checkNamed adds conditions on computed parts by their names. The rows to compare with are given these parts as
// attributes.
func (w *world) checkNamed(t *testing.T, q Query, x *schema.Index, chosen map[string]int) {
	var added []expr.Condition
	for _, p := range x.Visible() {
		if !p.Computed() || w.random.IntN(4) == 0 {
			break
		}
		literal := &expr.Literal{Value: w.anyPart(t, x, p.Name)}
		added = append(added, &expr.Compare{Op: []expr.Comparison{expr.Equal, expr.GreaterOrEqual}[w.random.IntN(2)],
			A: &expr.Path{Name: p.Name}, B: literal})
	}
	if len(added) == 0 {
		return
	}
	where := expr.Conjunction(append(added, expr.Conjuncts(q.Where)...)...)
	q.Where = where
	path, err := Choose(w.table, q, Statistics{})
	if errors.Is(err, ErrPartUnbound) {
		return // a range before another part
	}
	if err != nil {
		t.Fatalf("%s by %s: %v", text(where), q.Index, err)
	}
	var candidates []entry
	for _, e := range w.entries[x.ID] {
		candidates = append(candidates, entry{e.key, withParts(t, x, e.row)})
	}
	chosen["by name"] += w.compareRows(t, where, &path, candidates,
		func(e entry) value.Row { return withParts(t, x, e.row) })
}

// anyPart returns the value that a computed part has in some entry.
func (w *world) anyPart(t *testing.T, x *schema.Index, name string) value.Value {
	entries := w.entries[x.ID]
	if len(entries) == 0 {
		return w.anyLiteral()
	}
	v, _ := withParts(t, x, entries[w.random.IntN(len(entries))].row).Get(value.NoNames, []byte(name))
	if v.IsMissing() {
		return w.anyLiteral()
	}
	return v
}

// withParts returns a row with the computed parts of x as attributes.
func withParts(t *testing.T, x *schema.Index, row value.Row) value.Row {
	var b value.RowBuilder
	b.Reset(value.NoNames)
	columns := map[string]value.Value{}
	for a := row.Attributes(value.NoNames); a.Next(); {
		columns[string(a.Name())] = a.Value()
		if err := b.Set(a.Name(), a.Value()); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range x.Visible() {
		v, ok, err := indexkey.Compute(&p, func(name string) value.Value {
			if x.KeepNulls && columns[name].Kind() == value.Null {
				return nil
			}
			return columns[name]
		}, nil)
		if !p.Computed() || !ok || err != nil {
			continue
		}
		if err := b.Set([]byte(p.Name), v); err != nil {
			t.Fatal(err)
		}
	}
	return b.AppendTo(nil)
}

func text(c expr.Condition) string { return string(expr.Notation{}.AppendCondition(nil, c)) }

// compare says that of the entries in the path's spans those that meet its filter are as many as of candidates those
// that meet where.
func (w *world) compare(t *testing.T, where expr.Condition, path *Path, candidates []entry) (matched int) {
	t.Helper()
	return w.compareRows(t, where, path, candidates, func(e entry) value.Row { return e.row })
}

func (w *world) compareRows(t *testing.T, where expr.Condition, path *Path, candidates []entry,
	rowOf func(entry) value.Row) (matched int) {
	t.Helper()
	want := map[string]bool{}
	for _, e := range candidates {
		if matches(t, where, e.row) {
			want[string(e.row)] = true
		}
	}
	got := map[string]bool{}
	for _, e := range w.entries[path.Index.ID] {
		if inScan(&path.Scan, e.key) && matches(t, path.Filter, e.row) {
			got[string(rowOf(e))] = true
		}
	}
	for row := range want {
		if !got[row] {
			t.Fatalf("%s\n%slost %s", text(where), path.Explain(),
				valuetest.AppendRowText(nil, value.Row(row), value.NoNames))
		}
	}
	for row := range got {
		if !want[row] {
			t.Fatalf("%s\n%sfound %s", text(where), path.Explain(),
				valuetest.AppendRowText(nil, value.Row(row), value.NoNames))
		}
	}
	for i, span := range path.Scan.Spans {
		if i > 0 && (path.Scan.Spans[i-1].End == nil || bytes.Compare(path.Scan.Spans[i-1].End, span.Start) > 0) {
			t.Fatalf("%s: spans overlap\n%s", text(where), path.Explain())
		}
		if span.End != nil && bytes.Compare(span.Start, span.End) >= 0 {
			t.Fatalf("%s: empty span\n%s", text(where), path.Explain())
		}
	}
	return len(want)
}

func inScan(s *indexkey.Scan, key []byte) bool {
	for _, span := range s.Spans {
		if !span.Contains(key) {
			continue
		}
		if s.Skip == nil {
			return true
		}
		_, in, _ := s.Skip(key, nil)
		_, back, _ := s.SkipBack(key, nil)
		if in != back {
			panic("the two directions differ")
		}
		return in
	}
	return false
}

func matches(t *testing.T, c expr.Condition, row value.Row) bool {
	ok, err := expr.Match(c, expr.Source{Row: row, Names: value.NoNames})
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// condition returns one to four random conditions that must all hold.
func (w *world) condition() expr.Condition {
	list := make([]expr.Condition, 1+w.random.IntN(3))
	if w.random.IntN(3) == 0 {
		list = append(list, w.disjunction(2))
	}
	if w.random.IntN(6) == 0 {
		list = []expr.Condition{w.disjunction(1 + w.random.IntN(3))}
	}
	for i := range list {
		if list[i] == nil {
			list[i] = w.conjunct(w.attribute())
		}
	}
	return expr.Conjunction(list...)
}

func (w *world) attribute() string { return []string{"k", "a", "b", "c"}[w.random.IntN(4)] }

// disjunction is an Or over several attributes, of Ands of which some hold such Ors; some are what the comparison of
// two tuples means.
func (w *world) disjunction(depth int) expr.Condition {
	if w.random.IntN(3) == 0 {
		return w.tuple()
	}
	or := &expr.Or{}
	x, y := w.attribute(), w.attribute() // often the same, so that a key is bound
	for range 2 + w.random.IntN(2) {
		and := []expr.Condition{w.conjunct(x)}
		for range w.random.IntN(3) {
			and = append(and, w.conjunct([]string{x, y, w.attribute()}[w.random.IntN(3)]))
		}
		if depth > 1 && w.random.IntN(3) == 0 {
			and = append(and, w.disjunction(depth-1))
		}
		or.List = append(or.List, expr.Conjunction(and...))
	}
	return or
}

// tuple is (x, y) < (1, 2) or the like, or (x, y) IN ((1, 2), (3, 4)).
func (w *world) tuple() expr.Condition {
	x, y := w.attribute(), w.attribute()
	compare := func(op expr.Comparison, name string, v value.Value) expr.Condition {
		return &expr.Compare{Op: op, A: &expr.Path{Name: name}, B: &expr.Literal{Value: v}}
	}
	if w.random.IntN(3) == 0 {
		or := &expr.Or{}
		for range 1 + w.random.IntN(4) {
			or.List = append(or.List, &expr.And{List: []expr.Condition{compare(expr.Equal, x, w.anyLiteral()),
				compare(expr.Equal, y, w.anyLiteral())}})
		}
		return or
	}
	op, v := []expr.Comparison{expr.Less, expr.Greater}[w.random.IntN(2)], w.anyLiteral()
	last := []expr.Comparison{op, expr.LessOrEqual, expr.GreaterOrEqual}[w.random.IntN(3)]
	return &expr.Or{List: []expr.Condition{
		compare(op, x, v),
		&expr.And{List: []expr.Condition{compare(expr.Equal, x, v), compare(last, y, w.anyLiteral())}},
	}}
}

func (w *world) conjunct(name string) expr.Condition {
	path := &expr.Path{Name: name}
	operand := func() expr.Operand { return &expr.Literal{Value: w.anyLiteral()} }
	switch w.random.IntN(14) {
	case 0:
		return &expr.Between{X: path, Low: operand(), High: operand()}
	case 1, 2:
		return &expr.In{X: path, List: []expr.Operand{operand(), operand(), operand(), operand()}}
	case 3:
		return &expr.BeginsWith{X: path, Prefix: operand()}
	case 4:
		return &expr.NotExists{Path: *path}
	case 5:
		return &expr.HasType{X: path, Type: value.Null}
	case 6, 7:
		return &expr.Or{List: []expr.Condition{w.conjunct(name), w.conjunct(name)}}
	case 8:
		return &expr.And{List: []expr.Condition{w.conjunct(name), w.conjunct(name)}}
	case 9:
		return &expr.Not{Of: w.conjunct(name)}
	case 10:
		return &expr.Compare{Op: expr.Comparison(w.random.IntN(6)), A: operand(), B: path}
	case 11:
		return &expr.Compare{Op: expr.Comparison(w.random.IntN(6)), A: path, B: operand()}
	default:
		return &expr.Compare{Op: expr.Equal, A: path, B: operand()}
	}
}
