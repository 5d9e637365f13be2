// SPDX-License-Identifier: Apache-2.0

package order

import "encoding/binary"

// Complement flips every bit of b in place. It turns the ascending form of any value into the descending one and back.
func Complement(b []byte) {
	for len(b) >= 8 {
		binary.NativeEndian.PutUint64(b, ^binary.NativeEndian.Uint64(b))
		b = b[8:]
	}
	for i := range b {
		b[i] = ^b[i]
	}
}

// PrefixEnd appends to dst the smallest key that is greater than every key beginning with prefix: prefix without its
// trailing 0xFF bytes, the last byte then raised by one. There is no such key if prefix is empty or all 0xFF: ok is
// false, end is dst as it came, and the span reaches to the end of the key space. dst may be prefix[:0].
func PrefixEnd(dst, prefix []byte) (end []byte, ok bool) {
	for i := len(prefix) - 1; i >= 0; i-- {
		if last := prefix[i]; last != 0xFF {
			dst = append(dst, prefix[:i]...)
			return append(dst, last+1), true
		}
	}
	return dst, false
}
