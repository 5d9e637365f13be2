// SPDX-License-Identifier: Apache-2.0

// Package zdynamo asks any DynamoDB endpoint for ranges over several attributes at once, through a Z-order key: AWS's
// own service, a local stand-in, or Weft. The server needs to know nothing of Z-order; to it the Z-address is a binary
// sort key. (Weft can also maintain the address and read boxes by itself; then this package is not needed.)
//
// An Index is made of a Schema: the attributes, how each is coded (package codec), whose bits go where (package
// zorder), and where the address is stored, as the sort key of a table or of a secondary index. Its methods are
//
//   - Stamp, Put and Update, which keep the address with an item;
//   - Query and All, which read the items inside bounds on any of the attributes, page by page, in the order of the
//     curve or backward.
//
// A query asks for the part of the sort key between the first and the last address that can match, in pages. An item
// that does not match is junk: it was read because the curve runs through it on its way. At the end of each page the
// next address inside the bounds is computed, and if the page ended outside of them the rest is left unread and a new
// query jumps in there. Reading on in a page that is paid for costs nothing, so what there is to decide is how much to
// ask for at once: pages become longer while they end in matches, and shorter when a run of junk in them is longer than
// Query.JunkMax. Jumping in at BIGMIN after some junk follows "Z-order indexing for multifaceted queries in Amazon
// DynamoDB" (AWS Database Blog) and Ramsak et al. 2000.
//
// The server returns candidates: the exact bounds are checked again on each item before it is handed on, in the
// comparison of its codec, which for numbers, binaries, booleans and texts is DynamoDB's own.
//
// Knows: the AWS SDK's Query, PutItem, GetItem and UpdateItem, attribute values.
// Never: Weft, tables' definitions, how codes are made or interleaved.
package zdynamo
