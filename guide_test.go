// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// trimmed returns the words of a text, so that lines may be broken elsewhere.
func trimmed(text string) string { return strings.Join(strings.Fields(text), " ") + " " }

// TestGuide: the Go code of the pages is a part of examples that are compiled and run.
func TestGuide(t *testing.T) {
	var sources strings.Builder
	for _, pattern := range []string{"*_test.go", "examples/*/*.go", "weftsql/*_test.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources.WriteString(trimmed(string(text)))
		}
	}
	code := regexp.MustCompile("(?s)```go\n(.*?)```")
	for _, page := range []string{"README.md", "docs/embedded.md", "docs/search.md", "docs/streams.md",
		"docs/zorder.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range code.FindAllStringSubmatch(string(text), -1) {
			for _, part := range strings.Split(block[1], "// ...\n") {
				if want := trimmed(part); want != " " && !strings.Contains(sources.String(), want) {
					t.Errorf("%s shows code that is in no example:\n%s", page, part)
				}
			}
		}
	}
}

// TestQuickstart: the program of the guide and of README runs, and runs again in the folder that it has made.
func TestQuickstart(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "quickstart")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary,
		"./examples/quickstart").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for range 2 {
		program := exec.CommandContext(t.Context(), binary)
		program.Dir = dir
		out, err := program.Output()
		if err != nil || string(out) != "Osaka 2753862\nKobe 1525152\n" {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
