// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// TestLanguages runs the scripts in testdata. Their commands, each for every line of its input on its own, where a line
// "n times x then y" stands for n times x and then y:
//
//	define                 #name = name, or :value = a value in the notation of package value; replaces all definitions
//	item                   the item that what follows is evaluated over, or missing
//	condition, filter      prints what the condition is for the item, and the tree
//	key                    prints the key conditions
//	project                prints the tree and the item's projection
//	update                 prints the tree, the new item, and what UPDATED_OLD and UPDATED_NEW show
//	placeholders           parses nothing; prints what CheckNames and CheckValues say of the definitions
//	unused                 parses the lines as filters; prints what CheckUsed says after them all
func TestLanguages(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &script{known: &Substitutions{}}
		datadriven.RunTest(t, path, s.run)
	})
}

type script struct {
	known *Substitutions
	item  value.Row
}

func (s *script) source() expr.Source { return expr.Source{Row: s.item, Names: value.NoNames} }

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "define":
		s.known.Reset()
		for line := range strings.Lines(d.Input) {
			s.define(t, strings.TrimSuffix(line, "\n"))
		}
		return ""
	case "item":
		item, err := valuetest.ParseRowText(d.Input, value.NoNames)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		s.item = item
		return ""
	case "placeholders":
		return errorText(checkSyntax(s.known))
	}
	var out strings.Builder
	for line := range strings.Lines(d.Input + "\n") {
		line = strings.TrimSuffix(line, "\n")
		if repeat := strings.SplitN(line, " times ", 2); len(repeat) == 2 {
			var n int
			fmt.Sscan(repeat[0], &n)
			before, after, _ := strings.Cut(repeat[1], " then ")
			line = strings.Repeat(before, n) + after
		}
		out.WriteString(s.one(t, d, line))
	}
	if d.Cmd == "unused" {
		return errorText(s.known.CheckUsed())
	}
	return out.String()
}

func (s *script) define(t *testing.T, line string) {
	key, text, _ := strings.Cut(line, " = ")
	if strings.HasPrefix(key, "#") {
		s.known.AddName(key, text)
		return
	}
	v, err := valuetest.ParseText(text)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	s.known.AddValue(key, v)
}

func (s *script) one(t *testing.T, d *datadriven.TestData, text string) string {
	switch d.Cmd {
	case "condition":
		return s.condition(ParseCondition(text, s.known))
	case "filter", "unused":
		return s.condition(ParseFilter(text, s.known))
	case "key":
		return s.key(text)
	case "project":
		return s.project(text)
	case "update":
		return s.update(text)
	}
	d.Fatalf(t, "unknown command %s", d.Cmd)
	return ""
}

func (s *script) condition(c expr.Condition, err error) string {
	if err != nil {
		return errorText(err)
	}
	ok, err := expr.Match(c, s.source())
	if err != nil {
		return errorText(err)
	}
	tree := expr.Notation{}.AppendCondition(nil, c)
	if len(tree) > 200 {
		tree = fmt.Appendf(tree[:40], "... (%d bytes)", len(tree))
	}
	return fmt.Sprintf("%-5v  %s\n", ok, tree)
}

func (s *script) key(text string) string {
	list, err := ParseKeyCondition(text, s.known)
	if err != nil {
		return errorText(err)
	}
	var out []string
	for _, c := range list {
		line := fmt.Sprintf("%s %v %v", c.Attribute, c.Op, c.A)
		if c.B != nil {
			line += fmt.Sprintf(" and %v", c.B)
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ") + "\n"
}

func (s *script) project(text string) string {
	paths, err := ParseProjection(text, s.known)
	if err != nil {
		return errorText(err)
	}
	return fmt.Sprintf("%s\n  %s\n", expr.Notation{}.AppendPaths(nil, paths), projected(paths, s.source()))
}

func projected(paths []expr.Path, s expr.Source) string {
	var b value.RowBuilder
	b.Reset(value.NoNames)
	if err := expr.Project(paths, s, &b); err != nil {
		return errorText(err)
	}
	return rowText(b.AppendTo(nil))
}

func (s *script) update(text string) string {
	u, err := ParseUpdate(text, s.known)
	if err != nil {
		return errorText(err)
	}
	out := string(expr.Notation{}.AppendUpdate(nil, u)) + "\n"
	var b value.RowBuilder
	b.Reset(value.NoNames)
	if err := u.Apply(s.source(), &b); err != nil {
		return out + "  " + errorText(err)
	}
	row := b.AppendTo(nil)
	if err := row.Validate(value.NoNames); err != nil {
		return out + "  bad row: " + errorText(err)
	}
	out += "  " + rowText(row) + "\n"
	out += "  old " + projected(u.Touched(), s.source()) + "\n"
	out += "  new " + projected(u.Touched(), expr.Source{Row: row, Names: value.NoNames}) + "\n"
	return out
}

func rowText(row value.Row) string { return string(valuetest.AppendRowText(nil, row, value.NoNames)) }

func errorText(err error) string {
	if err == nil {
		return "ok\n"
	}
	if e := (*Error)(nil); errors.As(err, &e) && e.Late {
		return "late error: " + err.Error() + "\n"
	}
	return "error: " + err.Error() + "\n"
}
