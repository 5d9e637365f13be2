// SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"testing"
)

func TestCut(t *testing.T) {
	for _, one := range []struct{ text, delimiter, want string }{
		{"SELECT 1; SELECT 2", ";", "SELECT 1| SELECT 2"},
		{"SELECT 1", ";", "more"},
		{"", ";", "more"},
		{";", ";", "|"},
		{"SELECT ';'", ";", "more"},
		{"SELECT ';\n' ;x", ";", "SELECT ';\n' |x"},
		{"SELECT `a;`, \";\", -- ;\n # ;\n /* ; */ 1;", ";", "SELECT `a;`, \";\", -- ;\n # ;\n /* ; */ 1|"},
		{"SELECT 'a;", ";", "more"},
		{"SELECT `a;", ";", "more"},
		{"SELECT 1 /* ;", ";", "more"},
		{"/*!40101 SET a = 1; */; x", ";", "/*!40101 SET a = 1; */| x"},
		{"BEGIN; END// x", "//", "BEGIN; END| x"},
		{"BEGIN; END$$ x", "$$", "BEGIN; END| x"},
		{"SELECT 4 / 2 /", "//", "more"},
		{"SELECT 1;; x", ";;", "SELECT 1| x"},
		{"SELECT 1\\G x", ";", "SELECT 1|G x"},
		{"SELECT 1\\G", ";", "SELECT 1|G"},
		{"SELECT 1\\g", ";", "SELECT 1|"},
		{"SELECT 1\\x;", ";", "SELECT 1\\x|"},
		{"SELECT '\\G'", ";", "more"},
		{"SELECT \\", ";", "more"},
	} {
		statement, rest, vertical, ok := Mode(0).Cut([]byte(one.text), one.delimiter)
		got := string(statement) + "|" + map[bool]string{true: "G"}[vertical] + string(rest)
		if !ok {
			got = "more"
		}
		if got != one.want {
			t.Errorf("%q is %q, not %q", one.text, got, one.want)
		}
	}
}

// FuzzCut: the parts and the delimiter between them are the text, and cutting comes to an end.
func FuzzCut(f *testing.F) {
	f.Add("SELECT 'a;b' /* ; */; SELECT `c", ";")
	f.Add("a\\Gb$$c", "$$")
	f.Fuzz(func(t *testing.T, text, delimiter string) {
		if delimiter == "" {
			return
		}
		statement, rest, _, ok := Mode(0).Cut([]byte(text), delimiter)
		between := len(text) - len(statement) - len(rest)
		if ok && (between < 1 || !bytes.HasPrefix([]byte(text), statement) || !bytes.HasSuffix([]byte(text), rest)) {
			t.Fatalf("%q is cut into %q and %q", text, statement, rest)
		}
	})
}
