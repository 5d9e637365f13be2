// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"bytes"

	"github.com/weftdb/weft/internal/data/value"
)

// scratchBytes holds a size.
const scratchBytes = 16

// operandValue is the value of a condition's operand, or nil. It may alias scratch, and is not kept. Unlike evaluate it
// does not call itself, so that scratch can stay on the caller's stack; operands that do, which are rare in conditions,
// pay with an allocation.
func operandValue(o Operand, s Source, scratch []byte) (value.Value, error) {
	switch o := o.(type) {
	case *Path:
		v, _ := o.Lookup(s)
		return v, nil
	case *Literal:
		return o.Value, nil
	case *Size:
		v, _ := o.evaluate(s, scratch)
		return v, nil
	}
	v, _, err := evaluate(o, s, nil)
	return v, err
}

// Match reports whether the condition is true for the source. A nil condition is true. The error is an *Error; only
// arithmetic in an operand can cause one.
func Match(c Condition, s Source) (bool, error) {
	switch c := c.(type) {
	case nil:
		return true, nil
	case *Compare:
		return c.match(s)
	case *And:
		return matchAll(c.List, s)
	case *Or:
		return matchAny(c.List, s)
	case *Not:
		ok, err := Match(c.Of, s)
		return !ok && err == nil, err
	case *Between:
		return c.match(s)
	case *In:
		return c.match(s)
	case *Exists:
		_, ok := c.Path.Lookup(s)
		return ok, nil
	case *NotExists:
		_, ok := c.Path.Lookup(s)
		return !ok, nil
	case *HasType:
		v, err := operandValue(c.X, s, nil)
		return !v.IsMissing() && sameType(v.Kind(), c.Type), err
	case *BeginsWith:
		return c.match(s)
	case *Contains:
		return c.match(s)
	case *Matches:
		return c.match(s), nil
	}
	return false, nil
}

func matchAll(list []Condition, s Source) (bool, error) {
	for _, c := range list {
		if ok, err := Match(c, s); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func matchAny(list []Condition, s Source) (bool, error) {
	for _, c := range list {
		if ok, err := Match(c, s); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// sameType takes all kinds of numbers for one type, as DynamoDB shows them.
func sameType(a, b value.Kind) bool {
	return a == b || a.IsNumeric() && b.IsNumeric()
}

func (c *Compare) match(s Source) (bool, error) {
	if isSize(c.A) || isSize(c.B) {
		return c.matchSize(s)
	}
	a, err := operandValue(c.A, s, nil)
	if err != nil {
		return false, err
	}
	b, err := operandValue(c.B, s, nil)
	if err != nil {
		return false, err
	}
	switch c.Op {
	case Equal:
		return equal(a, b), nil
	case NotEqual:
		return !equal(a, b), nil
	}
	return c.Op.holds(a, b), nil
}

func isSize(o Operand) bool {
	_, ok := o.(*Size)
	return ok
}

// matchSize compares a size, which equals nothing but numbers. It keeps away from value.Equal, whose recursion makes
// the compiler put its operands on the heap.
func (c *Compare) matchSize(s Source) (bool, error) {
	var scratchA, scratchB [scratchBytes]byte
	a, err := operandValue(c.A, s, scratchA[:0])
	if err != nil {
		return false, err
	}
	b, err := operandValue(c.B, s, scratchB[:0])
	if err != nil {
		return false, err
	}
	return c.Op.holds(a, b), nil
}

// holds reports whether a relation is true of two values that have an order. Of others, only NotEqual is.
func (op Comparison) holds(a, b value.Value) bool {
	order, comparable := value.Compare(a, b)
	if !comparable {
		return op == NotEqual
	}
	switch op {
	case Equal:
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

func equal(a, b value.Value) bool {
	return !a.IsMissing() && !b.IsMissing() && value.Equal(a, b)
}

func (c *Between) match(s Source) (bool, error) {
	var scratchX, scratchBound [scratchBytes]byte
	x, err := operandValue(c.X, s, scratchX[:0])
	if x.IsMissing() || err != nil {
		return false, err
	}
	low, err := operandValue(c.Low, s, scratchBound[:0])
	if err != nil || !GreaterOrEqual.holds(x, low) {
		return false, err
	}
	high, err := operandValue(c.High, s, scratchBound[:0])
	return err == nil && LessOrEqual.holds(x, high), err
}

func (c *In) match(s Source) (bool, error) {
	x, err := operandValue(c.X, s, nil)
	if x.IsMissing() || err != nil {
		return false, err
	}
	for _, o := range c.List {
		member, err := operandValue(o, s, nil)
		if err != nil {
			return false, err
		}
		if equal(x, member) {
			return true, nil
		}
	}
	return false, nil
}

func (c *BeginsWith) match(s Source) (bool, error) {
	x, err := operandValue(c.X, s, nil)
	if err != nil {
		return false, err
	}
	prefix, err := operandValue(c.Prefix, s, nil)
	if err != nil {
		return false, err
	}
	kind := x.Kind()
	text := kind == value.String || kind == value.Binary
	return text && prefix.Kind() == kind && bytes.HasPrefix(x.Bytes(), prefix.Bytes()), nil
}

func (c *Contains) match(s Source) (bool, error) {
	x, err := operandValue(c.X, s, nil)
	if err != nil {
		return false, err
	}
	member, err := operandValue(c.Member, s, nil)
	return err == nil && x.Contains(member), err
}

func (c *Matches) match(s Source) bool {
	var texts [][]byte
	for i := range c.Paths {
		if v, ok := c.Paths[i].Lookup(s); ok {
			texts = v.AppendTexts(texts)
		}
	}
	return len(texts) > 0 && c.Query.MatchesTexts(texts)
}
