// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
	"github.com/weftdb/weft/zorder"
)

// BoundKind is the form of a Bound.
type BoundKind uint8

// The kinds of bounds.
const (
	// Range is the values from Low to High, of their type only. Without either it is every value that is not null.
	Range BoundKind = iota
	// Equal is the one value in Values.
	Equal
	// In is any of Values, in any order.
	In
	// Prefix is the strings, or binaries, that begin with the one in Values.
	Prefix
	// IsNull is no value. Only an index that keeps nulls has entries for it.
	IsNull
	// Any is the values in any of Union.
	Any
)

// Bound is a set of values that a column, or a key part, is bound to. Values of a type that the key part does not take
// match nothing; numbers of any kind match by value.
type Bound struct {
	Kind              BoundKind
	Values            []value.Value
	Low, High         value.Value // nil: unbounded
	LowOpen, HighOpen bool        // the end itself is left out
	Union             []Bound
}

// Bounds returns the bounds on the column, or on the key part, of that name: all of them hold. None means that it is
// not bound.
type Bounds func(name string) []Bound

// points returns the values that b allows if it is a list of single values.
func (b *Bound) points() (values []value.Value, ok bool) {
	switch b.Kind {
	case Equal, In:
		return b.Values, true
	case Range:
		if isOrdered(b.Low) && !b.LowOpen && !b.HighOpen && value.Equal(b.Low, b.High) {
			return []value.Value{b.Low}, true
		}
	case Any:
		for i := range b.Union {
			some, ok := b.Union[i].points()
			if !ok {
				return nil, false
			}
			values = append(values, some...)
		}
		return values, true
	}
	return nil, false
}

// interval is a run of encodings of one key part, from start up to end. A nil end reaches beyond the part's last
// encoding.
type interval struct {
	start, end []byte
	point      bool        // it is all encodings of one value, or of null
	value      value.Value // of a point; nil for null
	// from and to report whether the bounds limit the run on that side. They matter to estimates only.
	from, to bool
	boxes    *zorder.Boxes // of a Z-order part; for estimates, too
}

// binder turns bounds on one key part into intervals of its encodings.
type binder struct {
	part    *schema.KeyPart
	nulls   bool // parts bear marks
	inexact bool // some interval has values that the bounds do not
	slab    *slab
}

// bindAll returns what all of bounds allow, sorted and disjoint.
func (b *binder) bindAll(bounds []Bound) []interval {
	intervals := b.bind(&bounds[0])
	for i := 1; i < len(bounds); i++ {
		intervals = intersect(intervals, b.bind(&bounds[i]))
	}
	return intervals
}

// bind returns what one bound allows, sorted and disjoint.
func (b *binder) bind(bound *Bound) (intervals []interval) {
	if values, ok := bound.points(); ok {
		intervals = make([]interval, 0, len(values))
		for _, v := range values {
			intervals = b.appendPoint(intervals, v)
		}
		return union(intervals)
	}
	switch bound.Kind {
	case Range:
		return b.appendRange(nil, bound)
	case Prefix:
		return b.bindPrefix(bound.Values)
	case IsNull:
		return b.appendNull(nil)
	case Any:
		intervals = make([]interval, 0, len(bound.Union))
		for i := range bound.Union {
			one := &bound.Union[i]
			if _, isPoint := one.points(); one.Kind == Range && !isPoint {
				intervals = b.appendRange(intervals, one)
			} else {
				intervals = append(intervals, b.bind(one)...)
			}
		}
		return union(intervals)
	}
	return nil
}

func (b *binder) appendNull(intervals []interval) []interval {
	if !b.nulls {
		return intervals
	}
	return append(intervals, b.pointOf([]byte{markNull ^ maskOf(b.part.Descending)}, nil))
}

func (b *binder) pointOf(encoding []byte, v value.Value) interval {
	return interval{start: encoding, end: b.slab.end(encoding), point: true, value: v, from: true, to: true}
}

