// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestScripts runs each file of testdata in a database of its own, but for doors: DynamoDB's door knows the default one only.
func TestScripts(t *testing.T) {
	admin := connect(t, server, "", "")
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		name := strings.ReplaceAll(t.Name()[strings.LastIndex(t.Name(), "/")+1:], "-", "_")
		if name == "doors" {
			name = "default"
		} else if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		script(t, path, name)
	})
}
