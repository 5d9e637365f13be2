// SPDX-License-Identifier: Apache-2.0

package zdynamo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// rangesMax bounds the ranges of one attribute; of more the bounds are made wider, and the exact check does the rest.
const rangesMax = zorder.BoxesMax

// depthMax bounds how deep Any and All nest.
const depthMax = 32

type operator uint8

const (
	always operator = iota
	equal
	less
	atMost
	greater
	atLeast
	between
	beginsWith
	missing
	present
	anyOf
	allOf
)

// Condition is a predicate on one attribute. The zero Condition is true of all items. Values are strings, []byte,
// bools, integers, floats, or the SDK's own attribute values; one of a type that the attribute's codec does not take is
// an error of the query.
type Condition struct {
	operator operator
	values   []any
	parts    []Condition
}

// Equal is x = v.
func Equal(v any) Condition { return Condition{operator: equal, values: []any{v}} }

// Less is x < v.
func Less(v any) Condition { return Condition{operator: less, values: []any{v}} }

// AtMost is x <= v.
func AtMost(v any) Condition { return Condition{operator: atMost, values: []any{v}} }

// Greater is x > v.
func Greater(v any) Condition { return Condition{operator: greater, values: []any{v}} }

// AtLeast is x >= v.
func AtLeast(v any) Condition { return Condition{operator: atLeast, values: []any{v}} }

// Between is x >= low AND x <= high. Longitudes across the date line are Any(Between(170, 180), Between(-180, -170)).
func Between(low, high any) Condition {
	return Condition{operator: between, values: []any{low, high}}
}

// BeginsWith is true of strings or binaries that begin with v.
func BeginsWith(v any) Condition { return Condition{operator: beginsWith, values: []any{v}} }

// In is true of each of the values.
func In(values ...any) Condition {
	c := Condition{operator: anyOf}
	for _, v := range values {
		c.parts = append(c.parts, Equal(v))
	}
	return c
}

// Missing is true of items without the attribute, which are in the index only if its codec was made with nulls=first.
func Missing() Condition { return Condition{operator: missing} }

// Present is true of items that have the attribute.
func Present() Condition { return Condition{operator: present} }

// Any is true if one of the conditions is; of none it is false.
func Any(conditions ...Condition) Condition { return Condition{operator: anyOf, parts: conditions} }

// All is true if all of the conditions are.
func All(conditions ...Condition) Condition { return Condition{operator: allOf, parts: conditions} }

// check is a Condition bound to a codec: its values read, its ranges known.
type check struct {
	operator operator
	codec    *codec.Codec
	low      span
	high     span // of between; otherwise low
	parts    []check
	ranges   []zorder.Range // codes of all values that pass, not nil
}

// bind reads a condition's values and finds the codes that can pass.
func (c *Condition) bind(to *codec.Codec, depth int) (check, error) {
	b := check{operator: c.operator, codec: to, ranges: []zorder.Range{}}
	if depth > depthMax {
		return b, errors.New("conditions nest too deep")
	}
	if c.operator == anyOf || c.operator == allOf {
		return b, b.join(c.parts, depth)
	}
	values := make([]codec.Value, 2)
	spans := make([]span, 2)
	for i, given := range c.values {
		v, err := attributeValue(given)
		if err != nil {
			return b, err
		}
		if values[i], err = codecValue(v); err != nil {
			return b, err
		}
		var ok bool
		if spans[i], ok = spanOf(v, to); !ok {
			return b, fmt.Errorf("%v cannot be compared with a %s", given, to.Attribute().Type)
		}
	}
	b.low, b.high = spans[0], spans[0]
	if c.operator == between {
		b.high = spans[1]
	}
	low, high, none, err := to.AppendRange(nil, nil, codecCondition(c.operator, values[0], values[1]))
	if err == nil && !none {
		b.ranges = append(b.ranges, zorder.Range{Low: low, High: high})
	}
	return b, err
}

func codecCondition(o operator, a, b codec.Value) codec.Condition {
	switch o {
	case equal:
		return codec.Equal(a)
	case less:
		return codec.Less(a)
	case atMost:
		return codec.AtMost(a)
	case greater:
		return codec.Greater(a)
	case atLeast:
		return codec.AtLeast(a)
	case between:
		return codec.Between(a, b)
	case beginsWith:
		return codec.BeginsWith(a)
	case missing:
		return codec.IsNull()
	case present:
		return codec.NotNull()
	}
	return codec.Anything()
}

// join binds the parts and puts their ranges together.
func (b *check) join(parts []Condition, depth int) error {
	if b.operator == allOf {
		b.ranges = []zorder.Range{{}}
	}
	for i := range parts {
		part, err := parts[i].bind(b.codec, depth+1)
		if err != nil {
			return err
		}
		b.parts = append(b.parts, part)
		if b.operator == anyOf {
			b.ranges = append(b.ranges, part.ranges...)
		} else {
			b.ranges = intersect(b.ranges, part.ranges)
		}
	}
	return nil
}

// intersect returns what two lists of ranges have in common, or if that would be a long list, one of them.
func intersect(a, b []zorder.Range) []zorder.Range {
	if len(a)*len(b) > rangesMax {
		return slices.MinFunc([][]zorder.Range{a, b}, func(x, y []zorder.Range) int { return len(x) - len(y) })
	}
	both := []zorder.Range{}
	for _, r := range a {
		for _, s := range b {
			common := zorder.Range{Low: r.Low, High: r.High}
			if bytes.Compare(s.Low, common.Low) > 0 {
				common.Low = s.Low
			}
			if common.High == nil || s.High != nil && bytes.Compare(s.High, common.High) < 0 {
				common.High = s.High
			}
			if common.High == nil || bytes.Compare(common.Low, common.High) <= 0 {
				both = append(both, common)
			}
		}
	}
	return both
}

// match is the exact predicate.
func (b *check) match(v types.AttributeValue) bool {
	switch b.operator {
	case always:
		return true
	case missing, present:
		value, err := codecValue(v)
		return (err == nil && value.IsNull()) == (b.operator == missing)
	case anyOf:
		return slices.ContainsFunc(b.parts, func(part check) bool { return part.match(v) })
	case allOf:
		return !slices.ContainsFunc(b.parts, func(part check) bool { return !part.match(v) })
	}
	s, ok := spanOf(v, b.codec)
	return ok && b.compare(s.first)
}

func (b *check) compare(x []byte) bool {
	switch b.operator {
	case less:
		return bytes.Compare(x, b.low.first) < 0
	case atMost:
		return bytes.Compare(x, b.low.last) <= 0
	case greater:
		return bytes.Compare(x, b.low.last) > 0
	case atLeast:
		return bytes.Compare(x, b.low.first) >= 0
	case beginsWith:
		return bytes.HasPrefix(x, b.low.first)
	}
	return bytes.Compare(x, b.low.first) >= 0 && bytes.Compare(x, b.high.last) <= 0 // equal, between
}
