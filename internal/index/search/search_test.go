// SPDX-License-Identifier: Apache-2.0

package search

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestSearch runs the files of testdata. Their commands:
//
//	tokens ANALYZER          shows the words of each line as term@position[start,end]
//	parse ANALYZER [natural] shows each line as a query
//	texts ANALYZER           sets the documents, one on each line
//	match [natural]          shows for each line, a query, the documents that match, with their scores, the best first
//	highlight [natural]      shows each document, or with several lines the first of them, with its words marked
func TestSearch(t *testing.T) {
	datadriven.Walk(t, "testdata/search", func(t *testing.T, path string) {
		var texts []string
		var analyzer *Analyzer
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if len(d.CmdArgs) > 0 && d.CmdArgs[0].Key != "natural" {
				var err error
				if analyzer, err = Open(d.CmdArgs[0].Key); err != nil {
					return err.Error()
				}
			}
			mode := Boolean
			if d.HasArg("natural") {
				mode = Natural
			}
			var out strings.Builder
			if d.Cmd == "texts" {
				texts = nil
			}
			for line := range strings.Lines(d.Input) {
				line = strings.TrimSuffix(line, "\n")
				switch d.Cmd {
				case "tokens":
					out.WriteString(shownTokens(analyzer, line))
				case "texts":
					texts = append(texts, line)
				default:
					q, err := Parse(analyzer, line, mode)
					if err != nil {
						fmt.Fprintln(&out, err)
						continue
					}
					out.WriteString(shownQuery(d.Cmd, q, texts))
				}
			}
			return out.String()
		})
	})
}

func shownTokens(a *Analyzer, text string) string {
	var words []string
	for _, token := range a.Tokens(nil, []byte(text)) {
		words = append(words, fmt.Sprintf("%s@%d[%d,%d]", token.Term, token.Position, token.Start, token.End))
	}
	return strings.Join(words, " ") + "\n"
}

func shownQuery(command string, q *Query, texts []string) string {
	switch command {
	case "parse":
		return shownNode(q.Root) + "\n"
	case "highlight":
		var out strings.Builder
		for _, text := range texts {
			fmt.Fprintf(&out, "%s\n", q.Highlight(nil, []byte(text), "<", ">"))
		}
		return out.String()
	}
	corpus := corpusOf(q.Analyzer, texts)
	scorer := NewScorer(q, corpus)
	type found struct {
		text  string
		score float64
	}
	var list []found
	for _, text := range texts {
		if score, ok := scorer.Score(q.Analyzer.Document([]byte(text))); ok {
			list = append(list, found{text, score})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		if a.score > b.score {
			return -1
		}
		return 1
	})
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", q)
	for _, f := range list {
		fmt.Fprintf(&out, "  %.4f %s\n", f.score, f.text)
	}
	return out.String()
}

func corpusOf(a *Analyzer, texts []string) Corpus {
	c := Corpus{Documents: float64(len(texts)), Frequencies: map[string]float64{}}
	for _, text := range texts {
		d := a.Document([]byte(text))
		c.MeanLength += float64(d.Length) / float64(len(texts))
		for word := range d.Words {
			c.Frequencies[word]++
		}
	}
	return c
}

func shownNode(n *Node) string {
	weight := ""
	if n.Weight != 1 {
		weight = fmt.Sprintf("^%g", n.Weight)
	}
	switch n.Kind {
	case Word:
		return string(n.Terms[0]) + weight
	case Prefix:
		return string(n.Terms[0]) + "*" + weight
	case Fuzzy:
		return fmt.Sprintf("%s~%d%s", n.Terms[0], n.Distance, weight)
	case Phrase:
		last := map[Kind]string{Prefix: "*", Fuzzy: fmt.Sprintf("~%d", n.Distance)}[n.Last]
		return fmt.Sprintf("%q%v%s%s", n.Terms, n.Offsets, last, weight)
	}
	var parts []string
	for sign, members := range map[string][]*Node{"+": n.Must, "": n.Should, "-": n.Not} {
		for _, m := range members {
			parts = append(parts, sign+shownNode(m))
		}
	}
	slices.Sort(parts)
	return fmt.Sprintf("(%s)@%d%s", strings.Join(parts, " "), n.Least, weight)
}

