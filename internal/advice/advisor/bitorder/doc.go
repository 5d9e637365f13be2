// SPDX-License-Identifier: Apache-2.0

// Package bitorder learns a Z-order's order of bits from boxes. It also chooses the codecs that an attribute is
// declared with.
//
// Knows: codes, boxes, plans, the words of codecs.
// Never: tables, keys, queries.
package bitorder
