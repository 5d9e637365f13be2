// SPDX-License-Identifier: Apache-2.0

package search

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// gap is the number of positions that lie between two texts of one document, so that no phrase reaches from one into
// the other.
const gap = 100

// Document is the words of a document: where each stands.
type Document struct {
	Words  map[string][]uint32
	Length int // how many words there are
}

// Document cuts the texts of a document into words.
func (a *Analyzer) Document(texts ...[]byte) *Document {
	d := &Document{}
	first := 0
	var tokens []Token
	for _, text := range texts {
		tokens = a.Tokens(tokens[:0], text)
		if d.Words == nil {
			d.Words = make(map[string][]uint32, len(tokens))
		}
		last, once := 0, make([]uint32, 0, len(tokens)) // most words stand in one place
		for _, token := range tokens {
			last = first + token.Position
			places, again := d.Words[string(token.Term)]
			if !again {
				places = once[len(once) : len(once) : len(once)+1]
				once = once[:len(once)+1]
			}
			d.Words[string(token.Term)] = append(places, uint32(last))
		}
		d.Length += len(tokens)
		if len(tokens) > 0 {
			first = last + gap
		}
	}
	return d
}

// Corpus holds the statistics of all documents together.
type Corpus struct {
	Documents  float64 // how many there are
	MeanLength float64 // of a document, in words
	// Frequencies are the number of documents that have a word. A missing one is in none.
	Frequencies map[string]float64
}

// BM25's constants, as Lucene has them.
const (
	saturation = 1.2
	lengthBias = 0.75
)

// Scorer computes how well documents match a query. It is immutable and safe for concurrent use.
type Scorer struct {
	query  *Query
	corpus Corpus
	rarity []float64 // of each leaf
	mean   float64   // length, not 0
}

// NewScorer prepares scores of a query in a corpus.
func NewScorer(q *Query, c Corpus) *Scorer {
	s := &Scorer{query: q, corpus: c, rarity: make([]float64, q.leaves), mean: max(c.MeanLength, 1)}
	q.Root.Leaves(func(n *Node) {
		terms := n.Terms
		if n.Kind == Phrase {
			terms, _ = n.Parts() // a word that stands for others has no rarity
		}
		for _, term := range terms {
			f := min(c.Frequencies[string(term)], c.Documents)
			s.rarity[n.leaf] += math.Log1p((c.Documents - f + 0.5) / (f + 0.5))
		}
	})
	return s
}

// Query is the query that is scored.
func (s *Scorer) Query() *Query { return s.query }

// Leaf is the score of a leaf that a document of some length has count times. Words that stand for others all score
// alike.
func (s *Scorer) Leaf(n *Node, count, length int) float64 {
	if n.Kind == Prefix || n.Kind == Fuzzy {
		return n.Weight
	}
	f := float64(count)
	dampening := saturation * (1 - lengthBias + lengthBias*float64(length)/s.mean)
	return n.Weight * s.rarity[n.leaf] * (f * (saturation + 1) / (f + dampening))
}

// Most is more than any document can score by a node.
func (s *Scorer) Most(n *Node) (most float64) {
	switch n.Kind {
	case Prefix, Fuzzy:
		return max(n.Weight, 0)
	case Group:
		for _, members := range [...][]*Node{n.Must, n.Should} {
			for _, m := range members {
				most += s.Most(m)
			}
		}
		return max(most*n.Weight, 0)
	}
	return max(n.Weight*s.rarity[n.leaf]*(saturation+1), 0)
}

// Matches reports whether a document matches the query.
func (q *Query) Matches(d *Document) bool {
	_, ok := (*Scorer)(nil).node(q.Root, d)
	return ok
}

// MatchesTexts reports whether the texts of a document match the query.
func (q *Query) MatchesTexts(texts [][]byte) bool { return q.Matches(q.Analyzer.Document(texts...)) }

// Score reports whether a document matches the query, and how well.
func (s *Scorer) Score(d *Document) (score float64, ok bool) { return s.node(s.query.Root, d) }

