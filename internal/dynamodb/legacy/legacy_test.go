// SPDX-License-Identifier: Apache-2.0

package legacy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/dynamodb/attributejson"
	"github.com/weftdb/weft/internal/dynamodb/exception"
	"github.com/weftdb/weft/internal/dynamodb/expression"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// TestParameters runs the scripts in testdata. Their commands, each for every line of its input on its own:
//
//	item                     the item that what follows is evaluated over, or missing
//	expected, filter         a parameter's JSON; prints what the condition is for the item, and the tree. join=OR gives a ConditionalOperator
//	keys                     prints the key conditions, and what CheckKeys says if that is another thing
//	update                   prints the tree, the new item, and what UPDATED_OLD and UPDATED_NEW show
//	names                    prints the tree and the item's projection
//	grid                     a clause's operator and arguments; prints for which of the item's attributes, and for an absent one, it holds
//
// What Constrain says comes first, and then what the judging of the meaning says nevertheless.
func TestParameters(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &script{}
		datadriven.RunTest(t, path, s.run)
	})
}

type script struct {
	item       value.Row
	conditions Conditions // reused for each request, as the server does
	updates    Updates
	names      Names
}

func (s *script) source() expr.Source { return expr.Source{Row: s.item, Names: value.NoNames} }

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd == "item" {
		item, err := valuetest.ParseRowText(d.Input, value.NoNames)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		s.item = item
		return ""
	}
	var join string
	given := d.HasArg("join")
	if given {
		d.ScanArgs(t, "join", &join)
	}
	var out strings.Builder
	for line := range strings.Lines(d.Input) {
		line = strings.TrimSuffix(line, "\n")
		switch r := attributejson.NewReader([]byte(line)); d.Cmd {
		case "expected", "filter":
			out.WriteString(s.condition(d.Cmd, r, given, join))
		case "keys":
			out.WriteString(s.keys(r))
		case "update":
			out.WriteString(s.update(r))
		case "names":
			out.WriteString(s.attributes(r))
		case "grid":
			out.WriteString(s.grid(t, line))
		default:
			d.Fatalf(t, "unknown command %s", d.Cmd)
		}
	}
	return out.String()
}

func (s *script) condition(parameter string, r *attributejson.Reader, given bool, join string) string {
	s.conditions.Reset()
	read := s.conditions.Read
	if parameter == "expected" {
		read = s.conditions.ReadExpected
	}
	if r.Peek() != attributejson.TokenNull { // a parameter that is not given
		if err := read(r); err != nil {
			return errorText(err)
		}
	}
	out := faultsText(&s.conditions, parameter) + operatorFault(given, join)
	c, err := s.conditions.Condition(join)
	if err != nil {
		return out + errorText(err)
	}
	ok, err := expr.Match(c, s.source())
	if err != nil {
		return out + errorText(err)
	}
	return out + fmt.Sprintf("%-5v  %s\n", ok, expr.Notation{}.AppendCondition(nil, c))
}

func (s *script) keys(r *attributejson.Reader) string {
	if err := s.conditions.Read(r); err != nil {
		return errorText(err)
	}
	out := faultsText(&s.conditions, "keyConditions")
	list, err := s.conditions.Keys()
	if err != nil {
		if early := s.conditions.CheckKeys(); early != nil {
			return out + "early " + errorText(early)
		}
		return out + errorText(err)
	}
	var lines []string
	for _, c := range list {
		line := fmt.Sprintf("%q %v %v", c.Attribute, c.Op, c.A)
		if c.B != nil {
			line += fmt.Sprintf(" and %v", c.B)
		}
		lines = append(lines, line)
	}
	if names := slices.Collect(s.conditions.Attributes()); len(names) != len(list) {
		return fmt.Sprintf("attributes %q\n", names)
	}
	return out + strings.Join(lines, "; ") + "\n"
}

