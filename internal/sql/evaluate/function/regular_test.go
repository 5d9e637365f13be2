// SPDX-License-Identifier: Apache-2.0

package function

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestRegexpBounds: patterns whose program would be large are refused before they are compiled.
func TestRegexpBounds(t *testing.T) {
	var e Environment
	for _, large := range []string{"(a{1,100}){1,10}" + strings.Repeat("[a-z]{1,900}", 20), "((x{30}){30}){12}",
		strings.Repeat("a", patternBytesMax+1), strings.Repeat("ab", 5001)} {
		if _, err := e.Regexp([]byte(large)); err == nil {
			t.Errorf("%.40s is compiled", large)
		}
	}
	for _, fine := range []string{"(a{1,100}){1,10}", strings.Repeat("a", 9000), "[a-z]{1,900}"} {
		if _, err := e.Regexp([]byte(fine)); err != nil {
			t.Errorf("%.40s: %v", fine, err)
		}
	}
}

// TestRegexpEnds: searches that would take long notice that their statement was ended.
func TestRegexpEnds(t *testing.T) {
	done := make(chan struct{})
	close(done)
	e := Environment{Done: done}
	text := datum.Text(bytes.Repeat([]byte("a"), 400_000))
	pattern, looking := datum.TextString("(a|b|ab)*z|a"), datum.TextString(`\b(a|b|ab)*z|a`)
	search := func(name string, of func(*Environment, []datum.Datum) (datum.Datum, error), arguments ...datum.Datum) {
		if _, err := of(&e, arguments); !isEnded(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	search("like", regexpLike, datum.Text(bytes.Repeat([]byte("a"), 4<<20)), datum.TextString("(a|b|ab)*z"))
	search("replace", regexpReplace, text, pattern, datum.TextString("x"))
	search("part", regexpPart, text, pattern, datum.Int(1), datum.Int(300_000))
	short := datum.Text(bytes.Repeat([]byte("a"), 2000))
	search("replace, looking back", regexpReplace, short, looking, datum.TextString("x"))
	if _, err := regexpReplace(&e, []datum.Datum{datum.Text(bytes.Repeat([]byte("a"), 12<<20)),
		datum.TextString("a{50}"), datum.TextString("x")}); err == nil || isEnded(err) {
		t.Error("a search that can't be ended is not refused:", err)
	}
}

func isEnded(err error) bool {
	f, ok := fault.Of(err)
	return ok && f.Code == fault.Interrupted
}

// TestEach finds what package regexp finds.
func TestEach(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	patterns := []string{"a", "a*", "b*?", "(a)|b", "(?:ab)+", "", "é", ".", "a?b?", "(x)?", `\b`, "^a", "(?m)^", `a\b`,
		"$", "ab$|b"}
	for range rounds.Of(t, 1000) {
		text := make([]byte, random.IntN(60))
		for i := range text {
			text[i] = "aabb é\n\xffx"[random.IntN(10)]
		}
		pattern := patterns[random.IntN(len(patterns))]
		var e Environment
		r, err := e.Regexp([]byte(pattern))
		if err != nil {
			t.Fatal(err)
		}
		var found [][]int
		if err := e.each(r, text, func(match []int) bool { found = append(found, match); return true }); err != nil {
			t.Fatal(err)
		}
		if want := regexp.MustCompile(pattern).FindAllSubmatchIndex(text, -1); !reflect.DeepEqual(found, want) {
			t.Fatalf("%q in %q: %v, package regexp finds %v", pattern, text, found, want)
		}
		large := *r
		large.size = 1 << 30
		if is, _ := e.Matches(&large, text); is != r.compiled.Match(text) {
			t.Fatalf("%q in %q: read as runes it is %v", pattern, text, is)
		}
	}
}
