// SPDX-License-Identifier: Apache-2.0

// Package modify writes rows: INSERT, UPSERT, REPLACE, UPDATE and DELETE. A statement is compiled for one version of
// its tables and run any number of times. Running it, the query that finds its rows is read to its end, everything is
// computed and checked before the first row is written, and all rows are one commit; inside a transaction they are part
// of its commit.
//
// Knows: what the statements do to rows, their limits, how affected rows are counted.
// Never: text, sessions, packets, how rows are found.
package modify
