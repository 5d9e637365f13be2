// SPDX-License-Identifier: Apache-2.0

// Package codec turns attribute values into the fixed-width unsigned codes that a Z-order key interleaves.
//
// A code need not be turned back into its value: it has to keep the value's order, no more. Hence the laws of every
// Codec:
//
//   - Monotone: a <= b, in the codec's own comparison, implies code(a) <= code(b). Values may share a code. That costs
//     reads, and never answers, since whoever reads by codes checks the exact predicate on what was read.
//   - Clamped: values outside of what a code can say take the first or the last code. High bits are never cut off.
//   - One and the same codec makes the codes of rows and of bounds. It never changes after it was made; what changes is
//     its version.
//   - A Range holds the code of every value that matches its Condition.
//
// A full code has a width of its own; Bits cuts it from the left, from 1 bit (2 with nulls=first) to that width:
//
//	type              full bits  full code                                                          values
//	u8 u16 u32 u64    8..64      as is                                                              any number, rounded down
//	i8 i16 i32 i64    8..64      first bit flipped                                                  any number, rounded down
//	f32 f64           32, 64     first bit flipped, all bits if negative; -0 is 0, one NaN, last    any number, to the nearest
//	number            136        sign, exponent, 38 digits as one integer of 127 bits               any number, to 38 digits
//	bool              1          false, true; with nulls=first 2 bits                               bool
//	timestamp(unit)   64         the epoch, see below                                               any number, rounded down
//	lat lon           64         linear over -90..90 and -180..180                                  any number
//	linear(min,max)   64         linear over min..max                                               any number
//	iso8601(unit)     64         its first instant, as timestamp(unit)                              text
//	text[n] binary[n] 8n         the first n bytes, padded with zeros                               text; binary
//	nfc[n]            8n         text[n] of the text's Unicode normal form C                        text
//	raw[n]            8n         the first n bytes of any byte string whose order is that of bytes  ordered bytes, text, binary
//	codec=quantile    64         the value's place in a sample, of any type above                   those of the type
//
// Integers, floats, strings and timestamps follow the second part of "Z-order indexing for multifaceted queries in
// Amazon DynamoDB" (AWS Database Blog), with the holes closed: -0 and NaN, times before 1970, texts with a common
// beginning, mixed ISO 8601 forms.
//
// Timestamps are signed counts of their unit since 1970. As a plain signed integer of 64 bits a time of today in
// seconds has 33 leading bits that never change, and they would steer the curve in vain. So half of all codes go to
// 1970..2106, a quarter to all that was before, a quarter to all that comes after.
//
// Longitudes wrap. A box across the antimeridian, such as 170..-170, is two boxes: lon BETWEEN 170 AND 180, and BETWEEN
// -180 AND -170.
//
// Quantile codecs are learned from a sample (Learn). Separators, each as short as its neighbours allow, cut the sample
// into buckets that hold about equally many rows; a bucket owns as large a share of the codes as it holds of the
// sample, and inside a bucket the code follows the first bytes behind what the bucket's two separators share. So a
// common beginning such as "http://www." costs nothing, equal values are never parted, and the leading bits of a code
// halve the rows rather than the values. A few codes at both ends are spare for values outside the sample. A Skew says
// when the data have moved away.
//
// A codec compares by its Order: a predicate with another comparison must not use its codes. In particular iso8601
// serves only comparisons of instants, not those of the texts, and nfc only those of normal forms.
//
// Knows: values, their order, codes, ranges of codes, the words that declare a codec, its stored form.
// Never: tables, kv, how codes are interleaved, which index there is.
package codec
