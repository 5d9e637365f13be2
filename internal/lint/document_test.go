// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	importsBegin = "<!-- imports: made by go generate ./internal/lint -->\n"
	importsEnd   = "<!-- end of imports -->\n"
)

// importTable is the law of imports as a table of Markdown, the highest layer first.
func importTable() string {
	var b strings.Builder
	b.WriteString("\n| layer | package | imports | never |\n|--:|---|---|---|\n")
	names := slices.SortedFunc(maps.Keys(laws), func(x, y string) int {
		return cmp.Or(cmp.Compare(laws[y].layer, laws[x].layer), cmp.Compare(x, y))
	})
	for _, name := range names {
		r := laws[name]
		fmt.Fprintf(&b, "| %d | %s | %s | %s |\n", r.layer, shortName(name), importsOf(r), shortNames(r.never))
	}
	fmt.Fprintf(&b, "\nEverything below %s is in layer %d and imports anything.\n\n", shortNames(trees), testLayer)
	return b.String()
}

// importsOf words what one package may import.
func importsOf(r law) string {
	switch {
	case r.layer == testLayer:
		return "anything"
	case r.only != nil && len(r.only) == 0:
		return "layer 0"
	case r.only != nil:
		return "layer 0, " + shortNames(r.only)
	case len(r.beside) > 0 && r.layer > 0:
		return "lower layers, " + shortNames(r.beside)
	case len(r.beside) > 0:
		return shortNames(r.beside)
	case r.layer > 0:
		return "lower layers"
	}
	return "nothing"
}

func shortNames(folders []string) string {
	list := make([]string, len(folders))
	for i, folder := range folders {
		list[i] = shortName(folder)
	}
	return strings.Join(list, ", ")
}

func shortName(folder string) string {
	if folder == "." {
		return "weft"
	}
	return strings.TrimPrefix(folder, "internal/")
}

// TestArchitecture compares the table of imports in ARCHITECTURE.md with the law. With -rewrite it writes the table.
func TestArchitecture(t *testing.T) {
	page := readFile(t, "ARCHITECTURE.md", "write it: the picture, the seams, the law of imports")
	before, rest, found := strings.Cut(page, importsBegin)
	_, after, closed := strings.Cut(rest, importsEnd)
	if !found || !closed {
		t.Fatalf("ARCHITECTURE.md has no table of imports: put %q and %q where it belongs", importsBegin, importsEnd)
	}
	want := before + importsBegin + importTable() + importsEnd + after
	if want == page {
		return
	}
	if flag.Lookup("rewrite").Value.String() != "true" {
		t.Fatal("ARCHITECTURE.md shows another law of imports: run go generate ./internal/lint")
	}
	if err := os.WriteFile(filepath.Join(root, "ARCHITECTURE.md"), []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
