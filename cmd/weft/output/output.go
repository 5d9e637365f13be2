// SPDX-License-Identifier: Apache-2.0

// Package output writes the parts of commands' output that are alike everywhere: documents of JSON, and large numbers.
//
// Knows: JSON, digits, the rounding of estimated counts.
// Never: what is written, and for which command.
package output

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/weftdb/weft/internal/rows/statistics"
)

// WriteJSON writes content for a program to read, in lines that a person can read too.
func WriteJSON(w io.Writer, content any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(content)
}

// About writes a number of rows or entries that the server may have estimated: see statistics.Rounded.
func About(n int64) string { return Thousands(statistics.Rounded(n)) }

// Thousands writes a number with a comma behind each thousand.
func Thousands(n int64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
