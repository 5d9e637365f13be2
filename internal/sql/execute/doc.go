// SPDX-License-Identifier: Apache-2.0

// Package execute runs what packages plan and algebra have decided: it reads rows, judges what keys do not decide,
// makes operators of nodes and hands rows on one at a time. A statement over one table whose rows are sent as they are
// read goes without operators (runner.direct). Memory does not grow with the result: operators have a limit, beyond
// which they use files or fail.
//
// Rows are slices of data that are used again for the next row. A datum of a row aliases the row's bytes; what is kept
// longer is encoded as a record.
//
// Knows: operators over rows of data, their memory, snapshots, the statement's time limit.
// Never: syntax, which path is best, packets.
package execute
