// SPDX-License-Identifier: Apache-2.0

package datum

import (
	"cmp"
	"encoding/binary"
	"math"
	"strings"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/sql/datum/jsontext"
	"github.com/weftdb/weft/order"
)

// Compare compares as the operators = and < do; null is true if either is NULL or the two can't be compared. Numbers of
// any kinds compare by value, where a float is the shortest decimal that reads back as it; texts and binaries by their
// bytes; a text with a number as float64s; a text with a time by the time that it reads as; a number with a time as the
// date that it is; a date with a TIMESTAMP as its midnight.
func Compare(a, b Datum) (order int, null bool) {
	if a.kind == b.kind {
		switch a.kind {
		case KindInt, KindTimestamp, KindDate, KindTime, KindBool:
			return cmp.Compare(int64(a.bits), int64(b.bits)), false
		case KindText, KindBinary:
			return strings.Compare(a.text, b.text), false
		case KindFloat:
			return compareFloats(a.Float(), b.Float()), false
		case KindNull:
			return 0, true
		}
	}
	return compareMixed(a, b)
}

// Equal reports whether a = b is true.
func Equal(a, b Datum) bool {
	order, null := Compare(a, b)
	return order == 0 && !null
}

// Class groups kinds whose values are equal exactly where their keys are; 0: NULL and JSON.
type Class uint8

// Class is the class of the value's kind.
func (d Datum) Class() Class {
	if c := classes[d.kind]; c != classJSON {
		return Class(c)
	}
	return 0
}

// class orders kinds: values of several kinds are sorted by class first.
type class uint8

const (
	classNull class = iota
	classNumber
	classInstant
	classTime
	classBytes
	classJSON
)

// classes maps kinds to classes. // immutable
var classes = [...]class{KindNull: classNull, KindBool: classNumber, KindInt: classNumber, KindUint: classNumber,
	KindFloat:   classNumber,
	KindDecimal: classNumber, KindText: classBytes, KindBinary: classBytes, KindTimestamp: classInstant,
	KindDate: classInstant, KindTime: classTime,
	KindJSON: classJSON}

// Order is a total order of all values, for ORDER BY, MIN and MAX: NULL first, then by what they are, then as Compare
// does, but ENUM and SET by their numbers. Values are equal in it if and only if AppendKey gives them the same bytes.
func Order(a, b Datum) int {
	if x, y := classes[a.kind], classes[b.kind]; x != y {
		return cmp.Compare(x, y)
	}
	if x, ok := a.Member(); ok {
		if y, too := b.Member(); too && x != y {
			return cmp.Compare(x, y)
		}
	}
	order, null := Compare(a, b)
	if null {
		return 0 // both are NULL: within any other class all compare
	}
	return order
}

func compareMixed(a, b Datum) (order int, null bool) {
	x, y := classes[a.kind], classes[b.kind]
	switch {
	case x == classNull || y == classNull:
		return 0, true
	case x == classJSON || y == classJSON:
		return compareJSONWith(a, b), false
	case x == y:
		return compareSame(a, b, x), false
	case x == classInstant || y == classInstant:
		return compareInstants(a, b)
	case x == classTime || y == classTime:
		return compareTimes(a, b)
	}
	return compareNumbers(a.exact(), b.exact()), false // a text and a number
}

func compareSame(a, b Datum, of class) int {
	switch of {
	case classNumber:
		return compareNumbers(a, b)
	case classInstant:
		x, _ := a.Instant()
		y, _ := b.Instant()
		return cmp.Compare(x, y)
	}
	return strings.Compare(a.text, b.text)
}

// compareInstants compares times where one side is a TIMESTAMP or DATE and the other something else. A number compares
// as the date that it is, if it is one.
func compareInstants(a, b Datum) (order int, null bool) {
	switch {
	case classes[b.kind] == classNumber:
		return compareNumberTime(a, b), false
	case classes[a.kind] == classNumber:
		return -compareNumberTime(b, a), false
	}
	x, known := a.Instant()
	y, too := b.Instant()
	return cmp.Compare(x, y), !known || !too
}

// compareNumberTime compares a time with a number.
func compareNumberTime(d, n Datum) (order int) {
	if us, ok := n.instantAs(d.place); ok && d.place != asEpoch {
		own, _ := d.Instant()
		return cmp.Compare(own, us)
	}
	return compareNumbers(d.Number(), n)
}

func compareTimes(a, b Datum) (order int, null bool) {
	if classes[a.kind] == classNumber || classes[b.kind] == classNumber {
		return compareNumbers(a.Number(), b.Number()), false
	}
	x, known := timeOf(a)
	y, too := timeOf(b)
	return cmp.Compare(x, y), !known || !too
}

func timeOf(d Datum) (us int64, ok bool) {
	if d.kind == KindTime {
		return d.Int(), true
	}
	return ParseTime(d.text)
}

func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	// NaN comes last, as in package order.
	return cmp.Compare(boolInt(x != x), boolInt(y != y))
}

func boolInt(x bool) int {
	if x {
		return 1
	}
	return 0
}

