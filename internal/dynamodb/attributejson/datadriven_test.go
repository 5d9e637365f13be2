// SPDX-License-Identifier: Apache-2.0

package attributejson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// TestDataDriven runs the files of testdata. Each line of input is a JSON text of its own:
//
//	value     read as an attribute value: its text form, and its JSON if that is not the line; or the error
//	item      read as an item, with ids for the names id and name: likewise, with its size
//	skip      read as any JSON: "ok" or the error
//	string, int, bool, float, object, array   read as that: what is returned, or the error
//	show      in package value's notation: its JSON
func TestDataDriven(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "fuzz") {
			return // inputs that fuzzing found
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for line := range strings.Lines(d.Input) {
				line = strings.TrimSuffix(line, "\n")
				fmt.Fprintln(&out, run(t, d.Cmd, line))
			}
			return out.String()
		})
	})
}

func run(t *testing.T, command, line string) string {
	r := NewReader([]byte(line))
	var got any
	var err error
	switch command {
	case "value":
		got, err = runValue(r, line)
	case "item":
		got, err = runItem(r, line)
	case "skip":
		got, err = "ok", r.Skip()
	case "string":
		var s []byte
		s, err = r.String()
		got = fmt.Sprintf("%q", s)
	case "int":
		got, err = r.Int()
	case "float":
		got, err = r.Float()
	case "bool":
		got, err = r.Bool()
	case "object":
		got, err = runMembers(r)
	case "array":
		got, err = "begun", r.BeginArray()
		return describe(got, err)
	case "show":
		return show(t, line)
	}
	if err == nil {
		err = r.End()
	}
	return describe(got, err)
}

func describe(got any, err error) string {
	var syntax *SyntaxError
	var kind *TypeError
	var rule *ValueError
	switch {
	case err == nil:
		return fmt.Sprint(got)
	case errors.As(err, &syntax):
		return "syntax: " + syntax.Error()
	case errors.As(err, &kind):
		text := "type: " + kind.Error()
		if !strings.Contains(text, kind.Message()) {
			text += ": " + kind.Message()
		}
		return text
	case errors.As(err, &rule):
		return "value: " + rule.Error()
	}
	return "other: " + err.Error()
}

func runValue(r *Reader, line string) (string, error) {
	v, err := r.Value(nil)
	if err != nil {
		return "", err
	}
	if err := value.Value(v).Validate(); err != nil {
		return "", err
	}
	return withJSON(value.Value(v).String(), AppendValue(nil, v), line), nil
}

func runItem(r *Reader, line string) (string, error) {
	names := newTable("id", "name")
	var b value.RowBuilder
	b.Reset(names)
	if err := r.Item(&b); err != nil {
		return "", err
	}
	row := b.AppendTo(nil)
	if err := row.Validate(names); err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s size %d", valuetest.AppendRowText(nil, row, names), row.Size())
	return withJSON(text, AppendItem(nil, row, names), line), nil
}

func withJSON(text string, written []byte, line string) string {
	if string(written) != line {
		text += "  " + string(written)
	}
	return text
}

func runMembers(r *Reader) (string, error) {
	if err := r.BeginObject(); err != nil {
		return "", err
	}
	var members []string
	for {
		name, ok, err := r.NextMember()
		if !ok || err != nil {
			return strings.Join(members, " "), err
		}
		member := fmt.Sprintf("%q", name)
		raw, err := r.Raw()
		if err != nil {
			return "", err
		}
		members = append(members, member+"="+string(raw))
	}
}

func show(t *testing.T, line string) string {
	v, err := valuetest.ParseText(line)
	if err != nil {
		return err.Error()
	}
	written := AppendValue(nil, v)
	if !json.Valid(written) {
		t.Errorf("%s is no JSON: %s", line, written)
	}
	return string(written)
}
