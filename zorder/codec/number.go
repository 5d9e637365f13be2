// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/weftdb/weft/order"
)

// The full code of a number has 136 bits, with nothing in front that is always the same:
//
//	bit 0        1, or 0 if negative
//	bits 1-8     the exponent of the first digit, plus 130; there are exactly 256
//	bits 9-135   38 digits, the first not 0, as one integer below 10^38 < 2^127; of zero all bits but the first are 0
//
// The magnitude of a negative number is complemented.
const (
	numberBits  = 136
	numberBytes = numberBits / 8
)

// numberOf rounds a number of any kind to a Decimal: exactly, if it has no more than 38 digits; a float outside of
// Decimal's range to the end of it. side says which end; NaN is beyond all.
func numberOf(v *Value) (d order.Decimal, side int, ok bool) {
	switch v.kind {
	case valueDecimal:
		return v.decimal, 0, true
	case valueInt:
		return order.DecimalFromInt(int64(v.word)), 0, true
	case valueUint:
		return order.DecimalFromUint(v.word), 0, true
	case valueFloat:
		d, side = roundFloat(math.Float64frombits(v.word))
		return d, side, true
	}
	return d, 0, false
}

// roundFloat rounds to 38 digits, and what is then beyond Decimal's range to the end of it. Magnitudes below Decimal's
// become 0.
func roundFloat(f float64) (d order.Decimal, side int) {
	var buffer [64]byte
	d, err := order.ParseDecimal(strconv.AppendFloat(buffer[:0], f, 'e', order.DecimalDigitsMax-1, 64))
	switch {
	case err == nil:
		return d, 0
	case math.Abs(f) < 1:
		return order.Decimal{}, 0
	}
	d, _ = order.ParseDecimal([]byte("9.9999999999999999999999999999999999999E125")) // cannot fail: the largest Decimal
	if f < 0 {
		return d.Neg(), -1
	}
	return d, 1 // NaN, too
}

// numberCode writes the full code of d.
func numberCode(code *[numberBytes]byte, d order.Decimal) {
	*code = [numberBytes]byte{0: 0x80}
	if d.IsZero() {
		return
	}
	exponent, high, low := splitDecimal(d)
	// 9 bits stand before the digits: 1 for the sign, 8 for the exponent.
	first := signBit | uint64(exponent-order.DecimalExponentMin)<<55 | high>>8
	second := high<<56 | low>>8
	third := byte(low)
	if d.IsNegative() {
		first, second, third = ^first, ^second, ^third
	}
	binary.BigEndian.PutUint64(code[0:], first)
	binary.BigEndian.PutUint64(code[8:], second)
	code[16] = third
}

// splitDecimal returns the magnitude of a d other than 0: the exponent of its first digit, and 38 digits from there on
// as an integer of 128 bits.
func splitDecimal(d order.Decimal) (exponent int, high, low uint64) {
	const tenTo19 = 1e19
	var buffer [176]byte
	var halves [2]uint64 // of 19 digits each
	digits, point := 0, -1
	text := d.AppendText(buffer[:0])
	if text[0] == '-' {
		text = text[1:]
	}
	for i, c := range text {
		switch {
		case c == '.':
			point = i
		case digits == 0 && c == '0':
		case digits < order.DecimalDigitsMax:
			if digits == 0 {
				exponent = -i
			}
			halves[digits/19] = halves[digits/19]*10 + uint64(c-'0')
			digits++
		}
	}
	switch {
	case point < 0: // an integer: the first digit stands len(text)-1 places before the end
		exponent += len(text) - 1
	case -exponent < point:
		exponent += point - 1
	default:
		exponent += point
	}
	for ; digits < order.DecimalDigitsMax; digits++ {
		halves[digits/19] *= 10
	}
	high, low = bits.Mul64(halves[0], tenTo19)
	low, carry := bits.Add64(low, halves[1], 0)
	return exponent, high + carry, low
}
