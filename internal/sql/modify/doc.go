// SPDX-License-Identifier: Apache-2.0

// Package modify writes rows: INSERT, UPSERT, REPLACE, UPDATE and DELETE of one table. A statement is compiled for one
// version of a table and run any number of times. Running it, everything is computed and checked before the first row
// is written, and all rows are one commit; inside a transaction they are part of its commit.
//
// Knows: what the statements do to rows, their limits, how affected rows are counted.
// Never: text, sessions, packets, how rows are found.
package modify
