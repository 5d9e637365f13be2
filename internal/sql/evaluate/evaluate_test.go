// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/tree"
)

// table is a scope over named columns; row holds their values.
type table struct {
	names []string
	types []datum.Type
	row   []datum.Datum
}

func (s *table) Resolve(c *tree.Column) (int, datum.Type, error) {
	for i, name := range s.names {
		if name == c.Name {
			return i, s.types[i], nil
		}
	}
	return 0, datum.Type{}, fault.New(fault.UnknownColumn, c.Name, "field list")
}

func (s *table) ResolveValues(column string) (int, datum.Type, error) {
	return s.Resolve(&tree.Column{Name: column})
}

// session answers what functions ask.
type session struct{ concatMax int64 }

func (s session) Variable(v *tree.Variable) (datum.Datum, error) {
	switch {
	case !v.System:
		return datum.TextString("value of " + v.Name), nil
	case v.Name == "group_concat_max_len" && s.concatMax > 0:
		return datum.Int(s.concatMax), nil
	}
	return datum.Null, fault.New(fault.UnknownVariable, v.Name)
}
func (session) Version() string      { return "8.0.0-weft" }
func (session) Database() string     { return "shop" }
func (session) User() string         { return "ann@localhost" }
func (session) ConnectionID() uint64 { return 7 }
func (session) LastInsertID() uint64 { return 42 }
func (session) RowCount() int64      { return 3 }
func (session) FoundRows() int64     { return 12 }

// expression reads the expression of `SELECT text`.
func expression(text string) (tree.Expression, error) {
	statement, err := parse.Parse([]byte("SELECT " + text))
	if err != nil {
		return nil, err
	}
	s, ok := statement.(*tree.Select)
	if !ok || len(s.List) != 1 {
		return nil, fmt.Errorf("no single expression: %T", statement)
	}
	return s.List[0].Expression, nil
}

// now is 2024-05-17 12:34:56.789.
const now = 1715949296789_000

// constant computes an expression without columns.
func constant(text string, scope Scope) (datum.Datum, error) {
	e, err := expression(text)
	if err != nil {
		return datum.Null, err
	}
	p, err := Compile(e, scope)
	if err != nil {
		return datum.Null, err
	}
	var x Context
	x.Begin(nil, now, session{})
	return p.Value(&x)
}

// declare adds columns: lines of name, type, = and an expression.
func (s *table) declare(t *testing.T, input string) string {
	for _, line := range strings.Split(input, "\n") {
		head, value, _ := strings.Cut(line, "=")
		name, kind, _ := strings.Cut(strings.TrimSpace(head), " ")
		d, err := constant(value, nil)
		if err != nil {
			t.Fatal(err)
		}
		of := typeNamed(t, kind)
		if d, err = datum.Store(d, of); err != nil {
			t.Fatal(err)
		}
		s.names, s.types, s.row = append(s.names, name), append(s.types, of), append(s.row, d)
	}
	return ""
}

func typeNamed(t *testing.T, name string) datum.Type {
	name = strings.ToUpper(strings.TrimSpace(name))
	if name == "DECIMAL(10,2)" {
		return datum.Type{Base: datum.DecimalBase, Precision: 10, Scale: 2}
	}
	for b := datum.Untyped; b <= datum.JSONBase; b++ {
		if b.String() == name {
			return datum.Type{Base: b}
		}
	}
	t.Fatalf("no type %q", name)
	return datum.Type{}
}

// TestEvaluate runs testdata/*: "row" declares columns, "eval" computes one expression a line and shows its value and
// type. It is computed twice in one execution, as literals and as parameters, with the same result each time.
func TestEvaluate(t *testing.T) {
	datadriven.Walk(t, "testdata/evaluate", func(t *testing.T, path string) {
		s := &table{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "row" {
				*s = table{}
				return s.declare(t, d.Input)
			}
			var out strings.Builder
			for _, line := range strings.Split(d.Input, "\n") {
				fmt.Fprintf(&out, "%s\n", evaluateLine(line, s))
			}
			return out.String()
		})
	})
}

func evaluateLine(line string, s *table) string {
	e, err := expression(line)
	if err != nil {
		return "parse: " + shownError(err)
	}
	p, err := Compile(e, s)
	if err != nil {
		return shownError(err)
	}
	var x Context
	x.Row = s.row
	x.Begin(nil, now, session{})
	first, err := p.Value(&x)
	if n, ok := p.Integer(&x); ok && (err != nil || first.Kind() != datum.KindInt || first.Int() != n) {
		return fmt.Sprintf("Integer is %d, Value %s", n, first)
	}
	if err != nil {
		return shownError(err)
	}
	shown := first.String()
	x.Reset()
	if again, err := p.Value(&x); err != nil || again.String() != shown && !strings.Contains(line, "()") {
		return fmt.Sprintf("%s, but then %s %v", shown, again, err)
	}
	if with := withParameters(e, s); with != shown && !strings.Contains(line, "()") {
		return fmt.Sprintf("%s, but with parameters %s", shown, with)
	}
	note := ""
	if k := datum.TypeOf(first); !first.IsNull() && p.Type().Base != datum.Untyped && !agree(k, p.Type()) {
		note = " (is " + k.String() + ")"
	}
	return shown + " : " + p.Type().String() + note
}

// agree reports whether a value of type k may stand where t was promised.
func agree(k, t datum.Type) bool {
	switch {
	case k.Base == t.Base, k.IsInteger() && t.IsInteger(), k.IsText() && t.IsText(), k.IsFloat() &&
		t.IsFloat(), k.IsBinary() && t.IsBinary():
		return true
	}
	return false
}

// withParameters computes e with parameters in the place of literals.
func withParameters(e tree.Expression, s *table) string {
	var parameters []datum.Datum
	p, err := Compile(replaced(e, &parameters), s)
	if err != nil {
		return shownError(err)
	}
	var x Context
	x.Row = s.row
	x.Begin(parameters, now, session{})
	d, err := p.Value(&x)
	if err != nil {
		return shownError(err)
	}
	return d.String()
}

// replaced copies the top of an expression with parameters for literals.
func replaced(e tree.Expression, parameters *[]datum.Datum) tree.Expression {
	all := func(list []tree.Expression) []tree.Expression {
		var out []tree.Expression
		for _, e := range list {
			out = append(out, replaced(e, parameters))
		}
		return out
	}
	switch e := e.(type) {
	case *tree.Literal:
		*parameters = append(*parameters, e.Value)
		return &tree.Parameter{Index: len(*parameters) - 1}
	case *tree.Binary:
		return &tree.Binary{Operator: e.Operator, Left: replaced(e.Left, parameters),
			Right: replaced(e.Right, parameters)}
	case *tree.Unary:
		return &tree.Unary{Operator: e.Operator, X: replaced(e.X, parameters)}
	case *tree.In:
		return &tree.In{X: replaced(e.X, parameters), List: all(e.List), Not: e.Not}
	case *tree.Tuple:
		return &tree.Tuple{Elements: all(e.Elements)}
	case *tree.Between:
		return &tree.Between{X: replaced(e.X, parameters), Low: replaced(e.Low, parameters),
			High: replaced(e.High, parameters), Not: e.Not}
	case *tree.Like:
		like := *e
		like.X, like.Pattern = replaced(e.X, parameters), replaced(e.Pattern, parameters)
		return &like
	}
	return e
}

func shownError(err error) string {
	if f, ok := fault.Of(err); ok {
		return fmt.Sprintf("error %d: %s", f.Code, f.Message)
	}
	return "error: " + err.Error()
}
