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
	// paired says which characters are joined with their neighbours into pairs; nil: none are. ends says that the last
	// one of a row of them is a word of its own, too, so that each of them is the beginning of a word.
	paired func(rune) bool
	ends   bool
}

// Name is the analyzer's name with its version, as indexes store it.
func (a *Analyzer) Name() string { return a.name }

// The versions of the analyzers. An index keeps the one that it was made with. The first version dropped the words of
// scripts that part no words, such as Thai, and emoji; whitespace and keyword have no other.
const (
	firstVersion = "/1"
	version      = "/2"
)

// UnknownAnalyzerError says that there is no analyzer of a name.
type UnknownAnalyzerError struct{ Name string }

func (e *UnknownAnalyzerError) Error() string {
	return fmt.Sprintf("there is no analyzer %q; choose one of %s", e.Name, strings.Join(Analyzers(), ", "))
}

// Analyzers lists the names of the analyzers.
func Analyzers() []string {
	names := []string{"bigram", "cjk", "comma", "keyword", "standard", "trigram", "whitespace"}
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
	plain, first := strings.CutSuffix(name, firstVersion)
	a := &Analyzer{name: name, cut: cutMarkedWords, term: fold}
	if !first {
		plain = strings.TrimSuffix(name, version)
		a = &Analyzer{name: plain + version, cut: cutAllWords, term: foldScripts, ends: true}
	}
	fold := a.term
	switch plain {
	case "standard":
	case "cjk":
		a.paired = isCJK
	case "bigram":
		if first {
			return nil, &UnknownAnalyzerError{name}
		}
		a.paired = func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }
	case "whitespace":
		a.name, a.cut, a.term = plain+firstVersion, cutBy(unicode.IsSpace), nil
	case "comma":
		a.cut = cutBy(func(r rune) bool { return r == ',' || r == '，' })
		a.term = func(word []byte) []byte { return fold(bytes.TrimSpace(word)) }
	case "keyword":
		a.name, a.cut, a.term = plain+firstVersion, cutNowhere, nil
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
	if a.paired != nil {
		dst = append(dst[:first], a.pairs(dst[first:], text, a.ends)...)
	}
	return dst
}

// asked are the words of a text that is looked for. What ends a row of pairs is not among them, for it need not end one
// in the texts that are searched.
func (a *Analyzer) asked(text []byte) []Token {
	if a.paired == nil || !a.ends {
		return a.Tokens(nil, text)
	}
	plain := *a
	plain.ends = false
	return plain.Tokens(nil, text)
}

// begins reports whether a word that is looked for stands for all that begin with it: one character of an analyzer that
// has pairs of them.
func (a *Analyzer) begins(t Token, text []byte) bool {
	if a.paired == nil || !a.ends {
		return false
	}
	r, n := utf8.DecodeRune(text[t.Start:t.End])
	return t.Start+n == t.End && a.paired(r)
}

// cutTerm shortens a term to TermBytesMax, between two characters. Bytes that are no UTF-8 are cut anywhere: no term is
// empty.
func cutTerm(term []byte) []byte {
	if len(term) <= TermBytesMax {
		return term
	}
	for n := TermBytesMax; n > TermBytesMax-utf8.UTFMax; n-- {
		if utf8.RuneStart(term[n]) {
			return term[:n]
		}
	}
	return term[:TermBytesMax]
}

// cutAllWords is cutMarkedWords, and yields the letters of other scripts, each by itself like an ideograph, and emoji.
func cutAllWords(text []byte, yield func(start, end int)) {
	text = blanked(text)
	before := 0
	cutMarkedWords(text, func(start, end int) {
		cutLetters(text, before, start, yield)
		yield(start, end)
		before = end
	})
	cutLetters(text, before, len(text), yield)
}

// cutLetters yields the letters, with their marks, and the emoji between two words.
func cutLetters(text []byte, at, end int, yield func(start, end int)) {
	for at < end {
		r, n := utf8.DecodeRune(text[at:end])
		next := at + n
		switch {
		case isEmoji(r):
			next = emojiEnd(text[:end], at)
		case unicode.IsLetter(r):
			for next < end {
				mark, n := utf8.DecodeRune(text[next:end])
				if !unicode.IsMark(mark) {
					break
				}
				next += n
			}
		default:
			at = next
			continue
		}
		yield(at, next)
		at = next
	}
}

// Characters that emoji are put together with.
const (
	emojiJoiner   = 0x200D
	emojiVariant  = 0xFE0F
	emojiKeycap   = 0x20E3
	firstModifier = 0x1F3FB // skin tones
	lastModifier  = 0x1F3FF
	firstFlag     = 0x1F1E6 // letters, two of which are a flag
	lastFlag      = 0x1F1FF
)

