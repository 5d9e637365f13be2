// SPDX-License-Identifier: Apache-2.0

// Package curve tries Z-order bit orders out on a sample of rows: it counts what a scan of a box reads, and learns an order from boxes.
//
// Knows: codes, boxes, plans.
// Never: attributes, tables, queries.
package curve
