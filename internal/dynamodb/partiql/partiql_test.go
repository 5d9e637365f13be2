// SPDX-License-Identifier: Apache-2.0

package partiql

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// TestParse runs the texts of testdata/statements: "parse" reads each line, with the values of "values" for its
// question marks, and shows what it means.
func TestParse(t *testing.T) {
	var parameters []value.Value
	datadriven.Walk(t, "testdata/statements", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "values" {
				parameters = nil
				for line := range strings.Lines(d.Input) {
					v, err := valuetest.ParseText(strings.TrimSpace(line))
					if err != nil {
						t.Fatal(err)
					}
					parameters = append(parameters, v)
				}
				return ""
			}
			if d.Cmd == "whole" {
				return show(Parse(d.Input, parameters))
			}
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				line = strings.TrimSuffix(line, "\n")
				out.WriteString(line + "\n  " +
					show(Parse(line, parameters[:min(len(parameters), strings.Count(line, "?"))])) + "\n")
			}
			return out.String()
		})
	})
}

func show(s *Statement, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	text := []byte(s.Verb.String())
	for i, c := range s.Columns {
		if i > 0 {
			text = append(text, ',')
		}
		text = expr.Notation{}.AppendPath(append(text, ' '), &c.Path)
		text = append(append(text, " as "...), c.Name...)
	}
	text = append(append(text, " of "...), s.Table...)
	if s.Index != "" {
		text = append(append(text, '.'), s.Index...)
	}
	for _, a := range s.Item {
		text = append(append(append(text, ' '), a.Name...), ':')
		text = value.AppendText(text, a.Value)
	}
	if s.Update != nil {
		text = expr.Notation{}.AppendUpdate(append(text, ' '), s.Update)
	}
	if s.Where != nil {
		text = expr.Notation{}.AppendCondition(append(text, " where "...), s.Where)
	}
	for _, o := range s.Order {
		text = append(append(text, " by "...), o.Name...)
		if o.Descending {
			text = append(text, " desc"...)
		}
	}
	return string(text) + strings.TrimSuffix(" returns "+string(s.Returning), " returns ")
}

// FuzzParse: no text makes the parser fall over, and what it takes names a table.
func FuzzParse(f *testing.F) {
	for _, text := range [...]string{`SELECT a.b, c[0] FROM "T"."x" WHERE pk = ? AND (sk > 1 OR NOT begins_with(sk, 'a')) ORDER BY sk DESC`,
		`INSERT INTO "T" VALUE {'a': <<1, 2>>, 'b': [true, null, {'c': -.73e1}]}`,
		`UPDATE "T" SET n = n + ? REMOVE m WHERE pk = 'it''s' RETURNING ALL OLD *`,
		`DELETE FROM T WHERE pk = 1 -- all`, `EXISTS(SELECT * FROM "T" WHERE pk = 1 AND attribute_exists(a) = true)`,
		strings.Repeat("(", 250)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, []value.Value{value.AppendInt(nil, 1)})
		if err == nil && s.Table == "" && !strings.Contains(text, `""`) {
			t.Errorf("%q has no table", text)
		}
	})
}
