// SPDX-License-Identifier: Apache-2.0

package order

import "math"

// canonicalNaN is the one NaN that is written. With its sign bit clear it sorts after +Inf.
const canonicalNaN = 0x7FF8_0000_0000_0000

// AppendFloat appends the ascending form of v, 8 bytes. -0 is written as 0, and every NaN as the same one, which sorts
// last.
func AppendFloat(dst []byte, v float64) []byte { return AppendUint(dst, floatCode(v)) }

// CutFloat takes the ascending form of a float64 off the front of b.
func CutFloat(b []byte) (v float64, rest []byte, err error) {
	code, rest, err := CutUint(b)
	if err != nil {
		return 0, nil, err
	}
	return floatOf(code, rest)
}

// AppendFloatDesc appends the descending form of v, 8 bytes: NaN, then +Inf, and so on down.
func AppendFloatDesc(dst []byte, v float64) []byte { return AppendUint(dst, ^floatCode(v)) }

// CutFloatDesc takes the descending form of a float64 off the front of b.
func CutFloatDesc(b []byte) (v float64, rest []byte, err error) {
	code, rest, err := CutUint(b)
	if err != nil {
		return 0, nil, err
	}
	return floatOf(^code, rest)
}

// floatCode maps floats to integers of the same order: the bits with the sign bit set, or all of them flipped if
// negative.
func floatCode(v float64) uint64 {
	switch {
	case v == 0:
		return signBit // of either sign
	case v != v:
		return canonicalNaN | signBit
	}
	u := math.Float64bits(v)
	return u ^ (uint64(int64(u)>>63) | signBit)
}

func floatOf(code uint64, rest []byte) (float64, []byte, error) {
	u := code ^ signBit
	if code < signBit {
		u = ^code
	}
	v := math.Float64frombits(u)
	if floatCode(v) != code {
		return 0, nil, ErrMalformed
	}
	return v, rest, nil
}
