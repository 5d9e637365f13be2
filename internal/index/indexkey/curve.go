// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// A key part of the function ZOrder is the Z-address of several columns: the codes of their values, interleaved. Its
// value is a binary of the plan's length, and so is its encoding, without any length. A query's bounds on the columns
// are a box in the space of codes, or several; a scan jumps from one piece of the boxes to the next.

// appendCurve appends the value of a Z-order part. ok is false if a column without nulls=first has no value.
func appendCurve(dst []byte, p *schema.KeyPart, s *source) (extended []byte, ok bool, err error) {
	if p.Curve == nil {
		return dst, false, nil
	}
	var values [zorder.AttributesMax]codec.Value
	ok = true
	for i := range p.Args {
		c, v := p.Curve.Codecs[i], s.get(&p.Args[i])
		switch {
		case !v.IsMissing() && !(s.nulls && v.Kind() == value.Null):
			fits := false
			if values[i], fits = codecValue(v, p.Args[i].Type); !fits || !isStandard(c, v) {
				return dst, false, misfit(p, &p.Args[i], p.Args[i].Type, v)
			}
		case c.Attribute().Nulls == codec.NullsFirst:
			values[i] = codec.Null()
		default:
			ok = false // the others must have the right type even so
		}
	}
	if !ok {
		return dst, false, nil
	}
	return appendAddress(dst, p.Curve, values[:len(p.Args)])
}

// hasAddresses reports whether every row has a value of a Z-order part, whichever of its columns are missing.
func hasAddresses(p *schema.KeyPart) bool {
	return p.Curve != nil && !slices.ContainsFunc(p.Curve.Codecs,
		func(c *codec.Codec) bool { return c.Attribute().Nulls != codec.NullsFirst })
}

// appendAddress appends the Z-address of values as a binary.
func appendAddress(dst []byte, curve *schema.Curve, values []codec.Value) (extended []byte, ok bool, err error) {
	var room [64]byte
	address := room[:0]
	if curve.IsNarrow() {
		var codes [zorder.AttributesMax]uint64
		for i := range values {
			if codes[i], err = curve.Codecs[i].Code(values[i]); err != nil {
				return dst, false, err
			}
		}
		address, err = curve.Plan.AppendKey(address, codes[:len(values)]...)
	} else {
		codes := make([][]byte, len(values))
		for i := range values {
			if codes[i], err = curve.Codecs[i].AppendCode(nil, values[i]); err != nil {
				return dst, false, err
			}
		}
		address, err = curve.Plan.AppendKeyBytes(address, codes...)
	}
	if err != nil {
		return dst, false, err
	}
	return value.AppendBinary(dst, address), true, nil
}

// codecValue is a value as codecs take it. ok is false if it is not of type t.
func codecValue(v value.Value, t schema.Type) (x codec.Value, ok bool) {
	kind := v.Kind()
	if !Accepts(t, kind) {
		return x, false
	}
	switch kind {
	case value.String:
		return codec.Text(v.Bytes()), true
	case value.Binary:
		return codec.Binary(v.Bytes()), true
	case value.Bool:
		return codec.Bool(v.Bool()), true
	case value.Float:
		f, ok := v.Float()
		return codec.Float(f), ok
	case value.Int, value.Timestamp:
		n, ok := v.Int()
		return codec.Int(n), ok
	}
	d, ok := v.Decimal()
	return codec.Number(d), ok
}

