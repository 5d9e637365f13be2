// SPDX-License-Identifier: Apache-2.0

package policy

import "testing"

// words lists all texts of at most so many letters.
func words(letters string, most int) []string {
	list := []string{""}
	for from := 0; most > 0; most-- {
		until := len(list)
		for _, one := range list[from:until] {
			for i := range letters {
				list = append(list, one+letters[i:i+1])
			}
		}
		from = until
	}
	return list
}

// TestPatterns compares all pairs of short patterns by the texts that they match. A cover that covers does not find is
// no fault.
func TestPatterns(t *testing.T) {
	patterns, texts := words("ab*?", 3), words("abc", 5)
	covered, overlapped := 0, 0
	for _, a := range patterns {
		for _, b := range patterns {
			all, some := true, false
			for _, text := range texts {
				if match(b, text) {
					all, some = all && match(a, text), some || match(a, text)
				}
			}
			if overlaps(symbols(a), symbols(b)) != some {
				t.Errorf("%q and %q: overlap is %t", a, b, !some)
			}
			if got := covers(symbols(a), symbols(b)); got && !all {
				t.Errorf("%q does not cover %q", a, b)
			} else if got {
				covered++
			}
			if some {
				overlapped++
			}
		}
	}
	if covered < 1000 || overlapped < 1000 {
		t.Errorf("%d pairs cover, %d overlap", covered, overlapped)
	}
	if literal := markLiterals("a*"); covers(symbols(literal), symbols("a*")) || !covers(symbols("a*"),
		symbols(literal)) {
		t.Error("a literal star counts as a wildcard")
	}
}
