// SPDX-License-Identifier: Apache-2.0

// Package datum holds the values that SQL computes with: their types, how they compare, add, convert and print, as MySQL does it where
// LindormTable is silent; and how they are stored as Weft's values.
//
// A Datum is small and passed by value. Texts and binaries alias bytes of somebody else, often of a row or a request, and are valid as
// long as those are: who keeps one copies it (Clone).
//
// Knows: SQL's scalars, their arithmetic, comparison, conversion and text.
// Never: syntax, tables, sessions, packets.
package datum

import (
	"math"

	"github.com/weftdb/weft/order"
)

// Kind is what a Datum is.
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
	KindTimestamp      // int64 milliseconds since 1970-01-01 UTC
	KindDate           // int64 days since 1970-01-01
	KindTime           // int64 milliseconds since midnight, may be negative
	KindJSON           // JSON text
)

// Datum is one SQL value. The zero value is NULL.
type Datum struct {
	kind    Kind
	bits    uint64 // of integers, truth values, times; of a float64
	bytes   []byte // of texts, binaries and JSON
	decimal order.Decimal
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

// Float makes a floating-point number.
func Float64(x float64) Datum { return Datum{kind: KindFloat, bits: math.Float64bits(x)} }

// Decimal makes an exact number.
func Decimal(x order.Decimal) Datum { return Datum{kind: KindDecimal, decimal: x} }

// Text makes a string of UTF-8, which it aliases.
func Text(x []byte) Datum { return Datum{kind: KindText, bytes: x} }

// Binary makes a string of bytes, which it aliases.
func Binary(x []byte) Datum { return Datum{kind: KindBinary, bytes: x} }

// JSON makes a JSON value of its text, which it aliases.
func JSON(x []byte) Datum { return Datum{kind: KindJSON, bytes: x} }

// TimestampMS makes a time of milliseconds since 1970-01-01 UTC.
func TimestampMS(ms int64) Datum { return Datum{kind: KindTimestamp, bits: uint64(ms)} }

// DateDays makes a date of days since 1970-01-01.
func DateDays(days int64) Datum { return Datum{kind: KindDate, bits: uint64(days)} }

// TimeMS makes a time of day of milliseconds since midnight.
func TimeMS(ms int64) Datum { return Datum{kind: KindTime, bits: uint64(ms)} }

// Kind returns what d is.
func (d Datum) Kind() Kind { return d.kind }

// IsNull says whether d is NULL.
func (d Datum) IsNull() bool { return d.kind == KindNull }

// Int returns the integer of a KindInt, KindBool, KindTimestamp (ms), KindDate (days) or KindTime (ms).
func (d Datum) Int() int64 { return int64(d.bits) }

// Uint returns the integer of a KindUint or of a KindInt that is not negative.
func (d Datum) Uint() uint64 { return d.bits }

// Float returns the number of a KindFloat.
func (d Datum) Float() float64 { return math.Float64frombits(d.bits) }

// Decimal returns the number of a KindDecimal.
func (d Datum) Decimal() order.Decimal { return d.decimal }

// Bytes returns the bytes of a text, binary or JSON, which alias the datum's.
func (d Datum) Bytes() []byte { return d.bytes }
