// SPDX-License-Identifier: Apache-2.0

package access

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// A box of a Z-order index does not guarantee the conditions that it was made of: codes are coarser than values, so at
// its rim lie values of both sides. But codes ascend with values. A value whose code lies above that of the lower bound
// and below that of the upper one lies between the bounds, and so do most of a large box.

// Inner is the keys of a path for which fewer conditions need to be checked. The zero value has none.
type Inner struct {
	// Has reports whether a key, without the index's prefix, is one of them; nil: none is.
	Has func(key []byte) bool
	// Filter is the rest of the path's Filter for them; nil: nothing.
	Filter expr.Condition
}

// And is the same keys with one more condition, which may be nil.
func (i Inner) And(condition expr.Condition) Inner {
	return Inner{i.Has, expr.Both(i.Filter, condition)}
}

// inner finds the inner keys of a path through one box, each bounded column of which has an upper and a lower bound.
func (c *chooser) inner(p *Path) (inner Inner) {
	if p.Filter == nil || len(p.Scan.Spans) != 1 || len(p.Scan.Curves) != 1 {
		return inner
	}
	curve := &p.Scan.Curves[0]
	if curve.Boxes.Len() != 1 || curve.Boxes.Covered() || !curve.Part.Curve.IsNarrow() {
		return inner
	}
	box, ok := c.innerBox(curve)
	if !ok {
		return inner
	}
	prefix := curve.Prefix
	inner.Has = func(key []byte) bool { return bytes.HasPrefix(key, prefix) && box.In(key[len(prefix):]) }
	var left []expr.Condition
	for _, condition := range expr.Conjuncts(p.Filter) {
		if !c.isWithin(condition, curve.Part) {
			left = append(left, condition)
		}
	}
	inner.Filter = expr.Conjunction(left...)
	return inner
}

// isWithin reports whether a condition is one of those that a box is made of, and nothing else.
func (c *chooser) isWithin(condition expr.Condition, part *schema.KeyPart) bool {
	for i := range c.conjuncts {
		if one := &c.conjuncts[i]; one.condition == condition {
			return one.constrained && one.constraint.exact() && !one.constraint.null &&
				slices.ContainsFunc(part.Args, func(a schema.Argument) bool { return a.Column == one.constraint.name })
		}
	}
	return false
}

// innerBox is the box without its rim. ok is false if there is none, or if a code does not tell on which side of a
// bound its values are.
func (c *chooser) innerBox(curve *indexkey.Curve) (box *zorder.Box, ok bool) {
	outer := curve.Boxes.Box(0)
	low, err := outer.Plan().AppendCodes(nil, outer.Low())
	if err != nil {
		return nil, false
	}
	high, err := outer.Plan().AppendCodes(nil, outer.High())
	if err != nil {
		return nil, false
	}
	for i := range low {
		bounds := c.bounds(curve.Part.Args[i].Column)
		if len(bounds) == 0 {
			continue
		}
		if high[i]-low[i] < 2 || !areSides(bounds, curve.Part.Curve.Codecs[i].Attribute().Type.Kind) {
			return nil, false
		}
		low[i]++
		high[i]--
	}
	box, err = outer.Plan().Box(low, high)
	return box, err == nil
}

// areSides reports whether bounds are numbers on both sides, whose codes are those of the bounds themselves. A bound
// that is left out itself must be an integer's: others may have two codes, as zero has.
func areSides(bounds []indexkey.Bound, kind codec.Kind) bool {
	if kind == codec.ISO8601 || kind >= codec.UTF8 {
		return false
	}
	whole := kind <= codec.I64 || kind == codec.Timestamp
	low, high := false, false
	for i := range bounds {
		b := &bounds[i]
		if b.Kind != indexkey.Range || (b.LowOpen || b.HighOpen) && !whole {
			return false
		}
		low, high = low || !b.Low.IsMissing(), high || !b.High.IsMissing()
	}
	return low && high
}
