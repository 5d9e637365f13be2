// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/definition"
	"github.com/weftdb/weft/internal/sql/tree"
)

// predicate holds the bounds that a condition of WHERE puts on key columns. It is made once for a statement and bound
// to values for each execution.
type predicate interface {
	// bind returns what must hold of a row for the condition to be TRUE of it.
	bind(b *binder) limit
}

// unknown says nothing.
type unknown struct{}

// truth is a condition without columns.
type truth struct {
	value constant
	not   bool
}

// comparison is column operator value. The operator is one of the six relations or NullSafeEqual.
type comparison struct {
	column   *column
	operator tree.Operator
	value    constant
}

// membership is column IN (values).
type membership struct {
	column *column
	values []constant
}

// pattern is column LIKE pattern.
type pattern struct {
	column *column
	value  constant
	escape rune
}

// isNull is column IS NULL.
type isNull struct{ column *column }

// all is a conjunction, anyOf a disjunction.
type all []predicate

type anyOf []predicate

// tuples is (columns) IN ((values), ..).
type tuples struct {
	columns []*column
	rows    [][]constant
}

// after is (columns) operator (values), the operator being Less, Greater or one of these with equality. A nil column is
// one that no key is made of; the last ones may be.
type after struct {
	columns  []*column
	operator tree.Operator
	values   []constant
}

// reader makes predicates of expressions.
type reader struct {
	columns map[string]*column
	table   *definition.Table // nil: MATCH bounds nothing
	// constant compiles an expression without columns; ok is false if it has some, or is not the same for each row.
	constant func(tree.Expression) (c constant, ok bool)
}

// read makes a predicate of a condition, or of its negation. A condition of another form bounds nothing.
func (r *reader) read(e tree.Expression, not bool) predicate {
	switch e := e.(type) {
	case *tree.Binary:
		return r.readBinary(e, not)
	case *tree.Unary:
		if e.Operator == tree.Not {
			return r.read(e.X, !not)
		}
	case *tree.In:
		return r.readIn(e, not)
	case *tree.Between:
		low := &tree.Binary{Operator: tree.GreaterOrEqual, Left: e.X, Right: e.Low}
		high := &tree.Binary{Operator: tree.LessOrEqual, Left: e.X, Right: e.High}
		return r.readEach(tree.And, low, high, not != e.Not)
	case *tree.Like:
		c := r.columnOf(e.X)
		if value, ok := r.constant(e.Pattern); ok && c != nil && !e.Regexp && not == e.Not {
			escape := e.Escape
			if !e.EscapeGiven {
				escape = '\\'
			}
			return &pattern{column: c, value: value, escape: escape}
		}
	case *tree.Is:
		return r.readIs(e, not)
	case *tree.Call:
		if e.Name == "match" {
			return r.readMatch(e, not)
		}
	case *tree.Column:
		if c := r.columnOf(e); c != nil && c.sql.Base == datum.Boolean {
			return &comparison{column: c, operator: tree.Equal, value: constant{value: datum.Bool(!not)}}
		}
		return unknown{}
	}
	return r.readTruth(e, not)
}

func (r *reader) readTruth(e tree.Expression, not bool) predicate {
	if value, ok := r.constant(e); ok {
		return &truth{value: value, not: not}
	}
	return unknown{}
}

func (r *reader) readEach(operator tree.Operator, left, right tree.Expression, not bool) predicate {
	both := []predicate{r.read(left, not), r.read(right, not)}
	if (operator == tree.And) != not {
		return all(both)
	}
	return anyOf(both)
}

func (r *reader) readBinary(e *tree.Binary, not bool) predicate {
	operator := e.Operator
	switch operator {
	case tree.And, tree.Or:
		return r.readEach(operator, e.Left, e.Right, not)
	case tree.NullSafeEqual:
		if not {
			return r.readTruth(e, not)
		}
	case tree.Equal, tree.NotEqual, tree.Less, tree.LessOrEqual, tree.Greater, tree.GreaterOrEqual:
		if not {
			operator, _ = operator.Negated()
		}
	default:
		return r.readTruth(e, not)
	}
	if left, ok := e.Left.(*tree.Tuple); ok {
		if right, ok := e.Right.(*tree.Tuple); ok && len(left.Elements) == len(right.Elements) {
			return r.readTuples(left, right, operator)
		}
		return unknown{}
	}
	left, right := e.Left, e.Right
	if r.columnOf(left) == nil {
		left, right, operator = right, left, operator.Swapped()
	}
	if c := r.columnOf(left); c != nil {
		if value, ok := r.constant(right); ok {
			return &comparison{column: c, operator: operator, value: value}
		}
		return unknown{}
	}
	return r.readTruth(e, not)
}

