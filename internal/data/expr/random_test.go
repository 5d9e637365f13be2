// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/valuetest"
	"github.com/weftdb/weft/order"
)

// dictionary gives the names it was made of the ids 1, 2 and so on.
type dictionary struct {
	ids   map[string]uint32
	names []string
}

func newDictionary(names ...string) dictionary {
	d := dictionary{ids: map[string]uint32{}, names: names}
	for i, name := range names {
		d.ids[name] = uint32(i + 1)
	}
	return d
}

func (d dictionary) ID(name []byte) (uint32, bool) {
	id, ok := d.ids[string(name)]
	return id, ok
}

func (d dictionary) Name(id uint32) (string, bool) {
	if id == 0 || int(id) > len(d.names) {
		return "", false
	}
	return d.names[id-1], true
}

// generator makes random items and trees over few names, so that paths often lead somewhere.
type generator struct{ *rand.Rand }

func newGenerator(t testing.TB) generator {
	seed := rounds.Seed(t)
	return generator{rand.New(rand.NewPCG(seed, 1))}
}

func (g generator) oneOf(words ...string) string { return words[g.IntN(len(words))] }

func (g generator) name() string  { return g.oneOf("a", "b", "c", "d") }
func (g generator) field() string { return g.oneOf("x", "y", "z") }

func (g generator) number() value.Value {
	switch g.IntN(6) {
	case 0:
		return value.AppendInt(nil, g.Int64N(4))
	case 1:
		return value.AppendFloat(nil, float64(g.IntN(8))/2)
	}
	d, err := order.ParseDecimal([]byte(g.oneOf("0", "1", "2", "3", "-1", "2.5", "0.1", "1e20", "-12.75")))
	if err != nil {
		panic(err)
	}
	return value.AppendNumber(nil, d)
}

func (g generator) text() []byte {
	return []byte(g.oneOf("", "a", "b", "ab", "abc", "ba", "é", "a😀"))
}

func (g generator) set() value.Value {
	kind := []value.Kind{value.StringSet, value.NumberSet, value.BinarySet}[g.IntN(3)]
	set := value.Value(nil)
	for range 1 + g.IntN(3) {
		one := value.BeginSet(nil, kind)
		switch kind {
		case value.StringSet:
			one = value.AppendString(one, g.text())
		case value.BinarySet:
			one = value.AppendBinary(one, g.text())
		default:
			d := order.DecimalFromInt(g.Int64N(4))
			one = value.AppendNumber(one, d)
		}
		one, err := value.EndSet(one, 0)
		if err != nil {
			panic(err)
		}
		set = value.Union(nil, set, one)
	}
	return set
}

func (g generator) value(depth int) value.Value {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch g.IntN(kinds) {
	case 0:
		return value.AppendString(nil, g.text())
	case 1:
		return value.AppendBinary(nil, g.text())
	case 2:
		return g.set()
	case 3:
		return value.AppendBool(nil, g.IntN(2) == 0)
	case 4:
		if g.IntN(2) == 0 {
			return value.AppendNull(nil)
		}
		return g.number()
	case 5:
		return g.number()
	case 6:
		v := value.BeginList(nil)
		for range g.IntN(4) {
			v = append(v, g.value(depth-1)...)
		}
		v, err := value.EndList(v, 0)
		if err != nil {
			panic(err)
		}
		return v
	}
	v := value.BeginMap(nil)
	for _, name := range []string{"x", "y", "z"} {
		if g.IntN(3) > 0 {
			v = append(value.AppendName(v, []byte(name)), g.value(depth-1)...)
		}
	}
	v, err := value.EndMap(v, 0)
	if err != nil {
		panic(err)
	}
	return v
}

