// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// fileLaws judge one Go file.
var fileLaws = map[string]func(*source) []finding{
	"licence":    checkLicence,
	"length":     checkLength,
	"columns":    checkColumns,
	"folder":     checkFolder,
	"exported":   checkExported,
	"imports":    checkImports,
	"init":       checkInit,
	"globals":    checkGlobals,
	"panic":      checkPanic,
	"clock":      checkClock,
	"exit":       checkExit,
	"skip":       checkSkip,
	"unfinished": checkUnfinished,
}

// folderLaws judge the Go files of one folder.
var folderLaws = map[string]func([]*source) []finding{
	"doc":   checkPackageDoc,
	"size":  checkPackageLength,
	"place": checkPlace,
}

// TestFiles applies the laws of single files to the whole repository.
func TestFiles(t *testing.T) {
	all := loadSources(t)
	for _, name := range slices.Sorted(maps.Keys(fileLaws)) {
		t.Run(name, func(t *testing.T) {
			for _, s := range all {
				for _, f := range fileLaws[name](s) {
					t.Error(f)
				}
			}
		})
	}
}

// TestFolders applies the laws of packages to the whole repository.
func TestFolders(t *testing.T) {
	byDir := map[string][]*source{}
	for _, s := range loadSources(t) {
		byDir[s.dir] = append(byDir[s.dir], s)
	}
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		if n := linesOf(byDir[dir]); n > packageLinesMany {
			t.Logf("%s has %d lines: look whether it holds two things", dir, n)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(folderLaws)) {
		t.Run(name, func(t *testing.T) {
			for _, dir := range slices.Sorted(maps.Keys(byDir)) {
				for _, f := range folderLaws[name](byDir[dir]) {
					t.Error(f)
				}
			}
		})
	}
}

// TestPackageNames: one name means one package, unless two protocols have it. Programs and packages of tests alone
// can't be imported, and may be called what they test.
func TestPackageNames(t *testing.T) {
	for _, f := range checkNames(loadSources(t)) {
		t.Error(f)
	}
	var two []*source
	for _, name := range []string{"order/a.go", "order/b.go", "kv/order/a.go", "test/order/a_test.go",
		"internal/sql/plan/a.go", "internal/hbase/plan/a.go"} {
		s, err := parseSource(name, "package "+path.Base(path.Dir(name))+"\n")
		if err != nil {
			t.Fatal(err)
		}
		two = append(two, s)
	}
	if found := checkNames(two); len(found) != 1 || found[0].path != "kv/order/a.go" {
		t.Errorf("of two packages called order were found: %v", found)
	}
}

// TestTable checks the laws against each other.
func TestTable(t *testing.T) {
	for dir, r := range laws {
		for _, other := range slices.Concat(r.beside, r.only) {
			if target, ok := laws[other]; !ok {
				t.Errorf("%s names %s, which is not in laws", dir, other)
			} else if target.layer > r.layer {
				t.Errorf("%s (layer %d) may import %s on the higher layer %d: no import goes up", dir, r.layer, other,
					target.layer)
			}
		}
		for other := range laws {
			inside := strings.HasPrefix(other, dir+"/")
			if r.layer == 7 && other != dir && !inside && laws[other].layer == 7 &&
				checkImport(dir, modulePath+"/"+other, false) == "" {
				t.Errorf("the protocol %s may import the protocol %s", dir, other)
			}
		}
	}
}

// TestLaws runs every law on the small sources in testdata, so that a law which finds nothing any more is noticed.
func TestLaws(t *testing.T) {
	tested := map[string]bool{}
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "import":
				return runImport(d)
			case "readme":
				return lines(checkReadme(d.Input, []string{"serve", "version"}, []string{"data", "drain"},
					[]string{"test"}))
			}
			var dir, repeat = "order", 0
			d.MaybeScanArgs(t, "dir", &dir)
			d.MaybeScanArgs(t, "repeat", &repeat)
			name := "a.go"
			d.MaybeScanArgs(t, "name", &name)
			s, err := parseSource(dir+"/"+name,
				strings.ReplaceAll(d.Input, "REPEAT\n", strings.Repeat("\t_ = 1\n", repeat))+"\n")
			if err != nil {
				return err.Error()
			}
			var found []finding
			if law, ok := fileLaws[d.Cmd]; ok {
				found = law(s)
			} else if law, ok := folderLaws[d.Cmd]; ok {
				found = law([]*source{s})
			} else {
				d.Fatalf(t, "no law %s", d.Cmd)
			}
			tested[d.Cmd] = tested[d.Cmd] || len(found) > 0
			return lines(found)
		})
	})
	for _, name := range slices.Concat(slices.Collect(maps.Keys(fileLaws)), slices.Collect(maps.Keys(folderLaws))) {
		if !tested[name] {
			t.Errorf("no case in testdata breaks the law %q: add one", name)
		}
	}
}

