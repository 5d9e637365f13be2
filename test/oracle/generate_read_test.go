// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"maps"
	"slices"
)

// condition is a random tree.
func (g *generator) condition(depth int) *Condition {
	if depth < 3 {
		switch g.rng.IntN(8) {
		case 0, 1:
			c := &Condition{Op: pickOne(g, []string{"AND", "OR"})}
			for range 2 + g.rng.IntN(2) {
				c.Parts = append(c.Parts, g.condition(depth+1))
			}
			return c
		case 2:
			return &Condition{Op: "NOT", Parts: []*Condition{g.condition(depth + 1)}}
		}
	}
	p := g.path()
	kind := g.usual(p)
	if g.one(15) {
		p, kind = Path{Name: pickOne(g, []string{"pk", "sk"})}, pickOne(g, []string{"S", "N", "B"})
	}
	return g.test(&p, kind)
}

func (g *generator) test(p *Path, kind string) *Condition {
	of := func(op string, operands ...Operand) *Condition { return &Condition{Op: op, Operands: operands} }
	if g.sample != nil && g.one(2) {
		if c := g.sampled(p); c != nil {
			return c
		}
	}
	if !isScalar(kind) && !g.one(6) {
		kind = pickOne(g, []string{"S", "N", "B"})
	}
	switch g.rng.IntN(10) {
	case 0:
		return of("attribute_exists", p)
	case 1:
		return of("attribute_not_exists", p)
	case 2:
		if g.one(4) {
			return of("attribute_type", g.value("", 1), Text(pickOne(g, kinds)))
		}
		return of("attribute_type", p, Text(pickOne(g, kinds)))
	case 3:
		return of("begins_with", p, g.scalar(pickOne(g, []string{"S", "S", "B"})))
	case 4:
		return of("contains", p, g.operand(kind))
	case 5:
		size := &Call{"size", []Operand{p}}
		return of(pickOne(g, comparisons), size, ofInt(g.rng.IntN(4)))
	case 6:
		low, high := g.value(kind, 2), g.value(kind, 2)
		if isScalar(kind) && order(low, high) > 0 && !g.one(30) {
			low, high = high, low
		}
		return of("BETWEEN", p, low, high)
	case 7:
		operands := []Operand{p}
		for range 1 + g.rng.IntN(4) {
			operands = append(operands, g.operand(kind))
		}
		return of("IN", operands...)
	}
	op := pickOne(g, comparisons)
	if g.one(12) {
		return of(pickOne(g, comparisons[:2]), p, g.value("", 1))
	}
	if g.one(5) {
		return of(op, g.operand(kind), p)
	}
	return of(op, p, g.operand(kind))
}

// sampled compares a path with what it leads to in the sample, so that the condition is as often true as not.
func (g *generator) sampled(p *Path) *Condition {
	v := p.follow(g.sample)
	switch {
	case v == nil:
		return nil
	case g.one(4):
		return &Condition{Op: "attribute_type", Operands: []Operand{p, Text(v.Type)}}
	case v.isSet() || v.Type == "L" && len(v.List) > 0:
		return &Condition{Op: "contains", Operands: []Operand{p, v.List[0]}}
	case isScalar(v.Type):
		return &Condition{Op: pickOne(g, comparisons), Operands: []Operand{p, v}}
	}
	return &Condition{Op: pickOne(g, comparisons[:2]), Operands: []Operand{p, v}}
}

// sampleOf takes an item of an index as the sample.
func (g *generator) sampleOf(t *Table, x *Index) {
	if x == nil || g.one(5) {
		x = t.index("")
	}
	items := g.model.tables[t.Name].items
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(items)),
		func(key string) bool { return t.view(x, items[key]) == nil })
	if len(keys) > 0 && !g.one(6) {
		g.sample = items[pickOne(g, keys)]
	}
}

// comparisons with those first that compare values of every type. // immutable
var comparisons = []string{"=", "<>", "<", "<=", ">", ">="}

func (g *generator) operand(kind string) Operand {
	switch g.rng.IntN(8) {
	case 0:
		p := g.path()
		return &p
	case 1:
		if g.one(20) {
			return g.faulty()
		}
	}
	return g.value(kind, 2)
}

// indexOf is the name of an index of the table, or "".
func (g *generator) indexOf(t *Table) string {
	if g.one(50) {
		return "nothing"
	}
	if len(t.Indexes) == 0 || g.one(3) {
		return ""
	}
	return pickOne(g, t.Indexes).Name
}

// walkMembers adds what Query and Scan have in common.
func (g *generator) walkMembers(r *Request, t *Table, x *Index) {
	r.Consistent = g.one(2)
	if x != nil && x.Name != "" && !x.Local && !g.one(15) {
		r.Consistent = false
	}
	if g.one(2) {
		r.Limit = 1 + g.rng.IntN(6)
	}
	if g.one(3) {
		r.Filter = g.filter(t, x)
	}
	switch n := g.rng.IntN(10); {
	case n < 3:
		if r.Projection = g.paths(3); x != nil && !x.Local && !g.one(4) {
			r.Projection = slices.DeleteFunc(r.Projection,
				func(p Path) bool { return len(t.unprojected(x, []Path{p})) > 0 })
		}
		if len(r.Projection) == 0 {
			r.Projection = nil
		} else if g.one(2) {
			r.Select = "SPECIFIC_ATTRIBUTES"
		}
	case n < 4:
		r.Select = "COUNT"
	case n < 5:
		r.Select = "ALL_ATTRIBUTES"
	case n < 6 && r.Index != "":
		r.Select = "ALL_PROJECTED_ATTRIBUTES"
	}
}

