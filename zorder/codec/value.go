// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"math"

	"github.com/weftdb/weft/order"
)

type valueKind uint8

const (
	valueNull valueKind = iota
	valueBool
	valueInt
	valueUint
	valueFloat
	valueDecimal
	valueText
	valueBinary
	valueOrdered
)

// Value is the input of a codec. The zero Value is null: no value, a missing attribute. Texts and binaries alias the
// caller's bytes, which a codec reads while it is called and never keeps.
type Value struct {
	kind    valueKind
	word    uint64 // of a bool, int, uint or float, its bits
	decimal order.Decimal
	bytes   []byte
}

// Null returns the missing value.
func Null() Value { return Value{} }

// Bool returns a truth value.
func Bool(v bool) Value {
	if v {
		return Value{kind: valueBool, word: 1}
	}
	return Value{kind: valueBool}
}

// Int returns a number.
func Int(v int64) Value { return Value{kind: valueInt, word: uint64(v)} }

// Uint returns a number.
func Uint(v uint64) Value { return Value{kind: valueUint, word: v} }

// Float returns a number. NaN is a number that comes after all others and equals itself; -0 equals 0.
func Float(v float64) Value { return Value{kind: valueFloat, word: math.Float64bits(v)} }

// Number returns an exact decimal number.
func Number(d order.Decimal) Value { return Value{kind: valueDecimal, decimal: d} }

// Text returns a text in UTF-8. Bytes that are no UTF-8 are compared as bytes.
func Text(v []byte) Value { return Value{kind: valueText, bytes: v} }

// String returns a text, which is copied.
func String(v string) Value { return Text([]byte(v)) }

// Binary returns a byte string.
func Binary(v []byte) Value { return Value{kind: valueBinary, bytes: v} }

// Ordered returns a value of any type as bytes that sort like the values, such as those that package order
// appends.
func Ordered(v []byte) Value { return Value{kind: valueOrdered, bytes: v} }

// IsNull reports whether v is the missing value.
func (v Value) IsNull() bool { return v.kind == valueNull }
