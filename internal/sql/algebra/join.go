// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"fmt"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// plan makes the nodes of FROM and WHERE. All columns that the part above wants have their slots by now.
func (s *scope) plan(it *item, where tree.Expression) (Node, error) {
	list, err := s.conditions(conjuncts(where, nil))
	if err != nil {
		return nil, err
	}
	if it == nil {
		if len(list) == 0 {
			return nil, nil
		}
		return s.filter(part{node: &Values{Rows: [][]*evaluate.Program{{}}}, rows: 1}, list)
	}
	if len(s.leaves) > tablesMax {
		return nil, fault.New(fault.TooManyTables, tablesMax)
	}
	s.simplify(it, conjuncts(where, nil))
	p, err := s.region(it, list)
	if err != nil {
		return nil, err
	}
	s.settleAll(p.node)
	return p.node, nil
}

// settleAll settles all scans of the frame.
func (s *scope) settleAll(n Node) {
	switch n := n.(type) {
	case *Scan:
		for _, l := range s.leaves {
			if l.scans[n] {
				l.settle(n)
			}
		}
	case *Filter:
		s.settleAll(n.Of)
	case *Join:
		s.settleAll(n.Left)
		s.settleAll(n.Right)
	}
}

// filter puts conditions above a part.
func (s *scope) filter(p part, list []condition) (Node, error) {
	if len(list) == 0 {
		return p.node, nil
	}
	f := &Filter{Of: p.node, Estimate: Estimate{Rows: p.rows * math.Pow(rest, float64(len(list))), Cost: p.cost}}
	for _, c := range list {
		program, err := s.program(c.e, "where clause")
		if err != nil {
			return nil, err
		}
		f.Conditions, f.Trees = append(f.Conditions, program), append(f.Trees, c.e)
	}
	return f, nil
}

// filtered is filter with the estimate.
func (s *scope) filtered(p part, list []condition) (part, error) {
	n, err := s.filter(p, list)
	p.rows *= math.Pow(rest, float64(len(list)))
	p.node = n
	return p, err
}

// unit is what a region joins: a leaf, or an outer join.
type unit struct {
	leaf   *leaf // nil: an outer join
	it     *item
	leaves set
	after  set // leaves that have to come before
	part
}

// region is some units joined by inner joins.
type region struct {
	*scope
	units      []*unit
	conditions []condition
	memo       map[string]part
}

// flatten finds the units and conditions of inner joins.
func (r *region) flatten(it *item, before set) error {
	switch {
	case it == nil:
	case it.leaf != nil:
		u := &unit{leaf: it.leaf, it: it, leaves: it.leaves(), after: before}
		for _, d := range it.leaf.lateral {
			if d.of == r.frame {
				u.after |= r.leafOf(d.column).set()
			}
		}
		r.units = append(r.units, u)
	case it.kind != Inner:
		r.units = append(r.units, &unit{it: it, leaves: it.leaves(), after: before})
	default:
		if err := r.flatten(it.left, before); err != nil {
			return err
		}
		if it.straight {
			before |= it.left.leaves()
		}
		if err := r.flatten(it.right, before); err != nil {
			return err
		}
		on, err := r.scope.conditions(it.on)
		r.conditions = append(r.conditions, on...)
		return err
	}
	return nil
}

// region plans inner joins with conditions that hold of their rows.
func (s *scope) region(it *item, list []condition) (part, error) {
	r := &region{scope: s, conditions: slices.Clone(list), memo: map[string]part{}}
	if err := r.flatten(it, 0); err != nil {
		return part{}, err
	}
	r.conditions = s.close(r.conditions)
	for _, u := range r.units {
		if err := r.base(u); err != nil {
			return part{}, err
		}
	}
	return r.order()
}

// own are the conditions that need no other leaves than some, with or without queries in them.
func (r *region) own(leaves set, queries bool) (list []condition, numbers []int) {
	for i, c := range r.conditions {
		if c.needs != 0 && leaves.has(c.needs) && c.queries == queries {
			list, numbers = append(list, c), append(numbers, i)
		}
	}
	return list, numbers
}

// base plans a unit on its own.
func (r *region) base(u *unit) (err error) {
	list, numbers := r.own(u.leaves, false)
	switch {
	case u.leaf == nil:
		if u.part, err = r.outerJoin(u.it, list); err != nil {
			return err
		}
	case u.leaf.table != nil:
		if u.part, err = r.scan(u.leaf, list); err != nil {
			return err
		}
		u.leaf.note(u.part.node)
	default:
		if u.part, err = r.answered(u.leaf, list); err != nil {
			return err
		}
	}
	u.part.leaves, u.part.consumed = u.leaves, numbers
	return nil
}

