// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestStatements runs the files in testdata/statements. Their one command, sql, runs statements and prints the rows of
// SELECTs, or the error.
func TestStatements(t *testing.T) {
	datadriven.Walk(t, "testdata/statements", func(t *testing.T, path string) {
		h := &harness{t: t, db: testdb.Open(t)}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h.t = t
			out, err := h.run(d.Input)
			if err != nil {
				out += "error: " + err.Error() + "\n"
			}
			return out
		})
	})
}
