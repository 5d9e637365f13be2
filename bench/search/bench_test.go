// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestQuick asks everything once of the peers that need nothing but this tree, on texts that are made up. Weft finds
// what SQLite finds.
func TestQuick(t *testing.T) {
	rounds.SkipUnlessLong(t)
	c, err := parseFlags([]string{"--quick", "--generate", "--only", "weft,sqlite"})
	if err != nil {
		t.Fatal(err)
	}
	c.Dir, c.Seconds, c.Clients, c.Log = t.TempDir(), 0.02, []int{1, 3}, t.Output()
	var out bytes.Buffer
	if err := run(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"GENERATED TEXT", "| loading |", "| prefix | 3 | sqlite |", "| frequent | 1 | weft |",
		"| weft | sqlite | frequent | 100.0 % | 100.0 %", "| weft | sqlite | or | 100.0 % | 100.0 %",
		"| weft | sqlite | phrase | 100.0 % | 100.0 %"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

// TestQuickCounts asks for counts.
func TestQuickCounts(t *testing.T) {
	rounds.SkipUnlessLong(t)
	c, err := parseFlags([]string{"--quick", "--generate", "--only", "weft,sqlite", "--counts"})
	if err != nil {
		t.Fatal(err)
	}
	c.Dir, c.Seconds, c.Clients, c.Log = t.TempDir(), 0.02, []int{1}, t.Output()
	var out bytes.Buffer
	if err := run(t.Context(), c, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "| prefix | 1 | weft |") {
		t.Errorf("the report lacks the counts of prefixes:\n%s", out.String())
	}
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"--rounds=0", "--clients=none", "--kinds=fly", "--only=nobody", "--documents=10"} {
		if _, err := parseFlags(strings.Fields(args)); err == nil {
			t.Errorf("%s is taken", args)
		}
	}
}

func TestCutSynset(t *testing.T) {
	d, ok := cutSynset(`00002312 00 a 02 dorsal(a) 0 back_side 1 001 ;c 06037666 n 0000 | facing away; "the dorsal side"  `)
	if want := (document{title: "dorsal, back side", body: `facing away; "the dorsal side"`}); !ok || d != want {
		t.Errorf("%v %+v", ok, d)
	}
	for _, line := range []string{"", "  1 This software | is licensed", "00002312 00 a 09 dorsal 0 | too few words",
		"1 2 3 x 5 6 | no number"} {
		if _, ok := cutSynset(line); ok {
			t.Errorf("%q is a synset", line)
		}
	}
}

func TestQueryTexts(t *testing.T) {
	for _, c := range []struct{ kind, words, mysql, sqlite string }{
		{kindRare, "red", `'red' IN NATURAL LANGUAGE MODE`, `"red"`},
		{kindAnd, "red shoes", `'+red +shoes' IN BOOLEAN MODE`, `"red" AND "shoes"`},
		{kindOr, "a red shoe", `'a red shoe' IN NATURAL LANGUAGE MODE`, `"a" OR "red" OR "shoe"`},
		{kindPhrase, "red shoes", `'"red shoes"' IN BOOLEAN MODE`, `"red shoes"`},
		{kindPrefix, "shoe", `'shoe*' IN BOOLEAN MODE`, `"shoe"*`},
	} {
		q := query{c.kind, strings.Fields(c.words)}
		if got, want := q.mysql(), "MATCH(title,body) AGAINST("+c.mysql+")"; got != want {
			t.Errorf("%s: %s, want %s", c.kind, got, want)
		}
		if got := q.sqlite(); got != c.sqlite {
			t.Errorf("%s: %s, want %s", c.kind, got, c.sqlite)
		}
	}
}

// TestAgreement compares two answers whose tenth documents tie with others.
func TestAgreement(t *testing.T) {
	var x, y []hit
	for i := range int64(12) {
		x = append(x, hit{i, float64(20 - min(i, 8))})
		y = append(y, hit{(i + 2) % 12, float64(20 - min(i, 8))})
	}
	var a agreement
	a.add(newFound(x, 12), newFound(y, 13))
	if a.queries != 1 || a.counts != 0 || a.top != 0.8 || a.ties != [2]float64{1, 1} {
		t.Errorf("%+v", a)
	}
	a.add(newFound(nil, 0), newFound(nil, 0))
	if a.counts != 1 || a.top != 1.8 {
		t.Errorf("%+v: two empty answers are the same", a)
	}
}

func TestGeneratedWords(t *testing.T) {
	seen := map[string]bool{}
	for n := range uint64(generatedWords) {
		seen[generatedWord(n)] = true
	}
	if len(seen) != generatedWords || !slices.Equal(wordsOf("It's red-hot, i.e. 'HOT'"),
		[]string{"it's", "red", "hot", "i.e", "hot"}) {
		t.Errorf("%d different words", len(seen))
	}
}
