// SPDX-License-Identifier: Apache-2.0

// Package mysqlwire serves MySQL's protocol: it logs clients in, reads their commands, hands texts and prepared
// statements to a session of the dialect, and encodes its answers row by row as they come.
//
// A connection has one goroutine, one buffer for input and one for output. A small answer is one write;
// a long one is written 64 KiB at a time, so that no answer is held in memory. Every length that a client names is
// checked against what it may be before anything is allocated for it. A connection's failure, a panic included, ends
// that connection only.
//
// Knows: packets, capabilities, authentication, how values look in the text and in the binary protocol.
// Never: syntax, tables, storage, other protocols.
package mysqlwire
