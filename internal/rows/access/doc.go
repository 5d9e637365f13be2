// SPDX-License-Identifier: Apache-2.0

// Package access chooses how to find the rows of a condition: through which index, over which spans of its keys, with
// which filter left to check on each row, and at which expected cost. It sees a table's descriptor, a condition and
// numbers, never a row.
//
// Choose takes the condition apart into bounds on single attributes, lets every index turn them into spans (see package
// indexkey), leaves out the indexes that might lack matching rows, and takes the cheapest of the others. The table
// itself wins a tie.
//
// # When an index may answer
//
// An index without nulls has no entry for a row that lacks a key attribute, nor for an old row whose attribute could
// not be a key when the index was built: one of another type, an empty or an overlong string. Unless the caller names
// the index, and so asks for just its entries, it is used only if the condition rules all such rows out: each key
// attribute is bound to values that are keys for certain, or is part of the primary key. If Statistics says that the
// index is complete, being bound to a type is enough.
//
// # Names of key parts
//
// A condition may name a key part instead of a column: "concat(a,'#',b)", "desc(created_at)". The latter is the column
// itself. The former is no attribute of any row, so only an index with that part can answer, and only if it binds the
// part exactly.
//
// Knows: predicates, indexes, statistics as numbers.
// Never: kv, transactions, row contents.
package access
