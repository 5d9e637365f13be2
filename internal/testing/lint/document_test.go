// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	importsBegin = "<!-- imports: made by go generate ./internal/testing/lint -->\n"
	importsEnd   = "<!-- end of imports -->\n"
)

// importsOf words what one package may import.
func importsOf(r law) string {
	switch {
	case r.layer == testLayer:
		return "anything"
	case r.only != nil && len(r.only) == 0:
		return "layer 0"
	case r.only != nil:
		return "layer 0, " + shortNames(r.only) + exceptOf(r)
	case len(r.beside) > 0 && r.layer > 0:
		return "lower layers, " + shortNames(r.beside) + exceptOf(r)
	case len(r.beside) > 0:
		return shortNames(r.beside)
	case r.layer > 0:
		return "lower layers" + exceptOf(r)
	}
	return "nothing"
}

func exceptOf(r law) string {
	if len(r.never) == 0 {
		return ""
	}
	return "; never " + shortNames(r.never)
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

// TestArchitecture compares the packages of ARCHITECTURE.md and its picture with the law. With -rewrite it writes both.
func TestArchitecture(t *testing.T) {
	page := readFile(t, "ARCHITECTURE.md", "write it: the picture, the seams, the law of imports")
	before, rest, found := strings.Cut(page, importsBegin)
	_, after, closed := strings.Cut(rest, importsEnd)
	if !found || !closed {
		t.Fatalf("ARCHITECTURE.md has no table of imports: put %q and %q where it belongs", importsBegin, importsEnd)
	}
	keep(t, "ARCHITECTURE.md", page, before+importsBegin+roomPages(t)+importsEnd+after)
	picture, _ := os.ReadFile(filepath.Join(root, pictureFile)) // none is another picture
	keep(t, pictureFile, string(picture), layersPicture())
}

// keep compares a generated file with what it must hold, or writes it.
func keep(t *testing.T, name, is, want string) {
	t.Helper()
	switch {
	case is == want:
	case flag.Lookup("rewrite").Value.String() != "true":
		t.Errorf("%s shows another law of imports: run go generate ./internal/testing/lint", name)
	default:
		if err := os.WriteFile(filepath.Join(root, name), []byte(want), 0o644); err != nil {
			t.Error(err)
		}
	}
}