// TestViable: no word within the distance begins with what Viable rules out.
func TestViable(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	word := func() []byte {
		letters := []rune("abcé")
		w := make([]rune, random.IntN(7))
		for i := range w {
			w[i] = letters[random.IntN(len(letters))]
		}
		return []byte(string(w))
	}
	for range rounds.Of(t, 40_000) {
		a, b, distance := word(), word(), 1+random.IntN(2)
		within := distanceOf([]rune(string(a)), []rune(string(b))) <= distance
		if Within(a, b, distance) != within {
			t.Fatalf("Within(%s, %s, %d) is not %v", a, b, distance, within)
		}
		if _, all := Viable(a, b, distance); within && !all {
			t.Fatalf("Viable rules out %s, which is within %d of %s", a, distance, b)
		}
	}
}

// distanceOf is Levenshtein's distance, as its definition has it.
func distanceOf(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return distanceOf(a[1:], b[1:])
	}
	return 1 + min(distanceOf(a[1:], b), distanceOf(a, b[1:]), distanceOf(a[1:], b[1:]))
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "a b", "+a -b", `"a b" c*`, "a~1 (b c d)@2", "((((", `"`, ">a <b ~c", "中文 *a",
		"a@9", "(-a)@1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"standard", "english", "cjk"} {
			a, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []Mode{Natural, Boolean} {
				q, err := Parse(a, text, mode)
				if err != nil {
					continue
				}
				if q.String() != text {
					t.Errorf("%q is %q", text, q)
				}
				d := a.Document([]byte(text))
				_, matched := NewScorer(q, Corpus{Documents: 1, MeanLength: 1}).Score(d)
				if matched != q.Matches(d) {
					t.Errorf("%q: a score says %v, a match not", text, matched)
				}
				if marked := q.Highlight(nil, []byte(text), "", ""); string(marked) != text {
					t.Errorf("%q is marked as %q", text, marked)
				}
			}
		}
	})
}

func FuzzTokens(f *testing.F) {
	for _, text := range []string{"", "São Paulo", "don't wi-fi a@b.c", "日本語テキスト 한국어", "\xff\xfe", "a,b，c",
		strings.Repeat("é", 200), "ﬁﬂ ½ Ⅷ", strings.Repeat("\x95", 300)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range Analyzers() {
			a, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			given := bytes.Clone(text)
			tokens := a.Tokens(nil, text)
			if !bytes.Equal(given, text) {
				t.Fatalf("%s: the text was changed", name)
			}
			for i, token := range tokens {
				if token.Start < 0 || token.End > len(text) || token.Start >= token.End || len(token.Term) == 0 ||
					len(token.Term) > TermBytesMax {
					t.Fatalf("%s: token %d of %q is %+v", name, i, text, token)
				}
				if i > 0 && (token.Start < tokens[i-1].Start || token.Position < tokens[i-1].Position) {
					t.Fatalf("%s: token %d of %q stands before the one before it", name, i, text)
				}
			}
		}
	})
}

func FuzzPosting(f *testing.F) {
	f.Add(AppendPosting(nil, 7, []uint32{0, 3, 200}))
	f.Add([]byte{0x80})
	f.Fuzz(func(t *testing.T, b []byte) {
		p := Posting(b)
		_, _ = p.Length(), p.Count()
		places, err := p.Places(nil)
		if err != nil {
			return
		}
		made := Posting(AppendPosting(nil, p.Length(), places))
		again, err := made.Places(nil)
		if err != nil || !slices.Equal(places, again) || made.Count() != len(places) || made.Length() != p.Length() {
			t.Errorf("%x: %v, %v, then %v", b, places, err, again)
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	text := []byte(strings.Repeat("The quick brown foxes were jumping over São Paulo's lazy dogs. ", 16))
	for _, name := range []string{"standard", "english", "trigram"} {
		b.Run(name, func(b *testing.B) {
			a, err := Open(name)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var tokens []Token
			for b.Loop() {
				tokens = a.Tokens(tokens[:0], text)
			}
		})
	}
}

// TestInvalid: bytes that are no text part words and end nothing.
func TestInvalid(t *testing.T) {
	a, err := Open("standard")
	if err != nil {
		t.Fatal(err)
	}
	if got := shownTokens(a, "one \xff two\xfethree"); got != "one@0[0,3] two@1[6,9] three@2[10,15]\n" {
		t.Error(got)
	}
}
