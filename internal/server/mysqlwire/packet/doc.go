// SPDX-License-Identifier: Apache-2.0

// Package packet encodes and decodes what the packets of MySQL's protocol hold: logins, columns, rows of the text and
// of the binary form, parameters, ends and errors. Appending allocates nothing; cutting checks every length against
// what is there, and never panics.
//
// Knows: the layout of packets, how SQL's values look in them.
// Never: connections, sessions, the order in which packets come.
package packet