func (b *binder) appendPoint(intervals []interval, v value.Value) []interval {
	if v.Kind() == value.Null && b.nulls {
		b.inexact = true // a null in the index may be a missing value in the row
		return b.appendNull(intervals)
	}
	encoding, relation, ok := b.place(v)
	if !ok || relation != 0 {
		return intervals
	}
	return append(intervals, b.pointOf(encoding, v))
}

// start returns what encodings of values of a kind begin with.
func (b *binder) start(kind value.Kind) []byte {
	var start []byte
	if b.nulls {
		start = append(start, markValue)
	}
	if b.part.Type == schema.AnyType && fixedWidth(b.part) == 0 {
		switch {
		case kind == value.String:
			start = append(start, typeString)
		case kind == value.Binary:
			start = append(start, typeBinary)
		case kind.IsNumeric():
			start = append(start, typeNumber)
		}
	}
	if b.part.Descending {
		order.Complement(start)
	}
	return start
}

func (b *binder) appendRange(intervals []interval, bound *Bound) []interval {
	kind, ok := bound.kind()
	if !ok {
		return intervals
	}
	v := interval{start: b.start(kind)}
	v.end = b.slab.end(v.start)
	for _, end := range [...]struct {
		v           value.Value
		open, upper bool
	}{{bound.Low, bound.LowOpen, false}, {bound.High, bound.HighOpen, true}} {
		if end.v.IsMissing() {
			continue
		}
		encoding, relation, ok := b.place(end.v)
		if !ok {
			return intervals
		}
		after := relation > 0 || relation == 0 && end.open != end.upper
		if !b.cut(&v, encoding, after != b.part.Descending, end.upper != b.part.Descending) {
			return intervals
		}
	}
	if v.end != nil && bytes.Compare(v.start, v.end) >= 0 {
		return intervals
	}
	return append(intervals, v)
}

// kind returns the kind of values in a range, Missing if it has no ends. ok is false if no value can lie in it.
func (b *Bound) kind() (kind value.Kind, ok bool) {
	low, high := b.Low, b.High
	if low.IsMissing() {
		low = high
	}
	if high.IsMissing() {
		high = low
	}
	kind = low.Kind()
	return kind, low.IsMissing() || isOrdered(low) &&
		(kind == high.Kind() || kind.IsNumeric() && high.Kind().IsNumeric())
}

// isOrdered reports whether ranges over values of v's kind have a meaning.
func isOrdered(v value.Value) bool {
	kind := v.Kind()
	return kind == value.String || kind == value.Binary || kind.IsNumeric()
}

// cut moves one end of v to before or after an encoding. It returns false if nothing is left.
func (b *binder) cut(v *interval, encoding []byte, after, upper bool) bool {
	ok := true
	v.from, v.to = v.from || !upper, v.to || upper
	if after {
		encoding = b.slab.end(encoding)
		ok = encoding != nil
	}
	switch {
	case upper && ok:
		v.end = encoding
	case upper:
		v.end = nil
	case ok:
		v.start = encoding
	default:
		return false
	}
	return true
}

func (b *binder) bindPrefix(values []value.Value) []interval {
	if len(values) != 1 {
		return nil
	}
	prefix := values[0]
	kind := prefix.Kind()
	if kind != value.String && kind != value.Binary || !Accepts(b.part.Type, kind) {
		return nil
	}
	start := b.start(kind)
	n := len(start)
	if width := fixedWidth(b.part); width == 0 {
		start = order.AppendBytesPrefix(start, prefix.Bytes())
	} else if start = append(start, prefix.Bytes()...); len(start)-n > width {
		return nil
	}
	if b.part.Descending {
		order.Complement(start[n:])
	}
	end, _ := order.PrefixEnd(nil, start)
	return []interval{{start: start, end: end, from: true, to: true}}
}

// place finds v among the values that the part can have: encoding is the encoding of one such value, and relation is
// how v compares with it, with no other between them. ok is false if v is of another type.
func (b *binder) place(v value.Value) (encoding []byte, relation int, ok bool) {
	encoding = b.slab.room(len(v) + 16)
	if b.nulls {
		encoding = append(encoding, markValue^maskOf(b.part.Descending))
	}
	if width := fixedWidth(b.part); width > 0 && v.Kind() == value.Binary {
		v, relation = nearFixed(v, width)
	} else if t := b.part.Type; v.Kind().IsNumeric() {
		v, relation = near(t, v)
	}
	encoding, ok = appendValue(encoding, b.part, v)
	return b.slab.keep(encoding), relation, ok
}

