// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
)

// writeJSON writes content for a program to read, in lines that a person can read too.
func writeJSON(w io.Writer, content any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(content)
}
