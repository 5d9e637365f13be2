// SPDX-License-Identifier: Apache-2.0

package token

import (
	"fmt"

	"github.com/weftdb/weft/internal/sql/fault"
)

// tokensMax bounds the words, literals and symbols of a statement.
const tokensMax = 1_000_000

// Check reports whether a statement is short enough to be read. Malformed tokens are left to the reader. Errors:
// fault.Refused.
func (m Mode) Check(text []byte) error {
	if len(text) <= tokensMax {
		return nil // a token has a byte at least
	}
	l := Lexer{Text: text, Mode: m}
	for range tokensMax + 1 {
		if t := l.Next(); t.Kind == End || t.Kind == Bad {
			return nil
		}
	}
	return fault.New(fault.Refused, fmt.Sprintf(
		"The statement has too many words and symbols: the limit is %d; split it into several statements", tokensMax))
}