// planCurve plans a Z-order part: the boxes of all alternatives.
func planCurve(p *schema.KeyPart, choices *Choices) (span partSpan, ok bool) {
	if p.Curve == nil {
		return span, false
	}
	b := boxer{part: p}
	choices.each(b.add)
	boxes, err := zorder.Union(p.Curve.Plan, b.boxes, 0)
	if b.open || b.failed || err != nil {
		return span, false
	}
	if boxes.Empty() {
		return partSpan{empty: true}, true
	}
	span = partSpan{start: boxes.Low(), boxes: boxes}
	if end, bounded := order.PrefixEnd(nil, boxes.High()); bounded {
		span.end = end
	}
	size := p.Curve.Plan.Bytes()
	span.skip = func(key, dst []byte) (next []byte, in, ok bool) {
		if len(key) < size {
			return dst, false, false
		}
		return boxes.Next(dst, key[:size])
	}
	span.skipBack = func(key, dst []byte) (next []byte, in, ok bool) {
		if len(key) < size {
			return dst, false, false
		}
		n := len(dst)
		if next, in, ok = boxes.Prev(dst, key[:size]); in || !ok {
			return next, in, ok
		}
		return beyond(next, n), false, true
	}
	return span, true
}

// beyond makes an address, which stands in b from n on, the first bytes above all keys that begin with it. A greater
// address exists.
func beyond(b []byte, n int) []byte {
	for i := len(b) - 1; i >= n; i-- {
		if b[i]++; b[i] != 0 {
			return b
		}
	}
	return b
}

// boxer makes boxes of bounds.
type boxer struct {
	part   *schema.KeyPart
	boxes  []*zorder.Box
	open   bool // some alternative says nothing about any column: all must be read
	failed bool
}

// add adds the boxes of one alternative.
func (b *boxer) add(bounds Bounds) {
	sets, bound := make([][]zorder.Range, len(b.part.Args)), false
	for i := range sets {
		if given := bounds(b.part.Args[i].Column); len(given) > 0 {
			sets[i], bound = b.ranges(i, given), true
		}
	}
	b.open = b.open || !bound
	product, err := b.part.Curve.Plan.Product(sets, 0)
	if err != nil {
		b.failed = true
		return
	}
	for i := range product.Len() {
		b.boxes = append(b.boxes, product.Box(i))
	}
}

// ranges returns the codes that all bounds on column i allow; an empty list is none.
func (b *boxer) ranges(i int, bounds []Bound) []zorder.Range {
	ranges := []zorder.Range{{}}
	for j := range bounds {
		ranges = intersectRanges(ranges, b.rangesOf(i, &bounds[j]))
	}
	return ranges
}

func (b *boxer) rangesOf(i int, bound *Bound) (ranges []zorder.Range) {
	if bound.Kind == Any {
		for j := range bound.Union {
			ranges = append(ranges, b.rangesOf(i, &bound.Union[j])...)
		}
		return ranges
	}
	if values, ok := bound.points(); ok {
		for _, v := range values {
			ranges = b.appendRange(ranges, i, codec.Equal, v)
		}
		return ranges
	}
	switch bound.Kind {
	case Prefix:
		return b.appendRange(nil, i, codec.BeginsWith, bound.Values[0])
	case IsNull:
		if b.part.Curve.Codecs[i].Attribute().Nulls != codec.NullsFirst {
			return nil // a missing column keeps the row out of the index
		}
		return b.append(nil, i, codec.IsNull())
	}
	low, high := []zorder.Range{{}}, []zorder.Range{{}}
	if !bound.Low.IsMissing() {
		low = b.appendRange(nil, i, codec.AtLeast, bound.Low)
	}
	if !bound.High.IsMissing() {
		high = b.appendRange(nil, i, codec.AtMost, bound.High)
	}
	if bound.Low.IsMissing() && bound.High.IsMissing() {
		return b.append(nil, i, codec.NotNull())
	}
	return intersectRanges(low, high)
}

// appendRange appends the codes of a condition on a value. A value of another type than the column's matches nothing.
func (b *boxer) appendRange(ranges []zorder.Range, i int, make func(codec.Value) codec.Condition,
	v value.Value) []zorder.Range {
	x, ok := codecValue(v, b.part.Args[i].Type)
	if !ok {
		return ranges
	}
	if !isStandard(b.part.Curve.Codecs[i], v) {
		return append(ranges, zorder.Range{}) // its place among the codes is not known: the row tells
	}
	return b.append(ranges, i, make(x))
}

