// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
	"slices"
)

// set is a set of leaves by their numbers.
type set uint64

func (s set) has(of set) bool { return s&of == of }

func (l *leaf) set() set { return 1 << l.number }

// condition is a conjunct with the leaves that it needs.
type condition struct {
	e       tree.Expression
	needs   set
	queries bool // there are queries in it
	implied bool // another one says as much
	// each is the cost per row of queries that are run for each combination of the values of depends.
	each    float64
	depends []dependency
}

// leaves returns the leaves of an item.
func (it *item) leaves() set {
	switch {
	case it == nil:
		return 0
	case it.leaf != nil:
		return it.leaf.set()
	}
	return it.left.leaves() | it.right.leaves()
}

// condition finds what a conjunct needs.
func (s *scope) condition(e tree.Expression) (c condition, err error) {
	c.e = e
	tree.Walk(e, func(e tree.Expression) bool {
		if e, ok := e.(*tree.Column); ok {
			if l := s.leafOf(e); l != nil {
				c.needs |= l.set()
				l.want(e.Name)
			}
		}
		q := tree.QueryOf(e)
		if q == nil || err != nil {
			return true
		}
		c.queries = true
		_, isExists := e.(*tree.Exists)
		var in *inner
		if in, err = s.inner(q, isExists); err != nil {
			return false
		}
		if len(in.depends) > 0 {
			_, cost := in.nested.Block.estimate()
			c.each, c.depends = c.each+cost, append(c.depends, in.depends...)
		}
		for _, d := range in.depends {
			if d.of == s.frame && d.column == nil {
				err = fault.New(fault.GroupWithoutBy)
			} else if d.of == s.frame {
				l := s.leafOf(d.column)
				c.needs |= l.set()
				l.want(d.column.Name)
			}
		}
		return true
	})
	return c, err
}

// want makes sure that a query's column has a slot before its node is made. Tables learn of it later, and only of
// conditions that they don't judge.
func (l *leaf) want(name string) {
	if l.table == nil {
		l.place(name)
	}
}

func (s *scope) conditions(list []tree.Expression) (found []condition, err error) {
	for _, e := range list {
		c, err := s.condition(e)
		if err != nil {
			return nil, err
		}
		found = append(found, c)
	}
	return found, nil
}

// gather collects what holds of each row of FROM: the conditions of inner joins.
func (it *item) gather(list []tree.Expression) []tree.Expression {
	if it == nil || it.leaf != nil || it.kind != Inner && it.kind != Left {
		return list
	}
	list = it.left.gather(list)
	if it.kind == Inner {
		list = append(it.right.gather(list), it.on...)
	}
	return list
}

// equalities are the conditions a = b that hold of each row.
func (s *scope) equalities() (list []*tree.Binary) {
	for _, e := range s.where {
		if b, ok := e.(*tree.Binary); ok && b.Operator == tree.Equal {
			list = append(list, b)
		}
	}
	return list
}

// simplify makes inner joins of outer ones whose rows without a partner are refused by what holds above them.
func (s *scope) simplify(it *item, above []tree.Expression) {
	if it == nil || it.leaf != nil {
		return
	}
	if it.kind == Left && s.refusesNulls(it.right.leaves(), above) {
		it.kind = Inner
	}
	switch it.kind {
	case Inner:
		above = append(append([]tree.Expression{}, above...), it.on...)
		s.simplify(it.left, above)
		s.simplify(it.right, above)
	case Left, Semi, Anti:
		s.simplify(it.left, above)
		s.simplify(it.right, it.on)
	default:
		s.simplify(it.left, nil)
		s.simplify(it.right, nil)
	}
}

// refusesNulls reports whether some condition isn't TRUE where all columns of the leaves are NULL.
func (s *scope) refusesNulls(leaves set, conditions []tree.Expression) bool {
	return slices.ContainsFunc(conditions, func(e tree.Expression) bool { return s.refuses(leaves, e) })
}

func (s *scope) refuses(leaves set, e tree.Expression) bool {
	switch e := e.(type) {
	case *tree.Binary:
		switch e.Operator {
		case tree.Equal, tree.NotEqual, tree.Less, tree.LessOrEqual, tree.Greater, tree.GreaterOrEqual:
			return s.isStrict(leaves, e.Left) || s.isStrict(leaves, e.Right)
		case tree.Or:
			return s.refuses(leaves, e.Left) && s.refuses(leaves, e.Right)
		case tree.And:
			return s.refuses(leaves, e.Left) || s.refuses(leaves, e.Right)
		}
	case *tree.In:
		return s.isStrict(leaves, e.X)
	case *tree.InQuery:
		return !e.Not && s.isStrict(leaves, e.X)
	case *tree.Between:
		return s.isStrict(leaves, e.X)
	case *tree.Like:
		return s.isStrict(leaves, e.X)
	case *tree.Is:
		return e.Kind == tree.IsNull && e.Not && s.isStrict(leaves, e.X)
	}
	return false
}

