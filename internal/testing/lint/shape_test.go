// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

const (
	functionLinesMax = 70
	fileLinesMax     = 600
	packageLinesMax  = 7000
	packageLinesMany = 3000 // TestFolders -v names packages that have more
)

// drawers are folder names that say nothing of what is inside.
var drawers = []string{"util", "utils", "common", "helper", "helpers", "base", "types", "pkg", "misc", "shared", "lib"}

// selfEvident are methods whose contract is their standard interface.
var selfEvident = []string{"Error", "String", "Unwrap", "Len", "Less", "Swap"}

// checkLicence wants the SPDX line first.
func checkLicence(s *source) []finding {
	if s.generated || strings.HasPrefix(s.text, "// SPDX-License-Identifier: Apache-2.0\n") {
		return nil
	}
	return []finding{{s.path, 1, "the first line must be: // SPDX-License-Identifier: Apache-2.0"}}
}

// checkLength limits functions and files.
func checkLength(s *source) []finding {
	if s.isTest || s.generated || slices.Contains(testSupport, s.dir) {
		return nil
	}
	var found []finding
	if s.lines > fileLinesMax {
		found = append(found, finding{s.path, s.lines,
			fmt.Sprintf("%d lines, at most %d: split the file by subject", s.lines, fileLinesMax)})
	}
	for _, decl := range s.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if lines := s.line(fn.End()) - s.line(fn.Pos()) + 1; lines > functionLinesMax {
			found = append(found, s.find(fn.Pos(), "%s has %d lines, at most %d: give its steps names of their own",
				fn.Name.Name, lines, functionLinesMax))
		}
	}
	return found
}

// checkFolder refuses names of drawers.
func checkFolder(s *source) []finding {
	for _, name := range strings.Split(s.dir, "/") {
		if slices.Contains(drawers, name) {
			return []finding{{s.path, 1,
				fmt.Sprintf("folder %q is a drawer: name the folder after the one thing it holds", name)}}
		}
	}
	return nil
}

// checkExported wants a doc comment on every exported identifier.
func checkExported(s *source) []finding {
	if s.isTest || s.generated || s.isMain() {
		return nil
	}
	var found []finding
	for _, decl := range s.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil && d.Name.IsExported() && receiverExported(d) &&
				!(d.Recv != nil && slices.Contains(selfEvident, d.Name.Name)) {
				found = append(found, undocumented(s, d.Name))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				found = append(found, checkSpec(s, d, spec)...)
			}
		}
	}
	return found
}

func undocumented(s *source, name *ast.Ident) finding {
	return s.find(name.Pos(), "%s has no doc comment: say what it is, its shapes, units and errors", name.Name)
}

// receiverExported is true for functions, and for methods of exported types.
func receiverExported(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return true
	}
	kind := fn.Recv.List[0].Type
	for {
		switch t := kind.(type) {
		case *ast.StarExpr:
			kind = t.X
		case *ast.IndexExpr:
			kind = t.X
		case *ast.IndexListExpr:
			kind = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

// checkSpec looks at one type, constant or variable. In a group, the group's comment or one beside the name will do.
func checkSpec(s *source, group *ast.GenDecl, spec ast.Spec) []finding {
	var found []finding
	switch d := spec.(type) {
	case *ast.TypeSpec:
		if d.Name.IsExported() && d.Doc == nil && (group.Doc == nil || group.Lparen.IsValid()) {
			found = append(found, undocumented(s, d.Name))
		}
	case *ast.ValueSpec:
		for _, name := range d.Names {
			if name.IsExported() && d.Doc == nil && d.Comment == nil && group.Doc == nil {
				found = append(found, undocumented(s, name))
			}
		}
	}
	return found
}

// checkPackageDoc judges the package comments among the files of one folder.
func checkPackageDoc(files []*source) []finding {
	var docs []*source
	for _, s := range files {
		if s.isTest || s.isMain() {
			continue
		}
		if s.file.Doc != nil && strings.HasPrefix(s.file.Doc.Text(), "Package ") {
			docs = append(docs, s)
		}
	}
	first := slices.IndexFunc(files, func(s *source) bool { return !s.isTest && !s.isMain() })
	switch {
	case first < 0:
		return nil
	case len(docs) == 0:
		return []finding{{files[first].path, 1,
			"no file of the package has a comment that starts with \"Package " + files[first].file.Name.Name +
				"\": write it in doc.go"}}
	case len(docs) > 1:
		return []finding{docs[1].find(docs[1].file.Package, "a second package comment (the other is in %s): keep one",
			docs[0].path)}
	}
	return checkKnowsNever(docs[0])
}

var knowsNever = regexp.MustCompile(`(?s)(^|\n)Knows: \S[^\n]*\n([^\n]+\n)*Never: \S[^\n]*\n([^\n]+\n)*$`)

func checkKnowsNever(s *source) []finding {
	if knowsNever.MatchString(s.file.Doc.Text()) {
		return nil
	}
	return []finding{s.find(s.file.Package,
		"the package comment must end with the lines \"Knows: ...\" and \"Never: ...\": what the package may know of, and what it must not")}
}

// linesOf counts the lines of a folder, tests and generated files aside.
func linesOf(files []*source) (total int) {
	for _, s := range files {
		if !s.isTest && !s.generated {
			total += s.lines
		}
	}
	return total
}

// checkPackageLength limits the lines of one folder, tests and generated files aside.
func checkPackageLength(files []*source) []finding {
	total := linesOf(files)
	if total <= packageLinesMax {
		return nil
	}
	return []finding{{files[0].dir, 1, fmt.Sprintf(
		"the package has %d lines, at most %d: it holds two things; give one a folder of its own", total,
		packageLinesMax)}}
}

// checkNames wants a name of its own for every package that can be imported.
func checkNames(files []*source) (found []finding) {
	first := map[string]string{}
	for _, s := range files {
		if s.isTest || s.isMain() {
			continue
		}
		name := s.file.Name.Name
		if dir, ok := first[name]; !ok {
			first[name] = s.dir
		} else if dir != s.dir && !apart(dir, s.dir) {
			found = append(found, s.find(s.file.Name.Pos(),
				"package %s has the name of the one in %s: name each after what it alone holds", name, dir))
		}
	}
	return found
}

// apart reports whether two packages belong to different protocols, so that their paths tell them apart: no file
// imports both.
func apart(x, y string) bool {
	protocols := []string{"internal/dynamodb", "internal/hbase", "internal/sql"}
	return roomOf(x) != roomOf(y) && slices.Contains(protocols, roomOf(x)) && slices.Contains(protocols, roomOf(y))
}

// checkPlace reports a package that has no law.
func checkPlace(files []*source) []finding {
	if _, ok := findLaw(files[0].dir); ok {
		return nil
	}
	return []finding{{files[0].path, 1, fmt.Sprintf(
		"package %s has no layer: add it to laws in internal/testing/lint/layers_test.go and run go generate ./internal/testing/lint", files[0].dir)}}
}

// checkImports applies the law of imports.
func checkImports(s *source) []finding {
	var found []finding
	for _, spec := range s.file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		if slices.Contains(impure, path) && s.noted(spec.Pos(), "lint:clock") {
			continue
		}
		if text := checkImport(s.dir, path, s.isTest); text != "" {
			found = append(found, finding{s.path, s.line(spec.Pos()), text})
		}
	}
	return found
}
