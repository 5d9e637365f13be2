// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// checkInit refuses init functions, except those of which users of a package expect that its import has an effect.
func checkInit(s *source) []finding {
	if s.generated {
		return nil
	}
	var found []finding
	for _, decl := range s.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" &&
			!s.noted(fn.Pos(), "lint:init") {
			found = append(found, s.find(fn.Pos(), "no init(): do it in a constructor that the caller calls"))
		}
	}
	return found
}

// checkGlobals refuses package-level variables, except those that cannot change in a way that matters.
func checkGlobals(s *source) []finding {
	if s.isTest || s.generated {
		return nil
	}
	var found []finding
	for _, decl := range s.file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			value := spec.(*ast.ValueSpec)
			if s.noted(value.Pos(), "lint:global") || s.noted(group.Pos(), "lint:global") {
				continue
			}
			marked := constantByComment(group.Doc) || constantByComment(value.Doc) || constantByComment(value.Comment)
			for i, name := range value.Names {
				switch {
				case marked && mutable(value, i):
					found = append(found,
						s.find(name.Pos(), "%s changes, whatever its comment says: make it a field or a parameter",
							name.Name))
				case !marked && name.Name != "_" && !constantByValue(value, i):
					found = append(found,
						s.find(name.Pos(),
							"%s is a package-level variable: make it a field or a parameter; a table that nothing changes is marked // immutable", name.Name))
				}
			}
		}
	}
	return found
}

// mutable is true for what exists to be changed: pools, locks, counters, and maps that begin empty.
func mutable(value *ast.ValueSpec, i int) bool {
	if concurrent(value.Type) {
		return true
	}
	if i >= len(value.Values) {
		return false
	}
	e := value.Values[i]
	if address, ok := e.(*ast.UnaryExpr); ok {
		e = address.X
	}
	switch v := e.(type) {
	case *ast.CompositeLit:
		_, isMap := v.Type.(*ast.MapType)
		return concurrent(v.Type) || isMap && len(v.Elts) == 0
	case *ast.CallExpr:
		fn, ok := v.Fun.(*ast.Ident)
		return ok && (fn.Name == "make" || fn.Name == "new")
	}
	return false
}

// concurrent is true for types of packages sync and atomic, and for pointers to them.
func concurrent(kind ast.Expr) bool {
	if pointer, ok := kind.(*ast.StarExpr); ok {
		kind = pointer.X
	}
	if generic, ok := kind.(*ast.IndexExpr); ok {
		kind = generic.X
	}
	name := selector(kind)
	return strings.HasPrefix(name, "sync.") || strings.HasPrefix(name, "atomic.")
}

var immutable = regexp.MustCompile(`\bimmutable\b|^//go:embed `)

func constantByComment(group *ast.CommentGroup) bool {
	return group != nil && slices.ContainsFunc(group.List,
		func(c *ast.Comment) bool { return immutable.MatchString(c.Text) })
}

// sentinel is the name of another package's error.
var sentinel = regexp.MustCompile(`\.Err[A-Z]\w*$`)

// constantByValue is true for sentinels and compiled regular expressions.
func constantByValue(value *ast.ValueSpec, i int) bool {
	if i >= len(value.Values) {
		return false
	}
	if sentinel.MatchString(selector(value.Values[i])) {
		return true
	}
	call, ok := value.Values[i].(*ast.CallExpr)
	return ok && slices.Contains([]string{"errors.New", "fmt.Errorf", "regexp.MustCompile"}, selector(call.Fun))
}

// selector returns "package.Name" of an expression such as time.Now, or "".
func selector(e ast.Expr) string {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); ok {
		return x.Name + "." + sel.Sel.Name
	}
	return ""
}

// inspect calls visit for every node of the file.
func inspect(s *source, visit func(ast.Node) []finding) []finding {
	var found []finding
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n != nil {
			found = append(found, visit(n)...)
		}
		return true
	})
	return found
}

// checkPanic refuses panics that no invariant explains.
func checkPanic(s *source) []finding {
	if s.isTest || s.generated {
		return nil
	}
	return inspect(s, func(n ast.Node) []finding {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return nil
		}
		if fn, ok := call.Fun.(*ast.Ident); !ok || fn.Name != "panic" || s.noted(call.Pos(), "lint:invariant") {
			return nil
		}
		return []finding{s.find(call.Pos(),
			"no panic: return an error; if only a bug in this package gets here, say which above it: // lint:invariant reason")}
	})
}

var clocks = []string{"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc",
	"time.NewTimer", "time.NewTicker", "time.Tick"}

// checkClock keeps clocks and randomness out of pure packages. Imports of random sources are refused by checkImports.
func checkClock(s *source) []finding {
	if r, ok := findLaw(s.dir); !ok || !r.pure || s.isTest {
		return nil
	}
	return inspect(s, func(n ast.Node) []finding {
		e, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(clocks, selector(e)) || s.noted(e.Pos(), "lint:clock") {
			return nil
		}
		return []finding{s.find(e.Pos(), "no %s in a pure package: take the time as a parameter", selector(e))}
	})
}

// checkExit keeps the end of the process and standard output in programs.
func checkExit(s *source) []finding {
	if s.isTest || s.isMain() {
		return nil
	}
	return inspect(s, func(n ast.Node) []finding {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return nil
		}
		name := selector(call.Fun)
		switch {
		case name == "os.Exit" || strings.HasPrefix(name, "log.Fatal") || strings.HasPrefix(name, "log.Panic"):
			return []finding{s.find(call.Pos(),
				"no %s in a library: return an error, or call a hook such as Options.Fatal", name)}
		case name == "fmt.Print" || name == "fmt.Printf" || name == "fmt.Println" || isBuiltinPrint(call):
			return []finding{s.find(call.Pos(), "no printing in a library: take an io.Writer or a *slog.Logger")}
		}
		return nil
	})
}

func isBuiltinPrint(call *ast.CallExpr) bool {
	fn, ok := call.Fun.(*ast.Ident)
	return ok && (fn.Name == "print" || fn.Name == "println")
}

// checkSkip wants a reason wherever a test is skipped.
func checkSkip(s *source) []finding {
	return inspect(s, func(n ast.Node) []finding {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) > 0 {
			return nil
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "SkipNow" && (sel.Sel.Name != "Skip" || !isTestingVariable(sel.X)) ||
			hasNote(s.notes[s.line(call.Pos())], "//") || hasNote(s.notes[s.line(call.Pos())-1], "//") {
			return nil
		}
		return []finding{s.find(call.Pos(), "a skipped test must say why: t.Skip(\"reason\")")}
	})
}

func isTestingVariable(e ast.Expr) bool {
	x, ok := e.(*ast.Ident)
	return ok && slices.Contains([]string{"t", "b", "f", "tb"}, x.Name)
}

// unfinished finds the words by which people promise to come back.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

// checkUnfinished refuses promises in comments.
func checkUnfinished(s *source) []finding {
	if s.generated {
		return nil
	}
	var found []finding
	for _, group := range s.file.Comments {
		for _, comment := range group.List {
			if word := unfinished.FindString(comment.Text); word != "" {
				found = append(found, s.find(comment.Pos(), "%s: do it now, or describe the limit as it is", word))
			}
		}
	}
	return found
}
