// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/keytext"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// TestData runs the scripts in testdata:
//
//	parse    lines "type name": the key part, its canonical text
//	key      an index on the first line, then rows as map values: the key in hexadecimal, and what Values and Skip make of it;
//	         "lenient" makes the index so
//	values   an index, then lists of the visible parts' values: the key of AppendValues
//	spans    an index, then lines "name : bound": the spans
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "fuzz") {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			lines := strings.Split(strings.TrimSpace(d.Input), "\n")
			if d.Cmd == "parse" {
				return eachLine(lines, parseLine)
			}
			x, err := parseIndex(lines[0])
			if err != nil {
				return err.Error()
			}
			x.Lenient = d.HasArg("lenient")
			switch d.Cmd {
			case "key":
				return eachLine(lines[1:], func(line string) string { return keyLine(x, line) })
			case "values":
				return eachLine(lines[1:], func(line string) string { return valuesLine(x, line) })
			case "spans":
				limit := 0
				d.MaybeScanArgs(t, "limit", &limit)
				return spansText(x, lines[1:], limit)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func eachLine(lines []string, do func(string) string) string {
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(do(line) + "\n")
	}
	return out.String()
}

func parseLine(line string) string {
	word, name, _ := strings.Cut(line, " ")
	p, computed, err := keytext.Parse(name, typeWords[word])
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %s %s desc=%t computed=%t %q", keytext.Text(&p), p.Function, p.Type, p.Descending, computed,
		p.Args)
}

func keyLine(x *schema.Index, line string) string {
	row, err := valuetest.ParseText(line)
	if err != nil {
		return err.Error()
	}
	key, ok, err := AppendColumns([]byte("p"), x, fieldsOf(row))
	if err != nil {
		return errorText(err)
	}
	if !ok {
		return "no entry"
	}
	return keyAndValues(x, key[1:])
}

// errorText shows the type, too.
func errorText(err error) string {
	return strings.TrimPrefix(fmt.Sprintf("%T: %v", err, err), "*indexkey.")
}

func keyAndValues(x *schema.Index, key []byte) string {
	var values []string
	rest, err := Values(x, append(key, "rest"...), nil, func(p *schema.KeyPart, v value.Value) error {
		values = append(values, p.Name+"="+v.String())
		return nil
	})
	if err != nil || string(rest) != "rest" {
		return fmt.Sprintf("Values: rest %q, %v", rest, err)
	}
	rest, err = Skip(x, append(key, "rest"...))
	if err != nil || string(rest) != "rest" {
		return fmt.Sprintf("Skip: rest %q, %v", rest, err)
	}
	return fmt.Sprintf("%x  %s", key, strings.Join(values, " "))
}

func valuesLine(x *schema.Index, line string) string {
	list, err := valuetest.ParseText(line)
	if err != nil {
		return err.Error()
	}
	key, ok, err := AppendValues(nil, x, func(p *schema.KeyPart) value.Value {
		for i, q := range x.Visible() {
			if q.Name == p.Name {
				v, _ := list.Index(i)
				return v
			}
		}
		return nil
	})
	if err != nil {
		return errorText(err)
	}
	if !ok {
		return "no key"
	}
	return keyAndValues(x, key)
}

func spansText(x *schema.Index, lines []string, limit int) string {
	bounds, err := parseBounds(lines)
	if err != nil {
		return err.Error()
	}
	plan, err := Bind(x, bounds, limit)
	var tooMany *TooManyError
	if errors.As(err, &tooMany) {
		return errorText(err)
	}
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	for _, s := range plan.Spans {
		fmt.Fprintf(&out, "%s\n", AppendSpan(nil, x, s))
	}
	estimate := plan.Estimate(Statistics{})
	fmt.Fprintf(&out, "used %d", plan.Used)
	if plan.Points {
		out.WriteString(", points")
	}
	if !plan.Exact {
		out.WriteString(", not exact")
	}
	var guaranteed []string
	for _, line := range lines {
		if name, _, _ := strings.Cut(line, " : "); plan.Guarantees(name) {
			guaranteed = append(guaranteed, name)
		}
	}
	fmt.Fprintf(&out, ", guarantees %q, rows %.0f\n", guaranteed, estimate.Rows)
	return out.String()
}
