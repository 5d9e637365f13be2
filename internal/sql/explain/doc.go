// SPDX-License-Identifier: Apache-2.0

// Package explain answers EXPLAIN and EXPLAIN ANALYZE: what package plan decides of a statement, and what running it
// took, a property a row.
//
// Knows: what people want to know of a plan, and how it is worded.
// Never: which path is best, packets.
package explain
