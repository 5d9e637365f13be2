// SPDX-License-Identifier: Apache-2.0

// Package sql is the dialect: sessions that take texts and prepared statements, compile them, keep what is compiled,
// run it in transactions or alone, and tell the answers to a sink.
//
// An Engine is one for the server; a Session is one for each connection and is used by one goroutine at a time.
// Compiled statements are shared by all sessions under the fingerprint of their text; a table's change makes them
// stale, which is seen when they are run.
//
// Knows: sessions, variables, transactions, which package runs which statement, how errors are answered.
// Never: packets, sockets, how rows are found or written.
package sql
