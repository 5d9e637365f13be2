// SPDX-License-Identifier: Apache-2.0

// Package value turns types and values of SQL into those of go-mysql-server, and back.
//
// Knows: both worlds of types, and what each makes of the other's values.
// Never: statements, tables, where a value comes from.
package value
