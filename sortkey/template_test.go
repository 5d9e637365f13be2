// SPDX-License-Identifier: Apache-2.0

package sortkey

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestTemplate runs testdata/template. The template and its separator are arguments; each line is a Go list of quoted
// values for key and prefix, a quoted key for split.
func TestTemplate(t *testing.T) {
	datadriven.RunTest(t, "testdata/template", func(t *testing.T, d *datadriven.TestData) string {
		var text, separator string
		if d.Cmd == "parse" {
			return parseCases(d.Input)
		}
		d.ScanArgs(t, "of", &text)
		d.ScanArgs(t, "separator", &separator)
		template, err := ParseTemplate(text, []rune(separator)[0])
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		var out strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			var values []string
			for _, quoted := range strings.Fields(line) {
				value, err := strconv.Unquote(quoted)
				if err != nil {
					d.Fatalf(t, "%s: %v", quoted, err)
				}
				values = append(values, value)
			}
			var result any
			var err error
			switch d.Cmd {
			case "key":
				result, err = template.Key(values...)
			case "prefix":
				result, err = template.Prefix(values...)
			case "split":
				result, err = template.Split(values[0])
			default:
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			if err != nil {
				fmt.Fprintf(&out, "%s: %v\n", line, err)
				continue
			}
			fmt.Fprintf(&out, "%s: %q\n", line, result)
		}
		return out.String()
	})
}

// parseCases takes a separator and a template a line, both quoted.
func parseCases(input string) string {
	var out strings.Builder
	for _, line := range strings.Split(input, "\n") {
		separator, text, _ := strings.Cut(line, " ")
		separator, _ = strconv.Unquote(separator)
		text, _ = strconv.Unquote(text)
		template, err := ParseTemplate(text, []rune(separator)[0])
		if err != nil {
			fmt.Fprintf(&out, "%s: %v\n", line, err)
			continue
		}
		fmt.Fprintf(&out, "%s: %q %s\n", line, template.Names(), template)
	}
	return out.String()
}

func TestTemplateZeroValue(t *testing.T) {
	var template Template
	if key, err := template.Key(); key != "" || err != nil {
		t.Errorf("Key: %q, %v", key, err)
	}
	if _, err := template.Key("a"); !errors.Is(err, ErrValue) {
		t.Errorf("Key of a surplus value: %v", err)
	}
	if values, err := template.Split("ab"); !errors.Is(err, ErrValue) {
		t.Errorf("Split: %q, %v", values, err)
	}
	for _, separator := range []rune{-1, 0xD800, 0x110000, '\uFFFD'} {
		if _, err := ParseTemplate("a", separator); !errors.Is(err, ErrTemplate) {
			t.Errorf("separator %x: %v", separator, err)
		}
	}
}

// FuzzTemplate holds that Split undoes Key, that Key undoes Split, and that a key begins with the prefixes of its own
// values only.
func FuzzTemplate(f *testing.F) {
	f.Add("US", "NY", "New York", "US#NY#New York", '#')
	f.Add("a", "\xc2", "\xa7b", "a§§b", '§')
	f.Add("\x00", "a\x00", "\xff", "\x00\x00", '\x00')
	f.Fuzz(func(t *testing.T, a, b, c, key string, separator rune) {
		template, err := ParseTemplate(strings.Join([]string{"一", "二", "三"}, string(separator)), separator)
		if err != nil {
			return
		}
		if values, err := template.Split(key); err == nil {
			if again, err := template.Key(values...); err != nil || again != key {
				t.Fatalf("%q split into %q, which make %q, %v", key, values, again, err)
			}
		}
		values := []string{a, b, c}
		made, err := template.Key(values...)
		bad := slices.ContainsFunc(values,
			func(v string) bool { return v == "" || strings.Contains(v, string(separator)) })
		if bad != (err != nil) {
			t.Fatalf("%q: error %v", values, err)
		}
		if err != nil {
			return
		}
		if split, err := template.Split(made); err != nil || !slices.Equal(split, values) {
			t.Fatalf("%q make %q, which splits into %q, %v", values, made, split, err)
		}
		for n := range 4 {
			if prefix, err := template.Prefix(values[:n]...); err != nil || !strings.HasPrefix(made, prefix) {
				t.Fatalf("%q does not begin with %q, %v", made, prefix, err)
			}
		}
		if prefix, err := template.Prefix(a[:len(a)-1]); err == nil && strings.HasPrefix(made, prefix) {
			t.Fatalf("%q begins with %q of another value", made, prefix)
		}
	})
}
