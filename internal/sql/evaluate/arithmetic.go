// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/order"
)

// calculation is + - * / DIV %.
type calculation struct {
	left, right node
	apply       func(a, b datum.Datum) (datum.Datum, error)
	divides     bool // apply is NULL where b is zero
}

func (n *calculation) value(x *Context) (datum.Datum, error) {
	a, err := n.left.value(x)
	if err != nil || a.IsNull() {
		return datum.Null, err
	}
	b, err := n.right.value(x)
	if err != nil {
		return datum.Null, err
	}
	if err := x.checkNumbers(a, b); err != nil {
		return datum.Null, err
	}
	d, err := n.apply(a, b)
	return d, n.checkDivision(x, b, d, err)
}

// checkDivision refuses a division of something by zero where that is an error.
func (n *calculation) checkDivision(x *Context, b, quotient datum.Datum, err error) error {
	if err == nil && n.divides && x.StrictDivision && quotient.IsNull() && !b.IsNull() {
		return fault.New(fault.DivisionByZero)
	}
	return err
}

func arithmetic(operator tree.Operator, left, right node) node {
	n := &calculation{left: left, right: right, apply: datum.Add}
	n.divides = operator == tree.Divide || operator == tree.IntegerDivide || operator == tree.Modulo
	switch operator {
	case tree.Minus:
		n.apply = datum.Subtract
	case tree.Multiply:
		n.apply = datum.Multiply
	case tree.Divide:
		n.apply = datum.Divide
	case tree.IntegerDivide:
		n.apply = datum.IntegerDivide
	case tree.Modulo:
		n.apply = datum.Modulo
		if a, b := integerOf(left), integerOf(right); a != nil && b != nil {
			return &modulo{calculation: *n, a: a, b: b}
		}
	}
	return n
}

// unsignedArithmetic is + - * DIV of which an operand's type is unsigned.
type unsignedArithmetic struct {
	calculation
	sign string
}

func (n *unsignedArithmetic) value(x *Context) (datum.Datum, error) {
	a, err := n.left.value(x)
	if err != nil || a.IsNull() {
		return datum.Null, err
	}
	b, err := n.right.value(x)
	if err != nil {
		return datum.Null, err
	}
	d, err := datum.Unsigned(n.apply, n.sign, a, b)
	return d, n.checkDivision(x, b, d, err)
}

// unsignedOf makes a calculation one without a sign where an operand's type has none. The other's may be unknown: it is
// a parameter.
func unsignedOf(operator tree.Operator, n node, a, b datum.Type) node {
	calculated, ok := n.(*calculation)
	if !ok || !a.IsUnsigned() && !b.IsUnsigned() {
		return n
	}
	signs := [...]string{tree.Plus: "+", tree.Minus: "-", tree.Multiply: "*", tree.IntegerDivide: "DIV"}
	if int(operator) >= len(signs) || signs[operator] == "" {
		return n
	}
	return &unsignedArithmetic{*calculated, signs[operator]}
}

// numberType is the type of a value as arithmetic sees it.
func numberType(t datum.Type) datum.Type {
	switch {
	case t.IsUnsigned():
		return datum.Type{Base: datum.BigIntUnsigned}
	case t.Base == datum.Untyped:
		return t
	case t.Base == datum.DecimalBase:
		return datum.Type{Base: datum.DecimalBase, Precision: order.DecimalDigitsMax, Scale: t.Scale}
	case t.IsFloat() || t.IsText() || t.IsBinary():
		return datum.Type{Base: datum.Double}
	case t.Base == datum.JSONBase:
		return datum.Type{}
	}
	return datum.Type{Base: datum.BigInt}
}

// arithmeticType is the type of a result. It is unknown if that of an operand is.
func arithmeticType(operator tree.Operator, a, b datum.Type) datum.Type {
	a, b = numberType(a), numberType(b)
	switch {
	case operator == tree.IntegerDivide && a.Base != datum.BigIntUnsigned && b.Base != datum.BigIntUnsigned:
		return datum.Type{Base: datum.BigInt}
	case a.Base == datum.Untyped || b.Base == datum.Untyped:
		return datum.Type{}
	case a.Base == datum.Double || b.Base == datum.Double:
		return datum.Type{Base: datum.Double}
	case a.Base == datum.DecimalBase || b.Base == datum.DecimalBase || operator == tree.Divide:
		scale := max(a.Scale, b.Scale)
		if operator == tree.Multiply {
			scale = a.Scale + b.Scale
		} else if operator == tree.Divide {
			scale = a.Scale + 4
		}
		return datum.Type{Base: datum.DecimalBase, Precision: order.DecimalDigitsMax, Scale: min(scale, 30)}
	case a.Base == datum.BigIntUnsigned || b.Base == datum.BigIntUnsigned:
		return datum.Type{Base: datum.BigIntUnsigned}
	}
	return datum.Type{Base: datum.BigInt}
}

// negate is unary minus.
type negate struct{ of node }

func (n *negate) value(x *Context) (datum.Datum, error) {
	d, err := n.of.value(x)
	if err != nil {
		return datum.Null, err
	}
	return datum.Negate(d)
}

// bitNot is ~.
type bitNot struct{ of node }

func (n *bitNot) value(x *Context) (datum.Datum, error) {
	d, err := n.of.value(x)
	if err != nil || d.IsNull() {
		return datum.Null, err
	}
	return datum.Uint(^d.Bits()), nil
}

// bitwise is & | ^ << >>, of 64 bits without a sign.
type bitwise struct {
	operator    tree.Operator
	left, right node
}

func (n *bitwise) value(x *Context) (datum.Datum, error) {
	a, b, err := operandsOf(n.left, n.right, tree.Equal, x)
	if err != nil || a.IsNull() || b.IsNull() {
		return datum.Null, err
	}
	v, w := a.Bits(), b.Bits()
	switch n.operator {
	case tree.BitAnd:
		v &= w
	case tree.BitOr:
		v |= w
	case tree.BitXor:
		v ^= w
	case tree.ShiftLeft:
		v <<= w
	case tree.ShiftRight:
		v >>= w
	}
	return datum.Uint(v), nil
}
