// SPDX-License-Identifier: Apache-2.0

package order

import (
	"encoding/binary"
	"math/bits"
)

const signBit = 1 << 63

// AppendUint appends the ascending form of v: 8 bytes, big endian.
func AppendUint(dst []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(dst, v) }

// CutUint takes the ascending form of a uint64 off the front of b.
func CutUint(b []byte) (v uint64, rest []byte, err error) {
	if len(b) < 8 {
		return 0, nil, ErrTruncated
	}
	return binary.BigEndian.Uint64(b), b[8:], nil
}

// AppendUintDesc appends the descending form of v.
func AppendUintDesc(dst []byte, v uint64) []byte { return AppendUint(dst, ^v) }

// CutUintDesc takes the descending form of a uint64 off the front of b.
func CutUintDesc(b []byte) (v uint64, rest []byte, err error) {
	v, rest, err = CutUint(b)
	if err != nil {
		return 0, nil, err
	}
	return ^v, rest, nil
}

// AppendInt appends the ascending form of v: 8 bytes, big endian, the sign bit flipped.
func AppendInt(dst []byte, v int64) []byte { return AppendUint(dst, uint64(v)^signBit) }

// CutInt takes the ascending form of an int64 off the front of b.
func CutInt(b []byte) (v int64, rest []byte, err error) {
	u, rest, err := CutUint(b)
	if err != nil {
		return 0, nil, err
	}
	return int64(u ^ signBit), rest, nil
}

// AppendIntDesc appends the descending form of v.
func AppendIntDesc(dst []byte, v int64) []byte { return AppendUint(dst, ^(uint64(v) ^ signBit)) }

// CutIntDesc takes the descending form of an int64 off the front of b.
func CutIntDesc(b []byte) (v int64, rest []byte, err error) {
	v, rest, err = CutInt(b)
	if err != nil {
		return 0, nil, err
	}
	return ^v, rest, nil
}

// AppendTimestamp appends the ascending form of a time in milliseconds since 1970-01-01 UTC, before then negative: that
// of AppendInt.
func AppendTimestamp(dst []byte, unixMS int64) []byte { return AppendInt(dst, unixMS) }

// CutTimestamp takes the ascending form of a timestamp off the front of b.
func CutTimestamp(b []byte) (unixMS int64, rest []byte, err error) { return CutInt(b) }

// AppendTimestampDesc appends the descending form of a time in milliseconds since 1970-01-01 UTC: the newest first.
func AppendTimestampDesc(dst []byte, unixMS int64) []byte { return AppendIntDesc(dst, unixMS) }

// CutTimestampDesc takes the descending form of a timestamp off the front of b.
func CutTimestampDesc(b []byte) (unixMS int64, rest []byte, err error) { return CutIntDesc(b) }

// AppendUvarint appends the ascending form of v in 1 to 9 bytes: the number of bytes that v needs, none for 0, and
// these bytes, big endian.
func AppendUvarint(dst []byte, v uint64) []byte { return appendUvarint(dst, v, 0) }

// AppendUvarintDesc appends the descending form of v in 1 to 9 bytes.
func AppendUvarintDesc(dst []byte, v uint64) []byte { return appendUvarint(dst, v, ^uint64(0)) }

// CutUvarint takes the ascending variable-length form of a uint64 off the front of b.
func CutUvarint(b []byte) (v uint64, rest []byte, err error) { return cutUvarint(b, 0) }

// CutUvarintDesc takes the descending variable-length form of a uint64 off the front of b.
func CutUvarintDesc(b []byte) (v uint64, rest []byte, err error) { return cutUvarint(b, ^uint64(0)) }

// appendUvarint appends the ascending form XORed with mask, all ones or all zeros.
func appendUvarint(dst []byte, v, mask uint64) []byte {
	size := (bits.Len64(v) + 7) / 8
	dst = append(dst, byte(size)^byte(mask))
	v ^= mask
	for shift := 8 * (size - 1); shift >= 0; shift -= 8 {
		dst = append(dst, byte(v>>shift))
	}
	return dst
}

func cutUvarint(b []byte, mask uint64) (uint64, []byte, error) {
	if len(b) == 0 {
		return 0, nil, ErrTruncated
	}
	size := int(b[0] ^ byte(mask))
	if size > 8 {
		return 0, nil, ErrMalformed
	}
	if len(b) <= size {
		return 0, nil, ErrTruncated
	}
	var v uint64
	for _, c := range b[1 : 1+size] {
		v = v<<8 | uint64(c^byte(mask))
	}
	if (bits.Len64(v)+7)/8 != size {
		return 0, nil, ErrMalformed
	}
	return v, b[1+size:], nil
}

// AppendBool appends the ascending form of v: false, then true.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// CutBool takes the ascending form of a bool off the front of b.
func CutBool(b []byte) (v bool, rest []byte, err error) {
	if len(b) == 0 {
		return false, nil, ErrTruncated
	}
	if b[0] > 1 {
		return false, nil, ErrMalformed
	}
	return b[0] == 1, b[1:], nil
}

// AppendBoolDesc appends the descending form of v: true, then false.
func AppendBoolDesc(dst []byte, v bool) []byte {
	if v {
		return append(dst, 0xFE)
	}
	return append(dst, 0xFF)
}

// CutBoolDesc takes the descending form of a bool off the front of b.
func CutBoolDesc(b []byte) (v bool, rest []byte, err error) {
	if len(b) == 0 {
		return false, nil, ErrTruncated
	}
	if b[0] < 0xFE {
		return false, nil, ErrMalformed
	}
	return b[0] == 0xFE, b[1:], nil
}
