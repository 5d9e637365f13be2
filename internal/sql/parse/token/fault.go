// SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/sql/fault"
)

// nearLengthMax bounds how much of the statement a message shows.
const nearLengthMax = 80

// SyntaxError is MySQL's text with a column and what would have been right.
func SyntaxError(text []byte, offset int, expected string) error {
	near := strings.TrimSpace(strings.ToValidUTF8(string(text[offset:min(len(text), offset+nearLengthMax)]), ""))
	line := 1 + bytes.Count(text[:offset], []byte{'\n'})
	column := offset - bytes.LastIndexByte(text[:offset], '\n')
	return fault.New(fault.Syntax, "You have an error in your SQL syntax near '"+near+"' at line "+strconv.Itoa(line)+", column "+strconv.Itoa(column)+": expected "+expected)
}
