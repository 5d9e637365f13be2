// SPDX-License-Identifier: Apache-2.0

// Package diagnosis says in words what the requests for a table or an index look like: one hot row, a hot range, a key
// whose new values go to its end, a load that comes and goes, an even one; and what to do about it.
//
// Knows: counts, keys as texts, the forms of statements.
// Never: stores, schemas at rest, clocks.
package diagnosis
