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
	a, err := n.left.value(x)
	if err != nil {
		return unknown, err
	}
	b, err := n.right.value(x)
	if err != nil {
		return unknown, err
	}
	return compare(n.operator, a, b), x.checkNumbers(a, b)
}

// columnComparison compares a column with something: the most common condition, without a detour.
type columnComparison struct {
	slot     int
	right    node
	operator tree.Operator
}

func (n *columnComparison) value(x *Context) (datum.Datum, error) { return valueOf(n, x) }

func (n *columnComparison) truth(x *Context) (truth, error) {
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
	if _, ok := right.(*column); ok {
		left, right, operator = right, left, operator.Swapped()
	}
	if c, ok := left.(*column); ok {
		return typedNode{&columnComparison{c.slot, right, operator}, isTruth, constant}
	}
	return typedNode{&comparison{left, right, operator}, isTruth, constant}
}

// convert makes sure that a constant is converted once to what it is compared with.
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
		a, err := n.left[i].value(x)
		if err != nil {
			return unknown, err
		}
		b, err := n.right[i].value(x)
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
		a, err := n.left[i].value(x)
		if err != nil {
			return unknown, err
		}
		b, err := n.right[i].value(x)
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

// between is BETWEEN: x >= low AND x <= high, with x computed once.
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
	if err != nil {
		return unknown, err
	}
	low, err := n.low.value(x)
	if err != nil {
		return unknown, err
	}
	above := compare(tree.GreaterOrEqual, d, low)
	if above == no {
		return yes.negateIf(!n.not), nil
	}
	high, err := n.high.value(x)
	if err != nil {
		return unknown, err
	}
	below := compare(tree.LessOrEqual, d, high)
	if below == yes {
		below = above
	}
	return below.negateIf(n.not), nil
}
