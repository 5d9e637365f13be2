// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// The kinds of queries.
const (
	kindFrequent = "frequent" // a word in at least a hundredth of the documents
	kindMiddle   = "middle"   // one in a two-thousandth to a two-hundredth of them
	kindRare     = "rare"     // one in two to ten documents
	kindAnd      = "and"      // two words
	kindOr       = "or"       // one of three words
	kindPhrase   = "phrase"   // of two words
	kindPrefix   = "prefix"   // of four letters
)

func kindNames() []string {
	return []string{kindFrequent, kindMiddle, kindRare, kindAnd, kindOr, kindPhrase, kindPrefix}
}

// query is one question, which every peer is asked in its own language.
type query struct {
	kind  string
	words []string
}

// mysql returns the condition, with the text to search for in it.
func (q *query) mysql() string {
	text, mode := q.inMode()
	return matches("'"+text+"'", mode)
}

// matches is the condition of a text, which may be a parameter, in a mode.
func matches(text, mode string) string {
	return fmt.Sprintf("MATCH(title,body) AGAINST(%s IN %s MODE)", text, mode)
}

// inMode returns the text to search for in MySQL's language, and the mode.
func (q *query) inMode() (text, mode string) {
	text, mode = strings.Join(q.words, " "), "NATURAL LANGUAGE"
	switch q.kind {
	case kindAnd:
		text, mode = "+"+strings.Join(q.words, " +"), "BOOLEAN"
	case kindPhrase:
		text, mode = `"`+text+`"`, "BOOLEAN"
	case kindPrefix:
		text, mode = text+"*", "BOOLEAN"
	}
	return text, mode
}

// sqlite returns the question in FTS5's language.
func (q *query) sqlite() string {
	switch q.kind {
	case kindPhrase:
		return `"` + strings.Join(q.words, " ") + `"`
	case kindPrefix:
		return `"` + q.words[0] + `"*`
	case kindOr:
		return `"` + strings.Join(q.words, `" OR "`) + `"`
	}
	return `"` + strings.Join(q.words, `" AND "`) + `"`
}

// queryMaker makes queries of a corpus.
type queryMaker struct {
	corpus *corpus
	counts map[string]int // in how many documents a word is
	words  []string       // of counts, sorted
	random *rand.Rand
}

func newQueryMaker(k *corpus, seed uint64) *queryMaker {
	m := &queryMaker{corpus: k, counts: map[string]int{}, random: rand.New(rand.NewPCG(seed, 2))}
	for i := range k.documents {
		d := &k.documents[i]
		words := append(wordsOf(d.title), wordsOf(d.body)...)
		slices.Sort(words)
		for _, word := range slices.Compact(words) {
			m.counts[word]++
		}
	}
	for word := range m.counts {
		m.words = append(m.words, word)
	}
	slices.Sort(m.words)
	return m
}

// plain matches a text that every peer takes for one word.
var plain = regexp.MustCompile(`^[a-z]{2,}$`)

// significant is true for words that say what a document is about.
func (m *queryMaker) significant(word string) bool {
	return len(word) > 2 && plain.MatchString(word) && m.counts[word] <= len(m.corpus.documents)/10
}

// sets makes so many queries of each kind.
func (m *queryMaker) sets(kinds []string, count int) (map[string][]query, error) {
	sets := map[string][]query{}
	for _, kind := range kinds {
		next := m.maker(kind)
		for tries := 0; len(sets[kind]) < count; tries++ {
			if tries > 1000*count {
				return nil, fmt.Errorf("the corpus is too small for queries of the kind %q", kind)
			}
			if words := next(); words != nil {
				sets[kind] = append(sets[kind], query{kind, words})
			}
		}
	}
	return sets, nil
}

// maker returns what makes the words of a query; nil if this try gave none.
func (m *queryMaker) maker(kind string) func() []string {
	n := len(m.corpus.documents)
	switch kind {
	case kindFrequent:
		return m.single(n/100, n)
	case kindMiddle:
		return m.single(max(n/2000, 3), n/200)
	case kindRare:
		return m.single(2, 10)
	case kindAnd:
		return func() []string { return m.together(2) }
	case kindOr:
		return func() []string { return m.together(3) }
	case kindPhrase:
		return m.phrase
	}
	return m.prefix
}

// single picks a word that is in least to most documents.
func (m *queryMaker) single(least, most int) func() []string {
	var fit []string
	for _, word := range m.words {
		if n := m.counts[word]; n >= least && n <= most && plain.MatchString(word) {
			fit = append(fit, word)
		}
	}
	return func() []string {
		if len(fit) == 0 {
			return nil
		}
		return []string{fit[m.random.IntN(len(fit))]}
	}
}

func (m *queryMaker) document() *document {
	return &m.corpus.documents[m.random.IntN(len(m.corpus.documents))]
}

// together picks different words of one document.
func (m *queryMaker) together(count int) []string {
	d := m.document()
	words := slices.DeleteFunc(wordsOf(d.title+" "+d.body), func(word string) bool { return !m.significant(word) })
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) < count {
		return nil
	}
	m.random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return words[:count]
}

// phrase picks two words with only a space between them, one of them significant.
func (m *queryMaker) phrase() []string {
	words := strings.Split(m.document().body, " ")
	if len(words) < 2 {
		return nil
	}
	i := m.random.IntN(len(words) - 1)
	a, b := words[i], words[i+1]
	if !plain.MatchString(a) || !plain.MatchString(b) || !m.significant(a) && !m.significant(b) {
		return nil
	}
	return []string{a, b}
}

// prefix picks the beginning of a word.
func (m *queryMaker) prefix() []string {
	words := wordsOf(m.document().body)
	if len(words) == 0 {
		return nil
	}
	word := words[m.random.IntN(len(words))]
	if len(word) < 6 || !m.significant(word) {
		return nil
	}
	return []string{word[:4]}
}
