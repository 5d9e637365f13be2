// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/parse"
	"github.com/weftdb/weft/internal/sql/tree"
)

// TestStatements runs testdata. Commands:
//
//	parse         each line (or, with `whole`, the whole input) is a statement: it is printed as its tree says it. What is printed must be read as the same
//	              tree again.
//	tree          the same, printed as a tree
//	fingerprint   the key of the plan cache and the literals of each line
//	split         the statements of a text
//
// ansi-quotes, pipes-as-concat and no-backslash-escapes are sql_mode's.
func TestStatements(t *testing.T) {
	datadriven.Walk(t, "testdata/statements", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			texts := strings.Split(d.Input, "\n")
			if d.HasArg("whole") || d.Cmd == "split" {
				texts = []string{d.Input}
			}
			var answer strings.Builder
			in := dialectOf(d)
			for _, text := range texts {
				switch d.Cmd {
				case "parse":
					answer.WriteString(parsed(t, in, text))
				case "tree":
					answer.WriteString(dumped(t, in, text))
				case "fingerprint":
					answer.WriteString(fingerprinted(in, text))
				case "split":
					answer.WriteString(splitted(in, text))
				default:
					d.Fatalf(t, "unknown command %s", d.Cmd)
				}
			}
			return answer.String()
		})
	})
}

func dialectOf(d *datadriven.TestData) parse.Dialect {
	return parse.DialectOf(d.HasArg("ansi-quotes"), d.HasArg("pipes-as-concat"), d.HasArg("no-backslash-escapes"),
		d.HasArg("real-as-float"), d.HasArg("loose-groups"))
}

// parsed prints a statement's tree as SQL.
func parsed(t *testing.T, in parse.Dialect, text string) string {
	s, err := in.Parse([]byte(text))
	if err != nil {
		return faulty(err)
	}
	if problem := roundTrip(s); problem != "" {
		t.Errorf("%s\n%s", text, problem)
	}
	return printed(s)
}

func faulty(err error) string {
	f, ok := fault.Of(err)
	if !ok {
		return "error: " + err.Error() + "\n"
	}
	return fmt.Sprintf("error %d %s: %s\n", f.Code, f.State, f.Message)
}

// printed tells which statements are not plain.
func printed(s tree.Statement) string {
	sql := statementText(s) + "\n"
	if !tree.IsPlain(s) {
		return "relational: " + sql
	}
	if n, ok := s.(*tree.Nothing); ok {
		return "nothing: " + n.What + "\n"
	}
	return sql
}

// unprinted is what a tree keeps for a warning alone.
var unprinted = regexp.MustCompile(` Collation="[^"]*"`)

// roundTrip reads what is printed again and compares.
func roundTrip(s tree.Statement) (problem string) {
	if _, nothing := s.(*tree.Nothing); nothing {
		return "" // its tree says what it does, and no more
	}
	sql := statementText(s)
	again, err := parse.Parse([]byte(sql))
	if err != nil || again == nil {
		return fmt.Sprintf("printed as %s\nwhich is not read: %v", sql, err)
	}
	if was, is := unprinted.ReplaceAllString(dump(s), ""), dump(again); was != is {
		return fmt.Sprintf("printed as %s\nwhich is read as\n%s\nin place of\n%s", sql, is, was)
	}
	return ""
}

func dumped(t *testing.T, in parse.Dialect, text string) string {
	s, err := in.Parse([]byte(text))
	if err != nil {
		return faulty(err)
	}
	if problem := roundTrip(s); problem != "" {
		t.Errorf("%s\n%s", text, problem)
	}
	return dump(s) + "\n"
}

// dump prints a tree as it is, without the places of its parts in the text.
func dump(s tree.Statement) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(s))
	return b.String()
}

func dumpValue(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
			return
		}
		dumpValue(b, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(' ')
			}
			dumpValue(b, v.Index(i))
		}
	case reflect.Struct:
		dumpStruct(b, v)
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	default:
		if o, ok := v.Interface().(fmt.Stringer); ok {
			b.WriteString(o.String())
			return
		}
		fmt.Fprint(b, v.Interface())
	}
}

func dumpStruct(b *strings.Builder, v reflect.Value) {
	switch x := v.Interface().(type) {
	case datum.Datum:
		b.WriteString(dumpDatum(x))
		return
	case datum.Type:
		b.WriteString(x.String())
		return
	}
	b.WriteString("(" + v.Type().Name())
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name == "At" || name == "Text" && v.Type().Name() == "SelectItem" ||
			v.Field(i).IsZero() && name != "Operator" && name != "Index" {
			continue
		}
		if s := v.Field(i); s.Kind() == reflect.Slice && s.Len() == 0 {
			continue
		}
		fmt.Fprintf(b, " %s=", name)
		if v.Field(i).Kind() == reflect.Slice {
			b.WriteByte('[')
			dumpValue(b, v.Field(i))
			b.WriteByte(']')
			continue
		}
		dumpValue(b, v.Field(i))
	}
	b.WriteByte(')')
}

// dumpDatum tells a value with its kind, so that 1, 1.0, '1' and x'31' are four.
func dumpDatum(d datum.Datum) string {
	kind := [...]string{"null", "bool", "int", "uint", "float", "decimal", "text", "binary", "timestamp", "date",
		"time", "json"}[d.Kind()]
	switch d.Kind() {
	case datum.KindNull:
		return kind
	case datum.KindText, datum.KindBinary, datum.KindJSON:
		return fmt.Sprintf("%s:%q", kind, d.Bytes())
	}
	return kind + ":" + string(d.AppendText(nil))
}

// fingerprinted tells a statement's key and its literals.
func fingerprinted(in parse.Dialect, text string) string {
	key, literals, ok := in.Fingerprint([]byte(text), nil, nil)
	if !ok {
		return "none\n"
	}
	values := make([]string, len(literals))
	for i, l := range literals {
		values[i] = dumpDatum(l)
	}
	line := fmt.Sprintf("%s  [%s]", key, strings.Join(values, ", "))
	if _, err := in.ParseFingerprinted([]byte(text)); err != nil {
		line += "  not shared: " + err.Error()
	}
	return line + "\n"
}

func splitted(in parse.Dialect, text string) string {
	var b strings.Builder
	for rest := []byte(text); ; {
		one, more, err := in.Split(rest)
		if err != nil {
			return b.String() + faulty(err)
		}
		fmt.Fprintf(&b, "%q\n", one)
		if len(more) == 0 {
			return b.String()
		}
		rest = more
	}
}