func (b *boxer) append(ranges []zorder.Range, i int, condition codec.Condition) []zorder.Range {
	low, high, none, err := b.part.Curve.Codecs[i].AppendRange(nil, nil, condition)
	switch {
	case err != nil:
		return append(ranges, zorder.Range{}) // no codes for such a condition: the row tells
	case none:
		return ranges
	}
	return append(ranges, zorder.Range{Low: low, High: high})
}

// intersectRanges returns what is in a range of a and in one of b.
func intersectRanges(a, b []zorder.Range) []zorder.Range {
	both := make([]zorder.Range, 0, max(len(a), len(b)))
	for _, x := range a {
		for _, y := range b {
			r := zorder.Range{Low: x.Low, High: x.High}
			if r.Low == nil || y.Low != nil && bytes.Compare(y.Low, r.Low) > 0 {
				r.Low = y.Low
			}
			if r.High == nil || y.High != nil && bytes.Compare(y.High, r.High) < 0 {
				r.High = y.High
			}
			if r.Low == nil || r.High == nil || bytes.Compare(r.Low, r.High) <= 0 {
				both = append(both, r)
			}
		}
	}
	return both
}

// isStandard reports whether a text can stand for its instant where texts are compared by their bytes: it is in the one
// form of ISO 8601 that an index takes, in UTC with all digits of the codec's unit, such as 2024-05-06T07:08:09.000Z
// for milliseconds. It is true for other codecs.
func isStandard(c *codec.Codec, v value.Value) bool {
	t := c.Attribute().Type
	return t.Kind != codec.ISO8601 || isInstant(v.Bytes(), t.Unit)
}

// instantForms are those forms. // immutable
var instantForms = map[codec.Unit]string{
	codec.Second: "0000-00-00T00:00:00Z", codec.Millisecond: "0000-00-00T00:00:00.000Z",
	codec.Microsecond: "0000-00-00T00:00:00.000000Z", codec.Nanosecond: "0000-00-00T00:00:00.000000000Z",
}

func isInstant(text []byte, unit codec.Unit) bool {
	form := instantForms[unit]
	if len(text) != len(form) {
		return false
	}
	for i, c := range text {
		if c != form[i] && (form[i] != '0' || c < '0' || c > '9') {
			return false
		}
	}
	_, err := time.Parse(time.RFC3339Nano, string(text))
	return err == nil
}

// sampleBytesMax is the number of bytes of a text in a sample: codecs do not look further.
const sampleBytesMax = 1024

// CurveSample appends what a Z-order part takes from a row, one value for each of its columns, for codecs to be learned
// from. The values alias nothing. size is about the number of bytes they take. ok is false for a row that has no place
// in the index.
func CurveSample(dst []codec.Value, p *schema.KeyPart, row value.Row, names value.Names) (values []codec.Value,
	size int, ok bool) {
	for i := range p.Args {
		v, _ := row.Get(names, []byte(p.Args[i].Column))
		v = decoded(&p.Args[i], v)
		if v.IsMissing() {
			if p.Curve.Codecs[i].Attribute().Nulls != codec.NullsFirst {
				return dst, 0, false
			}
			dst = append(dst, codec.Null())
			continue
		}
		one, fits := codecValue(v, p.Args[i].Type)
		if !fits || !isStandard(p.Curve.Codecs[i], v) {
			return dst, 0, false
		}
		switch v.Kind() {
		case value.String:
			one = codec.Text(cutSample(v.Bytes()))
		case value.Binary:
			one = codec.Binary(cutSample(v.Bytes()))
		}
		dst, size = append(dst, one), size+min(len(v), sampleBytesMax)
	}
	return dst, size, true
}

func cutSample(b []byte) []byte { return bytes.Clone(b[:min(len(b), sampleBytesMax)]) }
