// SPDX-License-Identifier: Apache-2.0

// Package datum holds the values that SQL computes with: their types, how they compare, add, convert and print, as
// MySQL does it where LindormTable is silent; and how they are stored as Weft's values.
//
// A Datum is small and passed by value. Texts and binaries alias bytes of somebody else, often of a row or a request,
// and are valid as long as those are: who keeps one copies it (Clone).
//
// As numbers, times are YYYYMMDDhhmmss, YYYYMMDD and hhmmss (MySQL's way). The TIMESTAMP of a table of LindormTable's
// kind is its milliseconds since 1970. Texts compare by their bytes. All times are UTC.
//
// Knows: SQL's scalars, their arithmetic, comparison, conversion and text.
// Never: syntax, tables, sessions, packets.
package datum

import (
	"math"
	"strings"
	"unsafe"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/order"
)

// Kind is the kind of a Datum.
type Kind uint8

// The kinds.
const (
	KindNull      Kind = iota
	KindBool           // prints as 0 or 1, computes as an integer
	KindInt            // int64
	KindUint           // uint64, for what exceeds int64: BIGINT UNSIGNED and sums of it
	KindFloat          // float64
	KindDecimal        // exact, up to 38 digits
	KindText           // UTF-8
	KindBinary         // any bytes
	KindTimestamp      // int64 microseconds since 1970-01-01 UTC
	KindDate           // int64 days since 1970-01-01
	KindTime           // int64 microseconds since midnight, may be negative
	KindJSON           // JSON text
)

// Datum is one SQL value. The zero value is NULL. Compare two with Compare or Order, not with ==.
type Datum struct {
	_     [0]func() // no ==: equal values need not be equal bits
	kind  Kind
	scale uint8 // of decimals and times: the digits behind the point that are shown
	// place is a decimal's exponent and sign, packed: see decimal.go.
	place int32
	// bits holds integers, truth values, times and the bits of a float64; of a decimal the lower half of the
	// coefficient.
	bits uint64
	high uint64 // of a decimal: the upper half of the coefficient
	text string // of texts, binaries and JSON; aliases bytes that somebody else owns
}

// Null is the NULL value. // immutable
var Null = Datum{}

// Bool makes a truth value.
func Bool(x bool) Datum {
	if x {
		return Datum{kind: KindBool, bits: 1}
	}
	return Datum{kind: KindBool}
}

// Int makes an integer.
func Int(x int64) Datum { return Datum{kind: KindInt, bits: uint64(x)} }

// Uint makes an unsigned integer; one that fits an int64 is an Int.
func Uint(x uint64) Datum {
	if x <= math.MaxInt64 {
		return Int(int64(x))
	}
	return Datum{kind: KindUint, bits: x}
}

// Integer returns the integer that an Int is; ok is false for every other kind.
func (d *Datum) Integer() (x int64, ok bool) { return int64(d.bits), d.kind == KindInt }

// Float64 makes a floating-point number.
func Float64(x float64) Datum { return Datum{kind: KindFloat, bits: math.Float64bits(x)} }

// Decimal makes an exact number, which shows as many digits behind the point as it has.
func Decimal(x order.Decimal) Datum { return DecimalOfScale(x, 0) }

// DecimalOfScale makes an exact number that shows scale digits behind the point at least, 30 at most: 1.50 is 1.5 of
// scale 2.
func DecimalOfScale(x order.Decimal, scale int) Datum {
	_, fraction := x.Digits()
	if p := partsOf(x); p.exponent < 0 {
		fraction = -p.exponent
	}
	d := Datum{kind: KindDecimal, scale: uint8(min(max(scale, min(fraction, scaleMax), 0), scaleMax))}
	d.setDecimal(x)
	return d
}

// DecimalShown makes an exact number that shows scale digits behind the point, even where it has more: a quotient goes
// on with those.
func DecimalShown(x order.Decimal, scale int) Datum {
	d := Datum{kind: KindDecimal, scale: uint8(min(max(scale, 0), scaleMax))}
	d.setDecimal(x)
	return d
}

