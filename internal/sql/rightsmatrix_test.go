// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// matrixUsers are the columns of the matrix. "nobody" has no account; "owner" may do what a policy says about rows
// whose key begins with another value than the statements'.
var matrixUsers = []string{"nobody", "none", "reader", "writer", "owner", superuser}

// matrixSetup makes a database for one cell. {t} is `own` or `foreign`: grants are on `own`.
const matrixSetup = `CREATE TABLE own (k VARCHAR(9), n INT, v INT, PRIMARY KEY(k, n));
CREATE TABLE foreign_ (k VARCHAR(9), n INT, v INT, PRIMARY KEY(k, n));
CREATE INDEX i ON own(v);
CREATE INDEX i ON foreign_(v);
CREATE VIEW own_view AS SELECT k, v FROM own;
CREATE VIEW foreign__view AS SELECT k, v FROM foreign_;
CREATE DATABASE own_db;
CREATE DATABASE foreign__db;
CREATE TABLE own_db.t (id INT PRIMARY KEY);
CREATE TABLE foreign__db.t (id INT PRIMARY KEY);
CREATE USER none IDENTIFIED BY 'x', reader IDENTIFIED BY 'x', writer IDENTIFIED BY 'x';
GRANT SELECT ON own TO reader;
GRANT SELECT ON own_view TO reader;
GRANT SELECT ON own_db.* TO reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON own TO writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON own_view TO writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON own_db.* TO writer`

const ownerPolicy = `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": ["dynamodb:PartiQL*"], "Resource": "arn:aws:dynamodb:*:*:table/own",
	"Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}}}}`

// TestRightsMatrix runs each line of testdata/rightsmatrix as each user, on a table that the users have rights to and
// on a foreign one, each time in a database of its own, and says who was let do it.
func TestRightsMatrix(t *testing.T) {
	rounds.SkipRace(t)
	seen := map[string]bool{}
	datadriven.RunTest(t, "testdata/rightsmatrix", func(t *testing.T, d *datadriven.TestData) string {
		var b strings.Builder
		for line := range strings.Lines(d.Input) {
			line = strings.TrimSpace(line)
			fmt.Fprintln(&b, line)
			for _, table := range []string{"own", "foreign_"} {
				text := strings.ReplaceAll(line, "{t}", table)
				for one := range strings.SplitSeq(text, ";; ") {
					read, err := parse.Parse([]byte(one))
					if err != nil {
						t.Fatalf("%s: %v", one, err)
					}
					seen[reflect.TypeOf(read).Elem().Name()] = true
				}
				if table != "own" && !strings.Contains(line, "{t}") {
					continue
				}
				fmt.Fprintf(&b, "  %-8s", strings.TrimSuffix(table, "_"))
				for _, user := range matrixUsers {
					fmt.Fprintf(&b, " %s=%s", user, matrixCell(t, user, text))
				}
				b.WriteString("\n")
			}
		}
		return b.String()
	})
	for _, name := range statementKinds(t) {
		if !seen[name] {
			t.Errorf("the matrix has no statement that is a *tree.%s", name)
		}
	}
}

// matrixCell is "ok", the code of a refusal, or "ok" with the code of another error.
func matrixCell(t *testing.T, user, text string) (cell string) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuarded(t, testdb.Open(t), false, false)
		g.give(t, "owner", ownerPolicy)
		out := &printer{}
		for _, one := range strings.Split(matrixSetup, ";\n") {
			if err := g.session(superuser).Query(t.Context(), []byte(one), out); err != nil {
				t.Fatalf("%s: %v", one, err)
			}
		}
		s := g.session(user)
		var err error
		for one := range strings.SplitSeq(text, ";; ") {
			if err = s.Query(t.Context(), []byte(one), out); err != nil {
				break
			}
		}
		cell = "ok"
		if f, ok := fault.Of(err); ok {
			switch f.Code {
			case fault.DatabaseDenied, fault.AccessDenied, fault.TableDenied, fault.ColumnDenied, fault.Privilege,
				fault.NotYourThread:
				cell = fmt.Sprint(f.Code)
			default:
				cell = fmt.Sprint("ok:", f.Code)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		for _, s := range g.sessions {
			s.Close()
		}
		clear(g.sessions)
	})
	return cell
}

// statementKinds are the types of package tree that are statements, by their source.
func statementKinds(t *testing.T) (names []string) {
	files, err := filepath.Glob("tree/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "statement" && f.Recv != nil {
				names = append(names, f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// TestRightsOfAllStatements fails for a kind of statement that the table of rights has no entry for.
func TestRightsOfAllStatements(t *testing.T) {
	source, err := os.ReadFile("rightsof.go")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CaseClause); ok {
			for _, e := range c.List {
				if star, ok := e.(*ast.StarExpr); ok {
					cases[star.X.(*ast.SelectorExpr).Sel.Name] = true
				}
			}
		}
		return true
	})
	kinds := statementKinds(t)
	if len(kinds) < 30 {
		t.Fatalf("only %d kinds of statements were found", len(kinds))
	}
	for _, name := range kinds {
		if !cases[name] {
			t.Errorf("*tree.%s has no entry in askFor: say what right it needs", name)
		}
	}
}
