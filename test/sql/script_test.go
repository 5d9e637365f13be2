// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScripts runs each file of testdata in a database of its own, except protocols: DynamoDB's API only knows the
// default one.
func TestScripts(t *testing.T) {
	admin := connect(t, server, "", "")
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		name := strings.ReplaceAll(t.Name()[strings.LastIndex(t.Name(), "/")+1:], "-", "_")
		if name == "protocols" {
			name = "default"
		} else if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		script(t, path, name)
	})
}
