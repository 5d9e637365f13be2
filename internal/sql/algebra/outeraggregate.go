// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"slices"

	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/tree"
)

// value is the expression of the outer query that the dependency is.
func (d *dependency) value() tree.Expression {
	if d.column == nil {
		return d.aggregate
	}
	return d.column
}

// isOuterAggregate reports whether an aggregate belongs to a query around, as all its columns do. keep is resolveBut's.
func (s *scope) isOuterAggregate(call *tree.Call, keep func(c *tree.Column) bool) bool {
	if s.outer == nil || call.Over != nil || !evaluate.IsAggregate(call.Name) {
		return false
	}
	columns := evaluate.Columns(call)
	return len(columns) > 0 && !slices.ContainsFunc(columns, func(c *tree.Column) bool {
		return keep != nil && keep(c) || s.declares(c) || s.host != nil && s.host.declares(c) || !s.outer.declares(c)
	})
}

func (s *scope) declares(c *tree.Column) bool {
	found, err := s.findDeclared(c, "field list")
	return found != nil || err != nil
}

// declares reports whether a query around has a column.
func (n *nest) declares(c *tree.Column) bool {
	return n != nil && (n.of.declares(c) || n.of.outer.declares(c))
}

// aggregate is the parameter by which an aggregate is seen that a query around computes: the innermost one that has a
// column of it.
func (n *nest) aggregate(call *tree.Call, where string) (tree.Expression, error) {
	if n.of.outer != nil && !slices.ContainsFunc(evaluate.Columns(call), n.of.declares) {
		before := len(n.of.outer.depends)
		e, err := n.of.outer.aggregate(call, where)
		for _, d := range n.of.outer.depends[before:] {
			n.add(d)
		}
		if err != nil {
			return nil, err
		}
		return n.again(e), nil
	}
	resolved, err := n.of.resolve(call, where)
	if err != nil {
		return nil, err
	}
	own := resolved.(*tree.Call)
	for _, d := range n.depends {
		if d.of == n.of.frame && d.column == nil && evaluate.Same(d.aggregate, own) {
			return &tree.Parameter{Index: d.parameter}, nil
		}
	}
	compiled, err := evaluate.NewAggregate(own, clause{n.of, where})
	if err != nil {
		return nil, err
	}
	index := n.of.parameter(compiled.Type())
	n.add(dependency{parameter: index, of: n.of.frame, aggregate: own})
	return &tree.Parameter{Index: index}, nil
}

// aggregatesWithin are the aggregates over rows of a SELECT that queries in its upper part use. Only queries with
// aggregates are compiled for it.
func (s *scope) aggregatesWithin(read *tree.Select) (calls []*tree.Call, err error) {
	upper := *read
	upper.Where, upper.GroupBy = nil, nil
	for e := range expressions(&upper) {
		tree.Walk(e, func(e tree.Expression) bool {
			q := tree.QueryOf(e)
			if q == nil || err != nil || !hasAggregate(q) {
				return err == nil
			}
			_, isExists := e.(*tree.Exists)
			var in *inner
			if in, err = s.inner(q, isExists); err != nil {
				return false
			}
			for _, d := range in.depends {
				if d.of == s.frame && d.column == nil {
					calls = append(calls, d.aggregate)
				}
			}
			return true
		})
	}
	return calls, err
}

// hasAggregate reports whether a query, or one in its expressions, has an aggregate.
func hasAggregate(q tree.Query) (has bool) {
	if set, ok := q.(*tree.SetOperation); ok {
		return hasAggregate(set.Left) || hasAggregate(set.Right)
	}
	read, ok := q.(*tree.Select)
	if !ok {
		return false
	}
	for e := range expressions(read) {
		tree.Walk(e, func(e tree.Expression) bool {
			call, ok := e.(*tree.Call)
			within := tree.QueryOf(e)
			has = has || ok && evaluate.IsAggregate(call.Name) || within != nil && hasAggregate(within)
			return !has
		})
	}
	return has
}