// filter is a condition that mostly names what it may.
func (g *generator) filter(t *Table, x *Index) *Condition {
	for range 20 {
		c := g.condition(1)
		bad := x != nil && slices.ContainsFunc(c.paths(), func(p Path) bool {
			return slices.Contains(namesOf(x.key()), p.Name) || !x.Local && len(t.unprojected(x, []Path{p})) > 0
		})
		if !bad || g.one(15) {
			return c
		}
	}
	return nil
}

func (g *generator) query(r *Request, t *Table) {
	r.Operation, r.Index = "Query", g.indexOf(t)
	x := t.index(r.Index)
	g.sampleOf(t, x)
	g.walkMembers(r, t, x)
	r.Backward = g.one(2)
	if x == nil {
		x = t.index("")
	}
	for i, part := range x.key() {
		if i < len(x.Hash) {
			v := g.sample[part.Name]
			if v == nil || g.one(4) {
				v = g.keyed(part)
			}
			r.KeyTests = append(r.KeyTests, KeyTest{part.Name, "=", []*Value{v}})
			continue
		}
		if g.one(2) {
			if len(x.Range) > 1 && g.one(4) {
				continue // a gap
			}
			break
		}
		test := g.keyTest(part)
		r.KeyTests = append(r.KeyTests, test)
		if test.Op != "=" && !g.one(20) {
			break
		}
	}
	if g.one(60) {
		g.spoil(r, x)
	}
	if g.one(15) {
		r.Start = g.start(t, x, r)
	}
}

// keyed is a value that a key attribute may have.
func (g *generator) keyed(part Part) *Value {
	if v := g.sample[part.Name]; typeOf(v) == part.Type && g.one(2) {
		return v
	}
	switch part.Name {
	case "pk":
		return g.keyValue(part.Type, 3)
	case "sk":
		return g.keyValue(part.Type, 8)
	}
	return g.scalar(part.Type)
}

func (g *generator) keyTest(part Part) KeyTest {
	a, b := g.keyed(part), g.keyed(part)
	switch op := pickOne(g, []string{"=", "<", "<=", ">", ">=", "BETWEEN", "BETWEEN", "begins_with"}); {
	case op == "BETWEEN":
		if order(a, b) > 0 && !g.one(20) {
			a, b = b, a
		}
		return KeyTest{part.Name, op, []*Value{a, b}}
	case op == "begins_with" && part.Type == "N" && !g.one(20):
		return KeyTest{part.Name, "=", []*Value{a}}
	default:
		return KeyTest{part.Name, op, []*Value{a}}
	}
}

// spoil breaks the key conditions.
func (g *generator) spoil(r *Request, x *Index) {
	test := &r.KeyTests[g.rng.IntN(len(r.KeyTests))]
	switch g.rng.IntN(4) {
	case 0:
		test.Name = "zz"
	case 1:
		*test = KeyTest{test.Name, "<", test.Values[:1]}
	case 2:
		*test = KeyTest{test.Name, "=", []*Value{g.scalar(pickOne(g, []string{"S", "N", "B"}))}}
	case 3:
		*test = KeyTest{test.Name, "=", []*Value{pickOne(g, []*Value{g.long(), Text(""), Bytes("")})}}
	}
}

// start is an ExclusiveStartKey from nowhere, mostly one that the conditions allow.
func (g *generator) start(t *Table, x *Index, r *Request) Item {
	start := Item{}
	for _, part := range slices.Concat(x.key(), t.key()) {
		start[part.Name] = g.keyed(part)
		if test := testOn(r.KeyTests, part.Name); test != nil && !g.one(10) {
			start[part.Name] = test.Values[0]
		}
	}
	if g.one(20) {
		start["zz"] = Text("a")
	}
	if g.one(20) {
		delete(start, pickOne(g, t.key()).Name)
	}
	return start
}

func (g *generator) scan(r *Request, t *Table) {
	r.Operation, r.Index = "Scan", g.indexOf(t)
	x := t.index(r.Index)
	g.sampleOf(t, x)
	g.walkMembers(r, t, x)
	if x == nil {
		return
	}
	if g.one(4) {
		r.Start = g.start(t, x, r)
	} else if g.one(3) {
		r.Segments = pickOne(g, []int{1, 2, 3, 7})
	}
}

// goOn makes the next request one for the next page.
func (g *generator) goOn(r *Request, next Item) {
	if next == nil || r.Segments > 0 || g.one(4) {
		return
	}
	following := *r
	following.Start, following.Body, following.Values = next, "", nil
	if g.one(5) && following.Limit > 0 {
		following.Limit = 1 + g.rng.IntN(6)
	}
	g.next = &following
}