func (g generator) source() Source {
	s := Source{Names: newDictionary("c", "a")}
	if g.IntN(2) == 0 {
		s.Names = value.NoNames
	}
	if g.IntN(20) == 0 {
		return s
	}
	var b value.RowBuilder
	b.Reset(s.Names)
	for _, name := range []string{"a", "b", "c", "d"} {
		if g.IntN(4) > 0 {
			if err := b.Set([]byte(name), g.value(3)); err != nil {
				panic(err)
			}
		}
	}
	s.Row = b.AppendTo(nil)
	return s
}

// pathIn is mostly a path that leads somewhere in the source.
func (g generator) pathIn(s Source) Path {
	p := Path{Name: g.name()}
	v, _ := p.Lookup(s)
	for g.IntN(3) > 0 {
		step := Step{Index: -1, Field: g.field()}
		if list := v.Kind() == value.List; list != (g.IntN(20) == 0) {
			step = Step{Index: g.IntN(v.Len() + 2)}
		} else if !v.Kind().IsDocument() && g.IntN(4) > 0 {
			break
		}
		p.Steps = append(p.Steps, step)
		v, _ = p.Lookup(s)
	}
	return p
}

func (g generator) operand(s Source, update bool) Operand {
	switch n := g.IntN(12); {
	case n < 6:
		p := g.pathIn(s)
		return &p
	case n < 9:
		return &Literal{g.value(2)}
	case n == 9:
		return &Size{g.pathIn(s)}
	case !update:
		return &Literal{g.number()}
	case n == 10:
		return &IfNotExists{g.pathIn(s), g.operand(s, update)}
	case g.IntN(2) == 0:
		return &ListAppend{g.operand(s, update), g.operand(s, update)}
	}
	return &Arithmetic{Sign(g.IntN(2)), g.operand(s, update), g.operand(s, update)}
}

func (g generator) condition(s Source, depth int) Condition {
	operand := func() Operand { return g.operand(s, false) }
	n := g.IntN(11)
	if depth == 0 {
		n = g.IntN(8)
	}
	switch n {
	case 0, 1:
		return &Compare{Comparison(g.IntN(6)), operand(), operand()}
	case 2:
		return &Between{operand(), operand(), operand()}
	case 3:
		return &In{operand(), []Operand{operand(), operand(), operand()}}
	case 4:
		return &Exists{g.pathIn(s)}
	case 5:
		return &HasType{operand(), value.Kind(1 + g.IntN(int(value.BinarySet)))}
	case 6:
		return &BeginsWith{operand(), operand()}
	case 7:
		return &Contains{operand(), operand()}
	case 8:
		return &And{[]Condition{g.condition(s, depth-1), g.condition(s, depth-1)}}
	case 9:
		return &Or{[]Condition{g.condition(s, depth-1), g.condition(s, depth-1), &NotExists{g.pathIn(s)}}}
	}
	return &Not{g.condition(s, depth-1)}
}

// update makes paths that are apart, as parsers see to.
func (g generator) update(s Source) *Update {
	u := &Update{}
	var taken []Path
	for range 1 + g.IntN(12) {
		p := g.pathIn(s)
		if slices.ContainsFunc(taken, func(other Path) bool { return Relate(&p, &other) != Apart }) {
			continue
		}
		taken = append(taken, p)
		switch n := g.IntN(8); {
		case n < 4:
			u.Set = append(u.Set, SetAction{p, g.operand(s, true)})
		case n < 6:
			u.Remove = append(u.Remove, p)
		case n == 6:
			more := g.set()
			if g.IntN(2) == 0 {
				more = g.number()
			}
			u.Add = append(u.Add, AddAction{p, more})
		default:
			u.Delete = append(u.Delete, DeleteAction{p, g.set()})
		}
	}
	return u
}

const cases = 5000

func TestMatchAgainstModel(t *testing.T) {
	g := newGenerator(t)
	count := map[bool]int{}
	for range cases {
		s := g.source()
		c := g.condition(s, 3)
		got, err := Match(c, s)
		if err != nil {
			t.Fatal(err)
		}
		if want := modelMatch(decodeRow(s.Row, s.Names), c); got != want {
			t.Fatalf("item %s\ncondition %s\ngot %v, want %v", itemText(s), Notation{}.AppendCondition(nil, c), got,
				want)
		}
		count[got]++
	}
	if count[true] < cases/10 || count[false] < cases/10 {
		t.Fatalf("the conditions are too one-sided to mean much: %v", count)
	}
}

