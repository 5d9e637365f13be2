// SPDX-License-Identifier: Apache-2.0

package inprocess

import (
	"os"
	"strings"
	"testing"
)

// TestPage: the program of docs/testing.md is the one of orders_test.go, which runs.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("orders_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(program), "package inprocess\n\n")
	if !strings.Contains(string(page), "```go\n"+body+"```") {
		t.Error("docs/testing.md and orders_test.go differ: copy the file into the page")
	}
}
