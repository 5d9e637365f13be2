// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	tokens "github.com/weftdb/weft/internal/sql/parse/token"
)

// TestWordsAreKnown looks for words that the parser asks for and that the table of words does not have: such a word
// would never be met.
func TestWordsAreKnown(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	ask := func(e ast.Expr) {
		literal, ok := e.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return
		}
		word, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		if word == "" || word[0] < 'a' || word[0] > 'z' {
			return
		}
		asked++
		if tokens.LookUp([]byte(word)) == "" {
			t.Errorf("the parser asks for %q, which is no word of the grammar: add it to the table of package token",
				word)
		}
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			asking(n, ask)
			return true
		})
	}
	if asked < 500 {
		t.Errorf("only %d words were found in the parser's source", asked)
	}
}

// asking calls ask with what the current word is compared with.
func asking(n ast.Node, ask func(ast.Expr)) {
	switch n := n.(type) {
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return
		}
		switch selector.Sel.Name {
		case "Is", "Accept", "Accepts", "AcceptAny", "Expect":
			for _, argument := range n.Args {
				ask(argument)
			}
		}
	case *ast.SwitchStmt:
		if !isWord(n.Tag) {
			return
		}
		for _, clause := range n.Body.List {
			for _, value := range clause.(*ast.CaseClause).List {
				ask(value)
			}
		}
	case *ast.BinaryExpr:
		if isWord(n.X) {
			ask(n.Y)
		}
	}
}

// isWord reports whether an expression is the Word of a token.
func isWord(e ast.Expr) bool {
	selector, ok := e.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Word"
}