// runImport prints a verdict for each line "package imports package".
func runImport(d *datadriven.TestData) string {
	var verdicts []string
	for _, line := range strings.Split(d.Input, "\n") {
		from, to, _ := strings.Cut(line, " -> ")
		to = strings.TrimSpace(to)
		if text := checkImport(from, expand(to), d.HasArg("test")); text != "" {
			verdicts = append(verdicts, text)
		} else {
			verdicts = append(verdicts, "ok")
		}
	}
	return lines(verdicts)
}

// expand lets testdata write weft/kv for a package.
func expand(path string) string {
	if path == "weft" || strings.HasPrefix(path, "weft/") {
		return modulePath + strings.TrimPrefix(path, "weft")
	}
	return path
}

func lines[T any](items []T) string {
	var out strings.Builder
	for _, item := range items {
		fmt.Fprintln(&out, item)
	}
	if out.Len() == 0 {
		return "ok\n"
	}
	return out.String()
}

// TestWorkplaceWords proves the word list on sentences; they are cut so that this file passes it.
func TestWorkplaceWords(t *testing.T) {
	for _, bad := range []string{"see iss" + "ue #12", "data in /wo" + "rk/main", "as the helper" + " agent said",
		"a coding " + "session"} {
		if len(checkWorkplace("a.md", bad)) != 1 {
			t.Errorf("%q passes", bad)
		}
	}
	for _, good := range []string{"a MySQL session", "an issue with locks", "net/work/x", "framework/",
		"the helper function", "user-agent", "issues"} {
		if found := checkWorkplace("a.md", good); len(found) != 0 {
			t.Errorf("%q fails: %v", good, found)
		}
	}
	long := strings.Repeat("word ", 21)
	if len(checkWidth("a.md", long)) != 1 || len(checkWidth("a.md", "| "+long+"\n```\n"+long+"\n```\n")) != 0 ||
		len(checkWidth("a.txt", long)) != 0 {
		t.Error("the law of widths is not kept")
	}
	if len(checkPromises("a.md", "\nTO"+"DO: more")) != 1 || len(checkPromises("a.txt", "TO"+"DO")) != 0 {
		t.Error("promises are not found in Markdown alone")
	}
}

// TestModuleLists proves the reading of go.mod and CONTRIBUTING.md.
func TestModuleLists(t *testing.T) {
	modules := requiredModules("module github.com/weftdb/weft\n\ngo 1.26.0\n\nrequire example.com/one v1.0.0\n\nrequire (\n\texample.com/two/v2 v2.0.1\n\texample.com/two v1.0.0 // indirect\n)\n")
	if want := []string{"example.com/one", "example.com/two/v2", "example.com/two"}; !slices.Equal(modules, want) {
		t.Errorf("modules are %q, want %q", modules, want)
	}
	direct := directModules(modules, []string{"fmt", "example.com/two/v2/sub", "example.com/two/v2",
		"example.com/twofold"})
	if want := []string{"example.com/two/v2"}; !slices.Equal(direct, want) {
		t.Errorf("direct modules are %q, want %q", direct, want)
	}
	missing := undocumentedModules([]string{"example.com/one", "example.com/two"},
		"- `example.com/one`: needed for one\n- example.com/two/v2: two\n")
	if want := []string{"example.com/two"}; !slices.Equal(missing, want) {
		t.Errorf("undocumented modules are %q, want %q", missing, want)
	}
}
