// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// Subqueries runs the queries that stand in expressions, by the numbers that a SubqueryScope gave them. x is the
// context that asks; its row has the outer values. The result is valid until the next call.
type Subqueries interface {
	// Row is the only row of the answer; nil if there is none. More than one is an error (1242).
	Row(x *Context, number int) ([]datum.Datum, error)
	// Exists reports whether there is a row.
	Exists(x *Context, number int) (bool, error)
	// Any reports whether values operator row is TRUE of some row of the answer. null is set if it is of none, but NULL
	// of some.
	Any(x *Context, number int, operator tree.Operator, values []datum.Datum) (is, null bool, err error)
}

// SubqueryScope is a Scope that compiles the queries of expressions. slot finds the slot of an outer column or
// aggregate in the row that the program runs over.
type SubqueryScope interface {
	Scope
	Subquery(q tree.Query, exists bool, slot func(e tree.Expression) (int, error)) (SubqueryOf, error)
}

// SubqueryOf is a compiled subquery as an expression sees it.
type SubqueryOf struct {
	Number int
	Types  []datum.Type // of its columns
	// Constant says that the answer is the same for all rows.
	Constant bool
}

// subquery is a query as a value.
type subquery struct{ number int }

func (n *subquery) value(x *Context) (datum.Datum, error) {
	row, err := x.Subqueries.Row(x, n.number)
	if err != nil || row == nil {
		return datum.Null, err
	}
	return row[0].Clone(), nil
}

// exists is EXISTS.
type exists struct{ number int }

func (n *exists) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *exists) truth(x *Context) (truth, error) {
	is, err := x.Subqueries.Exists(x, n.number)
	return when(is), err
}

// quantifiedComparison is values operator ANY (query), or its opposite.
type quantifiedComparison struct {
	number   int
	operator tree.Operator
	values   []node
	not      bool
}

func (n *quantifiedComparison) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *quantifiedComparison) truth(x *Context) (truth, error) {
	values := make([]datum.Datum, len(n.values))
	for i, one := range n.values {
		var err error
		if values[i], err = one.value(x); err != nil {
			return unknown, err
		}
	}
	is, null, err := x.Subqueries.Any(x, n.number, n.operator, values)
	if !is && null {
		return unknown, err
	}
	return when(is).negateIf(n.not), err
}

// rowComparison compares a tuple with the only row of a query.
type rowComparison struct {
	number   int
	operator tree.Operator
	values   []node
}

func (n *rowComparison) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *rowComparison) truth(x *Context) (truth, error) {
	row, err := x.Subqueries.Row(x, n.number)
	if err != nil {
		return unknown, err
	}
	right := make([]node, len(n.values))
	for i := range right {
		right[i] = &literal{}
		if row != nil {
			right[i] = &literal{row[i].Clone()}
		}
	}
	return (&tupleComparison{left: n.values, right: right, operator: n.operator}).truth(x)
}

// compileQuery compiles the query of an expression.
func (c *compiler) compileQuery(q tree.Query, isExists bool, columns int) (SubqueryOf, error) {
	scope, ok := c.scope.(SubqueryScope)
	if !ok {
		return SubqueryOf{}, fault.New(fault.NotSupported, "A subquery is not allowed in this expression.")
	}
	of, err := scope.Subquery(q, isExists, func(outer tree.Expression) (int, error) {
		found, err := c.compile(outer)
		if err != nil {
			return 0, err
		}
		return found.node.(*column).slot, nil
	})
	if err == nil && !isExists && len(of.Types) != columns {
		err = fault.New(fault.WrongOperands, columns)
	}
	return of, err
}

func (c *compiler) subquery(e *tree.Subquery) (typedNode, error) {
	of, err := c.compileQuery(e.Query, false, 1)
	if err != nil {
		return typedNode{}, err
	}
	return typedNode{&subquery{of.Number}, of.Types[0], of.Constant}, nil
}

func (c *compiler) exists(e *tree.Exists) (typedNode, error) {
	of, err := c.compileQuery(e.Query, true, 0)
	return typedNode{&exists{of.Number}, isTruth, of.Constant}, err
}

// anyOf compiles x operator ANY (query); all makes it NOT (x negated-operator ANY (query)).
func (c *compiler) anyOf(x tree.Expression, q tree.Query, operator tree.Operator, not bool) (typedNode, error) {
	elements := []tree.Expression{x}
	if tuple, ok := x.(*tree.Tuple); ok {
		elements = tuple.Elements
	}
	operands, err := c.all(elements...)
	if err != nil {
		return typedNode{}, err
	}
	of, err := c.compileQuery(q, false, len(elements))
	if err != nil {
		return typedNode{}, err
	}
	constant := settle(operands) && of.Constant
	return typedNode{&quantifiedComparison{number: of.Number, operator: operator, values: nodes(operands), not: not},
		isTruth, constant}, nil
}

func (c *compiler) inQuery(e *tree.InQuery) (typedNode, error) {
	return c.anyOf(e.X, e.Query, tree.Equal, e.Not)
}

func (c *compiler) compileQuantified(e *tree.Quantified) (typedNode, error) {
	negated, ok := e.Operator.Negated()
	if !ok {
		return typedNode{}, fault.New(fault.NotSupported, "ANY and ALL are only allowed after =, <>, <, <=, > and >=.")
	}
	if e.All {
		return c.anyOf(e.X, e.Query, negated, true)
	}
	return c.anyOf(e.X, e.Query, e.Operator, false)
}

// compareRow compiles (a, b) operator (query) and its mirror. ok is false for other comparisons.
func (c *compiler) compareRow(e *tree.Binary) (found typedNode, ok bool, err error) {
	tuple, isTuple := e.Left.(*tree.Tuple)
	query, isQuery := e.Right.(*tree.Subquery)
	operator := e.Operator
	if !isTuple || !isQuery {
		tuple, isTuple = e.Right.(*tree.Tuple)
		query, isQuery = e.Left.(*tree.Subquery)
		operator = operator.Swapped()
	}
	if !isTuple || !isQuery {
		return found, false, nil
	}
	operands, err := c.all(tuple.Elements...)
	if err != nil {
		return found, true, err
	}
	of, err := c.compileQuery(query.Query, false, len(operands))
	constant := allConstant(operands) && of.Constant
	return typedNode{&rowComparison{number: of.Number, operator: operator, values: nodes(operands)}, isTruth, constant},
		true, err
}