// note remembers a scan as one of the leaf's.
func (l *leaf) note(n Node) {
	if l.scans == nil {
		l.scans = map[*Scan]bool{}
	}
	l.scans[n.(*Scan)] = true
}

// answered is a leaf that is no table.
func (s *scope) answered(l *leaf, list []condition) (p part, err error) {
	for _, c := range list {
		if _, err := s.program(c.e, "where clause"); err != nil { // gives its columns slots
			return p, err
		}
	}
	if p.node, err = l.node(); err != nil {
		return p, err
	}
	p.rows, p.cost, p.leaves = fewRows, fewRows, l.set()
	if d, ok := p.node.(*Derived); ok {
		p.outer = d.Outer
		if b := d.Block; b != nil {
			p.rows, p.cost = b.expected()
		} else {
			p.rows, p.cost = d.Spool.Block.expected()
		}
	}
	return s.filtered(p, list)
}

// expected is what is expected of a query.
func (b *Block) expected() (rows, cost float64) {
	rows, cost = estimateOf(b.From)
	if g := b.Select.Groups; g != nil {
		if len(g.Keys) == 0 {
			return 1, cost
		}
		rows = max(1, rows/10)
	}
	return max(rows, 1), cost
}

func estimateOf(n Node) (rows, cost float64) {
	switch n := n.(type) {
	case nil:
		return 1, 1
	case *Scan:
		return n.Estimate.Rows, n.Estimate.Cost
	case *Join:
		return n.Estimate.Rows, n.Estimate.Cost
	case *Filter:
		return n.Estimate.Rows, n.Estimate.Cost
	case *Values:
		return float64(len(n.Rows)), 1
	case *Derived:
		if n.Block != nil {
			return n.Block.expected()
		}
		return n.Spool.Block.expected()
	}
	return fewRows, fewRows
}

// startsMax is how many units are tried as the first one.
const startsMax = 12

// order finds the order of a region: from each unit on, that one comes next which costs least.
func (r *region) order() (best part, err error) {
	found := false
	for i, first := range r.units {
		if first.after != 0 && len(r.units) > 1 && !first.leaves.has(first.after) || i >= startsMax && found {
			continue
		}
		p, err := r.from(first)
		if err != nil {
			return best, err
		}
		if better := !found || best.refused && !p.refused || best.refused == p.refused && p.cost < best.cost; better {
			best, found = p, true
		}
	}
	if !found {
		return best, fault.New(fault.NotSupported, "The order of these joins")
	}
	return best, nil
}

// from joins all units, the first one being given.
func (r *region) from(first *unit) (p part, err error) {
	p = first.part
	done := map[int]bool{}
	for _, n := range p.consumed {
		done[n] = true
	}
	if p, err = r.above(p, done); err != nil {
		return p, err
	}
	left := slices.Clone(r.units)
	left = slices.DeleteFunc(left, func(u *unit) bool { return u == first })
	for len(left) > 0 {
		var next part
		at := -1
		for i, u := range left {
			if u.after&^u.leaves != 0 && !p.leaves.has(u.after&^u.leaves) {
				continue
			}
			one, err := r.extend(p, u, done)
			if err != nil {
				return p, err
			}
			if at < 0 || next.refused && !one.refused || next.refused == one.refused && one.weight() < next.weight() {
				next, at = one, i
			}
		}
		if at < 0 {
			return p, fault.New(fault.NotSupported, "The order of these joins")
		}
		p = next
		for _, n := range p.consumed {
			done[n] = true
		}
		if p, err = r.above(p, done); err != nil {
			return p, err
		}
		left = slices.Delete(left, at, at+1)
	}
	return p, nil
}

// weight is what the choice of the next unit goes by: what it costs, and what its rows will cost.
func (p *part) weight() float64 { return p.cost + p.rows }

// above adds the conditions that can be judged by now and that nothing has judged: those without columns at once.
func (r *region) above(p part, done map[int]bool) (part, error) {
	var list []condition
	for i, c := range r.conditions {
		if !done[i] && p.leaves.has(c.needs) {
			list = append(list, c)
			done[i] = true
		}
	}
	return r.filtered(p, list)
}

// extend joins a unit to a part in the cheapest way.
func (r *region) extend(p part, u *unit, done map[int]bool) (best part, err error) {
	var list []condition
	var numbers []int
	for i, c := range r.conditions {
		if !done[i] && !c.queries && c.needs&u.leaves != 0 && c.needs&p.leaves != 0 && (p.leaves | u.leaves).has(c.needs) {
			list, numbers = append(list, c), append(numbers, i)
		}
	}
	return r.pair(p, u, Inner, list, numbers)
}

