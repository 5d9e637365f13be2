// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	testName       = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)        // immutable
	testDefinition = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w*)\(`) // immutable
)

// missingTests lists the tests that a page names, or begins to name, and of which none is there.
func missingTests(page string, there []string) []string {
	return slices.DeleteFunc(testName.FindAllString(page, -1), func(name string) bool {
		return slices.ContainsFunc(there, func(test string) bool { return strings.HasPrefix(test, name) })
	})
}

// TestNamedTests wants the tests to be there that pages name: they are the proof of what the pages say.
func TestNamedTests(t *testing.T) {
	names, err := trackedFiles()
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	pages := map[string]string{}
	for _, name := range names {
		isPage := strings.HasSuffix(name, ".md")
		if !isPage && !strings.HasSuffix(name, ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if isPage {
			pages[name] = string(text)
		}
		for _, found := range testDefinition.FindAllStringSubmatch(string(text), -1) {
			there = append(there, found[1])
		}
	}
	for name, page := range pages {
		for _, missing := range missingTests(page, there) {
			t.Errorf("%s names %s, which is not there", name, missing)
		}
	}
}

func TestMissingTests(t *testing.T) {
	there := []string{"TestAppendInProcess", "FuzzCut"}
	if got := missingTests("`TestAppend`, FuzzCut; TestGone, Testing", there); !slices.Equal(got, []string{"TestGone"}) {
		t.Errorf("%q", got)
	}
}
