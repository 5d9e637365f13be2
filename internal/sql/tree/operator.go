// SPDX-License-Identifier: Apache-2.0

package tree

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
