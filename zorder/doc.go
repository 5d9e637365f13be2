// SPDX-License-Identifier: Apache-2.0

// Package zorder makes index keys on the Z-order curve (Morton order): the bits of several attributes interleaved in
// one key, so that a box of attribute ranges can be read from an ordered store without reading everything between its
// first and its last key.
//
// There are few types:
//
//   - A Plan assigns each bit of the key to an attribute. Round robin, attributes of mixed widths, attributes in front
//     of the curve, a plain composite key and any other bit order are all plans, and everything else here works for
//     each of them.
//   - An attribute's value is a code: an unsigned integer of a fixed number of bits, the first bit the most
//     significant. Codes of up to 64 bits are uint64; codes of any width are []byte, aligned to the left, unused bits
//     of the last byte zero. AppendKey makes a key of codes, AppendCodes the codes of a key.
//   - A Box has a lowest and a highest code for each attribute, both included. Boxes is a union of boxes: IN, OR, a
//     range of longitudes that crosses the date line. Next is the smallest key of the union that is not below a key,
//     Prev the largest that is not above it.
//
// A scan reads from Low to High, asks Next (or Prev, backward) about each key that it meets, takes the key if it is
// inside, and seeks to the answer, or steps to it, if it is not. See the examples. A scan finds candidates: a caller
// that maps values to codes coarsely, or shrinks a union with Normalize's bound, must check the exact predicate on the
// rows. Nothing that matches is ever left out as long as each mapping is weakly monotone and the same for keys and for
// bounds.
//
// Stores that can't seek cheaply need ranges of keys instead, see Boxes.Ranges. The cost of a box is estimated by the
// functions in cost.go.
//
// Sources. The curve: G. M. Morton, "A computer oriented geodetic data base and a new technique in file sequencing",
// IBM, 1966. The next point inside a box (BIGMIN, LITMAX): H. Tropf and H. Herzog, "Multidimensional range search in
// dynamically balanced trees", Angewandte Informatik 2/1981. As a way to use the B-tree of any database: F. Ramsak et
// al., "Integrating the UB-tree into a database system kernel", VLDB 2000. Ranges under a budget: GeoMesa's Z2 and Z3
// indexes. The use with DynamoDB: Z. Slayton, "Z-order indexing for multifaceted queries in Amazon DynamoDB", parts 1
// and 2, AWS Database Blog, 2017.
//
// Knows: fixed-width unsigned dimensions, plans, box -> next point inside it.
// Never: columns, types, kv.
package zorder
