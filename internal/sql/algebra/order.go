// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"iter"
	"slices"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// unit is an operand of a region of joins: a leaf, an outer join, or the side in which a semi or anti join looks for
// partners.
type unit struct {
	leaf   *leaf // nil: a join
	it     *item
	leaves set
	after  set // leaves that have to come before
	// kind is how the unit is joined. Of any kind but Inner, within plans the unit, on joins it, and nothing else sees
	// its leaves.
	kind   JoinKind
	within *region
	on     []condition
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
			if d.of == r.frame && d.column != nil {
				u.after |= r.leafOf(d.column).set()
			}
		}
		r.units = append(r.units, u)
	case it.kind == Semi, it.kind == Anti:
		if err := r.flatten(it.left, before); err != nil {
			return err
		}
		return r.flattenSemi(it)
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
func (s *scope) region(it *item, list []condition) (p part, err error) {
	r := &region{scope: s, conditions: slices.Clone(list), memo: map[string]part{}}
	if err := r.flatten(it, 0); err != nil {
		return part{}, err
	}
	if r.conditions, err = s.imply(s.close(r.conditions)); err != nil {
		return part{}, err
	}
	for _, u := range r.units {
		if err := r.base(u); err != nil {
			return part{}, err
		}
	}
	p, err = r.order()
	if err == nil && p.refused && s.Execution.Context != nil {
		err = r.refusal(p.why)
	}
	return p, err
}

// refusal is why a table can't be read by its own conditions; or why joined; nil if nothing is refused.
func (r *region) refusal(why string) error {
	for _, u := range r.units {
		scan, ok := u.part.node.(*Scan)
		if !ok {
			continue
		}
		x := r.Execution
		x.Pinned, x.Context = u.leaf.read.relation.Pinned, r.sample()
		var access plan.Access
		err := scan.Source.Bind(&x, &scan.Need, &access)
		if f, ok := fault.Of(err); ok && f.Code == fault.Refused {
			return err
		}
	}
	if why != "" {
		return fault.New(fault.Refused, why)
	}
	return nil
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
	case u.within != nil:
		return nil // flattenSemi has planned it
	case u.leaf == nil:
		if u.part, err = r.outerJoin(u.it, list); err != nil {
			return err
		}
	case u.leaf.table != nil:
		if u.part, err = r.scan(u.leaf, list); err != nil {
			return err
		}
		// they are there to help
		if u.part.refused && slices.ContainsFunc(list, func(c condition) bool { return c.implied }) {
			list = slices.DeleteFunc(list, func(c condition) bool { return c.implied })
			if u.part, err = r.scan(u.leaf, list); err != nil {
				return err
			}
		}
		if u.part.refused && u.leaf.loose {
			if u.part, err = r.scan(u.leaf, nil); err != nil {
				return err
			}
			numbers = nil // a Filter judges them
		}
		u.leaf.note(u.part.node)
	default:
		if u.part, err = r.planOther(u.leaf, list); err != nil {
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

// planOther is a leaf that is no table.
func (s *scope) planOther(l *leaf, list []condition) (p part, err error) {
	for _, c := range list {
		if _, err := s.program(c.e, "where clause"); err != nil { // gives its columns slots
			return p, err
		}
	}
	if p.node, err = l.node(); err != nil {
		return p, err
	}
	p.rows, p.cost, p.leaves = fewRows, fewRows, l.set()
	if v, ok := p.node.(*Virtual); ok {
		if err := s.restrict(v, l, list); err != nil {
			return p, err
		}
	}
	if d, ok := p.node.(*Derived); ok {
		p.outer = d.Outer
		if b := d.Block; b != nil {
			p.rows, p.cost = b.estimate()
		} else {
			p.rows, p.cost = d.Spool.Block.estimate()
		}
	}
	return s.filterWithEstimate(p, list)
}

// restrict finds the database and the table that rows of a virtual table are wanted of.
func (s *scope) restrict(v *Virtual, l *leaf, list []condition) (err error) {
	relation := l.read.relation
	for _, c := range list {
		b, ok := c.e.(*tree.Binary)
		if !ok || b.Operator != tree.Equal {
			continue
		}
		for _, pair := range [...][2]tree.Expression{{b.Left, b.Right}, {b.Right, b.Left}} {
			column, ok := pair[0].(*tree.Column)
			if !ok || s.leafOf(column) != l || len(c.depends) > 0 || c.queries || !plan.IsConstant(pair[1]) {
				continue
			}
			to := &v.Schema
			switch l.column(column.Name) {
			case relation.TableColumn:
				to = &v.Name
			case relation.SchemaColumn:
			default:
				continue
			}
			if *to, err = s.program(pair[1], "where clause"); err != nil {
				return err
			}
		}
	}
	return nil
}

// Cost returns the expected cost of the query, its subqueries run once.
func (q *Query) Cost() float64 {
	_, cost := q.Root.estimate()
	for _, s := range q.Spools {
		_, one := s.Block.estimate()
		cost += one
	}
	for of := range q.InExpressions() {
		_, one := of.Block.estimate()
		cost += one
	}
	return cost
}

// InExpressions are the queries that stand in expressions, each once.
func (q *Query) InExpressions() iter.Seq[*Nested] {
	return func(yield func(*Nested) bool) {
		seen := map[*Nested]bool{nil: true}
		for i := range q.Subqueries {
			if of := q.Subqueries[i].Nested; !seen[of] {
				if seen[of] = true; !yield(of) {
					return
				}
			}
		}
	}
}

// estimate returns the estimate of a query.
func (b *Block) estimate() (rows, cost float64) {
	rows, cost = estimateOf(b.From)
	if g := b.Select.Groups; g != nil {
		if len(g.Keys) == 0 {
			return 1, cost
		}
		cost += rows * probeCost
		if rows = max(1, rows/10); b.Exact { // which would be dear if it came first and had more
			rows *= 5
		}
	}
	if b.Most > 0 {
		rows = min(rows, b.Most)
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
			return n.Block.estimate()
		}
		return n.Spool.Block.estimate()
	}
	return fewRows, fewRows
}

// startsMax is the number of units that are tried as the first one.
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
	if p, err = r.addConditions(p, done); err != nil {
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
		if c := r.pending(p, done); c >= 0 && p.cost+r.testCost(p, &r.conditions[c])+p.rows*rest < next.weight() {
			if p, err = r.apply(p, done, c); err != nil {
				return p, err
			}
			continue
		}
		p = next
		for _, n := range p.consumed {
			done[n] = true
		}
		if p, err = r.addConditions(p, done); err != nil {
			return p, err
		}
		left = slices.Delete(left, at, at+1)
	}
	for c := r.pending(p, done); c >= 0 && err == nil; c = r.pending(p, done) {
		p, err = r.apply(p, done, c)
	}
	return p, err
}

