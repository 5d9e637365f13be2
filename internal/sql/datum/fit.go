// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"math"
	"strings"
)

// Fit returns what a column of type t takes in place of a value that Store refuses, as MySQL's IGNORE stores it: the
// nearest number, the beginning of a text or of bytes, 0 for what begins with no number, and for NULL the value of the
// type that stands for none. ok is false where there is nothing of the kind: for TIME, JSON, and what is no member of
// an ENUM or SET.
func Fit(d Datum, t Type) (stored Datum, ok bool) {
	if d.kind == KindNull {
		if stored, ok := t.Implied(); ok || !t.IsTemporal() {
			return stored, ok
		}
	}
	for _, candidate := range fits(d, t) {
		if stored, err := Store(candidate, t); err == nil {
			return stored, true
		}
	}
	return Null, false
}

// Implied returns what a column of the type holds that takes no NULL and has no default: 0, a text or bytes without
// any, the first member of an ENUM. ok is false for times and JSON.
func (t Type) Implied() (d Datum, ok bool) {
	switch {
	case t.Variety == Enum:
		d = Int(1)
	case t.IsText() || t.IsBinary():
		d = TextString("")
	case t.IsNumeric() || t.Base == Boolean:
		d = Int(0)
	default:
		return Null, false
	}
	d, err := Store(d, t)
	return d, err == nil
}

// fits are values to try, the best one first.
func fits(d Datum, t Type) []Datum {
	switch t.Base {
	case Varchar, Char:
		return t.fitText(d)
	case Timestamp, Date:
		return []Datum{TextString("0000-00-00")}
	case Varbinary, BinaryBase:
		return []Datum{Binary([]byte(beginning(string(d.AppendText(nil)), t)))}
	case TinyInt, SmallInt, Integer, BigInt, BigIntUnsigned, Float, Double, DecimalBase, Boolean:
		n := d.Number()
		least, most := t.extremes()
		if n.NumberFloat() < 0 {
			return []Datum{n, least, Int(0)}
		}
		return []Datum{n, most, Int(0)}
	}
	return nil
}

// fitText is the beginning of a text. A text that is no member of an ENUM or SET has none.
func (t Type) fitText(d Datum) []Datum {
	if t.Variety == Enum || t.Variety == Set {
		return nil
	}
	text := strings.ToValidUTF8(string(d.AppendText(nil)), "?")
	if t.Length > 0 {
		text = text[:runeOffset(text, t.Length)]
	}
	// half a character is none
	return []Datum{TextString(strings.ToValidUTF8(beginning(text, Type{Variety: t.Variety}), ""))}
}

// beginning is as many bytes of a text as the type takes.
func beginning(text string, t Type) string {
	most := len(text)
	if t.Length > 0 {
		most = min(most, t.Length)
	}
	if size := varieties[t.Variety].sizeMax; size > 0 {
		most = min(most, size)
	}
	return text[:most]
}

// extremes are the least and the greatest number of a type.
func (t Type) extremes() (least, most Datum) {
	v := &varieties[t.Variety]
	switch {
	case t.Variety == Bit:
		return Int(0), Uint(1<<max(t.Length, 1) - 1)
	case v.high > 0:
		return Int(v.low), Int(v.high)
	case t.Base == BigIntUnsigned:
		return Int(0), Uint(math.MaxUint64)
	case t.Base == Float:
		return Float64(-math.MaxFloat32), Float64(math.MaxFloat32)
	case t.Base == Double:
		return Float64(-math.MaxFloat64), Float64(math.MaxFloat64)
	case t.Base == DecimalBase:
		nines := strings.Repeat("9", t.Precision-t.Scale) + "." + strings.Repeat("9", t.Scale)
		return TextString("-" + nines), TextString(nines)
	}
	low, high := integerRangeOf(t.Base)
	return Int(low), Int(high)
}