// nearFixed returns the binary of width bytes next to v, and how v compares with it.
func nearFixed(v value.Value, width int) (value.Value, int) {
	room := make([]byte, width)
	n := copy(room, v.Bytes())
	relation := 0
	switch {
	case n < width:
		relation = -1
	case len(v.Bytes()) > width:
		relation = 1
	}
	return value.AppendBinary(nil, room), relation
}

// near returns the value of type t next to the number v, and how v compares with it.
func near(t schema.Type, v value.Value) (nearest value.Value, relation int) {
	switch t {
	case schema.Int, schema.Timestamp:
		if v.Kind() == value.Int {
			return v, 0
		}
		nearest = value.AppendInt(nil, nearInt(v))
	case schema.Float:
		f, _ := v.Float()
		nearest = value.AppendFloat(nil, f)
	case schema.Number, schema.AnyType:
		if _, ok := v.Decimal(); ok {
			return v, 0
		}
		nearest = value.AppendNumber(nil, nearDecimal(v))
	default:
		return v, 0
	}
	relation, _ = value.Compare(v, nearest)
	return nearest, relation
}

func nearInt(v value.Value) int64 {
	if x, ok := intOf(v); ok {
		return x
	}
	if d, ok := v.Decimal(); ok {
		x, _ := d.Int() // rounded to zero and clamped
		return x
	}
	x, _ := nearDecimal(v).Int()
	return x
}

// nearDecimal is for a Float beyond all decimals, or closer to zero than any. NaN is above all numbers.
func nearDecimal(v value.Value) order.Decimal {
	f, _ := v.Float()
	if f > -1 && f < 1 {
		return order.Decimal{}
	}
	largest, _ := order.ParseDecimal([]byte("9.9999999999999999999999999999999999999E125"))
	if f < 0 {
		return largest.Neg()
	}
	return largest
}

// intersect returns what is in both of two sorted disjoint lists. A point never overlaps an interval in part.
func intersect(a, b []interval) (both []interval) {
	for len(a) > 0 && len(b) > 0 {
		v := a[0]
		if b[0].point && !v.point {
			v.point, v.value = true, b[0].value
		}
		if bytes.Compare(b[0].start, v.start) > 0 {
			v.start = b[0].start
		}
		if endBefore(b[0].end, v.end) {
			v.end = b[0].end
		}
		v.from, v.to = v.from || b[0].from, v.to || b[0].to
		if v.end == nil || bytes.Compare(v.start, v.end) < 0 {
			both = append(both, v)
		}
		if endBefore(a[0].end, b[0].end) {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}

// endBefore compares ends: nil is the last.
func endBefore(a, b []byte) bool {
	return a != nil && (b == nil || bytes.Compare(a, b) < 0)
}

// union sorts intervals and merges those that overlap, and neighbours unless they are points.
func union(intervals []interval) []interval {
	slices.SortStableFunc(intervals, func(a, b interval) int {
		if c := bytes.Compare(a.start, b.start); c != 0 {
			return c
		}
		switch {
		case endBefore(a.end, b.end):
			return -1
		case endBefore(b.end, a.end):
			return 1
		}
		return 0
	})
	merged := intervals[:0]
	for _, v := range intervals {
		last := len(merged) - 1
		switch {
		case last < 0 || merged[last].end != nil && bytes.Compare(merged[last].end, v.start) < 0,
			merged[last].end != nil && bytes.Equal(merged[last].end, v.start) && (merged[last].point || v.point):
			merged = append(merged, v)
		case merged[last].point && v.point: // the same value twice
		default:
			if endBefore(merged[last].end, v.end) {
				merged[last].end, merged[last].to = v.end, v.to
			}
			merged[last].point, merged[last].value = false, nil
		}
	}
	return merged
}