func TestApplyAgainstModel(t *testing.T) {
	g := newGenerator(t)
	var b value.RowBuilder
	done := 0
	for range cases {
		s := g.source()
		u := g.update(s)
		want := decodeRow(s.Row, s.Names)
		ok := modelUpdate(decodeRow(s.Row, s.Names), want, u)
		b.Reset(s.Names)
		err := u.Apply(s, &b)
		if ok != (err == nil) {
			t.Fatalf("item %s\nupdate %s\nerror %v, but the model says %v", itemText(s),
				Notation{}.AppendUpdate(nil, u), err, ok)
		}
		if !ok {
			if _, typed := err.(*Error); !typed {
				t.Fatalf("not an *Error: %v", err)
			}
			continue
		}
		done++
		row := b.AppendTo(nil)
		if err := row.Validate(s.Names); err != nil {
			t.Fatalf("item %s\nupdate %s\n%v", itemText(s), Notation{}.AppendUpdate(nil, u), err)
		}
		if got := decodeRow(row, s.Names); show(got) != show(want) {
			t.Fatalf("item %s\nupdate %s\ngot  %s\nwant %s", itemText(s), Notation{}.AppendUpdate(nil, u), show(got),
				show(want))
		}
	}
	if done < cases/10 {
		t.Fatalf("only %d updates of %d were possible", done, cases)
	}
}

func TestProjectAgainstModel(t *testing.T) {
	g := newGenerator(t)
	var b value.RowBuilder
	for range cases {
		s := g.source()
		var paths []Path
		for range 1 + g.IntN(6) {
			p := g.pathIn(s)
			if !slices.ContainsFunc(paths, func(other Path) bool { return Relate(&p, &other) == Overlap }) {
				paths = append(paths, p)
			}
		}
		b.Reset(s.Names)
		if err := Project(paths, s, &b); err != nil {
			t.Fatal(err)
		}
		row := b.AppendTo(nil)
		if err := row.Validate(s.Names); err != nil {
			t.Fatal(err)
		}
		want := modelProject(decodeRow(s.Row, s.Names), paths)
		if got := decodeRow(row, s.Names); show(got) != show(want) {
			t.Fatalf("item %s\npaths %s\ngot  %s\nwant %s", itemText(s), Notation{}.AppendPaths(nil, paths), show(got),
				show(want))
		}
	}
}

func itemText(s Source) string { return string(valuetest.AppendRowText(nil, s.Row, s.Names)) }

// Paths that are apart must be so in sorted order too, and neighbours there if any two are not: parsers rely on it.
func TestNeighboursTellOverlaps(t *testing.T) {
	g := newGenerator(t)
	for range 2000 {
		var paths []Path
		apart := true
		for range 2 + g.IntN(8) {
			p := Path{Name: g.name()}
			for range g.IntN(3) {
				step := Step{Index: g.IntN(2)}
				if g.IntN(3) > 0 {
					step = Step{Field: g.field() + strconv.Itoa(g.IntN(2)), Index: -1}
				}
				p.Steps = append(p.Steps, step)
			}
			for i := range paths {
				apart = apart && Relate(&p, &paths[i]) == Apart
			}
			paths = append(paths, p)
		}
		SortPaths(paths)
		neighbours := true
		for i := 1; i < len(paths); i++ {
			neighbours = neighbours && Relate(&paths[i-1], &paths[i]) == Apart
		}
		if neighbours != apart {
			t.Fatalf("paths %s: neighbours apart %v, all apart %v", Notation{}.AppendPaths(nil, paths), neighbours,
				apart)
		}
	}
}
