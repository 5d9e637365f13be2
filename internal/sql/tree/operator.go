// SPDX-License-Identifier: Apache-2.0

package tree

// How tightly expressions bind, the loosest first. IN, BETWEEN and LIKE are predicates, what never needs brackets is an
// operand. Printed, an operand that binds more loosely than its place wants gets brackets.
const (
	BindOr = iota + 1
	BindXor
	BindAnd
	BindNot
	BindComparison
	BindPredicate
	BindBitOr
	BindBitAnd
	BindShift
	BindSum
	BindProduct
	BindBitXor
	BindUnary
	BindOperand
)

// Binding is how tightly an operator binds its operands.
func (o Operator) Binding() int { return spelled[o].binds }

// Holds reports whether a comparison of two values that came out as order makes the operator, which is one of
// comparison, true.
func (o Operator) Holds(order int) bool {
	switch o {
	case Equal, NullSafeEqual:
		return order == 0
	case NotEqual:
		return order != 0
	case Less:
		return order < 0
	case LessOrEqual:
		return order <= 0
	case Greater:
		return order > 0
	}
	return order >= 0
}

// Swapped is the operator that holds for (b, a) where o, which is one of comparison, holds for (a, b).
func (o Operator) Swapped() Operator {
	switch o {
	case Less:
		return Greater
	case LessOrEqual:
		return GreaterOrEqual
	case Greater:
		return Less
	case GreaterOrEqual:
		return LessOrEqual
	}
	return o
}

// Negated is the relation that is TRUE exactly where o, one of the six, is FALSE. ok is false for other operators.
func (o Operator) Negated() (negated Operator, ok bool) {
	switch o {
	case Equal:
		return NotEqual, true
	case NotEqual:
		return Equal, true
	case Less:
		return GreaterOrEqual, true
	case LessOrEqual:
		return Greater, true
	case Greater:
		return LessOrEqual, true
	case GreaterOrEqual:
		return Less, true
	}
	return o, false
}
