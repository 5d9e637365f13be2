// SPDX-License-Identifier: Apache-2.0

package search

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"
	"github.com/blevesearch/snowballstem"
	"golang.org/x/text/unicode/norm"
)

// Token is a word of a text.
type Token struct {
	Term       []byte // as it is compared
	Position   int    // counted in words, from 0
	Start, End int    // where it stands in the text, in bytes
}

// TermBytesMax is the longest term. Longer words are cut there.
const TermBytesMax = 255

// Analyzer cuts texts into words. It is immutable and safe for concurrent use.
type Analyzer struct {
	name string
	cut  func(text []byte, yield func(start, end int))
	term func(word []byte) []byte // nil: the word as it is
	join func(tokens []Token, text []byte) []Token
}

// Name is the analyzer's name with its version, as indexes store it.
func (a *Analyzer) Name() string { return a.name }

// version is that of all analyzers. One that changes gets a name of its own for each version.
const version = "/1"

// UnknownAnalyzerError says that there is no analyzer of a name.
type UnknownAnalyzerError struct{ Name string }

func (e *UnknownAnalyzerError) Error() string {
	return fmt.Sprintf("there is no analyzer %q; choose one of %s", e.Name, strings.Join(Analyzers(), ", "))
}

// Analyzers lists the names of the analyzers.
func Analyzers() []string {
	names := []string{"cjk", "comma", "keyword", "standard", "trigram", "whitespace"}
	if chinese != nil {
		names = append(names, "ik")
	}
	for name := range stemmers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Open returns the analyzer of a name, with a version or without. Errors: *UnknownAnalyzerError.
func Open(name string) (*Analyzer, error) {
	plain := strings.TrimSuffix(name, version)
	a := &Analyzer{name: plain + version, cut: cutWords, term: fold}
	switch plain {
	case "standard":
	case "cjk":
		a.join = bigrams
	case "whitespace":
		a.cut, a.term = cutBy(unicode.IsSpace), nil
	case "comma":
		a.cut = cutBy(func(r rune) bool { return r == ',' || r == '，' })
		a.term = func(word []byte) []byte { return fold(bytes.TrimSpace(word)) }
	case "keyword":
		a.cut, a.term = cutNowhere, nil
	case "trigram":
		a.cut = cutTrigrams
	case "ik":
		if chinese == nil {
			return nil, &UnknownAnalyzerError{name + " (this binary was built without it: build with -tags weft_ik)"}
		}
		a.cut = chinese
	default:
		stem, ok := stemmers[plain]
		if !ok {
			return nil, &UnknownAnalyzerError{name}
		}
		a.term = func(word []byte) []byte {
			env := snowballstem.NewEnv(string(lower(word)))
			stem(env)
			return fold([]byte(env.Current()))
		}
	}
	return a, nil
}

// Tokens appends the words of a text to dst.
func (a *Analyzer) Tokens(dst []Token, text []byte) []Token {
	first := len(dst)
	position := 0
	a.cut(text, func(start, end int) {
		term := text[start:end]
		if a.term != nil {
			term = a.term(term)
		}
		if len(term) == 0 {
			return
		}
		dst = append(dst, Token{Term: cutTerm(term), Position: position, Start: start, End: end})
		position++
	})
	if a.join != nil {
		dst = append(dst[:first], a.join(dst[first:], text)...)
	}
	return dst
}

// cutTerm shortens a term to TermBytesMax, between two characters.
func cutTerm(term []byte) []byte {
	if len(term) <= TermBytesMax {
		return term
	}
	n := TermBytesMax
	for n > 0 && !utf8.RuneStart(term[n]) {
		n--
	}
	return term[:n]
}

// cutWords cuts at the borders of words as Unicode's annex 29 has them. An ideograph is a word.
func cutWords(text []byte, yield func(start, end int)) {
	words := segment.NewWordSegmenterDirect(blanked(text))
	at := 0
	for words.Segment() {
		n := len(words.Bytes())
		if words.Type() != segment.None {
			yield(at, at+n)
		}
		at += n
	}
}

// blanked is a text with blanks in the place of bytes that are no character, at which segments would end.
func blanked(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	valid := bytes.Clone(text)
	for at := 0; at < len(valid); {
		r, n := utf8.DecodeRune(valid[at:])
		if r == utf8.RuneError && n == 1 {
			valid[at] = ' '
		}
		at += n
	}
	return valid
}

// cutBy cuts at characters that separate.
func cutBy(separates func(rune) bool) func([]byte, func(start, end int)) {
	return func(text []byte, yield func(start, end int)) {
		start := -1
		for at := 0; at < len(text); {
			r, n := utf8.DecodeRune(text[at:])
			switch {
			case separates(r) && start >= 0:
				yield(start, at)
				start = -1
			case !separates(r) && start < 0:
				start = at
			}
			at += n
		}
		if start >= 0 {
			yield(start, len(text))
		}
	}
}

func cutNowhere(text []byte, yield func(start, end int)) {
	if len(text) > 0 {
		yield(0, len(text))
	}
}

// trigramRunes is how many characters a trigram has.
const trigramRunes = 3

// cutTrigrams yields each run of three characters.
func cutTrigrams(text []byte, yield func(start, end int)) {
	var starts [trigramRunes]int
	count := 0
	for at := 0; at < len(text); {
		_, n := utf8.DecodeRune(text[at:])
		starts[count%trigramRunes] = at
		at += n
		if count++; count >= trigramRunes {
			yield(starts[count%trigramRunes], at)
		}
	}
}

// bigrams joins neighbouring characters of Chinese, Japanese and Korean into pairs; one that stands alone stays.
func bigrams(tokens []Token, text []byte) (joined []Token) {
	isPart := func(t Token) bool {
		r, n := utf8.DecodeRune(text[t.Start:t.End])
		return t.Start+n == t.End && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}
	single := splitScripts(tokens, text)
	for i := range single {
		t := single[i]
		next := i+1 < len(single) && isPart(t) && isPart(single[i+1]) && single[i+1].Start == t.End
		before := i > 0 && isPart(t) && isPart(single[i-1]) && single[i-1].End == t.Start
		switch {
		case next:
			joined = append(joined, Token{Term: fold(text[t.Start:single[i+1].End]), Position: t.Position, Start: t.Start, End: single[i+1].End})
		case !before:
			joined = append(joined, t)
		}
	}
	return joined
}

// splitScripts parts words of kana and hangul, which segments keep together, into their characters, and counts positions anew.
func splitScripts(tokens []Token, text []byte) (parts []Token) {
	for _, t := range tokens {
		r, _ := utf8.DecodeRune(text[t.Start:t.End])
		if !unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			t.Position = len(parts)
			parts = append(parts, t)
			continue
		}
		for at := t.Start; at < t.End; {
			_, n := utf8.DecodeRune(text[at:t.End])
			parts = append(parts, Token{Term: text[at : at+n], Position: len(parts), Start: at, End: at + n})
			at += n
		}
	}
	return parts
}

// lower writes a word in small letters.
func lower(word []byte) []byte {
	for _, b := range word {
		if b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf {
			return bytes.ToLower(word)
		}
	}
	return word
}

// letters are those that Unicode does not take apart into a letter and a mark. // immutable
var letters = map[rune]string{
	'ø': "o", 'đ': "d", 'ł': "l", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ð': "d", 'ħ': "h", 'ı': "i", 'ŋ': "n", 'ŧ': "t",
}

// fold writes a word in small letters without accents, and in characters of normal width.
func fold(word []byte) []byte {
	word = lower(word)
	if !slices.ContainsFunc(word, func(b byte) bool { return b >= utf8.RuneSelf }) {
		return word
	}
	folded := make([]byte, 0, len(word))
	for _, r := range string(norm.NFKD.Bytes(word)) {
		switch plain, ok := letters[r]; {
		case ok:
			folded = append(folded, plain...)
		case !unicode.Is(unicode.Mn, r):
			folded = utf8.AppendRune(folded, r)
		}
	}
	return norm.NFC.Bytes(folded)
}
