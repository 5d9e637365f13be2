// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/blevesearch/segment"
)

// segmented cuts by the library that knows all of Unicode.
func segmented(dst [][2]int, text []byte) [][2]int {
	words := segment.NewWordSegmenterDirect(text)
	at := 0
	for words.Segment() {
		n := len(words.Bytes())
		if words.Type() != segment.None {
			dst = append(dst, [2]int{at, at + n})
		}
		at += n
	}
	return dst
}

func expectSegments(t testing.TB, text []byte) {
	t.Helper()
	var got [][2]int
	cutASCII(text, func(start, end int) { got = append(got, [2]int{start, end}) })
	if want := segmented(nil, text); !slices.Equal(got, want) {
		t.Fatalf("%q: words %v, want %v", text, got, want)
	}
}

// TestASCIIWords: texts of ASCII are cut as the library cuts them: all of up to five characters of each kind, and each
// character between those of each kind.
func TestASCIIWords(t *testing.T) {
	const kinds = "a7_:;.'\" \n"
	for length := range 6 {
		text, digits := make([]byte, length), make([]int, length)
		for done := false; !done; {
			for i, d := range digits {
				text[i] = kinds[d]
			}
			expectSegments(t, text)
			done = true
			for i := range digits {
				if digits[i]++; digits[i] < len(kinds) {
					done = false
					break
				}
				digits[i] = 0
			}
		}
	}
	for c := range byte(0x80) {
		for _, side := range kinds {
			expectSegments(t, fmt.Appendf(nil, "%c%c%c", side, c, side))
			expectSegments(t, fmt.Appendf(nil, "%c%c%c%c", side, c, c, side))
		}
	}
}

// FuzzASCIIWords compares the words of longer texts.
func FuzzASCIIWords(f *testing.F) {
	f.Add([]byte("It's 3,000.50; i.e. a:b c::d __x_1 don''t 1.2.a \r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for i := range text {
			text[i] &= 0x7F
		}
		expectSegments(t, text)
	})
}
