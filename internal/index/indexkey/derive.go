// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
)

// derive returns what a part is bound to by the bounds on the columns that it is computed from. These never bind
// exactly: other values of the columns may give the same result.
func (b *planner) derive(p *schema.KeyPart, known []boundColumn) (choices []choice, bound bool) {
	if !p.Computed() {
		return nil, false
	}
	combinations, leading, ok := b.combinations(p, known)
	switch {
	case !ok:
		return nil, false
	case leading < len(p.Args):
		return b.derivePrefix(p, leading, combinations)
	}
	binder := binder{part: p, nulls: b.index.KeepNulls && !p.Hidden, slab: &b.slab}
	for _, known := range combinations {
		v, encoding := computePart(p, known)
		have := valueOf(known, p.Name)
		if encoding == nil || have != nil && !value.Equal(v, have) {
			continue // no row with these values has an entry
		}
		if binder.nulls {
			encoding = append([]byte{markValue ^ maskOf(p.Descending)}, encoding...)
		}
		choices = append(choices, choice{interval: binder.pointOf(encoding, nil), known: known})
	}
	slices.SortStableFunc(choices, func(x, y choice) int { return bytes.Compare(x.start, y.start) })
	return choices, true
}

// combinations returns all ways of giving the leading arguments of p one of the values that they are bound to. leading
// is the number that are bound: all of them or, for a concatenation, some. ok is false if no bounds concern p.
func (b *planner) combinations(p *schema.KeyPart, known []boundColumn) (combinations [][]boundColumn, leading int,
	ok bool) {
	combinations = [][]boundColumn{known}
	for i := range p.Args {
		column := p.Args[i].Column
		if column == "" || valueOf(combinations[0], column) != nil {
			leading++
			ok = ok || column != ""
			continue
		}
		values, isPoints := b.pointsOf(column)
		if !isPoints || len(combinations)*len(values) > b.limit {
			break
		}
		if leading, ok = leading+1, true; len(values) == 0 {
			return nil, len(p.Args), true // nothing can match
		}
		combinations = multiply(combinations, column, values)
	}
	if leading < len(p.Args) {
		ok = p.Function == schema.Concat && (ok || b.prefixOf(p.Args[leading].Column) != nil)
	}
	return combinations, leading, ok
}

func multiply(combinations [][]boundColumn, column string, values []value.Value) (product [][]boundColumn) {
	for _, known := range combinations {
		for _, v := range values {
			product = append(product, append(slices.Clip(known), boundColumn{column, v}))
		}
	}
	return product
}

// pointsOf returns the single values that an argument is bound to: the fewest that one of its bounds gives.
func (b *planner) pointsOf(name string) (values []value.Value, ok bool) {
	bounds := b.bounds(name)
	visible := b.index.Visible()
	for i := range visible {
		if p := &visible[i]; p.Name != name && p.Column() == name {
			bounds = slices.Concat(bounds, b.bounds(p.Name))
		}
	}
	for i := range bounds {
		if some, isPoints := bounds[i].points(); isPoints && (!ok || len(some) < len(values)) {
			values, ok = some, true
		}
	}
	if len(bounds) == 0 {
		return b.pointsOfPart(name)
	}
	if b.index.KeepNulls && slices.ContainsFunc(values, func(v value.Value) bool { return v.Kind() == value.Null }) {
		return nil, false
	}
	return distinct(values), ok
}

// pointsOfPart returns the values of the computed part with that name, if all of its columns are bound to single
// values.
func (b *planner) pointsOfPart(name string) (values []value.Value, ok bool) {
	visible := b.index.Visible()
	for i := range visible {
		p := &visible[i]
		if !p.Computed() || p.Name != name {
			continue
		}
		combinations, leading, ok := b.combinations(p, nil)
		if !ok || leading < len(p.Args) {
			return nil, false
		}
		for _, known := range combinations {
			if v, encoding := computePart(p, known); encoding != nil {
				values = append(values, v)
			}
		}
		return distinct(values), true
	}
	return nil, false
}

// distinct returns values without those that equal another.
func distinct(values []value.Value) []value.Value {
	if len(values) < 2 {
		return values
	}
	sorted := slices.Clone(values)
	slices.SortFunc(sorted, func(a, b value.Value) int {
		if c, comparable := value.Compare(a, b); comparable {
			return c
		}
		return bytes.Compare(a[:1], b[:1])
	})
	return slices.CompactFunc(sorted, value.Equal)
}

// computePart returns the value of a computed part and its encoding without a mark, nil if it has none.
func computePart(p *schema.KeyPart, known []boundColumn) (v value.Value, encoding []byte) {
	v, ok, err := Compute(p, func(name string) value.Value { return valueOf(known, name) }, nil)
	if !ok || err != nil {
		return nil, nil
	}
	encoding, _ = appendValue(nil, p, v)
	return v, encoding
}

// derivePrefix binds a concatenation whose first arguments are bound, and the next perhaps to a beginning, to the
// beginning of its text.
func (b *planner) derivePrefix(p *schema.KeyPart, leading int, combinations [][]boundColumn) (choices []choice,
	bound bool) {
	next := b.prefixOf(p.Args[leading].Column)
	head := schema.KeyPart{Name: p.Name, Function: schema.Concat, Type: schema.String, Args: p.Args[:leading]}
	binder := binder{part: p, nulls: b.index.KeepNulls, slab: &b.slab}
	var intervals []interval
	for _, known := range combinations {
		v, ok, err := Compute(&head, func(name string) value.Value { return valueOf(known, name) }, nil)
		if !ok || err != nil {
			continue
		}
		prefix := value.AppendString(nil, slices.Concat(v.Bytes(), next))
		intervals = append(intervals, binder.bindPrefix([]value.Value{prefix})...)
	}
	for _, v := range union(intervals) {
		choices = append(choices, choice{interval: v})
	}
	return choices, true
}

// prefixOf returns the text that a column's values begin with, nil if its bounds don't say.
func (b *planner) prefixOf(column string) []byte {
	for _, bound := range b.bounds(column) {
		if bound.Kind == Prefix && len(bound.Values) == 1 && bound.Values[0].Kind() == value.String {
			return bound.Values[0].Bytes()
		}
	}
	return nil
}
