// SPDX-License-Identifier: Apache-2.0

// Package sqljson answers SQL over HTTP: a statement comes as JSON, and its answer goes out as lines of JSON while it
// is produced.
//
// Knows: HTTP, sessions of SQL, how values are written so that nothing is lost in a browser.
// Never: rights, the meaning of statements, MySQL's packets.
package sqljson
