// SPDX-License-Identifier: Apache-2.0

package codec

import "bytes"

type operator uint8

const (
	anything operator = iota
	equal
	less
	atMost
	greater
	atLeast
	between
	beginsWith
	isNull
	notNull
)

// Condition is a predicate on one attribute. The zero Condition is true of every value and of null. All others but
// IsNull are false of null.
type Condition struct {
	operator operator
	a, b     Value
}

// Anything is true of every value and of null.
func Anything() Condition { return Condition{} }

// Equal is x = v.
func Equal(v Value) Condition { return Condition{operator: equal, a: v} }

// Less is x < v.
func Less(v Value) Condition { return Condition{operator: less, a: v} }

// AtMost is x <= v.
func AtMost(v Value) Condition { return Condition{operator: atMost, a: v} }

// Greater is x > v.
func Greater(v Value) Condition { return Condition{operator: greater, a: v} }

// AtLeast is x >= v.
func AtLeast(v Value) Condition { return Condition{operator: atLeast, a: v} }

// Between is x >= low AND x <= high.
func Between(low, high Value) Condition { return Condition{operator: between, a: low, b: high} }

// BeginsWith is true of texts, binaries and ordered bytes that begin with the bytes of prefix. For ordered bytes prefix
// is their common beginning, such as order.AppendBytesPrefix makes. nfc compares normal forms.
func BeginsWith(prefix Value) Condition { return Condition{operator: beginsWith, a: prefix} }

// IsNull is true of null alone.
func IsNull() Condition { return Condition{operator: isNull} }

// NotNull is true of every value.
func NotNull() Condition { return Condition{operator: notNull} }

// Range is the codes Lo..Hi, both included, or none at all.
type Range struct {
	Lo, Hi uint64
	None   bool // nothing can match
}

// Intersect returns the codes that are in r and in s, for two conditions on one attribute that must both hold.
func (r Range) Intersect(s Range) Range {
	if r.None || s.None || max(r.Lo, s.Lo) > min(r.Hi, s.Hi) {
		return Range{None: true}
	}
	return Range{Lo: max(r.Lo, s.Lo), Hi: min(r.Hi, s.Hi)}
}

// Contains reports whether code is in r.
func (r Range) Contains(code uint64) bool { return !r.None && r.Lo <= code && code <= r.Hi }

// Range returns codes that include those of every value for which cond is true in the codec's Order. It may include
// others: < and > give the same codes as <= and >=. An iso8601 text that stands for an interval, such as 2024-05,
// bounds from below by its first instant and from above by its last, and equals all that is between. Errors as of Code,
// and ErrCondition.
func (c *Codec) Range(cond Condition) (Range, error) {
	if c.bits > 64 {
		return Range{}, ErrWide
	}
	low, high, none, err := c.ends(&cond)
	if err != nil || none {
		return Range{None: none}, err
	}
	r := Range{Lo: low.fill & 1, Hi: ^uint64(0) >> c.drop}
	if low.value != nil {
		if r.Lo, err = c.code(low.value, low.edge); err != nil {
			return Range{}, err
		}
	}
	if high.value != nil {
		if r.Hi, err = c.code(high.value, high.edge); err != nil {
			return Range{}, err
		}
	}
	if high.null {
		r.Hi = 0
	}
	if r.Lo > r.Hi {
		return Range{None: true}, nil
	}
	return r, nil
}

// AppendRange is Range for codes of any width, as AppendCode writes them: it appends to lo and to hi. If none is true
// nothing can match, and both are returned as they came, as they are with an error.
func (c *Codec) AppendRange(lo, hi []byte, cond Condition) (low, high []byte, none bool, err error) {
	from, to, none, err := c.ends(&cond)
	if err != nil || none {
		return lo, hi, none, err
	}
	if low, err = c.appendEnd(lo, from, 0); err != nil {
		return lo, hi, false, err
	}
	if high, err = c.appendEnd(hi, to, 0xFF); err != nil {
		return lo, hi, false, err
	}
	if bytes.Compare(low[len(lo):], high[len(hi):]) > 0 {
		return lo, hi, true, nil
	}
	return low, high, false, nil
}

// end is one end of a range: a value's code, or if there is none the first code (with fill 1 the first after null's) or
// the last (if null, null's).
type end struct {
	value *Value
	edge  edge
	fill  uint64
	null  bool
}

func (c *Codec) appendEnd(dst []byte, e end, fill byte) ([]byte, error) {
	switch {
	case e.value != nil:
		return c.appendCode(dst, e.value, e.edge)
	case e.null:
		fill = 0
	}
	dst = c.appendFill(dst, fill)
	if e.fill == 1 {
		dst[len(dst)-1] |= c.lastMask() & -c.lastMask()
	}
	return dst, nil
}

// ends turns a condition into the ends of its range.
func (c *Codec) ends(cond *Condition) (low, high end, none bool, err error) {
	if c.nulls && cond.operator != anything && cond.operator != isNull {
		low.fill = 1
	}
	a, b := &cond.a, &cond.a
	if cond.operator == between {
		b = &cond.b
	}
	if cond.operator >= equal && cond.operator <= beginsWith && (a.kind == valueNull || b.kind == valueNull) {
		return low, high, false, ErrNull
	}
	switch cond.operator {
	case equal, between:
		low.value, high.value, high.edge = a, b, edgeHigh
	case less, atMost:
		high.value, high.edge = a, edgeHigh
	case greater, atLeast:
		low.value = a
	case beginsWith:
		if c.source != sourceBytes && c.source != sourceNFC {
			return low, high, false, ErrCondition
		}
		low.value, high.value, high.edge = a, a, edgePrefix
	case isNull:
		low.null, high.null, none = true, true, !c.nulls
	}
	return low, high, none, nil
}