func (s *script) update(r *attributejson.Reader) string {
	if err := s.updates.Read(r); err != nil {
		return errorText(err)
	}
	out := faultsText(&s.updates, "attributeUpdates")
	u, err := s.updates.Update()
	if err != nil {
		return out + errorText(err)
	}
	out += string(expr.Notation{}.AppendUpdate(nil, u)) + "\n"
	var b value.RowBuilder
	b.Reset(value.NoNames)
	if err := u.Apply(s.source(), &b); err != nil {
		return out + "  " + errorText(Wording(err))
	}
	row := b.AppendTo(nil)
	if err := row.Validate(value.NoNames); err != nil {
		return out + "  bad row: " + errorText(err)
	}
	out += "  " + rowText(row) + "\n"
	out += "  old " + projected(u.Touched(), s.source()) + "\n"
	return out + "  new " + projected(u.Touched(), expr.Source{Row: row, Names: value.NoNames}) + "\n"
}

func (s *script) attributes(r *attributejson.Reader) string {
	if err := s.names.Read(r); err != nil {
		return errorText(err)
	}
	out := faultsText(&s.names, "attributesToGet")
	if len(out) > 200 {
		out = fmt.Sprintf("%s... (%d bytes) %s", out[:60], len(out), out[len(out)-60:])
	}
	paths, err := s.names.Paths()
	if err != nil {
		return out + errorText(err)
	}
	if len(paths) > 20 {
		return out + fmt.Sprintf("%d paths\n", len(paths))
	}
	return out + fmt.Sprintf("%s\n  %s\n", expr.Notation{}.AppendPaths(nil, paths), projected(paths, s.source()))
}

// grid puts a clause to every attribute of the item, and to one that it does not have, in QueryFilter and in Expected.
func (s *script) grid(t *testing.T, line string) string {
	operator, arguments, _ := strings.Cut(line, " ")
	attributes := s.item.Attributes(value.NoNames)
	var held []string
	holds := func(name string) {
		body := fmt.Sprintf(`{%q:{"ComparisonOperator":%q,"AttributeValueList":[%s]}}`, name, operator, arguments)
		var answers []bool
		for _, read := range []func(*attributejson.Reader) error{s.conditions.Read, s.conditions.ReadExpected} {
			if err := read(attributejson.NewReader([]byte(body))); err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			c, err := s.conditions.Condition("")
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			ok, err := expr.Match(c, s.source())
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			answers = append(answers, ok)
		}
		if answers[0] != answers[1] {
			t.Fatalf("%s holds %v as a filter, %v as Expected", body, answers[0], answers[1])
		}
		if answers[0] {
			held = append(held, name)
		}
	}
	for attributes.Next() {
		holds(string(attributes.Name()))
	}
	holds("absent")
	return fmt.Sprintf("%-24s %s\n", line, strings.Join(held, " "))
}

func projected(paths []expr.Path, s expr.Source) string {
	var b value.RowBuilder
	b.Reset(value.NoNames)
	if err := expr.Project(paths, s, &b); err != nil {
		return errorText(err)
	}
	return rowText(b.AppendTo(nil))
}

func rowText(row value.Row) string { return string(valuetest.AppendRowText(nil, row, value.NoNames)) }

// faultsText is what single members of a parameter get wrong, a line each.
func faultsText(parameter interface {
	Constrain(faults *exception.Constraints, parameter string)
}, name string) (out string) {
	var c exception.Constraints
	parameter.Constrain(&c, name)
	if err := c.Err(); err != nil {
		_, list, _ := strings.Cut(exception.Of(err).Message, " detected: ")
		for fault := range strings.SplitSeq(list, "; ") {
			out += "fault: " + fault + "\n"
		}
	}
	return out
}

// operatorFault is what is wrong with the text of ConditionalOperator.
func operatorFault(given bool, text string) string {
	if !given || text == "AND" || text == "OR" {
		return ""
	}
	return "fault: Value '" + text + "' at 'conditionalOperator' failed to satisfy constraint: Member must satisfy enum value set: [OR, AND]\n"
}

// errorText shows an error with its layer.
func errorText(err error) string {
	var refused *expression.Error
	var evaluated *expr.Error
	switch {
	case errors.As(err, &refused):
		return "error: " + err.Error() + "\n"
	case errors.As(err, &evaluated):
		return "applied: " + err.Error() + "\n"
	}
	return "unreadable: " + err.Error() + "\n"
}
