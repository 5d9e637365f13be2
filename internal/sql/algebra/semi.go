// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/sql/tree"
)

// semis makes joins of conditions with queries: x IN (query), EXISTS and NOT EXISTS. It returns the conditions that are
// left.
func (s *scope) semis(it *item, list []tree.Expression) (*item, []condition, error) {
	var left []condition
	for _, e := range list {
		joined, err := s.semi(it, &e)
		if err == nil && joined == it {
			joined = s.joinCorrelated(it, &e)
		}
		if err != nil {
			return nil, nil, err
		}
		if it = joined; e == nil {
			continue
		}
		c, err := s.condition(e)
		if err != nil {
			return nil, nil, err
		}
		left = append(left, c)
	}
	return it, left, nil
}

// semi makes a join of a condition x IN (query) where the query is the same for all rows: with its distinct rows, so
// that no row comes twice.
func (s *scope) semi(it *item, e *tree.Expression) (*item, error) {
	in, ok := (*e).(*tree.InQuery)
	if !ok || in.Not || !isColumn(in.X) {
		return it, nil
	}
	q, ok := in.Query.(*tree.Select)
	if !ok || q.Limit != nil || q.Offset != nil || len(s.leaves) >= tablesMax {
		return it, nil
	}
	one := *q
	one.Distinct, one.OrderBy = true, nil
	n := &nest{of: s, within: s.outer}
	before := len(s.lent)
	b, volatile, err := s.compileApart(&one, n)
	if err != nil || volatile || len(s.lent) > before ||
		slices.ContainsFunc(n.depends, func(d dependency) bool { return d.of == s.frame }) || b.Visible != 1 {
		return it, err
	}
	t := b.Select.Items[0].Program.Type()
	x := in.X.(*tree.Column)
	if !hashes(s.leafOf(x).typeOf(x.Name), t) {
		return it, nil
	}
	l := s.addLeaf("", "subquery", []result.Column{{Name: "value", Type: t}})
	node := &Derived{Alias: l.name, Block: b}
	if s.outer != nil && len(n.depends) == 0 {
		node.Block, node.Spool = nil, s.spool(l.name, b, nil)
	}
	l.node = func() (Node, error) {
		node.To = l.to()
		return node, nil
	}
	l.slot(0)
	of := s.leafOf(x)
	of.listed = of.listed || of.leads(x.Name)
	*e = &tree.Binary{Operator: tree.Equal, Left: x, Right: &tree.Column{Table: l.name, Name: "value"}}
	return &item{kind: Inner, left: it, right: &item{leaf: l}}, nil
}

// joinCorrelated makes a semi or anti join of EXISTS, NOT EXISTS or x IN (query) where the query is plain, reads tables
// alone, and compares a column of theirs with one of the tables around by =. Others are run for each combination of the
// outer values. The condition is gone then.
func (s *scope) joinCorrelated(it *item, e *tree.Expression) *item {
	q, x, kind := queryOf(*e)
	if q == nil || len(s.leaves) >= tablesMax {
		return it
	}
	leaves, scans := len(s.leaves), s.scans
	right, on, err := s.readIntoFrame(q, x)
	if err != nil || right == nil || !s.joins(it, right, on) {
		clear(s.leaves[leaves:])
		s.leaves, s.scans = s.leaves[:leaves], scans
		return it // what is wrong with it is told by who runs it
	}
	*e = nil
	return &item{kind: kind, left: it, right: right, on: on}
}

// queryOf is the query of a condition that may be a semi or anti join, and what is compared with its column; nil: it
// can't be one.
func queryOf(e tree.Expression) (q *tree.Select, x tree.Expression, kind JoinKind) {
	if not, ok := e.(*tree.Unary); ok && not.Operator == tree.Not {
		if _, ok := not.X.(*tree.Exists); ok {
			q, x, _ = queryOf(not.X)
			return q, x, Anti
		}
	}
	switch e := e.(type) {
	case *tree.Exists:
		q, _ = e.Query.(*tree.Select)
	case *tree.InQuery:
		if q, _ = e.Query.(*tree.Select); e.Not || !isColumn(e.X) || q == nil || len(q.List) != 1 {
			return nil, nil, Semi
		}
		x = e.X
	}
	if q == nil || !isPlain(q) {
		return nil, nil, Semi
	}
	return q, x, Semi
}

