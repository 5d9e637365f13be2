// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"cmp"
	"fmt"
	"go/doc"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A room is a folder of packages that a reader learns as one thing: a folder directly below internal, or a package that
// others import and its own.
type room struct {
	dir      string
	packages []string // folders with a law, in the order of their names
}

// name is the heading of a room.
func (r room) name() string {
	return shortName(r.dir)
}

// layer is that of the room's highest package.
func (r room) layer() int {
	highest := 0
	for _, p := range r.packages {
		highest = max(highest, laws[p].layer)
	}
	return highest
}

// roomOf is the folder of a package's room.
func roomOf(dir string) string {
	parts := strings.Split(dir, "/")
	if parts[0] == "internal" || parts[0] == "cmd" {
		return path.Join(parts[:2]...)
	}
	return parts[0]
}

// rooms sorts the packages that have a law into rooms, the highest layer first.
func rooms() []room {
	byDir := map[string]*room{}
	for _, dir := range slices.Sorted(maps.Keys(laws)) {
		r := byDir[roomOf(dir)]
		if r == nil {
			r = &room{dir: roomOf(dir)}
			byDir[r.dir] = r
		}
		if laws[dir].layer < testLayer || r.dir == "internal/testing" {
			r.packages = append(r.packages, dir)
		}
	}
	var all []room
	for _, r := range byDir {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(x, y room) int {
		return cmp.Or(cmp.Compare(y.layer(), x.layer()),
			cmp.Compare(x.dir, y.dir))
	})
	return all
}

var synopsisStart = regexp.MustCompile(`^(Package|Command) \S+ `)

// synopses are the first sentences of the packages' docs, without the words "Package x".
func synopses(t *testing.T) map[string]string {
	found := map[string]string{}
	for _, s := range loadSources(t) {
		if s.file.Doc == nil || s.isTest {
			continue
		}
		text := new(doc.Package).Synopsis(s.file.Doc.Text())
		if synopsisStart.MatchString(text) {
			found[s.dir] = strings.TrimSuffix(synopsisStart.ReplaceAllString(text, ""), ".")
		}
	}
	return found
}

// aboutRoom is the first paragraph of a room's page.
func aboutRoom(t *testing.T, r room) string {
	if !strings.HasPrefix(r.dir, "internal/") {
		return ""
	}
	page := readFile(t, r.dir+"/README.md",
		"each room has a page of a dozen lines: its contents, its importers, where to start")
	parts := strings.SplitN(page, "\n\n", 3)
	if parts[0] != "# "+r.name() || len(parts) < 3 {
		t.Errorf("%s/README.md must begin with the heading %q and a paragraph that says what the room holds", r.dir,
			"# "+r.name())
		return ""
	}
	return strings.Join(wrapWords(strings.Fields(parts[1]+" ([its page]("+r.dir+"/README.md))"), proseWidth), "\n") +
		"\n\n"
}

// roomPages is the tree of packages and the law of imports as Markdown: a section for each room, the highest layer
// first.
func roomPages(t *testing.T) string {
	about := synopses(t)
	var b strings.Builder
	for _, r := range rooms() {
		fmt.Fprintf(&b, "\n### %s\n\n%s", r.name(), aboutRoom(t, r))
		b.WriteString("| package | contents | layer | imports |\n|---|---|--:|---|\n")
		for _, p := range r.packages {
			fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", shortName(p), about[p], laws[p].layer, importsOf(laws[p]))
		}
	}
	fmt.Fprintf(&b, "\nEverything below %s is in layer %d and imports anything.\n\n", shortNames(trees), testLayer)
	return b.String()
}

var quotedName = regexp.MustCompile("`([a-z0-9_/.]+)`")

// TestRooms: each folder of internal is a room with a short page that names each of its packages and no file that isn't
// there.
func TestRooms(t *testing.T) {
	names, err := trackedFiles()
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	for _, r := range rooms() {
		if !strings.HasPrefix(r.dir, "internal/") {
			continue
		}
		file := r.dir + "/README.md"
		page := readFile(t, file, "write it")
		if n := strings.Count(page, "\n"); n > 25 {
			t.Errorf("%s has %d lines: a room's page is read in a minute, so 25 are the limit", file, n)
		}
		quoted := map[string]bool{}
		for _, match := range quotedName.FindAllStringSubmatch(page, -1) {
			quoted[match[1]] = true
			if strings.HasSuffix(match[1], ".go") && !slices.Contains(names, r.dir+"/"+match[1]) {
				t.Errorf("%s names the file %s, which is not there", file, match[1])
			}
		}
		for _, p := range r.packages {
			inside := strings.Split(strings.TrimPrefix(p, r.dir+"/"), "/")[0]
			if p != r.dir && !quoted[inside] {
				t.Errorf("%s does not name the package %s", file, inside)
			}
		}
		delete(folders, r.dir)
	}
	for dir := range folders {
		if path.Dir(dir) == "internal" {
			t.Errorf("%s is no room: put its packages into one, or give them a law", dir)
		}
	}
}
