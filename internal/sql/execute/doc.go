// SPDX-License-Identifier: Apache-2.0

// Package execute runs what package plan has decided: it reads rows, judges what keys do not decide, computes, groups,
// sorts and hands rows on one at a time. Memory does not grow with the result: sorts and groups have a limit, beyond
// which they use files or fail.
//
// Rows are slices of data that are used again for the next row. A datum of a row aliases the row's bytes; what is kept
// longer is encoded as a record (record.go).
//
// Knows: operators over rows of data, their memory, snapshots, the statement's time limit.
// Never: syntax, which path is best, packets.
package execute