// compareNumbers compares values of class classNumber.
func compareNumbers(a, b Datum) int {
	switch {
	case a.kind == KindFloat && b.kind == KindFloat:
		return compareFloats(a.Float(), b.Float())
	case a.kind == KindFloat:
		return -compareWithFloat(b, a.Float())
	case b.kind == KindFloat:
		return compareWithFloat(a, b.Float())
	case a.kind == KindDecimal || b.kind == KindDecimal:
		x, _ := a.NumberDecimal()
		y, _ := b.NumberDecimal()
		return x.Compare(y)
	case a.kind == KindUint || b.kind == KindUint:
		if a.kind == b.kind {
			return cmp.Compare(a.bits, b.bits)
		}
		return cmp.Compare(boolInt(a.kind == KindUint), boolInt(b.kind == KindUint)) // a Uint is above all Ints
	}
	return cmp.Compare(int64(a.bits), int64(b.bits))
}

// compareWithFloat compares an exact number with a float. Where their floats differ, these tell; else the float's
// shortest decimal does.
func compareWithFloat(a Datum, f float64) int {
	if order := compareFloats(a.NumberFloat(), f); order != 0 {
		return order
	}
	x, _ := a.NumberDecimal()
	y, ok := floatDecimal(f)
	if !ok {
		return 0
	}
	return x.Compare(y)
}

// Comparable returns the value that stands for d where it is compared with a column of type t, converted once instead
// of for each row: a text as the time that it reads as, an integer for a TIMESTAMP as that time. ok is false if d can't
// be compared with any value of the type: the comparison is NULL. A value that needs no conversion is returned as it
// is.
func Comparable(d Datum, t Type) (converted Datum, ok bool) {
	if d.kind == KindNull {
		return d, false
	}
	if d.kind != KindText && d.kind != KindBinary {
		return d, true
	}
	switch t.Base {
	case Timestamp, Date:
		us, ok := ParseTimestamp(d.text)
		return TimestampUS(us), ok
	case Time:
		us, ok := ParseTime(d.text)
		return TimeUS(us), ok
	case Boolean, TinyInt, SmallInt, Integer, BigInt, BigIntUnsigned, Float, Double, DecimalBase:
		return d.exact(), true
	}
	return d, true
}

// Tags of AppendKey.
const (
	keyNull byte = iota
	keyInteger
	keyDecimal
	keyFloat // of floats outside a decimal's range
	keyUnsigned
	keyInstant
	keyTime
	keyBytes
	keyJSON
)

// AppendKey appends bytes that are equal for values that are equal, and for no others, for GROUP BY and DISTINCT; NULLs
// are equal. Keys may stand one after the other. Their order means nothing.
func (d Datum) AppendKey(dst []byte) []byte {
	switch d.kind {
	case KindBool, KindInt:
		return binary.BigEndian.AppendUint64(append(dst, keyInteger), d.bits)
	case KindUint:
		return binary.BigEndian.AppendUint64(append(dst, keyUnsigned), d.bits)
	case KindFloat:
		return appendFloatKey(dst, d.Float())
	case KindDecimal:
		return appendDecimalKey(dst, d.Decimal())
	case KindTimestamp, KindDate:
		us, _ := d.Instant()
		return binary.BigEndian.AppendUint64(append(dst, keyInstant), uint64(us))
	case KindTime:
		return binary.BigEndian.AppendUint64(append(dst, keyTime), d.bits)
	case KindText, KindBinary:
		dst = binary.AppendUvarint(append(dst, keyBytes), uint64(len(d.text)))
		return append(dst, d.text...)
	case KindJSON:
		return appendJSONKey(append(dst, keyJSON), d.text)
	}
	return append(dst, keyNull)
}

func appendFloatKey(dst []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return binary.BigEndian.AppendUint64(append(dst, keyInteger), uint64(int64(f)))
	}
	if x, ok := floatDecimal(f); ok {
		return appendDecimalKey(dst, x)
	}
	return order.AppendFloat(append(dst, keyFloat), f)
}

func appendDecimalKey(dst []byte, x order.Decimal) []byte {
	if n, exact := x.Int(); exact {
		return binary.BigEndian.AppendUint64(append(dst, keyInteger), uint64(n))
	}
	if p := partsOf(x); !p.negative && p.exponent >= 0 {
		if n, ok := unsignedOf(x); ok {
			return binary.BigEndian.AppendUint64(append(dst, keyUnsigned), n)
		}
	}
	return order.AppendDecimal(append(dst, keyDecimal), x)
}

// unsignedOf returns x as a uint64; ok is false if it has a fraction, is negative or too large.
func unsignedOf(x order.Decimal) (n uint64, ok bool) {
	p := partsOf(x)
	if p.negative && !x.IsZero() || p.exponent < 0 || p.high != 0 || p.exponent >= len(pow10) {
		return 0, false
	}
	n = p.low * pow10[p.exponent]
	return n, p.low == 0 || n/p.low == pow10[p.exponent]
}

// appendJSONKey appends the document's encoding, which equal documents share, or the text of what is no JSON.
func appendJSONKey(dst []byte, text string) []byte {
	start := len(dst)
	if keyed, err := jsontext.AppendValue(dst, text); err == nil {
		if v := value.Value(keyed[start:]); v.Kind() != value.Missing {
			return keyed
		}
	}
	dst = binary.AppendUvarint(append(dst[:start], 0xff), uint64(len(text)))
	return append(dst, text...)
}
