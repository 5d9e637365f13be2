// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/tree"
	"github.com/weftdb/weft/internal/testing/rounds"
)

func generatedTable(t *testing.T) *table {
	s := &table{}
	s.declare(t, generatedRow)
	return s
}

// outcome is a value or an error, as text; of floats, zeros have no sign.
func outcome(e tree.Expression, scope Scope, row, parameters []datum.Datum) string {
	p, err := Compile(e, scope)
	if err != nil {
		return shownError(err)
	}
	var x Context
	x.Row = row
	x.Begin(parameters, now, session{})
	d, err := p.Value(&x)
	if n, ok := p.Integer(&x); ok && (err != nil || d.Kind() != datum.KindInt || d.Int() != n) {
		return "value " + d.String() + " is another as an integer"
	}
	if err != nil {
		return shownError(err)
	}
	if truth, err := p.Truth(&x); err == nil {
		if is, null := d.Truth(); truth != (is && !null) && !strings.Contains(p.t.String(), "TIME") {
			return "value " + d.String() + " is as a condition another"
		}
	}
	return strings.TrimPrefix(d.String(), "-0 ")
}

// asColumns replaces literals by columns without a type, which hold them.
func asColumns(e tree.Expression, s *table) tree.Expression {
	switch e := e.(type) {
	case *tree.Literal:
		name := "literal" + string(rune('A'+len(s.names)))
		s.names, s.types, s.row = append(s.names, name), append(s.types, datum.Type{}), append(s.row, e.Value)
		return &tree.Column{Name: name}
	case *tree.Unary:
		return &tree.Unary{Operator: e.Operator, X: asColumns(e.X, s)}
	case *tree.Binary:
		return &tree.Binary{Operator: e.Operator, Left: asColumns(e.Left, s), Right: asColumns(e.Right, s)}
	case *tree.In:
		in := &tree.In{X: asColumns(e.X, s), Not: e.Not}
		for _, element := range e.List {
			in.List = append(in.List, asColumns(element, s))
		}
		return in
	case *tree.Between:
		return &tree.Between{X: asColumns(e.X, s), Low: asColumns(e.Low, s), High: asColumns(e.High, s), Not: e.Not}
	case *tree.Is:
		return &tree.Is{X: asColumns(e.X, s), Kind: e.Kind, Not: e.Not}
	case *tree.Like:
		like := *e
		like.X, like.Pattern = asColumns(e.X, s), asColumns(e.Pattern, s)
		return &like
	}
	return e
}

// TestFolding holds that an expression has one value, whether its literals are constants, parameters, or columns of a
// row.
func TestFolding(t *testing.T) {
	seed := rounds.Seed(t)
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
	s := generatedTable(t)
	for range rounds.Of(t, 4000) {
		text := g.any(3)
		e, err := expression(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want := outcome(e, s, s.row, nil)
		if strings.Contains(want, "another") {
			t.Fatalf("%s: %s", text, want)
		}
		var parameters []datum.Datum
		if got := outcome(replaced(e, &parameters), s, s.row, parameters); got != want && !sameError(got, want) {
			t.Fatalf("%s = %s; with parameters %s", text, want, got)
		}
		wide := &table{names: append([]string(nil), s.names...), types: append([]datum.Type(nil), s.types...),
			row: append([]datum.Datum(nil), s.row...)}
		if got := outcome(asColumns(e, wide), wide, wide.row, nil); got != want && !sameError(got, want) {
			t.Fatalf("%s = %s; with columns %s", text, want, got)
		}
	}
}

// sameError says that both are errors: which of two comes first is not the same in all orders of evaluation.
func sameError(a, b string) bool {
	return strings.HasPrefix(a, "error") && strings.HasPrefix(b, "error")
}

// FuzzEvaluate compiles and computes whatever parses.
func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"i + 1", "CONCAT(s, 5)", "CASE i WHEN 5 THEN 'a' END", "JSON_EXTRACT(j, '$.a[0]')",
		"DATE_FORMAT(ts, '%Y')", "s LIKE 'h%' ESCAPE '|'",
		"REPEAT(s, 100000000)", "LPAD(s, 5000000, 'x')", "STR_TO_DATE('x', '%Y')", "REGEXP_REPLACE(s, '(l+)', '$1')",
		"CONV(u, 10, -36)", "ROUND(d, -40)",
		"ts + INTERVAL 9223372036854775807 SECOND", "SUBSTRING(s, -9223372036854775808, 9223372036854775807)",
		"(i, s) IN ((1, 'a'))", "WEEK(day, 7)",
		"JSON_SET(j, '$.a[last]', i)", "FORMAT(f, 99)", "TIMESTAMPADD(YEAR, 9999999, ts)",
		"MAKETIME(99999999999, 1, 1)", "FROM_DAYS(9223372036854775807)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if lower := strings.ToLower(text); strings.Contains(lower, "sleep") {
			return
		}
		e, err := expression(text)
		if err != nil {
			return
		}
		s := generatedTable(t)
		p, err := Compile(e, s)
		if err != nil {
			return
		}
		var x Context
		x.Row = s.row
		x.Begin(nil, now, session{})
		first, err := p.Value(&x)
		if err != nil {
			return
		}
		shown := first.String()
		x.Reset()
		if again, err := p.Value(&x); p.IsConstant() && (err != nil || again.String() != shown) {
			t.Fatalf("%s is %s, and then %s %v", text, shown, again, err)
		}
		_, _ = p.Truth(&x)
	})
}