func isEmoji(r rune) bool {
	return unicode.Is(unicode.So, r) && (r >= 0x1F000 || r >= 0x2600 && r <= 0x27BF || r >= 0x2B00 && r <= 0x2BFF ||
		r >= 0x2300 && r <= 0x23FF) ||
		r >= firstModifier && r <= lastModifier
}

// emojiEnd returns the end of an emoji that begins at a place: with its modifiers and with those that it is joined to.
func emojiEnd(text []byte, at int) int {
	first, n := utf8.DecodeRune(text[at:])
	at += n
	joined, flag := false, first >= firstFlag && first <= lastFlag
	for at < len(text) {
		r, n := utf8.DecodeRune(text[at:])
		isSecond := flag && r >= firstFlag && r <= lastFlag
		part := r == emojiJoiner || r == emojiVariant || r == emojiKeycap || r >= firstModifier && r <= lastModifier
		if !part && !isSecond && !(joined && isEmoji(r)) {
			break
		}
		joined, flag = r == emojiJoiner, false
		at += n
	}
	return at
}

// cutMarkedWords cuts at the borders of words as Unicode's annex 29 has them. An ideograph is a word.
func cutMarkedWords(text []byte, yield func(start, end int)) {
	if isASCII(text) {
		cutASCII(text, yield)
		return
	}
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

// trigramRunes is the number of characters a trigram has.
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

// isCJK reports whether a character is of Chinese, Japanese or Korean.
func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// pairs joins neighbouring characters into pairs; one that stands alone stays, and so does the last of a row if ends is
// set.
func (a *Analyzer) pairs(tokens []Token, text []byte, ends bool) (joined []Token) {
	isPart := func(t Token) bool {
		r, n := utf8.DecodeRune(text[t.Start:t.End])
		return t.Start+n == t.End && a.paired(r)
	}
	single := a.split(tokens, text)
	for i := range single {
		t := single[i]
		next := i+1 < len(single) && isPart(t) && isPart(single[i+1]) && single[i+1].Start == t.End
		before := i > 0 && isPart(t) && isPart(single[i-1]) && single[i-1].End == t.Start
		switch {
		case next:
			joined = append(joined, Token{Term: a.term(text[t.Start:single[i+1].End]), Position: t.Position,
				Start: t.Start, End: single[i+1].End})
		case !before || ends:
			joined = append(joined, t)
		}
	}
	return joined
}

// split parts words of characters that are joined into pairs, such as of kana and hangul, which segments keep together,
// into these characters, and counts positions anew.
func (a *Analyzer) split(tokens []Token, text []byte) (parts []Token) {
	for _, t := range tokens {
		r, _ := utf8.DecodeRune(text[t.Start:t.End])
		if !a.paired(r) {
			t.Position = len(parts)
			parts = append(parts, t)
			continue
		}
		for at := t.Start; at < t.End; {
			_, n := utf8.DecodeRune(text[at:t.End])
			term := text[at : at+n]
			if a.ends { // the first version left it as it was
				term = a.term(term)
			}
			if len(term) > 0 { // a mark by itself is no character
				parts = append(parts, Token{Term: term, Position: len(parts), Start: at, End: at + n})
			}
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

// letters are the letters that Unicode does not decompose into a letter and a mark. // immutable
var letters = map[rune]string{
	'ø': "o", 'đ': "d", 'ł': "l", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ð': "d", 'ħ': "h", 'ı': "i", 'ŋ': "n",
	'ŧ': "t",
}

// fold writes a word in small letters without accents, and in characters of normal width.
func fold(word []byte) []byte {
	return folded(word, func(mark rune) bool { return true })
}

// foldScripts is fold, but keeps the marks of scripts in which these are vowels and tones that no words are written
// without.
func foldScripts(word []byte) []byte {
	return folded(word, func(mark rune) bool {
		return !unicode.In(mark, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

// folded is fold for those marks that are accents.
func folded(word []byte, isAccent func(mark rune) bool) []byte {
	word = lower(word)
	if !slices.ContainsFunc(word, func(b byte) bool { return b >= utf8.RuneSelf }) {
		return word
	}
	plain := make([]byte, 0, len(word))
	for _, r := range string(norm.NFKD.Bytes(word)) {
		switch letter, ok := letters[r]; {
		case ok:
			plain = append(plain, letter...)
		case !unicode.Is(unicode.Mn, r) || !isAccent(r):
			plain = utf8.AppendRune(plain, r)
		}
	}
	return norm.NFC.Bytes(plain)
}