// pair joins a part with a unit by conditions over both.
func (r *region) pair(p part, u *unit, kind Kind, list []condition, numbers []int) (part, error) {
	whole, err := r.whole(p, u, kind, list)
	if err != nil {
		return whole, err
	}
	whole.consumed = append(slices.Clone(u.part.consumed), numbers...)
	if u.leaf == nil || u.leaf.table == nil || len(list) == 0 {
		return whole, nil
	}
	by, err := r.byValues(p, u, kind, list, numbers)
	if err != nil || by.node == nil {
		return whole, err
	}
	if !by.refused && (whole.refused || by.weight() < whole.weight()) {
		return by, nil
	}
	return whole, nil
}

// byValues joins a table by reading it for each row of a part with the values of that row.
func (r *region) byValues(p part, u *unit, kind Kind, list []condition, numbers []int) (part, error) {
	key := fmt.Sprint(u.leaf.number, kind, numbers)
	inner, ok := r.memo[key]
	if !ok {
		local, _ := r.own(u.leaves, false)
		var err error
		if inner, err = r.scan(u.leaf, append(slices.Clone(local), list...)); err != nil {
			return part{}, err
		}
		u.leaf.note(inner.node)
		r.memo[key] = inner
	}
	j := &Join{Method: Loop, Kind: kind, Left: p.node, Right: inner.node, Outer: inner.outer}
	out := part{node: j, leaves: p.leaves | u.leaves, refused: p.refused || inner.refused, outer: p.outer, consumed: append(slices.Clone(u.part.consumed), numbers...)}
	out.rows = max(p.rows*inner.rows, 0.01)
	if kind == Left {
		out.rows = max(out.rows, p.rows)
	}
	out.cost = p.cost + p.rows*inner.cost
	j.Estimate = Estimate{Rows: out.rows, Cost: out.cost}
	return out, nil
}

// whole joins a unit by reading it once.
func (r *region) whole(p part, u *unit, kind Kind, list []condition) (part, error) {
	j := &Join{Method: Loop, Kind: kind, Left: p.node, Right: u.part.node, Outer: u.part.outer}
	out := part{node: j, leaves: p.leaves | u.leaves, refused: p.refused || u.part.refused, outer: p.outer}
	unique := false
	for _, c := range list {
		ok := false
		var err error
		if len(j.Outer) == 0 {
			if ok, err = r.hashKey(j, c.e, p.leaves, u.leaves); err != nil {
				return out, err
			}
		}
		if !ok {
			program, err := r.program(c.e, "on clause")
			if err != nil {
				return out, err
			}
			j.On = append(j.On, program)
		}
	}
	if len(j.LeftKeys) > 0 {
		j.Method = Hash
		unique = r.isUnique(u, list)
	}
	out.refused = out.refused || len(list) > 0 && r.judges(p, u, list)
	n, m := max(p.rows, 1), max(u.part.rows, 1)
	switch {
	case j.Method == Loop && len(j.Outer) > 0:
		out.rows, out.cost = n*m, p.cost+n*u.part.cost
	case j.Method == Loop:
		out.rows, out.cost = n*m, p.cost+u.part.cost+n*m*probeCost
	case unique:
		out.rows = n * min(1, m/u.leaf.entries())
	default:
		out.rows = n * m / max(n, m)
	}
	if j.Method == Hash {
		out.cost = p.cost + u.part.cost + n*probeCost + m*hashCost
		if kind == Inner && n < m/2 {
			j.BuildLeft = true
			out.cost = p.cost + u.part.cost + m*probeCost + n*hashCost
		}
	}
	for range j.On {
		out.rows *= rest
	}
	if kind == Left {
		out.rows = max(out.rows, p.rows)
	}
	j.Estimate = Estimate{Rows: out.rows, Cost: out.cost}
	return out, nil
}

