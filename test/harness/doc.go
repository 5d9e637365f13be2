// SPDX-License-Identifier: Apache-2.0

// Package harness builds the real binary and runs it for black-box tests: it starts `weft serve` on a folder and a free
// port, waits until it says that it is ready, gives out clients, and stops or kills it.
//
// Knows: the command line, the line that says ready, the clients.
// Never: what is stored, packages inside the server.
package harness
