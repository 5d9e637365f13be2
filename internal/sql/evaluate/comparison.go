// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// comparison compares two scalars.
type comparison struct {
	left, right node
	operator    tree.Operator
}

func (n *comparison) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *comparison) truth(x *Context) (truth, error) {
	a, b, err := operandsOf(n.left, n.right, n.operator, x)
	if err != nil {
		return unknown, err
	}
	return compare(n.operator, a, b), x.checkNumbers(a, b)
}

// operandsOf computes what is compared. As in MySQL the right operand is left alone where the left one is NULL and says
// all: it may have no value, such as a number that is out of range.
func operandsOf(left, right node, operator tree.Operator, x *Context) (a, b datum.Datum, err error) {
	if a, err = left.value(x); err != nil || a.IsNull() && operator != tree.NullSafeEqual {
		return a, datum.Null, err
	}
	b, err = right.value(x)
	return a, b, err
}

// columnComparison compares a column with something: the most common condition, without a detour.
type columnComparison struct {
	slot     int
	right    node
	operator tree.Operator
	last     bool // the column stands on the right
}

func (n *columnComparison) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *columnComparison) truth(x *Context) (truth, error) {
	if x.Row[n.slot].IsNull() && !n.last && n.operator != tree.NullSafeEqual {
		return unknown, nil // see operandsOf
	}
	b, err := n.right.value(x)
	if err != nil {
		return unknown, err
	}
	return compare(n.operator, x.Row[n.slot], b), x.checkNumbers(x.Row[n.slot], b)
}

func compare(operator tree.Operator, a, b datum.Datum) truth {
	if operator == tree.NullSafeEqual && (a.IsNull() || b.IsNull()) {
		return when(a.IsNull() && b.IsNull())
	}
	order, null := datum.Compare(a, b)
	if null {
		if operator == tree.NullSafeEqual {
			return no
		}
		return unknown
	}
	return when(operator.Holds(order))
}

func (c *compiler) comparison(e *tree.Binary) (typedNode, error) {
	if found, ok, err := c.compareRow(e); ok {
		return found, err
	}
	left, isTuple := e.Left.(*tree.Tuple)
	right, both := e.Right.(*tree.Tuple)
	switch {
	case isTuple && both:
		return c.tuples(e.Operator, left, right)
	case isTuple:
		return typedNode{}, fault.New(fault.WrongOperands, len(left.Elements))
	case both:
		return typedNode{}, fault.New(fault.WrongOperands, 1)
	}
	operands, err := c.all(e.Left, e.Right)
	if err != nil {
		return typedNode{}, err
	}
	return comparisonNode(e.Operator, operands), nil
}

// comparisonNode makes the node that compares two operands.
func comparisonNode(operator tree.Operator, operands []typedNode) typedNode {
	constant := settle(operands)
	convert(&operands[0], &operands[1])
	convert(&operands[1], &operands[0])
	left, right := operands[0].node, operands[1].node
	if c, ok := right.(*column); ok {
		return typedNode{&columnComparison{c.slot, left, operator.Swapped(), true}, isTruth, constant}
	}
	if c, ok := left.(*column); ok {
		return typedNode{&columnComparison{c.slot, right, operator, false}, isTruth, constant}
	}
	return typedNode{&comparison{left, right, operator}, isTruth, constant}
}

// convert makes sure that a constant is converted once to the type of the other side.
func convert(constant, with *typedNode) {
	if !constant.constant || with.constant || with.t.Base == datum.Untyped || with.t.IsText() || with.t.IsBinary() ||
		with.t.Base == datum.JSONBase {
		return
	}
	if l, ok := constant.node.(*literal); ok {
		if k := l.d.Kind(); k != datum.KindText && k != datum.KindBinary {
			return
		}
	}
	if o, ok := constant.node.(*once); ok && o.to.Base == datum.Untyped {
		constant.node = o.of
	}
	constant.node = &once{of: constant.node, to: with.t}
}

// tupleComparison compares element by element, the first difference telling.
type tupleComparison struct {
	left, right []node
	operator    tree.Operator
}

func (c *compiler) tuples(operator tree.Operator, left, right *tree.Tuple) (typedNode, error) {
	if len(left.Elements) != len(right.Elements) {
		return typedNode{}, fault.New(fault.WrongOperands, len(left.Elements))
	}
	n := &tupleComparison{operator: operator}
	constant := true
	for i := range left.Elements {
		pair, err := c.all(left.Elements[i], right.Elements[i])
		if err != nil {
			return typedNode{}, err
		}
		constant = settle(pair) && constant
		convert(&pair[0], &pair[1])
		convert(&pair[1], &pair[0])
		n.left, n.right = append(n.left, pair[0].node), append(n.right, pair[1].node)
	}
	return typedNode{n, isTruth, constant}, nil
}

func (n *tupleComparison) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *tupleComparison) truth(x *Context) (truth, error) {
	switch n.operator {
	case tree.Equal, tree.NullSafeEqual:
		return n.equal(x, n.operator)
	case tree.NotEqual:
		t, err := n.equal(x, tree.Equal)
		return t.not(), err
	}
	for i := range n.left {
		a, b, err := operandsOf(n.left[i], n.right[i], n.operator, x)
		if err != nil {
			return unknown, err
		}
		order, null := datum.Compare(a, b)
		if null {
			return unknown, nil
		}
		if order != 0 {
			return when(n.operator.Holds(order)), nil
		}
	}
	return when(n.operator.Holds(0)), nil
}

func (n *tupleComparison) equal(x *Context, operator tree.Operator) (truth, error) {
	all := yes
	for i := range n.left {
		a, b, err := operandsOf(n.left[i], n.right[i], operator, x)
		if err != nil {
			return unknown, err
		}
		switch compare(operator, a, b) {
		case no:
			return no, nil
		case unknown:
			all = unknown
		}
	}
	return all, nil
}

// between is BETWEEN: x >= low AND x <= high, with x computed once. As in MySQL both bounds are computed, except for a
// NULL.
type between struct {
	of, low, high node
	not           bool
}

func (c *compiler) compileBetween(e *tree.Between) (typedNode, error) {
	operands, err := c.all(e.X, e.Low, e.High)
	if err != nil {
		return typedNode{}, err
	}
	constant := settle(operands)
	convert(&operands[1], &operands[0])
	convert(&operands[2], &operands[0])
	return typedNode{&between{operands[0].node, operands[1].node, operands[2].node, e.Not}, isTruth, constant}, nil
}

func (n *between) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *between) truth(x *Context) (truth, error) {
	d, err := n.of.value(x)
	if err != nil || d.IsNull() {
		return unknown, err
	}
	low, err := n.low.value(x)
	if err != nil {
		return unknown, err
	}
	high, err := n.high.value(x)
	if err != nil {
		return unknown, err
	}
	above := compare(tree.GreaterOrEqual, d, low)
	if above == no {
		return yes.negateIf(!n.not), nil
	}
	below := compare(tree.LessOrEqual, d, high)
	if below == yes {
		below = above
	}
	return below.negateIf(n.not), nil
}
