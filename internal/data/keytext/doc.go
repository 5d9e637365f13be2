// SPDX-License-Identifier: Apache-2.0

// Package keytext is the language in which the names of key attributes spell key parts: a column, or a function of
// columns such as concat(day,'#',user), desc(at) or zorder(lat f64, lon f64).
//
// Knows: names of key attributes, and the key parts that they stand for.
// Never: rows, the bytes of keys.
package keytext

import "fmt"

// Error says what is wrong with the text of a computed key part.
type Error struct {
	Text   string
	Offset int // in bytes
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("keytext: key part %s: at position %d: %s", e.Text, e.Offset+1, e.Reason)
}