// readIntoFrame reads the FROM and WHERE of a query into the frame of this one. nil: it reads more than tables.
func (s *scope) readIntoFrame(q *tree.Select, x tree.Expression) (it *item, on []tree.Expression, err error) {
	hints, allows := s.hints, s.allows
	s.hints, s.allows = append(slices.Clone(s.hints), q.Hints...), s.allows || q.AllowFiltering
	defer func() { s.hints, s.allows = hints, allows }()
	sub := &scope{compiler: s.compiler, frame: s.frame, outer: s.outer, host: s, with: s.with, nested: s.nested}
	before := len(s.leaves)
	if it, err = sub.from(q); err != nil {
		return nil, nil, err
	}
	for _, l := range s.leaves[before:] {
		if l.table == nil {
			return nil, nil, nil
		}
	}
	where, err := sub.resolve(q.Where, "where clause")
	if err != nil {
		return nil, nil, err
	}
	on = conjuncts(where, nil)
	if x != nil {
		item, err := sub.resolve(q.List[0].Expression, "field list")
		if err != nil {
			return nil, nil, err
		}
		on = append(on, &tree.Binary{Operator: tree.Equal, Left: x, Right: item})
	}
	return it, on, nil
}

// joins reports whether some condition compares values of both sides by =, and whether those of the right side's own
// joins need no other table.
func (s *scope) joins(left, right *item, on []tree.Expression) bool {
	return right.isClosed(s.frame) && slices.ContainsFunc(on, func(e tree.Expression) bool {
		b, ok := e.(*tree.Binary)
		if !ok || b.Operator != tree.Equal {
			return false
		}
		x, y := s.leavesOf(b.Left), s.leavesOf(b.Right)
		if left.leaves().has(y) {
			x, y = y, x
		}
		return x != 0 && y != 0 && left.leaves().has(x) && right.leaves().has(y) && s.mayHashValues(b.Left, b.Right)
	})
}

// leavesOf are the tables of an expression's columns; none if it has a query.
func (s *scope) leavesOf(e tree.Expression) (all set) {
	hasQuery := false
	tree.Walk(e, func(e tree.Expression) bool {
		if column, ok := e.(*tree.Column); ok {
			all |= s.leafOf(column).set()
		}
		hasQuery = hasQuery || tree.QueryOf(e) != nil
		return !hasQuery
	})
	if hasQuery {
		return 0
	}
	return all
}

// mayHashValues reports whether values of two expressions may hash alike.
func (s *scope) mayHashValues(x, y tree.Expression) bool {
	a, err := s.program(x, "where clause")
	if err != nil {
		return false
	}
	b, err := s.program(y, "where clause")
	return err == nil && mayHash(a.Type(), b.Type())
}

// isClosed reports whether the conditions of joins are about the item's own leaves.
func (it *item) isClosed(f *frame) bool {
	if it == nil || it.leaf != nil {
		return true
	}
	for _, e := range it.on {
		for _, c := range evaluate.Columns(e) {
			if l := f.leafOf(c); l == nil || !it.leaves().has(l.set()) {
				return false
			}
		}
	}
	return it.left.isClosed(f) && it.right.isClosed(f)
}

// flattenSemi makes a unit of the right side of a semi or anti join. It is joined once all the leaves are there that
// its conditions need.
func (r *region) flattenSemi(it *item) error {
	u := &unit{it: it.right, leaf: it.right.leaf, leaves: it.right.leaves(), kind: it.kind}
	on, err := r.scope.conditions(it.on)
	if err != nil {
		return err
	}
	var own []condition
	for _, c := range on {
		if c.needs != 0 && u.leaves.has(c.needs) {
			own = append(own, c)
		} else {
			u.on = append(u.on, c)
			u.after |= c.needs &^ u.leaves
		}
	}
	if u.within, err = r.partner(u, own); err != nil {
		return err
	}
	u.part.leaves = u.leaves
	r.units = append(r.units, u)
	return nil
}

// shareMatched is the share of rows that a semi or anti join keeps where a row has so many partners.
func shareMatched(kind JoinKind, partners float64) float64 {
	if kind == Anti {
		return max(1-partners, 0.1)
	}
	return min(partners, 1)
}
