// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/sql/tree"
)

// factor adds a condition to a list of conjuncts. The common conjuncts of all branches of an OR move out of it: (a AND
// b) OR (a AND c) is a AND (b OR c).
func factor(e tree.Expression, list []tree.Expression) []tree.Expression {
	branches := disjuncts(e, nil)
	if len(branches) < 2 {
		return append(list, e)
	}
	split := make([][]tree.Expression, len(branches))
	var common []tree.Expression
	for i, branch := range branches {
		split[i] = conjuncts(branch, nil)
		if i == 0 {
			common = slices.Clone(split[0])
		}
		common = slices.DeleteFunc(common, func(e tree.Expression) bool { return !contains(split[i], e) })
		if len(common) == 0 {
			return append(list, e)
		}
	}
	list = append(list, common...)
	var either tree.Expression
	for _, branch := range split {
		left := slices.DeleteFunc(branch, func(e tree.Expression) bool { return contains(common, e) })
		if len(left) == 0 {
			return list
		}
		either = or(either, all(left))
	}
	return append(list, either)
}

func contains(list []tree.Expression, e tree.Expression) bool {
	return slices.ContainsFunc(list, func(other tree.Expression) bool { return evaluate.Same(e, other) && isSteady(e) })
}

// isSteady reports whether an expression has one value for a row: it has no query in it and no function such as RAND().
func isSteady(e tree.Expression) bool {
	steady := true
	tree.Walk(e, func(e tree.Expression) bool {
		call, ok := e.(*tree.Call)
		steady = steady && tree.QueryOf(e) == nil && !(ok && plan.IsVolatile(call))
		return steady
	})
	return steady
}

// disjuncts are the conditions that a chain of OR joins.
func disjuncts(e tree.Expression, list []tree.Expression) []tree.Expression {
	if either, ok := e.(*tree.Binary); ok && either.Operator == tree.Or {
		return disjuncts(either.Right, disjuncts(either.Left, list))
	}
	return append(list, e)
}

func or(a, b tree.Expression) tree.Expression { return chain(tree.Or, a, b) }

// all joins conditions by AND.
func all(list []tree.Expression) (e tree.Expression) {
	for _, one := range list {
		e = chain(tree.And, e, one)
	}
	return e
}

// chain joins two conditions; a may be nil.
func chain(by tree.Operator, a, b tree.Expression) tree.Expression {
	if a == nil {
		return b
	}
	return &tree.Binary{Operator: by, Left: a, Right: b}
}

// imply adds what an OR over several tables says of each of them: (a.x = 1 AND b.y = 2) OR (a.x = 2 AND b.y = 1) says
// a.x = 1 OR a.x = 2.
func (s *scope) imply(list []condition) ([]condition, error) {
	for _, c := range list {
		if c.queries || c.needs&(c.needs-1) == 0 {
			continue
		}
		branches := disjuncts(c.e, nil)
		for _, l := range s.leaves {
			if !c.needs.has(l.set()) || len(branches) < 2 {
				continue
			}
			e, err := s.about(l, branches)
			if err != nil {
				return nil, err
			}
			if e != nil {
				list = append(list, condition{e: e, needs: l.set(), implied: true})
			}
		}
	}
	return list, nil
}

// about is the OR of what each branch says of a leaf alone; nil if one says nothing.
func (s *scope) about(l *leaf, branches []tree.Expression) (either tree.Expression, err error) {
	for _, branch := range branches {
		var own []tree.Expression
		for _, e := range conjuncts(branch, nil) {
			c, err := s.condition(e)
			if err != nil {
				return nil, err
			}
			if c.needs == l.set() && isSteady(e) {
				own = append(own, e)
			}
		}
		if len(own) == 0 {
			return nil, nil
		}
		either = or(either, all(own))
	}
	return either, nil
}

// carry adds the ranges that equalities carry over to other tables. equal reports whether one of columns and another
// column have one value in each row.
func (s *scope) carry(list []condition, columns []*tree.Column, equal func(a, b *tree.Column) bool) []condition {
	for _, c := range list {
		of := ranged(c.e)
		for _, other := range columns {
			if of == nil || other.Table == of.Table || !equal(of, other) || !s.orderAlike(of, other) {
				continue
			}
			e := tree.Rebuild(c.e, func(e tree.Expression) tree.Expression {
				if e == tree.Expression(of) {
					return other
				}
				return nil
			})
			if !slices.ContainsFunc(list, func(c condition) bool { return evaluate.Same(c.e, e) }) {
				list = append(list, condition{e: e, needs: s.leafOf(other).set(), implied: true})
			}
		}
	}
	return list
}

// ranged is the column that a condition bounds by values; nil: it is no range.
func ranged(e tree.Expression) *tree.Column {
	switch e := e.(type) {
	case *tree.Binary:
		switch e.Operator {
		case tree.Less, tree.LessOrEqual, tree.Greater, tree.GreaterOrEqual:
			if c, ok := e.Left.(*tree.Column); ok && tree.IsValue(e.Right) {
				return c
			}
			if c, ok := e.Right.(*tree.Column); ok && tree.IsValue(e.Left) {
				return c
			}
		}
	case *tree.Between:
		if c, ok := e.X.(*tree.Column); ok && !e.Not && tree.IsValue(e.Low) && tree.IsValue(e.High) {
			return c
		}
	}
	return nil
}

// orderAlike reports whether of two columns whose values are equal both lie in a range, or none.
func (s *scope) orderAlike(a, b *tree.Column) bool {
	x, y := s.leafOf(a), s.leafOf(b)
	if x == nil || y == nil {
		return false
	}
	t, u := x.typeOf(a.Name), y.typeOf(b.Name)
	return t.Base == u.Base && t.Variety == u.Variety && class(t) != 0 && !t.IsList() && !u.IsList()
}
