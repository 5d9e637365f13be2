// SPDX-License-Identifier: Apache-2.0

package access

import (
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/zorder/codec"
)

// numberBytesMax is the longest text of a number in a concatenation.
const numberBytesMax = 172

// holdsAll reports whether x has an entry for every row that can meet the condition. A condition on one of its computed
// parts is about its entries in the first place.
func (c *chooser) holdsAll(x *schema.Index) bool {
	for i := range c.conjuncts {
		if one := &c.conjuncts[i]; one.computed && hasComputed(x, one.constraint.name) {
			return true
		}
	}
	if x.KeepNulls && !x.Partial {
		return true
	}
	complete := c.statistics.Indexes[x.ID].Complete
	for i := range x.Visible() {
		if !c.holdsPart(x, i, complete) {
			return false
		}
	}
	return true
}

// holdsPart reports whether the condition leaves only rows that have a value for visible part i.
func (c *chooser) holdsPart(x *schema.Index, i int, complete bool) bool {
	p := &x.Visible()[i]
	if p.Computed() {
		return c.isComputable(x, i, complete)
	}
	if c.inPrimary(p, indexkey.BytesMax(x, i)) {
		return true
	}
	return c.isBound(p.Column(), func(b *indexkey.Bound) bool { return leavesKeys(b, x, i, complete) })
}

// isBound reports whether the condition bounds a column in a way that suffices, by itself or in every alternative of an
// Or.
func (c *chooser) isBound(column string, suffices func(*indexkey.Bound) bool) bool {
	does := func(k *constraint) bool { return k.name == column && suffices(&k.bound) }
	for i := range c.conjuncts {
		if one := &c.conjuncts[i]; one.constrained && does(&one.constraint) {
			return true
		}
	}
	for i := range c.disjunctions {
		if !slices.ContainsFunc(c.disjunctions[i].branches, func(b branch) bool {
			return !slices.ContainsFunc(b.constraints, func(k constraint) bool { return does(&k) })
		}) {
			return true
		}
	}
	return false
}

// inPrimary reports whether every row has a value for p because its column is in the primary key.
func (c *chooser) inPrimary(p *schema.KeyPart, bytesMax int) bool {
	visible := c.table.Primary.Visible()
	for i := range visible {
		if visible[i].Column() == p.Column() && visible[i].Type == p.Type {
			return !isText(p.Type) || indexkey.BytesMax(&c.table.Primary, i) <= bytesMax
		}
	}
	return false
}

func isText(t schema.Type) bool {
	return t == schema.String || t == schema.Binary || t == schema.AnyType
}

// leavesKeys reports whether every value within the bound can stand in visible part i of x.
func leavesKeys(b *indexkey.Bound, x *schema.Index, i int, complete bool) bool {
	t := x.Visible()[i].Type
	switch b.Kind {
	case indexkey.Equal, indexkey.In:
		for _, v := range b.Values {
			if !indexkey.Takes(x, i, v) {
				return false
			}
		}
		return true
	case indexkey.Range:
		v := b.Low
		if v.IsMissing() {
			v = b.High
		}
		// A row's string may be empty or too long, its number a fraction that an integer key can't hold.
		return indexkey.Accepts(t, v.Kind()) && (complete || t == schema.Number)
	case indexkey.Prefix:
		return complete && len(b.Values) == 1 && isText(t) && indexkey.Accepts(t, b.Values[0].Kind())
	case indexkey.Any:
		for j := range b.Union {
			if !leavesKeys(&b.Union[j], x, i, complete) {
				return false
			}
		}
		return true
	}
	return false
}

// isComputable reports whether the condition binds all columns of a computed part to values that it can be computed
// from.
func (c *chooser) isComputable(x *schema.Index, i int, complete bool) bool {
	p := &x.Visible()[i]
	if p.Function == schema.ZOrder {
		return c.isOnCurve(p, complete)
	}
	bytes := 0
	for j := range p.Args {
		a := &p.Args[j]
		if a.Column == "" {
			bytes += len(a.Literal)
			continue
		}
		n, ok := c.computableBytes(p, a)
		if !ok {
			return false
		}
		bytes += n
	}
	isHash := p.Function != schema.Concat && p.Function != schema.Reverse
	return isHash || complete || bytes <= indexkey.BytesMax(x, i)
}

// isOnCurve reports whether the condition leaves only rows whose columns all have a place in a Z-order. Any bound that
// is of a column's type does that, for no row without such a value meets it.
func (c *chooser) isOnCurve(p *schema.KeyPart, complete bool) bool {
	for j := range p.Args {
		a := &p.Args[j]
		if p.Curve.Codecs[j].Attribute().Nulls == codec.NullsFirst && complete {
			continue
		}
		if !c.isBound(a.Column, func(b *indexkey.Bound) bool { return leavesType(b, a.Type, complete) }) {
			return false
		}
	}
	return true
}

// leavesType reports whether every value within the bound is of type t. Other texts than a codec takes are only ruled
// out in a complete index.
func leavesType(b *indexkey.Bound, t schema.Type, complete bool) bool {
	var values []value.Value
	switch b.Kind {
	case indexkey.Equal, indexkey.In, indexkey.Prefix:
		values = b.Values
	case indexkey.Any:
		return !slices.ContainsFunc(b.Union, func(one indexkey.Bound) bool { return !leavesType(&one, t, complete) })
	case indexkey.Range:
		values = []value.Value{b.Low}
		if b.Low.IsMissing() {
			values[0] = b.High
		}
	default:
		return false
	}
	return !slices.ContainsFunc(values, func(v value.Value) bool {
		return v.IsMissing() || !indexkey.Accepts(t, v.Kind()) || !v.Kind().IsNumeric() && !complete
	})
}

// computableBytes says how long the text of an argument can be. ok is false if it may be missing or of a wrong type.
func (c *chooser) computableBytes(p *schema.KeyPart, a *schema.Argument) (bytes int, ok bool) {
	for _, b := range c.bounds(a.Column) {
		if b.Kind != indexkey.Equal && b.Kind != indexkey.In {
			continue
		}
		bytes = 0
		for _, v := range b.Values {
			kind := v.Kind()
			if !indexkey.Accepts(a.Type, kind) || kind == value.Binary && p.Function == schema.Concat ||
				kind.IsNumeric() && p.Function == schema.Reverse {
				return 0, false
			}
			n := len(v.Bytes())
			if kind.IsNumeric() {
				if _, ok := v.Decimal(); !ok {
					return 0, false
				}
				n = numberBytesMax
			}
			if n == 0 {
				return 0, false // the part may be empty, which is no key
			}
			bytes = max(bytes, n)
		}
		return bytes, true
	}
	return 0, false
}