// isStrict reports whether an expression is NULL where the columns of the leaves are: a column, or arithmetic with one.
func (s *scope) isStrict(leaves set, e tree.Expression) bool {
	switch e := e.(type) {
	case *tree.Column:
		l := s.leafOf(e)
		return l != nil && leaves.has(l.set())
	case *tree.Binary:
		if e.Operator >= tree.Plus && e.Operator <= tree.Modulo {
			return s.isStrict(leaves, e.Left) || s.isStrict(leaves, e.Right)
		}
	}
	return false
}

// close adds what equalities imply: a = b and b = 1 say a = 1; a = b and b = c say a = c; a = b and b < 5 say a < 5.
// Only columns of one type are compared.
func (s *scope) close(list []condition) []condition {
	group := map[[2]string]int{}
	key := func(c *tree.Column) [2]string { return [2]string{c.Table, c.Name} }
	var columns []*tree.Column
	find := func(c *tree.Column) int {
		g, ok := group[key(c)]
		if !ok {
			g = len(columns)
			group[key(c)] = g
			columns = append(columns, c)
		}
		return g
	}
	has := func(a, b tree.Expression) bool {
		return slices.ContainsFunc(list, func(c condition) bool {
			e, ok := c.e.(*tree.Binary)
			return ok && e.Operator == tree.Equal && (evaluate.Same(e.Left, a) && evaluate.Same(e.Right, b) ||
				evaluate.Same(e.Left, b) && evaluate.Same(e.Right, a))
		})
	}
	values := map[[2]string]tree.Expression{}
	for _, c := range list {
		e, ok := c.e.(*tree.Binary)
		if !ok || e.Operator != tree.Equal || c.queries {
			continue
		}
		a, isA := e.Left.(*tree.Column)
		b, isB := e.Right.(*tree.Column)
		switch {
		case isA && isB && s.sameType(a, b):
			x, y := find(a), find(b)
			for k, g := range group {
				if g == y {
					group[k] = x
				}
			}
		case isA && !isB && tree.IsValue(e.Right):
			values[key(a)] = e.Right
		case isB && !isA && tree.IsValue(e.Left):
			values[key(b)] = e.Left
		}
	}
	for i, a := range columns {
		for _, b := range columns[:i] {
			if group[key(a)] != group[key(b)] {
				continue
			}
			if a.Table != b.Table && !has(a, b) {
				list = append(list, condition{e: &tree.Binary{Operator: tree.Equal, Left: a, Right: b},
					needs: s.leafOf(a).set() | s.leafOf(b).set()})
			}
			for _, pair := range [...][2]*tree.Column{{a, b}, {b, a}} {
				if v := values[key(pair[0])]; v != nil && !has(pair[1], v) {
					list = append(list, condition{e: &tree.Binary{Operator: tree.Equal, Left: pair[1], Right: v},
						needs: s.leafOf(pair[1]).set()})
				}
			}
		}
	}
	return s.carry(list, columns, func(a, b *tree.Column) bool {
		g, known := group[key(a)]
		return known && g == group[key(b)]
	})
}

func (s *scope) sameType(a, b *tree.Column) bool {
	x, y := s.leafOf(a), s.leafOf(b)
	return x != nil && y != nil && x.typeOf(a.Name).Base == y.typeOf(b.Name).Base &&
		x.typeOf(a.Name).Base != datum.Untyped
}

// hashes reports whether values of two types that are equal have equal keys.
func hashes(a, b datum.Type) bool { return class(a) != 0 && class(a) == class(b) }

// mayHash reports whether values of two types may be joined by hashing: a value without a type is looked at first.
func mayHash(a, b datum.Type) bool {
	return hashes(a, b) || a.Base == datum.Untyped || b.Base == datum.Untyped
}

// class is a family of types whose values are compared with each other by value; 0: none.
func class(t datum.Type) int {
	switch {
	case t.IsText(), t.IsBinary():
		return 1
	case t.Base == datum.Timestamp, t.Base == datum.Date:
		return 2
	case t.Base == datum.Time:
		return 3
	}
	switch t.Base {
	case datum.Boolean, datum.TinyInt, datum.SmallInt, datum.Integer, datum.BigInt, datum.BigIntUnsigned, datum.Float,
		datum.Double, datum.DecimalBase:
		return 4
	}
	return 0
}
