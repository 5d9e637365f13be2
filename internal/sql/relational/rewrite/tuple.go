// SPDX-License-Identifier: Apache-2.0

package rewrite

import "github.com/dolthub/vitess/go/vt/sqlparser"

// listMax is up to how many tuples a list of IN is written out.
const listMax = 100

// writeOutTuples turns comparisons of tuples into those of their elements: the engine converts elements to the types of the first tuple's, and is wrong
// about NULL.
func writeOutTuples(parsed sqlparser.Statement) {
	var from, to []sqlparser.Expr
	visit(parsed, func(e *sqlparser.ComparisonExpr) {
		if written := writtenOut(e); written != nil {
			from, to = append(from, e), append(to, &sqlparser.ParenExpr{Expr: written})
		}
	})
	if len(from) == 0 {
		return
	}
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		for _, place := range expressionsOf(node) {
			for i := range from {
				*place = sqlparser.ReplaceExpr(*place, from[i], to[i])
			}
		}
		return true, nil
	}, parsed)
}

func visit(parsed sqlparser.Statement, f func(*sqlparser.ComparisonExpr)) {
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if e, ok := node.(*sqlparser.ComparisonExpr); ok {
			f(e)
		}
		return true, nil
	}, parsed)
}

// expressionsOf are the places in a node that hold whole expressions.
func expressionsOf(node sqlparser.SQLNode) (places []*sqlparser.Expr) {
	switch n := node.(type) {
	case *sqlparser.Where:
		if n != nil && n.Expr != nil {
			places = append(places, &n.Expr)
		}
	case *sqlparser.AliasedExpr:
		places = append(places, &n.Expr)
	case *sqlparser.JoinTableExpr:
		if n.Condition.On != nil {
			places = append(places, &n.Condition.On)
		}
	case *sqlparser.Order:
		places = append(places, &n.Expr)
	case sqlparser.GroupBy:
		for i := range n {
			places = append(places, &n[i])
		}
	case *sqlparser.AssignmentExpr:
		places = append(places, &n.Expr)
	}
	return places
}

// writtenOut is a comparison of tuples by their elements; nil for other comparisons.
func writtenOut(e *sqlparser.ComparisonExpr) sqlparser.Expr {
	left, ok := e.Left.(sqlparser.ValTuple)
	if !ok || len(left) < 2 {
		return nil
	}
	right, ok := e.Right.(sqlparser.ValTuple)
	if !ok {
		return nil
	}
	switch e.Operator {
	case sqlparser.InStr, sqlparser.NotInStr:
		return listed(e.Operator, left, right)
	case sqlparser.EqualStr, sqlparser.NullSafeEqualStr, sqlparser.NotEqualStr:
		if len(left) == len(right) {
			return equal(e.Operator, left, right)
		}
	case sqlparser.LessThanStr, sqlparser.LessEqualStr, sqlparser.GreaterThanStr, sqlparser.GreaterEqualStr:
		if len(left) == len(right) {
			return ordered(e.Operator, left, right)
		}
	}
	return nil
}

// listed is IN and NOT IN.
func listed(operator string, left, list sqlparser.ValTuple) (e sqlparser.Expr) {
	if len(list) > listMax {
		return nil
	}
	for _, one := range list {
		tuple, ok := one.(sqlparser.ValTuple)
		if !ok || len(tuple) != len(left) {
			return nil
		}
		next := sqlparser.Expr(&sqlparser.ParenExpr{Expr: equal(sqlparser.EqualStr, left, tuple)})
		if e == nil {
			e = next
		} else {
			e = &sqlparser.OrExpr{Left: e, Right: next}
		}
	}
	if operator == sqlparser.NotInStr {
		return &sqlparser.NotExpr{Expr: &sqlparser.ParenExpr{Expr: e}}
	}
	return e
}

// equal is =, <=> and <>.
func equal(operator string, left, right sqlparser.ValTuple) (e sqlparser.Expr) {
	one := operator
	if operator == sqlparser.NotEqualStr {
		one = sqlparser.EqualStr
	}
	for i := range left {
		next := &sqlparser.ComparisonExpr{Operator: one, Left: left[i], Right: right[i]}
		if e == nil {
			e = next
		} else {
			e = &sqlparser.AndExpr{Left: e, Right: next}
		}
	}
	if operator == sqlparser.NotEqualStr {
		return &sqlparser.NotExpr{Expr: &sqlparser.ParenExpr{Expr: e}}
	}
	return e
}

// ordered is <, <=, > and >=: the first elements decide unless they are equal.
func ordered(operator string, left, right sqlparser.ValTuple) sqlparser.Expr {
	last := len(left) - 1
	var e sqlparser.Expr = &sqlparser.ComparisonExpr{Operator: operator, Left: left[last], Right: right[last]}
	strict := operator[:1]
	for i := last - 1; i >= 0; i-- {
		same := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualStr, Left: left[i], Right: right[i]}
		e = &sqlparser.ParenExpr{Expr: &sqlparser.OrExpr{
			Left:  &sqlparser.ComparisonExpr{Operator: strict, Left: left[i], Right: right[i]},
			Right: &sqlparser.AndExpr{Left: same, Right: e},
		}}
	}
	return e
}
