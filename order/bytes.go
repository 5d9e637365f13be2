// SPDX-License-Identifier: Apache-2.0

package order

import "bytes"

// Byte strings are escaped so that they end in a mark no value contains: 0x00 0x00. A 0x00 in the value becomes 0x00
// 0xFF, which sorts after the mark, so that "a" stands before "a\x00". The descending form is the complement.
const (
	escapeByte = 0x00
	escapedBy  = 0xFF
	endedBy    = 0x00
)

// AppendBytes appends the ascending form of v: len(v)+2 bytes, and one more for each 0x00 in v.
func AppendBytes(dst, v []byte) []byte {
	return append(AppendBytesPrefix(dst, v), escapeByte, endedBy)
}

// AppendBytesPrefix appends the ascending form of v without its end. The forms of all values that begin with v begin
// with it. With PrefixEnd it gives the span of these values.
func AppendBytesPrefix(dst, v []byte) []byte {
	for {
		i := bytes.IndexByte(v, escapeByte)
		if i < 0 {
			return append(dst, v...)
		}
		dst = append(dst, v[:i]...)
		dst = append(dst, escapeByte, escapedBy)
		v = v[i+1:]
	}
}

// AppendBytesDesc appends the descending form of v.
func AppendBytesDesc(dst, v []byte) []byte {
	start := len(dst)
	dst = AppendBytes(dst, v)
	Complement(dst[start:])
	return dst
}

// AppendBytesPrefixDesc appends the descending form of v without its end. The descending forms of all values that begin
// with v begin with it.
func AppendBytesPrefixDesc(dst, v []byte) []byte {
	start := len(dst)
	dst = AppendBytesPrefix(dst, v)
	Complement(dst[start:])
	return dst
}

// CutBytes takes the ascending form of a byte string off the front of b. A value without 0x00 is returned as a part of
// b, and dst stays as it is; any other is appended to dst as append would, so it may share dst's array. Either way
// value holds the value alone, and its capacity ends with it: appending to it harms neither b nor dst. Pass scratch[:0]
// to reuse memory, or nil.
func CutBytes(b, dst []byte) (value, rest []byte, err error) {
	end, zeros, err := scanBytes(b, 0x00)
	if err != nil {
		return nil, nil, err
	}
	escaped, rest := b[:end], b[end+2:]
	if zeros == 0 {
		return escaped[:end:end], rest, nil
	}
	start := len(dst)
	for len(escaped) > 0 {
		i := bytes.IndexByte(escaped, escapeByte)
		if i < 0 {
			dst = append(dst, escaped...)
			break
		}
		dst = append(dst, escaped[:i+1]...)
		escaped = escaped[i+2:]
	}
	return dst[start:len(dst):len(dst)], rest, nil
}

// CutBytesDesc takes the descending form of a byte string off the front of b. The value is always appended to dst,
// as CutBytes does for values with 0x00.
func CutBytesDesc(b, dst []byte) (value, rest []byte, err error) {
	end, _, err := scanBytes(b, 0xFF)
	if err != nil {
		return nil, nil, err
	}
	escaped, rest := b[:end], b[end+2:]
	start := len(dst)
	for len(escaped) > 0 {
		i := bytes.IndexByte(escaped, ^byte(escapeByte))
		if i < 0 {
			dst = append(dst, escaped...)
			break
		}
		dst = append(dst, escaped[:i+1]...)
		escaped = escaped[i+2:]
	}
	value = dst[start:len(dst):len(dst)]
	Complement(value)
	return value, rest, nil
}

// SkipBytes returns what follows the ascending form of a byte string.
func SkipBytes(b []byte) (rest []byte, err error) { return skipBytes(b, 0x00) }

// SkipBytesDesc returns what follows the descending form of a byte string.
func SkipBytesDesc(b []byte) (rest []byte, err error) { return skipBytes(b, 0xFF) }

func skipBytes(b []byte, mask byte) ([]byte, error) {
	end, _, err := scanBytes(b, mask)
	if err != nil {
		return nil, err
	}
	return b[end+2:], nil
}

// scanBytes finds the end mark in a form XORed with mask, and counts the escaped zeros before it.
func scanBytes(b []byte, mask byte) (end, zeros int, err error) {
	for i := 0; ; {
		next := bytes.IndexByte(b[i:], escapeByte^mask)
		if next < 0 || i+next+1 >= len(b) {
			return 0, 0, ErrTruncated
		}
		i += next
		switch b[i+1] ^ mask {
		case endedBy:
			return i, zeros, nil
		case escapedBy:
			zeros++
			i += 2
		default:
			return 0, 0, ErrMalformed
		}
	}
}
