// SPDX-License-Identifier: Apache-2.0

// Package order turns scalars into bytes whose order is the order of the values: bytes.Compare(AppendX(nil, a),
// AppendX(nil, b)) is the comparison of a and b. Equal values have equal bytes, and only those bytes are read back:
// every Cut function refuses a second spelling of a value with ErrMalformed.
//
// Each kind has an ascending form and a descending one, the complement of every byte:
//
//	kind       ascending bytes
//	Uint       8 bytes, big endian
//	Uvarint    a length 0..8, then so many bytes, big endian, without leading zeros
//	Int        8 bytes, big endian, sign bit flipped
//	Float      8 bytes; the sign bit flipped, or all bits if negative; -0 is 0; one NaN, after +Inf
//	Bool       1 byte, 0 or 1
//	Timestamp  milliseconds since 1970-01-01 UTC, as Int
//	Bytes      0x00 becomes 0x00 0xFF; 0x00 0x00 ends the value
//	Decimal    see AppendDecimal; 1 to 22 bytes, none of them 0x00 or 0xFF
//
// No encoding is a prefix of another of the same kind and direction, so encodings can be written one after the other:
// the order of the whole is the order of the tuples, whatever directions its parts have.
//
// Append functions extend dst and never fail. Cut functions take one value off the front of b and return what follows
// it. Nothing here allocates, apart from growing dst.
//
// Knows: scalars, decimals, byte strings, and bytes whose order is the order of the values.
// Never: tables, kv, value kinds, JSON.
package order
