// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
)

// choice is CASE and IF: the result of the first condition that is true.
type choice struct {
	conditions []predicate
	results    []node
	otherwise  node
	to         datum.Type // Untyped: results stay as they are
}

func (n *choice) value(x *Context) (datum.Datum, error) {
	for i, condition := range n.conditions {
		t, err := condition.truth(x)
		if err != nil {
			return datum.Null, err
		}
		if t == yes {
			return common(n.results[i], x, n.to)
		}
	}
	return common(n.otherwise, x, n.to)
}

// common computes a result and converts it to the type that all results have.
func common(n node, x *Context, to datum.Type) (datum.Datum, error) {
	d, err := n.value(x)
	switch {
	case err != nil || to.Base == datum.Untyped || d.IsNull():
		return d, err
	case to.Base == datum.DecimalBase &&
		(d.Kind() == datum.KindDecimal || d.Kind() == datum.KindInt || d.Kind() == datum.KindUint):
		exact, _ := d.NumberDecimal()
		return datum.DecimalOfScale(datum.RoundDecimal(exact, to.Scale, false), to.Scale), nil
	case to.Scale > 0 && to.IsTemporal() && datum.TypeOf(d).Base == to.Base:
		return d.WithFraction(to.FractionDigits()), nil
	case datum.TypeOf(d).Base == to.Base:
		return d.Unnumbered(), nil
	}
	return datum.Cast(d, to)
}

// commonType is the type of one of several results, and what they are to be converted to: Untyped if they are of it
// already.
func commonType(results []typedNode) (t, to datum.Type) {
	t, mixed := datum.Unify(types(results))
	if mixed {
		to = t
	}
	return t, to
}

// caseOf compiles CASE. An operand is compared with each condition, and computed for each.
func (c *compiler) caseOf(e *tree.Case) (typedNode, error) {
	var conditions, results []typedNode
	for i := range e.Whens {
		var condition typedNode
		var err error
		if e.Operand != nil {
			condition, err = c.comparison(&tree.Binary{Operator: tree.Equal, Left: e.Operand,
				Right: e.Whens[i].Condition})
		} else {
			condition, err = c.compile(e.Whens[i].Condition)
		}
		if err != nil {
			return typedNode{}, err
		}
		result, err := c.compile(e.Whens[i].Result)
		if err != nil {
			return typedNode{}, err
		}
		conditions, results = append(conditions, condition), append(results, result)
	}
	otherwise := typedNode{&literal{}, datum.Type{}, true}
	if e.Else != nil {
		var err error
		if otherwise, err = c.compile(e.Else); err != nil {
			return typedNode{}, err
		}
	}
	return choose(conditions, append(results, otherwise)), nil
}

// choose makes a choice. results has one element more than conditions.
func choose(conditions, results []typedNode) typedNode {
	count := len(conditions)
	operands := append(append([]typedNode(nil), conditions...), results...)
	constant := settle(operands)
	n := &choice{results: nodes(operands[count : len(operands)-1]), otherwise: operands[len(operands)-1].node}
	for _, condition := range operands[:count] {
		n.conditions = append(n.conditions, asPredicate(condition.node))
	}
	t, to := commonType(results)
	n.to = to
	return typedNode{n, t, constant}
}

// coalesce is COALESCE and IFNULL: the first that is not NULL.
type coalesce struct {
	list []node
	to   datum.Type
}

func (n *coalesce) value(x *Context) (datum.Datum, error) {
	for _, element := range n.list {
		if d, err := common(element, x, n.to); err != nil || !d.IsNull() {
			return d, err
		}
	}
	return datum.Null, nil
}

// nullIf is NULLIF.
type nullIf struct{ left, right node }

func (n *nullIf) value(x *Context) (datum.Datum, error) {
	a, b, err := operandsOf(n.left, n.right, tree.Equal, x)
	if err != nil || datum.Equal(a, b) {
		return datum.Null, err
	}
	return a, nil
}

// control compiles the functions that compute some of their arguments only; ok is false if e is none of them.
func (c *compiler) control(e *tree.Call) (result typedNode, ok bool, err error) {
	low, high := 0, 0
	switch e.Name {
	case "if", "nvl2":
		low, high = 3, 3
	case "ifnull", "nvl", "nullif":
		low, high = 2, 2
	case "isnull":
		low, high = 1, 1
	case "coalesce":
		low, high = 1, len(e.Arguments)
	default:
		return typedNode{}, false, nil
	}
	if len(e.Arguments) < low || len(e.Arguments) > high {
		return typedNode{}, true, fault.New(fault.ParameterCount, e.Name)
	}
	operands, err := c.all(e.Arguments...)
	if err != nil {
		return typedNode{}, true, err
	}
	return controlOf(e.Name, operands), true, nil
}

func controlOf(name string, operands []typedNode) typedNode {
	switch name {
	case "if":
		return choose(operands[:1], operands[1:])
	case "nvl2":
		there := typedNode{&isNull{operands[0].node, true}, isTruth, operands[0].constant}
		return choose([]typedNode{there}, operands[1:])
	case "isnull":
		return typedNode{&isNull{operands[0].node, false}, isTruth, operands[0].constant}
	case "nullif":
		constant := settle(operands)
		return typedNode{&nullIf{operands[0].node, operands[1].node}, operands[0].t, constant}
	}
	constant := settle(operands)
	t, to := commonType(operands)
	return typedNode{&coalesce{nodes(operands), to}, t, constant}
}

// cast is CAST.
type cast struct {
	of node
	to datum.Type
}

func (n *cast) value(x *Context) (datum.Datum, error) {
	d, err := n.of.value(x)
	if err != nil {
		return datum.Null, err
	}
	if n.to.IsTemporal() {
		d = x.Written(d)
	}
	return datum.Cast(d, n.to)
}

func (c *compiler) cast(e *tree.Cast) (typedNode, error) {
	of, err := c.compile(e.X)
	if err != nil {
		return typedNode{}, err
	}
	t := e.To
	if t.Base == datum.DecimalBase && t.Precision == 0 {
		t.Precision = 10
	}
	return typedNode{&cast{of.node, t}, t, of.constant}, nil
}
