// SPDX-License-Identifier: Apache-2.0

package token

import (
	"strings"
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
		{"/*!40101 SET\n a = 1;\n b */ 'x;\n' /*\n;*/ a.\nb -- ;\n; x\n", ";",
			"/*!40101 SET\n a = 1;\n b */ 'x;\n' /*\n;*/ a.\nb -- ;\n| x\n"},
	} {
		got := cutAtOnce(one.text, one.delimiter)
		if pieces := cutSlowly(one.text, one.delimiter); pieces != got {
			t.Errorf("%q is %q, but %q if it comes piece by piece", one.text, got, pieces)
		}
		if got != one.want {
			t.Errorf("%q is %q, not %q", one.text, got, one.want)
		}
	}
}

func cutAtOnce(text, delimiter string) string {
	p, _, ok := Mode(0).Cut([]byte(text), 0, delimiter)
	return shown(p, ok, "")
}

// cutSlowly hands the text over line by line.
func cutSlowly(text, delimiter string) string {
	from, length := 0, 0
	for _, line := range strings.SplitAfter(text, "\n") {
		length += len(line)
		p, resume, ok := Mode(0).Cut([]byte(text[:length]), from, delimiter)
		if ok {
			return shown(p, ok, text[length:])
		}
		from = resume
	}
	return "more"
}

func shown(p Piece, ok bool, more string) string {
	if !ok {
		return "more"
	}
	return string(p.Statement) + "|" + map[bool]string{true: "G"}[p.Vertical] + string(p.Rest) + more
}

// FuzzCut: the parts and the delimiter between them are the text, and cutting comes to an end.
func FuzzCut(f *testing.F) {
	f.Add("SELECT 'a;b' /* ; */; SELECT `c", ";")
	f.Add("a\\Gb$$c", "$$")
	f.Fuzz(func(t *testing.T, text, delimiter string) {
		if delimiter == "" {
			return
		}
		p, resume, ok := Mode(0).Cut([]byte(text), 0, delimiter)
		between := len(text) - len(p.Statement) - len(p.Rest)
		if ok && (between < 1 || !strings.HasPrefix(text, string(p.Statement)) ||
			!strings.HasSuffix(text, string(p.Rest))) || resume < 0 || resume > len(text) {
			t.Fatalf("%q is cut into %q and %q, %d", text, p.Statement, p.Rest, resume)
		}
	})
}
