// SPDX-License-Identifier: Apache-2.0

package access

import (
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
)

// constraint is the bound that one condition puts on one attribute.
type constraint struct {
	name  string
	bound indexkey.Bound
	// missing and null report whether rows without the attribute, and rows where it is the null value, meet the
	// condition. An index that keeps nulls does not tell the one from the other.
	missing, null bool
}

// exact reports whether the bound is the condition, no more and no less.
func (c *constraint) exact() bool { return c.missing == c.null }

// constrain reads a condition as a constraint on one attribute. ok is false if it is none.
func constrain(c expr.Condition) (k constraint, ok bool) {
	switch c := c.(type) {
	case *expr.Compare:
		return constrainCompare(c)
	case *expr.Between:
		low, okLow := literal(c.Low)
		high, okHigh := literal(c.High)
		k.name, ok = attribute(c.X)
		k.bound = indexkey.Bound{Low: low, High: high}
		return k, ok && okLow && okHigh
	case *expr.In:
		return constrainIn(c)
	case *expr.BeginsWith:
		prefix, okPrefix := literal(c.Prefix)
		k.name, ok = attribute(c.X)
		k.bound = indexkey.Bound{Kind: indexkey.Prefix, Values: []value.Value{prefix}}
		return k, ok && okPrefix
	case *expr.NotExists:
		k = constraint{name: c.Path.Name, bound: indexkey.Bound{Kind: indexkey.IsNull}, missing: true}
		return k, c.Path.IsTopLevel()
	case *expr.HasType:
		k = constraint{bound: indexkey.Bound{Kind: indexkey.IsNull}, null: true}
		k.name, ok = attribute(c.X)
		return k, ok && c.Type == value.Null
	case *expr.Or:
		return constrainOr(c.List)
	case *expr.And:
		return constrainAnd(c.List)
	}
	return k, false
}

// attribute returns the name of an operand that is a whole attribute.
func attribute(o expr.Operand) (name string, ok bool) {
	path, ok := o.(*expr.Path)
	if !ok || !path.IsTopLevel() {
		return "", false
	}
	return path.Name, true
}

func literal(o expr.Operand) (v value.Value, ok bool) {
	l, ok := o.(*expr.Literal)
	if !ok || l.Value.IsMissing() {
		return nil, false
	}
	return l.Value, true
}

func constrainCompare(c *expr.Compare) (k constraint, ok bool) {
	op, a, b := c.Op, c.A, c.B
	if _, swapped := a.(*expr.Literal); swapped {
		op, a, b = op.Swap(), b, a
	}
	v, okValue := literal(b)
	if k.name, ok = attribute(a); !ok || !okValue {
		return k, false
	}
	switch op {
	case expr.Equal:
		k.allow(v)
	case expr.Less:
		k.bound = indexkey.Bound{High: v, HighOpen: true}
	case expr.LessOrEqual:
		k.bound = indexkey.Bound{High: v}
	case expr.Greater:
		k.bound = indexkey.Bound{Low: v, LowOpen: true}
	case expr.GreaterOrEqual:
		k.bound = indexkey.Bound{Low: v}
	default:
		return k, false
	}
	return k, true
}

// allow makes the bound some single values. The null value is not in an index as itself.
func (k *constraint) allow(values ...value.Value) {
	k.bound.Kind = indexkey.In
	for _, v := range values {
		if v.Kind() == value.Null {
			k.null = true
			continue
		}
		k.bound.Values = append(k.bound.Values, v)
	}
	if k.null {
		k.bound = indexkey.Bound{Kind: indexkey.Any, Union: []indexkey.Bound{k.bound, {Kind: indexkey.IsNull}}}
	}
}

func constrainIn(c *expr.In) (k constraint, ok bool) {
	if k.name, ok = attribute(c.X); !ok {
		return k, false
	}
	values := make([]value.Value, len(c.List))
	for i, member := range c.List {
		if values[i], ok = literal(member); !ok {
			return k, false
		}
	}
	k.allow(values...)
	return k, true
}

// constrainOr takes alternatives that all speak of one attribute.
func constrainOr(list []expr.Condition) (k constraint, ok bool) {
	k.bound.Kind, k.bound.Union = indexkey.Any, make([]indexkey.Bound, 0, len(list))
	for i, c := range list {
		one, ok := constrain(c)
		if !ok || i > 0 && one.name != k.name {
			return k, false
		}
		k.name = one.name
		k.bound.Union = append(k.bound.Union, one.bound)
		k.missing, k.null = k.missing || one.missing, k.null || one.null
	}
	return k, len(list) > 0
}

// constrainAnd takes the two ends of one range, as they stand inside an Or.
func constrainAnd(list []expr.Condition) (k constraint, ok bool) {
	if len(list) != 2 {
		return k, false
	}
	a, okA := constrain(list[0])
	b, okB := constrain(list[1])
	if !okA || !okB || a.name != b.name || a.bound.Kind != indexkey.Range || b.bound.Kind != indexkey.Range {
		return k, false
	}
	if a.bound.Low.IsMissing() {
		a, b = b, a
	}
	if !a.bound.High.IsMissing() || !b.bound.Low.IsMissing() {
		return k, false
	}
	a.bound.High, a.bound.HighOpen = b.bound.High, b.bound.HighOpen
	return a, true
}

// rename returns c with the attribute from called to, wherever it is an operand.
func rename(c expr.Condition, from, to string) expr.Condition {
	operand := func(o expr.Operand) expr.Operand {
		if name, ok := attribute(o); ok && name == from {
			return &expr.Path{Name: to}
		}
		return o
	}
	switch c := c.(type) {
	case *expr.Compare:
		return &expr.Compare{Op: c.Op, A: operand(c.A), B: operand(c.B)}
	case *expr.Between:
		return &expr.Between{X: operand(c.X), Low: operand(c.Low), High: operand(c.High)}
	case *expr.In:
		return &expr.In{X: operand(c.X), List: renameEach(c.List, operand)}
	case *expr.BeginsWith:
		return &expr.BeginsWith{X: operand(c.X), Prefix: operand(c.Prefix)}
	case *expr.Not:
		return &expr.Not{Of: rename(c.Of, from, to)}
	case *expr.Or:
		return &expr.Or{List: renameEach(c.List, func(c expr.Condition) expr.Condition { return rename(c, from, to) })}
	case *expr.And:
		return &expr.And{List: renameEach(c.List, func(c expr.Condition) expr.Condition { return rename(c, from, to) })}
	}
	return c
}

func renameEach[T any](list []T, one func(T) T) []T {
	renamed := make([]T, len(list))
	for i := range list {
		renamed[i] = one(list[i])
	}
	return renamed
}