// hashKey makes a pair of keys of an equality between both sides. ok is false for other conditions.
func (s *scope) hashKey(j *Join, e tree.Expression, left, right set) (ok bool, err error) {
	b, isBinary := e.(*tree.Binary)
	if !isBinary || b.Operator != tree.Equal && b.Operator != tree.NullSafeEqual {
		return false, nil
	}
	x, y := b.Left, b.Right
	for range 2 {
		of, err := s.condition(x)
		if err != nil {
			return false, err
		}
		other, err := s.condition(y)
		if err != nil {
			return false, err
		}
		if of.needs == 0 || other.needs == 0 || !left.has(of.needs) || !right.has(other.needs) {
			x, y = y, x
			continue
		}
		a, err := s.program(x, "on clause")
		if err != nil {
			return false, err
		}
		c, err := s.program(y, "on clause")
		if err != nil || !hashes(a.Type(), c.Type()) {
			return false, err
		}
		j.LeftKeys, j.RightKeys = append(j.LeftKeys, a), append(j.RightKeys, c)
		j.NullSafe = append(j.NullSafe, b.Operator == tree.NullSafeEqual)
		return true, nil
	}
	return false, nil
}

// isUnique says whether equalities name the whole key of a unit's table, so that each row has one partner at most.
func (s *scope) isUnique(u *unit, list []condition) bool {
	if u.leaf == nil || u.leaf.table == nil {
		return false
	}
	for i := range u.leaf.table.Key {
		at := u.leaf.table.Key[i].Column
		if at < 0 {
			continue
		}
		name := u.leaf.table.Columns[at].Name
		if !slices.ContainsFunc(list, func(c condition) bool {
			b, ok := c.e.(*tree.Binary)
			return ok && b.Operator == tree.Equal && (u.leaf.isColumn(b.Left, name) || u.leaf.isColumn(b.Right, name))
		}) {
			return false
		}
	}
	return true
}

func (l *leaf) isColumn(e tree.Expression, name string) bool {
	c, ok := e.(*tree.Column)
	return ok && c.Table == l.name && c.Name == name
}

// judges says whether a join is refused: it compares no first column of a key or an index, and a table would be read whole for it.
func (s *scope) judges(p part, u *unit, list []condition) bool {
	if s.Execution.Settings.Inefficient != plan.RefuseInefficient || s.allows || slices.ContainsFunc(s.hints, func(h tree.Hint) bool { return h.Name == "_l_allow_filtering_" }) {
		return false
	}
	for _, c := range list {
		b, ok := c.e.(*tree.Binary)
		if !ok || b.Operator > tree.GreaterOrEqual {
			continue
		}
		for _, e := range [...]tree.Expression{b.Left, b.Right} {
			if c, ok := e.(*tree.Column); ok && s.leafOf(c).leads(c.Name) {
				return false
			}
		}
	}
	return u.leaf != nil && u.leaf.table != nil && u.part.whole
}

// leads says whether the key or an index begins with a column; so it is of whatever is no table.
func (l *leaf) leads(name string) bool {
	if l == nil || l.table == nil {
		return true
	}
	if first := &l.table.Descriptor.Primary.Visible()[0]; first.Column() == name {
		return true
	}
	for x := range l.table.Descriptor.Declared() {
		if v := x.Visible(); len(v) > 0 && v[0].Column() == name {
			return true
		}
	}
	return false
}

// outerJoin plans a LEFT or FULL JOIN under conditions on its rows.
func (s *scope) outerJoin(it *item, above []condition) (part, error) {
	on, err := s.conditions(it.on)
	if err != nil {
		return part{}, err
	}
	left, right := it.left.leaves(), it.right.leaves()
	var toLeft, toRight, both, rest []condition
	for _, c := range above {
		if it.kind == Left && c.needs != 0 && left.has(c.needs) {
			toLeft = append(toLeft, c)
		} else {
			rest = append(rest, c)
		}
	}
	var queries []condition
	for _, c := range on {
		switch {
		case it.kind == Left && c.needs != 0 && right.has(c.needs):
			toRight = append(toRight, c)
		case c.queries:
			queries = append(queries, c)
		default:
			both = append(both, c)
		}
	}
	p, err := s.region(it.left, toLeft)
	if err != nil {
		return p, err
	}
	r := &region{scope: s, conditions: toRight, memo: map[string]part{}}
	u := &unit{it: it.right, leaves: right, leaf: it.right.leaf}
	if u.leaf != nil && !slices.ContainsFunc(toRight, func(c condition) bool { return c.queries }) {
		err = r.base(u)
	} else {
		u.leaf = nil
		u.part, err = s.region(it.right, toRight)
	}
	if err != nil {
		return p, err
	}
	joined, err := r.pair(p, u, it.kind, both, []int{-1})
	if err != nil {
		return p, err
	}
	for _, c := range queries {
		program, err := s.program(c.e, "on clause")
		if err != nil {
			return p, err
		}
		j := joined.node.(*Join)
		j.On = append(j.On, program)
	}
	return s.filtered(joined, rest)
}
