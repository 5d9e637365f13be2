// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"
)

// source is one parsed Go file.
type source struct {
	path      string // relative to the root, with slashes
	dir       string // folder of path; "." is the root
	fset      *token.FileSet
	file      *ast.File
	text      string
	lines     int
	isTest    bool
	generated bool
	notes     map[int]string // line → text of the comment that ends there
}

// isMain reports whether the file belongs to a program, which may print, exit and leave its identifiers to itself.
func (s *source) isMain() bool { return s.file.Name.Name == "main" }

// line returns the line of a position.
func (s *source) line(pos token.Pos) int { return s.fset.Position(pos).Line }

// noted reports whether a comment on the line of pos, or on the line above, opts it out: the word followed by a reason.
func (s *source) noted(pos token.Pos, word string) bool {
	line := s.line(pos)
	return hasNote(s.notes[line], word) || hasNote(s.notes[line-1], word)
}

func hasNote(comment, word string) bool {
	_, reason, found := strings.Cut(comment, word)
	return found && strings.TrimSpace(reason) != ""
}

// finding is one broken rule.
type finding struct {
	path string
	line int
	text string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.text) }

func (s *source) find(pos token.Pos, format string, args ...any) finding {
	return finding{s.path, s.line(pos), fmt.Sprintf(format, args...)}
}

// parseSource parses text as the file name.
func parseSource(name, text string) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{
		path: name, dir: path.Dir(name), fset: fset, file: file, text: text, lines: strings.Count(text, "\n"),
		isTest: strings.HasSuffix(name, "_test.go"), generated: ast.IsGenerated(file), notes: map[int]string{},
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			s.notes[s.line(comment.End())] = comment.Text
		}
	}
	return s, nil
}

// root is the folder of go.mod, seen from this package's tests.
const root = "../../.."

// trackedFiles lists the repository's files: what git tracks or would track. Without git it walks the folder.
var trackedFiles = sync.OnceValues(func() ([]string, error) {
	command := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	command.Dir = root
	out, err := command.Output()
	if err != nil {
		return walkFiles()
	}
	var names []string
	for _, name := range strings.Split(string(out), "\x00") {
		if info, err := os.Stat(filepath.Join(root, name)); err == nil && info.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
})

func walkFiles() ([]string, error) {
	var names []string
	err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules" || entry.Name() == "bin" ||
			entry.Name() == "weft-data"):
			return filepath.SkipDir
		case entry.Type().IsRegular():
			relative, err := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(relative))
			return err
		}
		return nil
	})
	return names, err
}

// sources parses every Go file of the repository, testdata aside.
var sources = sync.OnceValues(func() ([]*source, error) {
	names, err := trackedFiles()
	if err != nil {
		return nil, err
	}
	var all []*source
	for _, name := range names {
		if !strings.HasSuffix(name, ".go") || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		s, err := parseSource(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
})

func loadSources(t *testing.T) []*source {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("found only %d Go files below %s: the law is looking in the wrong place", len(all), root)
	}
	return all
}

func readFile(t *testing.T, name, todo string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatalf("%s is missing: %s", name, todo)
	}
	return string(text)
}

// requiredModules reads the module paths that go.mod requires.
func requiredModules(goMod string) []string {
	var modules []string
	for _, match := range regexp.MustCompile(`(?m)^(?:require )?\s*([^\s/]+\.[^\s/]+/\S+) v\S+`).FindAllStringSubmatch(
		goMod, -1) {
		modules = append(modules, match[1])
	}
	return modules
}
