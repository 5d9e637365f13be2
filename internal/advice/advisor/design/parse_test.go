// SPDX-License-Identifier: Apache-2.0

package design

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestData runs the scripts in testdata: parse reads a document, part takes a key attribute's name apart.
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				out, err := Parse([]byte(d.Input))
				if err != nil {
					if !errors.Is(err, ErrDocument) {
						t.Errorf("%v is no ErrDocument", err)
					}
					return err.Error() + "\n"
				}
				return printDesign(out)
			case "part":
				var b strings.Builder
				for _, name := range strings.Split(d.Input, "\n") {
					p := ParsePart(name)
					fmt.Fprintf(&b, "%q", p.Function)
					for _, a := range p.Args {
						fmt.Fprintf(&b, " [%s|%s|%s]", a.Attribute, a.Literal, a.Encoding)
					}
					b.WriteString("\n")
				}
				return b.String()
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func printDesign(d *Design) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table %s (%s) hashed=%v items=%v\n", d.Table.Name, d.Table.Key, d.Table.Hashed, d.Table.Items)
	for _, x := range d.Table.Indexes {
		fmt.Fprintf(&b, "index %s (%s) local=%v %s\n", x.Name, x.Key, x.Local, x.Projection)
	}
	for _, s := range d.Shapes {
		fmt.Fprintf(&b, "shape %q rate=%v returned=%v read=%v\n", s.Name, s.Rate, s.Returned, s.Read)
		for _, x := range slices.Concat(s.Bounds, s.Any) {
			fmt.Fprintf(&b, "  %s %s low=%v high=%v keeps=%v\n", x.Attribute, x.Operator, x.Low, x.High, x.Keeps)
		}
	}
	for _, row := range d.Sample {
		b.WriteString("row")
		for _, f := range row {
			fmt.Fprintf(&b, " %s=%s:%v", f.Name, f.Value.Type, f.Value)
		}
		fmt.Fprintf(&b, " (%d bytes)\n", row.Bytes())
	}
	return b.String()
}

// TestParseRefusesWhatIsTooMuch checks the limits that no script can reach.
func TestParseRefusesWhatIsTooMuch(t *testing.T) {
	table := `"Table":{"TableName":"t","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}]}`
	for name, document := range map[string]string{
		"bytes":    strings.Repeat(" ", DocumentBytesMax+1),
		"patterns": "{" + table + `,"Patterns":[{}` + strings.Repeat(",{}", PatternsMax) + "]}",
		"sample":   "{" + table + `,"Sample":[{}` + strings.Repeat(",{}", SampleMax) + "]}",
		"depth": "{" + table + `,"Sample":[{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) +
			"}]}",
	} {
		if _, err := Parse([]byte(document)); !errors.Is(err, ErrDocument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzParse wants documents to be read or refused, and ErrDocument to be the only error.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/scripts/*")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "\n\n") {
			_, document, _ := strings.Cut(part, "parse\n")
			document, _, _ = strings.Cut(document, "\n----")
			f.Add([]byte(document))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text)
		if err != nil {
			if !errors.Is(err, ErrDocument) {
				t.Fatalf("%v is no ErrDocument", err)
			}
			return
		}
		for _, row := range d.Sample {
			if row.Bytes() < 0 {
				t.Fatal("a row has less than no bytes")
			}
		}
	})
}

// FuzzParsePart wants spelled names to be read back.
func FuzzParsePart(f *testing.F) {
	f.Add("a", "b")
	f.Add("odd(name)", `with "quotes"`)
	f.Add("a,b", "it's")
	f.Fuzz(func(t *testing.T, a, b string) {
		ParsePart(a)
		if a == "" || b == "" {
			return
		}
		p := ParsePart(Concat("#", a, b))
		if p.Function != "concat" || len(p.Args) != 3 || p.Args[0].Attribute != a || p.Args[1].Literal != "#" ||
			p.Args[2].Attribute != b {
			t.Errorf("%s is read as %+v", Concat("#", a, b), p)
		}
	})
}
