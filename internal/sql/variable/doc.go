// SPDX-License-Identifier: Apache-2.0

// Package variable is the table of system variables: MySQL's, as far as clients and tools ask for them, and Weft's own
// settings; and their values, global ones and those of a session.
//
// Knows: names, types, scopes, defaults, and what a value means as a setting.
// Never: statements, sessions, tables.
package variable
