// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/cockroachdb/datadriven" // its flag rewrite
)

// sources parses Go files.
func sources(t *testing.T, files *token.FileSet, patterns ...string) (list []*ast.File) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			f, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, f)
		}
	}
	return list
}

// inside is the method that programs can't call, since they can't name the type of its argument.
const inside = "DB.Inside"

// exported returns the package's exported declarations, without bodies and comments, and the names of functions,
// constants, variables, and methods (Type.Name).
func exported(t *testing.T) (listing string, names []string) {
	files := token.NewFileSet()
	var list []string
	add := func(node any) {
		var out bytes.Buffer
		if err := printer.Fprint(&out, files, node); err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.ReplaceAll(out.String(), "\n\n", "\n"))
	}
	for _, f := range sources(t, files, "*.go") {
		if f.Name.Name != "weft" {
			continue
		}
		ast.FileExports(f)
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if name := functionName(d); name == inside || !ast.IsExported(name) {
					continue
				}
				d.Body = nil
				add(d)
				names = append(names, functionName(d))
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					continue
				}
				for _, spec := range d.Specs {
					names = append(names, specNames(spec)...)
				}
				add(d)
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n\n") + "\n", names
}

func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	kind := d.Recv.List[0].Type
	if pointer, ok := kind.(*ast.StarExpr); ok {
		kind = pointer.X
	}
	if generic, ok := kind.(*ast.IndexExpr); ok {
		kind = generic.X
	}
	return kind.(*ast.Ident).Name + "." + d.Name.Name
}

func specNames(spec ast.Spec) (names []string) {
	if s, ok := spec.(*ast.ValueSpec); ok {
		for _, name := range s.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// TestAPI compares the exported names of the package with testdata/api.txt, so that each change of them shows in a
// diff. -rewrite writes it.
func TestAPI(t *testing.T) {
	listing, _ := exported(t)
	path := filepath.Join("testdata", "api.txt")
	want, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if string(want) == listing {
		return
	}
	if flag.Lookup("rewrite").Value.String() != "true" {
		t.Fatalf("%s shows another API: run go test . -run TestAPI -rewrite, and read the diff", path)
	}
	if err := os.WriteFile(path, []byte(listing), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNoInternalTypes: an internal type in a declaration can't be seen by readers of the documentation.
func TestNoInternalTypes(t *testing.T) {
	for _, f := range sources(t, token.NewFileSet(), "*.go") {
		if f.Name.Name != "weft" {
			continue
		}
		internal := map[string]bool{}
		for _, spec := range f.Imports {
			if path := strings.Trim(spec.Path.Value, `"`); strings.Contains(path, "/internal/") {
				internal[filepath.Base(path)] = true
			}
		}
		ast.FileExports(f)
		look := func(name string, n ast.Node) {
			ast.Inspect(n, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && internal[s.X.(*ast.Ident).Name] {
					t.Errorf("%s shows %s.%s", name, s.X, s.Sel)
				}
				return true
			})
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if functionName(d) != inside {
					look(functionName(d), d.Type)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						look(s.Name.Name, s.Type)
					}
				}
			}
		}
	}
}

// TestEachNameIsUsed: a test or an example uses each exported function, method, constant and variable.
func TestEachNameIsUsed(t *testing.T) {
	used := map[string]bool{}
	for _, f := range sources(t, token.NewFileSet(), "*_test.go", "examples/*/*.go") {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				used[s.Sel.Name] = true
			}
			return true
		})
	}
	obvious := []string{
		"Error.Error",
		"Error.Unwrap",
		"DuplicateError.Error",
		"Denied.Error",
		"Kind.String",
		"ChangeKind.String",
		"KeyPart.String",
	} // printing calls them
	_, names := exported(t)
	for _, name := range names {
		_, method, is := strings.Cut(name, ".")
		if !is {
			method = name
		}
		if !used[method] && !slices.Contains(obvious, name) {
			t.Errorf("no test and no example uses %s", name)
		}
	}
}
