// SPDX-License-Identifier: Apache-2.0

package valueformat

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestData prints what each line of the scripts in testdata looks like.
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var b strings.Builder
			for _, line := range strings.Split(d.Input, "\n") {
				fmt.Fprintf(&b, "%s:", line)
				if name := Date(line); name != "" {
					fmt.Fprintf(&b, " date %s", name)
				}
				if version := UUIDVersion(line); version > 0 {
					fmt.Fprintf(&b, " UUIDv%d", version)
				}
				if IsULID(line) {
					b.WriteString(" ULID")
				}
				if name := Document(line); name != "" {
					b.WriteString(" " + name)
				}
				if front, number, ok := Numbered(line); ok {
					fmt.Fprintf(&b, " numbered %s+%s", front, number)
				}
				if n, err := strconv.ParseFloat(line, 64); err == nil && IsEpoch(n) {
					b.WriteString(" epoch")
				}
				b.WriteString("\n")
			}
			return b.String()
		})
	})
}