// node is Score for a part of the query; a nil Scorer gives no scores.
func (s *Scorer) node(n *Node, d *Document) (score float64, ok bool) {
	if n.Kind != Group {
		count := n.count(d)
		if count > 0 && s != nil {
			score = s.Leaf(n, count, d.Length)
		}
		return score, count > 0
	}
	for _, m := range n.Not {
		if _, has := s.node(m, d); has {
			return 0, false
		}
	}
	for _, m := range n.Must {
		one, has := s.node(m, d)
		if !has {
			return 0, false
		}
		score += one
	}
	matched := 0
	for _, m := range n.Should {
		if one, has := s.node(m, d); has {
			score += one
			matched++
		}
	}
	return score * n.Weight, matched >= n.Least && matched+len(n.Must) > 0
}

// count returns the number of times that a document has a leaf.
func (n *Node) count(d *Document) (count int) {
	switch n.Kind {
	case Word:
		return len(d.Words[string(n.Terms[0])])
	case Phrase:
		places := make([][]uint32, len(n.Terms))
		words, last := n.Parts()
		for i, term := range words {
			places[i] = d.Words[string(term)]
		}
		if last != nil {
			places[len(words)] = d.places(last)
		}
		return n.Count(places)
	}
	for term, places := range d.Words {
		if n.Fits([]byte(term)) {
			count += len(places)
		}
	}
	return count
}

// places returns the places of a document's words that fit a leaf, ascending.
func (d *Document) places(n *Node) (all []uint32) {
	for term, places := range d.Words {
		if n.Fits([]byte(term)) {
			all = append(all, places...)
		}
	}
	slices.Sort(all)
	return all
}

// Count returns the number of times that a phrase occurs: places has the places of each of its Terms, ascending.
func (n *Node) Count(places [][]uint32) (count int) {
	for _, first := range places[0] {
		whole := true
		for i := 1; i < len(places) && whole; i++ {
			_, whole = slices.BinarySearch(places[i], first+uint32(n.Offsets[i]))
		}
		if whole {
			count++
		}
	}
	return count
}

// Highlight appends a text with its words that the query asks for between before and after.
func (q *Query) Highlight(dst, text []byte, before, after string) []byte {
	var leaves []*Node
	q.Root.wanted(func(n *Node) { leaves = append(leaves, n) })
	at := 0
	for _, token := range q.Analyzer.Tokens(nil, text) {
		if token.Start < at || !slices.ContainsFunc(leaves, func(n *Node) bool { return n.Fits(token.Term) }) {
			continue
		}
		dst = append(append(dst, text[at:token.Start]...), before...)
		dst = append(append(dst, text[token.Start:token.End]...), after...)
		at = token.End
	}
	return append(dst, text[at:]...)
}

// wanted calls visit with each leaf that is not forbidden.
func (n *Node) wanted(visit func(*Node)) {
	if n.Kind != Group {
		visit(n)
		return
	}
	for _, members := range [...][]*Node{n.Must, n.Should} {
		for _, m := range members {
			m.wanted(visit)
		}
	}
}

// Posting is an index's record of a word of a document, as bytes: the length of the document, then the places of the
// word, each as its distance from the one before; all as uvarints.
type Posting []byte

// ErrPosting says that bytes are no Posting.
var ErrPosting = errors.New("search: malformed posting")

// AppendPosting appends the posting of a word that stands at some places, ascending, in a document of some length.
func AppendPosting(dst []byte, length int, places []uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(length))
	before := uint32(0)
	for _, place := range places {
		dst = binary.AppendUvarint(dst, uint64(place-before))
		before = place
	}
	return dst
}

// Length is the length of the document.
func (p Posting) Length() int {
	length, n := binary.Uvarint(p)
	if n <= 0 {
		return 0
	}
	return int(min(length, 1<<31))
}

// Count returns the number of times that the document has the word.
func (p Posting) Count() int {
	count := -1 // the first number is the length
	for _, b := range p {
		if b < 0x80 {
			count++
		}
	}
	return max(count, 0)
}

// Places appends where the word stands. Errors: ErrPosting.
func (p Posting) Places(dst []uint32) ([]uint32, error) {
	_, n := binary.Uvarint(p)
	if n <= 0 {
		return dst, ErrPosting
	}
	place := uint64(0)
	for p = p[n:]; len(p) > 0; p = p[n:] {
		var distance uint64
		if distance, n = binary.Uvarint(p); n <= 0 || distance > 1<<32-1 || place+distance > 1<<32-1 {
			return dst, ErrPosting
		}
		place += distance
		dst = append(dst, uint32(place))
	}
	return dst, nil
}
