// SPDX-License-Identifier: Apache-2.0

// Package explain answers EXPLAIN and EXPLAIN ANALYZE: a tree of the decisions of packages plan and algebra about a
// statement, with what was expected of each step and what running it took, as rows, as one text or as JSON.
//
// Knows: what people want to know of a plan, and how it is worded.
// Never: which path is best, packets.
package explain
