// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"slices"
	"strings"
)

// impure are the standard packages that bring a context, I/O or randomness into a package.
var impure = []string{"context", "crypto/rand", "database/sql", "io/fs", "log", "log/slog", "math/rand", "math/rand/v2",
	"net", "net/http", "os", "os/exec", "syscall"}

// findLaw finds the rules of the package in dir.
func findLaw(dir string) (law, bool) {
	if r, ok := laws[dir]; ok {
		return r, true
	}
	for _, tree := range trees {
		if dir == tree || strings.HasPrefix(dir, tree+"/") {
			return law{layer: testLayer}, true
		}
	}
	return law{}, false
}

// checkImport says what is wrong with the package in dir importing path, or "".
func checkImport(dir, path string, isTest bool) string {
	from, ok := findLaw(dir)
	if !ok {
		return ""
	}
	switch {
	case path == modulePath || strings.HasPrefix(path, modulePath+"/"):
		return checkPackageImport(dir, from, relativeDir(path), isTest)
	case strings.Contains(strings.SplitN(path, "/", 2)[0], "."):
		return checkLibraryImport(dir, from, path, isTest)
	default:
		return checkStandardImport(dir, from, path, isTest)
	}
}

func relativeDir(path string) string {
	if path == modulePath {
		return "."
	}
	return strings.TrimPrefix(path, modulePath+"/")
}

func checkPackageImport(dir string, from law, target string, isTest bool) string {
	to, ok := findLaw(target)
	switch {
	case !ok:
		return "" // reported once, where that package is
	case isTest || from.layer == testLayer || dir == target:
		return ""
	case to.layer == testLayer:
		return fmt.Sprintf("%s is test support: only tests, bench and examples import it", target)
	case slices.Contains(from.never, target):
		return fmt.Sprintf("%s must never import %s%s", dir, target, because(from))
	case to.engine && from.layer != cmdLayer && !slices.Contains(testSupport, dir) &&
		!slices.Contains(from.only, target):
		return fmt.Sprintf("%s is an engine: only package weft, cmd/weft and tests name engines; take a kv.Store instead", target)
	case from.only != nil && to.layer != 0 && !slices.Contains(from.only, target):
		return fmt.Sprintf("%s may import layer 0 and %s, not %s%s", dir, list(from.only), target, because(from))
	case from.only != nil || slices.Contains(from.beside, target) || to.layer < from.layer:
		return ""
	default:
		return fmt.Sprintf("%s (layer %d) must not import %s (layer %d): a package imports lower layers only; pass the thing in, or move it down%s",
			dir, from.layer, target, to.layer, because(from))
	}
}

func checkStandardImport(dir string, from law, path string, isTest bool) string {
	switch {
	case isTest:
		return ""
	case slices.Contains(from.never, path):
		return fmt.Sprintf("%s must never import %s%s", dir, path, because(from))
	case from.pure && slices.Contains(impure, path):
		return fmt.Sprintf("%s is pure (no context, no I/O, no clock, no randomness): let the caller do what %s is for",
			dir, path)
	case (path == "testing" || strings.HasPrefix(path, "testing/")) && from.layer != testLayer &&
		!slices.Contains(testSupport, dir):
		return fmt.Sprintf("%s must not import %s: move the code to a _test.go file or to internal/testing/testdb", dir,
			path)
	case path == "C":
		return fmt.Sprintf("%s must not import C: Weft builds without cgo", dir)
	}
	return ""
}

func checkLibraryImport(dir string, from law, path string, isTest bool) string {
	for _, lib := range libraries {
		if path != strings.TrimSuffix(lib.prefix, "/") &&
			!strings.HasPrefix(path, strings.TrimSuffix(lib.prefix, "/")+"/") {
			continue
		}
		if isTest || from.layer == testLayer || slices.Contains(testSupport, dir) ||
			slices.ContainsFunc(lib.folders, func(r string) bool { return below(dir, r) }) {
			return ""
		}
		return fmt.Sprintf("%s must not import %s: only %s may (libraries in internal/testing/lint/layers_test.go); a folder hides the technology it is named after",
			dir, path, list(append(slices.Clone(lib.folders), "tests")))
	}
	return fmt.Sprintf("%s is a new dependency: do without it, or add it to libraries in internal/testing/lint/layers_test.go and say why in CONTRIBUTING.md", path)
}

// below reports whether dir is root or stands under it. Everything stands under ".".
func below(dir, root string) bool {
	return root == "." || dir == root || strings.HasPrefix(dir, root+"/")
}

func because(r law) string {
	if r.doc == "" {
		return ""
	}
	return " (" + r.doc + ")"
}

func list(names []string) string {
	if len(names) == 0 {
		return "nothing else"
	}
	return strings.Join(names, ", ")
}