// readTuples reads a comparison of two tuples: of columns and of values, or the other way round.
func (r *reader) readTuples(left, right *tree.Tuple, operator tree.Operator) predicate {
	if operator == tree.Equal || operator == tree.NullSafeEqual {
		var each all
		for i := range left.Elements {
			each = append(each, r.readBinary(&tree.Binary{Operator: operator, Left: left.Elements[i],
				Right: right.Elements[i]}, false))
		}
		return each
	}
	if r.columnOf(left.Elements[0]) == nil {
		left, right, operator = right, left, operator.Swapped()
	}
	if operator == tree.NotEqual || r.columnOf(left.Elements[0]) == nil {
		return unknown{}
	}
	values, ok := r.constants(right.Elements)
	if !ok {
		return unknown{}
	}
	a := &after{operator: operator, values: values}
	for _, e := range left.Elements {
		a.columns = append(a.columns, r.columnOf(e))
	}
	return a
}

func (r *reader) readIn(e *tree.In, not bool) predicate {
	if e.Not != not {
		return r.readNotIn(e)
	}
	if left, ok := e.X.(*tree.Tuple); ok {
		return r.readTupleIn(left, e.List)
	}
	c := r.columnOf(e.X)
	if c == nil {
		return r.readTruth(e, not)
	}
	values, ok := r.constants(e.List)
	if !ok {
		return unknown{}
	}
	return &membership{column: c, values: values}
}

// constants compiles expressions without columns; ok is false if one of them is none.
func (r *reader) constants(list []tree.Expression) (values []constant, ok bool) {
	for _, e := range list {
		value, ok := r.constant(e)
		if !ok {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// readNotIn reads NOT IN of a column that a search index holds: each member is one that it differs from.
func (r *reader) readNotIn(e *tree.In) predicate {
	c := r.columnOf(e.X)
	if c == nil || !c.searched {
		return unknown{}
	}
	values, ok := r.constants(e.List)
	if !ok {
		return unknown{}
	}
	var list all
	for _, value := range values {
		list = append(list, &comparison{column: c, operator: tree.NotEqual, value: value})
	}
	return list
}

func (r *reader) readTupleIn(left *tree.Tuple, list []tree.Expression) predicate {
	t := &tuples{}
	for _, element := range left.Elements {
		c := r.columnOf(element)
		if c == nil {
			return unknown{}
		}
		t.columns = append(t.columns, c)
	}
	for _, member := range list {
		right, ok := member.(*tree.Tuple)
		if !ok || len(right.Elements) != len(t.columns) {
			return unknown{}
		}
		row, ok := r.constants(right.Elements)
		if !ok {
			return unknown{}
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func (r *reader) readIs(e *tree.Is, not bool) predicate {
	c := r.columnOf(e.X)
	if c == nil {
		return r.readTruth(e, not)
	}
	switch not = not != e.Not; {
	case e.Kind == tree.IsNull && !not:
		return &isNull{column: c}
	case e.Kind == tree.IsNull && c.searched:
		return &presence{column: c}
	case e.Kind == tree.IsNull || not || c.sql.Base != datum.Boolean:
		return unknown{}
	}
	return &comparison{column: c, operator: tree.Equal, value: constant{value: datum.Bool(e.Kind == tree.IsTrue)}}
}

// columnOf is the column that an expression is, if keys are made of it; else nil.
func (r *reader) columnOf(e tree.Expression) *column {
	c, ok := e.(*tree.Column)
	if !ok {
		return nil
	}
	known := r.columns[c.Name]
	if known == nil && r.table != nil {
		if known = patternColumn(r.table, c.Name); known != nil {
			r.columns[c.Name] = known
		}
	}
	return known
}
