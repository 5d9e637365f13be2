// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"math"
	"math/bits"

	"github.com/weftdb/weft/order"
)

const (
	signBit = 1 << 63
	two63   = float64(1 << 63)
	two64   = float64(1 << 64)
)

// floorInt rounds a number down to an int64. side is -1 or 1 if that was out of range and v is clamped. NaN is beyond
// all.
func floorInt(v *Value) (n int64, side int, ok bool) {
	switch v.kind {
	case valueInt:
		return int64(v.word), 0, true
	case valueUint:
		if v.word > math.MaxInt64 {
			return math.MaxInt64, 1, true
		}
		return int64(v.word), 0, true
	case valueFloat:
		n, side = floorFloat(math.Float64frombits(v.word))
		return n, side, true
	case valueDecimal:
		n, side = floorDecimal(v.decimal)
		return n, side, true
	}
	return 0, 0, false
}

func floorFloat(f float64) (n int64, side int) {
	f = math.Floor(f)
	switch {
	case f < -two63:
		return math.MinInt64, -1
	case f < two63:
		return int64(f), 0
	}
	return math.MaxInt64, 1
}

func floorDecimal(d order.Decimal) (n int64, side int) {
	n, exact := d.Int()
	switch {
	case exact:
		return n, 0
	case n == math.MaxInt64:
		return n, 1
	case n == math.MinInt64:
		return n, -1
	case d.IsNegative():
		return n - 1, 0
	}
	return n, 0
}

// floorUint rounds a number down to a uint64, as floorInt does.
func floorUint(v *Value) (n uint64, side int, ok bool) {
	switch v.kind {
	case valueUint:
		return v.word, 0, true
	case valueInt:
		if int64(v.word) < 0 {
			return 0, -1, true
		}
		return v.word, 0, true
	case valueFloat:
		switch f := math.Float64frombits(v.word); {
		case f < 0:
			return 0, -1, true
		case f < two64:
			return uint64(f), 0, true
		}
		return math.MaxUint64, 1, true
	case valueDecimal:
		n, side = floorDecimalUint(v.decimal)
		return n, side, true
	}
	return 0, 0, false
}

func floorDecimalUint(d order.Decimal) (n uint64, side int) {
	if d.IsNegative() {
		return 0, -1
	}
	low, side := floorDecimal(d)
	if side == 0 {
		return uint64(low), 0
	}
	// Above 2^63. What has at most 38 digits still does with 2^63 taken off, unless it is far beyond 2^64.
	rest, err := d.Sub(order.DecimalFromUint(signBit))
	if err != nil {
		return math.MaxUint64, 1
	}
	if rest.IsNegative() { // between 2^63-1 and 2^63
		return math.MaxInt64, 0
	}
	if low, side = floorDecimal(rest); side != 0 {
		return math.MaxUint64, 1
	}
	return signBit + uint64(low), 0
}

// toFloat rounds a number to the nearest float64.
func toFloat(v *Value) (f float64, ok bool) {
	switch v.kind {
	case valueFloat:
		return math.Float64frombits(v.word), true
	case valueDecimal:
		return v.decimal.Float(), true
	case valueInt:
		return float64(int64(v.word)), true
	case valueUint:
		return float64(v.word), true
	}
	return 0, false
}

// floatWord maps floats to words: the first bit flipped if positive, all bits if negative. IEEE 754 orders its formats
// as integers in sign and magnitude. Adding 0 makes -0 into 0; there is one NaN, after +Inf.
func floatWord(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	u := math.Float64bits(f + 0)
	return u ^ (uint64(int64(u)>>63) | signBit)
}

// float32Word is floatWord in 32 bits, left-aligned.
func float32Word(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	u := math.Float32bits(float32(f) + 0)
	return uint64(u^(uint32(int32(u)>>31)|1<<31)) << 32
}

// linearScale is the number of codes a linear codec has.
const linearScale = two64

// linearWord maps min..max to all words. Subtracting, multiplying and rounding are each monotone.
func linearWord(f, least, scale float64) uint64 {
	switch x := (f - least) * scale; {
	case x < 0:
		return 0
	case x < two64:
		return uint64(x)
	}
	return math.MaxUint64 // NaN, too
}

// eraSeconds is the time that half of a timestamp's codes are for: from 1970 to 2106.
const eraSeconds = 1 << 32

// eraShift and eraFactor map a count of units within the era to 0..2^63: the upper half of (count << shift) * factor.
// // immutable
var eraShift = [unitCount]uint{Second: 32, Millisecond: 22, Microsecond: 12, Nanosecond: 2}

// eraFactor is 2^127 / (era << eraShift), rounded down. // immutable
var eraFactor = [unitCount]uint64{Second: signBit, Millisecond: eraFactorOf(1e3, 22), Microsecond: eraFactorOf(1e6, 12),
	Nanosecond: eraFactorOf(1e9, 2)}

func eraFactorOf(perSecond uint64, shift uint) uint64 {
	quotient, _ := bits.Div64(signBit-1, math.MaxUint64, perSecond*eraSeconds<<shift)
	return quotient
}

// timeWord maps counts of units since 1970 to words: the quarter before the era at half the resolution, half of all
// words for the era, the quarter after it at half the resolution.
func timeWord(count int64, unit Unit) uint64 {
	if count < 0 {
		return (uint64(count) ^ signBit) >> 1
	}
	if era := uint64(unitsPerSecond[unit]) * eraSeconds; uint64(count) >= era {
		return 3<<62 + (uint64(count)-era)>>1
	}
	high, _ := bits.Mul64(uint64(count)<<eraShift[unit], eraFactor[unit])
	return 1<<62 + high
}