// pending is a condition that can be judged, and that costs so much that it waits; -1: none.
func (r *region) pending(p part, done map[int]bool) int {
	for i, c := range r.conditions {
		if !done[i] && p.leaves.has(c.needs) {
			return i
		}
	}
	return -1
}

func (r *region) apply(p part, done map[int]bool, i int) (part, error) {
	done[i] = true
	return r.filterWithEstimate(p, r.conditions[i:i+1])
}

// weight decides the choice of the next unit: its cost, and the cost of its rows later.
func (p *part) weight() float64 { return p.cost + p.rows }

// addConditions adds the conditions that can be judged by now and that nothing has judged: those without columns at
// once. Those that run queries wait for their turn.
func (r *region) addConditions(p part, done map[int]bool) (part, error) {
	var list []condition
	for i, c := range r.conditions {
		if !done[i] && c.each == 0 && p.leaves.has(c.needs) {
			list = append(list, c)
			done[i] = true
		}
	}
	return r.filterWithEstimate(p, list)
}

// extend joins a unit to a part in the cheapest way.
func (r *region) extend(p part, u *unit, done map[int]bool) (best part, err error) {
	if u.kind != Inner {
		best, err = u.within.pair(p, u, u.kind, u.on, []int{-1})
		best.leaves, best.consumed = p.leaves, nil
		return best, err
	}
	var list []condition
	var numbers []int
	for i, c := range r.conditions {
		if !done[i] && !c.queries && c.needs&u.leaves != 0 && c.needs&p.leaves != 0 &&
			(p.leaves | u.leaves).has(c.needs) {
			list, numbers = append(list, c), append(numbers, i)
		}
	}
	return r.pair(p, u, Inner, list, numbers)
}

// pair joins a part with a unit by conditions over both.
func (r *region) pair(p part, u *unit, kind JoinKind, list []condition, numbers []int) (part, error) {
	whole, err := r.whole(p, u, kind, list)
	if err != nil {
		return whole, err
	}
	whole.consumed = append(slices.Clone(u.part.consumed), numbers...)
	if u.leaf == nil || u.leaf.table == nil || len(list) == 0 {
		return whole, nil
	}
	by, inner, err := r.byValues(p, u, kind, list, numbers)
	if err != nil {
		return whole, err
	}
	batched, err := r.lookup(p, by, &inner, u, list)
	if err != nil {
		return whole, err
	}
	best := whole
	for _, other := range [...]part{by, batched} {
		if r.isBetter(&other, &best) {
			best = other
		}
	}
	merged, err := r.merge(p, whole, best, u, list)
	if err == nil && r.isBetter(&merged, &best) {
		best = merged
	}
	return best, err
}

// isBetter reports whether a join is to be preferred to another one of the same sides.
func (r *region) isBetter(a, b *part) bool {
	if a.node == nil || a.refused != b.refused {
		return a.node != nil && b.refused
	}
	if r.Only != nil {
		if is, was := a.node.(*Join).Method == *r.Only, b.node.(*Join).Method == *r.Only; is != was {
			return is
		}
	}
	return a.weight() < b.weight()
}
