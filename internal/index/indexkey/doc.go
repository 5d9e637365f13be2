// SPDX-License-Identifier: Apache-2.0

// Package indexkey turns rows into index keys and bounds on columns into spans of such keys.
//
// # Keys
//
// The key of an index entry is
//
//	keyspace's prefix | the parts of Index.Key, in order | in a secondary index: the primary key's parts
//
// This package writes the middle. Each part is the ordered encoding of its value by its type (see package order),
// complemented if the part is descending:
//
//	string, binary    escaped bytes with an end mark
//	number            order.AppendDecimal; a float64 is the shortest decimal that reads back as the same number
//	int, timestamp    8 bytes
//	float             8 bytes
//	bool              1 byte
//	any               0x10, 0x20 or 0x30 and a number, a string or a binary
//	hash8/32/64       1, 4 or 8 bytes as they are: the leading bits of the hash
//
// Parts of an index that keeps nulls begin with a byte more, 0x01 for a null (nothing follows) or 0x02 for a value; it
// is complemented with the rest, so that nulls are the smallest values in either direction. No encoding of a part is
// the beginning of another, so the order of keys is the order of the tuples of values.
//
// # Computed parts
//
//	concat(a,'#',b)        the texts of its arguments, one after the other; numbers as DynamoDB shows them, binaries refused
//	hash32(a,b)            the leading bits of xxHash64, seed 0, of the arguments' ascending encodings, one after the other; big endian
//	reverse(s)             the characters of a string, last first; the bytes, if it is not UTF-8
//	reverse(n)             the digits of an integer, last first: 123 is 321 and -123 is -321. Zeros at the end vanish, so that 12 and
//	                       120 have one value: good enough to spread an index, not to identify an item: see schema.Identified
//	desc(x)                x itself, in descending order
//
// # Spans
//
// Scan turns bounds on columns and on parts into sorted spans by the rule of the leftmost prefix: parts bound to single
// values let the next part prune further, anything else ends it. A kind of key part that is not in the order of any
// column has its own planner: see planner and Scan.Skip.
//
// Functions that end in key bytes append to dst and allocate only to grow it. Those that plan may allocate.
//
// Knows: columns to key parts and back; bounds to spans, exact or not.
// Never: reading or writing; which index is best.
package indexkey
