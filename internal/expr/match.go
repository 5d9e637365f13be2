// SPDX-License-Identifier: Apache-2.0

package expr

import (
	"bytes"

	"github.com/weftdb/weft/internal/value"
)

// scratchBytes holds what most operands compute: a number.
const scratchBytes = 32

// Match reports whether the condition is true for the source. A nil condition is true. The error is an *Error; only arithmetic in an
// operand can cause one.
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
		v, ok := c.Path.Lookup(s)
		return ok && sameType(v.Kind(), c.Type), nil
	case *BeginsWith:
		return c.match(s)
	case *Contains:
		return c.match(s)
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
	var scratchA, scratchB [scratchBytes]byte
	a, _, err := evaluate(c.A, s, scratchA[:0])
	if err != nil {
		return false, err
	}
	b, _, err := evaluate(c.B, s, scratchB[:0])
	if err != nil {
		return false, err
	}
	return c.Op.holds(a, b), nil
}

// holds reports whether a relation is true. If a value is missing, only NotEqual is.
func (op Comparison) holds(a, b value.Value) bool {
	switch op {
	case Equal:
		return equal(a, b)
	case NotEqual:
		return !equal(a, b)
	}
	order, comparable := value.Compare(a, b)
	if !comparable {
		return false
	}
	switch op {
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
	x, _, err := evaluate(c.X, s, scratchX[:0])
	if x.IsMissing() || err != nil {
		return false, err
	}
	low, _, err := evaluate(c.Low, s, scratchBound[:0])
	if err != nil || !GreaterOrEqual.holds(x, low) {
		return false, err
	}
	high, _, err := evaluate(c.High, s, scratchBound[:0])
	return err == nil && LessOrEqual.holds(x, high), err
}

func (c *In) match(s Source) (bool, error) {
	var scratchX, scratchMember [scratchBytes]byte
	x, _, err := evaluate(c.X, s, scratchX[:0])
	if x.IsMissing() || err != nil {
		return false, err
	}
	for _, o := range c.List {
		member, _, err := evaluate(o, s, scratchMember[:0])
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
	var scratchX, scratchPrefix [scratchBytes]byte
	x, _, err := evaluate(c.X, s, scratchX[:0])
	if err != nil {
		return false, err
	}
	prefix, _, err := evaluate(c.Prefix, s, scratchPrefix[:0])
	if err != nil {
		return false, err
	}
	kind := x.Kind()
	text := kind == value.String || kind == value.Binary
	return text && prefix.Kind() == kind && bytes.HasPrefix(x.Bytes(), prefix.Bytes()), nil
}

func (c *Contains) match(s Source) (bool, error) {
	var scratchX, scratchMember [scratchBytes]byte
	x, _, err := evaluate(c.X, s, scratchX[:0])
	if err != nil {
		return false, err
	}
	member, _, err := evaluate(c.Member, s, scratchMember[:0])
	return err == nil && x.Contains(member), err
}
