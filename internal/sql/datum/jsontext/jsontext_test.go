// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/data/value"
)

// TestPaths runs testdata/paths: "find" has a document, then a path in each line.
func TestPaths(t *testing.T) {
	datadriven.RunTest(t, "testdata/paths", func(t *testing.T, d *datadriven.TestData) string {
		lines := strings.Split(d.Input, "\n")
		v, err := AppendValue(nil, lines[0])
		if err != nil {
			return err.Error() + "\n"
		}
		var out strings.Builder
		for _, line := range lines[1:] {
			p, err := ParsePath(line)
			if err != nil {
				fmt.Fprintf(&out, "%-20s %v\n", line, err)
				continue
			}
			var parts []string
			p.Find(v, func(part value.Value) bool {
				parts = append(parts, string(Append(nil, part)))
				return true
			})
			fmt.Fprintf(&out, "%-20s many %v: %s\n", line, p.Many, strings.Join(parts, " ; "))
		}
		return out.String()
	})
}

// FuzzText holds that a document that was read prints as a text that reads as the same document.
func FuzzText(f *testing.F) {
	for _, seed := range []string{`{"a": [1, 2.5e3, "x\u00e9\ud83d\ude00"], "": null}`, `[[[]]]`, `1e400`, `-0.0`,
		`"\ud800"`, `{"a":1,"a":2}`, strings.Repeat("[", 40)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := AppendValue(nil, text)
		if err != nil {
			if found := (*Error)(nil); !errors.As(err, &found) || found.Position < 0 || found.Position > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		printed := Append(nil, v)
		again, err := AppendValue(nil, string(printed))
		if err != nil || !bytes.Equal(again, v) {
			t.Fatalf("%q printed as %q reads back as %q: %v", text, printed, Append(nil, again), err)
		}
		if Compare(v, again) != 0 || !Contains(v, again) {
			t.Fatalf("%q is not itself", text)
		}
	})
}

// FuzzPath finds and changes parts of documents by any path.
func FuzzPath(f *testing.F) {
	const document = `{"a": [1, {"b": 2}, [3]], "c d": {"b": "x"}, "e": 5}`
	for _, seed := range []string{"$.a[0]", "$**.b", `$."c d".b`, "$[last-1]", "$.a[1 to last]", "$.*", "$.e[0][0]",
		"$.a[*]"} {
		f.Add(seed)
	}
	v, _ := AppendValue(nil, document)
	with, _ := AppendValue(nil, `[true]`)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		found := 0
		p.Find(v, func(part value.Value) bool {
			found++
			return true
		})
		if found > 1 && !p.Many {
			t.Fatalf("%q finds %d parts", text, found)
		}
		if p.Many {
			return
		}
		for mode := Upsert; mode <= Before; mode++ {
			if mode == Remove && p.IsRoot() {
				continue
			}
			changed, err := Change(nil, v, p, mode, with)
			if err != nil {
				t.Fatalf("%q mode %d: %v", text, mode, err)
			}
			if again, err := AppendValue(nil, string(Append(nil, changed))); err != nil ||
				!bytes.Equal(again, changed) {
				t.Fatalf("%q mode %d made %s: %v", text, mode, Append(nil, changed), err)
			}
		}
		replaced, _ := Change(nil, v, p, Replace, with)
		if part, ok := p.First(replaced); ok != (found == 1) ||
			ok && Compare(part, with) != 0 && !strings.Contains(text, "[") {
			t.Fatalf("%q replaced gives %s", text, Append(nil, replaced))
		}
	})
}
