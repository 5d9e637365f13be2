// SPDX-License-Identifier: Apache-2.0

package sqlshell

import (
	"fmt"
	"strings"
	"testing"
)

// TestScript: statements come with their lines, however the text is cut.
func TestScript(t *testing.T) {
	var s script
	var got []string
	for _, line := range strings.Split("a; b\n c;\r\n\n-- d;\n\\x y\ne 'f\n;' ;\nDELIMITER $$\ng; h$$ i\nDELIMITER ;\nj", "\n") {
		s.add(line)
		for one, ok := s.next(); ok; one, ok = s.next() {
			got = append(got, fmt.Sprintf("%d:%q", one.line, one.text))
		}
	}
	s.close()
	for one, ok := s.next(); ok; one, ok = s.next() {
		got = append(got, fmt.Sprintf("%d:%q", one.line, one.text))
	}
	want := `1:"a" 1:"b\n c" 5:"x y" 6:"e 'f\n;'" 9:"g; h" 9:"i\nDELIMITER ;\nj"`
	if all := strings.Join(got, " "); all != want {
		t.Errorf("got  %s\nwant %s", all, want)
	}
}

// TestLongStatement: each line of a long statement may have the delimiter in a text, and is read once.
func TestLongStatement(t *testing.T) {
	var s script
	s.add("INSERT INTO t VALUES")
	for range 50_000 {
		s.add("  (1, 'a;b', 'another text of some length that stands for the rest of the row'),")
		if one, ok := s.next(); ok {
			t.Fatal(one)
		}
		if len(s.held)-s.resume > 100 {
			t.Fatalf("%d bytes are read again", len(s.held)-s.resume)
		}
	}
	s.add("  (2, '', '');")
	if one, ok := s.next(); !ok || len(one.text) != 50_000*81+34 {
		t.Errorf("%t, %d bytes", ok, len(one.text))
	}
}