// Text makes a string of UTF-8, which it aliases.
func Text(x []byte) Datum { return Datum{kind: KindText, text: alias(x)} }

// TextString is Text of a string.
func TextString(x string) Datum { return Datum{kind: KindText, text: x} }

// Binary makes a string of bytes, which it aliases.
func Binary(x []byte) Datum { return Datum{kind: KindBinary, text: alias(x)} }

// Hexadecimal makes the bytes of a literal such as 0x41 or b'1', which it aliases: they are bytes, but a number where
// one is wanted.
func Hexadecimal(x []byte) Datum { return Datum{kind: KindBinary, bits: hexadecimal, text: alias(x)} }

// hexadecimal marks bytes that are a number where one is wanted.
const hexadecimal = 1

// JSON makes a JSON value of its text, which it aliases.
func JSON(x []byte) Datum { return Datum{kind: KindJSON, text: alias(x)} }

// TimestampUS makes a time of microseconds since 1970-01-01 UTC.
func TimestampUS(us int64) Datum { return Datum{kind: KindTimestamp, bits: uint64(us)} }

// DateDays makes a date of days since 1970-01-01.
func DateDays(days int64) Datum { return Datum{kind: KindDate, bits: uint64(days)} }

// TimeUS makes a time of day of microseconds since midnight.
func TimeUS(us int64) Datum { return Datum{kind: KindTime, bits: uint64(us)} }

// Kind returns what d is.
func (d Datum) Kind() Kind { return d.kind }

// IsNull reports whether d is NULL.
func (d Datum) IsNull() bool { return d.kind == KindNull }

// Int returns the integer of a KindInt, KindBool, KindTimestamp (µs), KindDate (days) or KindTime (µs).
func (d Datum) Int() int64 { return int64(d.bits) }

// Uint returns the integer of a KindUint or of a KindInt that is not negative.
func (d Datum) Uint() uint64 { return d.bits }

// Float returns the number of a KindFloat. NumberFloat converts from other kinds.
func (d Datum) Float() float64 { return math.Float64frombits(d.bits) }

// Decimal returns the number of a KindDecimal, without the zeros that its scale shows. A quotient has more digits than
// it shows; Shown cuts them.
func (d Datum) Decimal() order.Decimal { return d.getDecimal() }

// Shown returns a KindDecimal rounded to the digits that it shows, and any other value as it is.
func (d Datum) Shown() Datum {
	if d.kind == KindDecimal && d.place>>1 < -int32(d.scale) {
		d.setDecimal(RoundDecimal(d.getDecimal(), int(d.scale), false))
	}
	return d
}

// Scale returns how many digits behind the point a KindDecimal shows, and a time at least.
func (d Datum) Scale() int { return int(d.scale) }

// Bytes returns the bytes of a text, binary or JSON, which alias the datum's and must not be written to.
func (d Datum) Bytes() []byte { return value.ReadOnly(d.text) }

// Len returns the number of bytes of a text, binary or JSON.
func (d Datum) Len() int { return len(d.text) }

// Clone returns d with bytes of its own.
func (d Datum) Clone() Datum {
	d.text = strings.Clone(d.text)
	return d
}

// String shows d for tests and messages: texts in quotes, binaries as x'00ff', NULL as NULL.
func (d Datum) String() string {
	switch d.kind {
	case KindNull:
		return "NULL"
	case KindText:
		return "'" + d.text + "'"
	case KindBinary:
		return string(appendHex([]byte("x'"), d.text)) + "'"
	}
	return string(d.AppendText(nil))
}

func appendHex(dst []byte, text string) []byte {
	const digits = "0123456789abcdef"
	for i := range len(text) {
		dst = append(dst, digits[text[i]>>4], digits[text[i]&15])
	}
	return dst
}

// alias makes a string of bytes that the caller promised to leave alone for as long as the datum lives.
func alias(x []byte) string { return unsafe.String(unsafe.SliceData(x), len(x)) }
