// SPDX-License-Identifier: Apache-2.0

// Package bitorder tries Z-order bit orders out on a sample of rows: it counts what a scan of a box reads, and learns
// an order from boxes. It also chooses the codecs that an attribute is declared with.
//
// Knows: codes, boxes, plans, the words of codecs.
// Never: tables, keys, queries.
package bitorder
