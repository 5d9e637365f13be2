// SPDX-License-Identifier: Apache-2.0

package value

import "github.com/weftdb/weft/order"

const (
	// NestingMax is how deep lists and maps may stand inside one another: 31 levels, and a scalar or set in the
	// innermost.
	NestingMax = 31

	// DocumentOverhead is DynamoDB's size of a list or map besides its elements, in bytes.
	DocumentOverhead = 3
	// ElementOverhead is DynamoDB's size of each element of a list or map besides name and value, in bytes.
	ElementOverhead = 1
)

// Size returns DynamoDB's byte cost of v, without any name that it stands under: what an item of 409,600 bytes at most
// is made of. SQL's scalars cost what they would as N (as S where shown so).
func (v Value) Size() int {
	size, _ := v.measure(0)
	return size
}

// Depth returns how many lists and maps stand inside one another: 0 for scalars and sets, at most NestingMax+1 even if
// there are more.
func (v Value) Depth() int {
	return v.depth(0)
}

func (v Value) depth(outer int) int {
	if !v.Kind().IsDocument() || outer > NestingMax {
		return outer
	}
	outer++
	deepest := outer
	for e := v.Elements(); e.Next(); {
		if e.value.Kind().IsDocument() {
			deepest = max(deepest, e.value.depth(outer))
		}
	}
	return deepest
}

// measure returns the size of v, a part of outer documents. ok is false if v holds more than NestingMax levels; the
// deepest are then not counted.
func (v Value) measure(outer int) (size int, ok bool) {
	switch v.Kind() {
	case Null, Bool:
		return 1, true
	case String, Binary:
		return len(v.Bytes()), true
	case Number:
		d, _, _ := order.CutDecimal(v[1:])
		return DecimalSize(d), true
	case Int, Float, Timestamp:
		return scalarSize(v), true
	case StringSet, NumberSet, BinarySet:
		for e := v.Elements(); e.Next(); {
			n, _ := e.value.measure(outer)
			size += n
		}
		return size, true
	case List, Map:
		return v.measureDocument(outer + 1)
	}
	return 0, true
}

func (v Value) measureDocument(level int) (size int, ok bool) {
	if level > NestingMax {
		return 0, false
	}
	size, ok = DocumentOverhead, true
	for e := v.Elements(); e.Next(); {
		n, fits := e.value.measure(level)
		size += ElementOverhead + len(e.name) + n
		ok = ok && fits
	}
	return size, ok
}

// DecimalSize returns DynamoDB's cost of a number in bytes: one, one for each two digits left and right of the point,
// zeros at the ends not counted, and one for a minus sign.
func DecimalSize(d order.Decimal) int {
	integer, fraction := d.Digits()
	size := 1 + (integer+1)/2 + (fraction+1)/2
	if d.IsNegative() {
		size++
	}
	return size
}

func scalarSize(v Value) int {
	if d, ok := v.Decimal(); ok {
		return DecimalSize(d)
	}
	x, _ := v.Float()
	var text [32]byte
	return len(AppendFloatText(text[:0], x))
}
