// SPDX-License-Identifier: Apache-2.0

// Package inside lets the public packages of this module share what programs can't reach: the database below a weft.DB.
//
// Knows: nothing.
// Never: anything that a program could call.
package inside

// Key is the argument of exported methods that are for this module alone: no other module can name its type.
type Key struct{ _ struct{} }
