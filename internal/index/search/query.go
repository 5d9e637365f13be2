// SPDX-License-Identifier: Apache-2.0

package search

import (
	"bytes"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Mode is how the text of a query is read.
type Mode uint8

// The modes.
const (
	Natural Mode = iota // words, any of which will do
	Boolean             // words with operators
)

// Kind is the kind of a Node.
type Kind uint8

// The kinds of nodes.
const (
	Word   Kind = iota // a word
	Phrase             // words one after the other
	Prefix             // a word that begins so
	Fuzzy              // a word that differs in a few letters
	Group              // other nodes
)

// Node is a part of a query. Nodes are not changed once they are parsed.
type Node struct {
	Kind  Kind
	Terms [][]byte // of a Phrase all words; of others but Group one
	// Offsets are the places of a Phrase's words, counted from its first.
	Offsets []int
	// Last is how the last word of a Phrase is asked for: as a Word, as a Prefix or as a Fuzzy word.
	Last Kind
	// Distance is the number of letters of a Fuzzy word that may be wrong.
	Distance int
	// Must, Should and Not are the members of a Group: all of Must, none of Not, and Least of Should.
	Must, Should, Not []*Node
	Least             int
	// Weight multiplies the score.
	Weight float64
	leaf   int // the number of a node that is no Group
}

// Query is a parsed query. It is immutable and safe for concurrent use.
type Query struct {
	Root     *Node
	Analyzer *Analyzer
	text     string
	leaves   int
}

// String is the query as it was written.
func (q *Query) String() string { return q.text }

const (
	// textBytesMax and leavesMax bound a query, depthMax its brackets.
	textBytesMax = 64 << 10
	leavesMax    = 1024
	openMax      = 64 // words that stand for others
	depthMax     = 32
	// DistanceMax is the number of letters a Fuzzy word may have wrong at most.
	DistanceMax = 2
)

// TooLongError says that a query asks for too much.
type TooLongError struct{ What string }

func (e *TooLongError) Error() string { return "the search query has " + e.What }

// Parse reads a query. A text without any word matches nothing. Errors: *TooLongError.
func Parse(a *Analyzer, text string, mode Mode) (*Query, error) {
	q := &Query{Analyzer: a, text: text}
	if len(text) > textBytesMax {
		return nil, &TooLongError{"more than " + strconv.Itoa(textBytesMax) + " bytes"}
	}
	if mode == Natural {
		q.Root = q.natural([]byte(text))
	} else {
		p := queryParser{query: q, rest: []byte(text)}
		q.Root = p.group(0)
		if p.deep {
			return nil, &TooLongError{"more than " + strconv.Itoa(depthMax) + " nested brackets"}
		}
	}
	if q.leaves > leavesMax {
		return nil, &TooLongError{"more than " + strconv.Itoa(leavesMax) + " words"}
	}
	open := 0
	q.Root.Leaves(func(n *Node) {
		if n.isOpen() {
			open++
		}
	})
	if open > openMax {
		return nil, &TooLongError{"more than " + strconv.Itoa(openMax) + " prefixes and fuzzy words"}
	}
	return q, nil
}

func (q *Query) add(n *Node) *Node {
	n.Weight, n.leaf = 1, q.leaves
	q.leaves++
	return n
}

// natural is a group of the words of a text, each once.
func (q *Query) natural(text []byte) *Node {
	group := &Node{Kind: Group, Least: 1, Weight: 1}
	seen := map[string]bool{}
	for _, token := range q.Analyzer.asked(text) {
		if seen[string(token.Term)] {
			continue
		}
		seen[string(token.Term)] = true
		kind := Word
		if q.Analyzer.begins(token, text) {
			kind = Prefix
		}
		group.Should = append(group.Should, q.add(&Node{Kind: kind, Terms: [][]byte{token.Term}}))
	}
	return group
}

// phrase is the words of a text one after the other, the last of which is asked for as a kind; nil for none.
func (q *Query) phrase(text []byte, last Kind) *Node {
	tokens := q.Analyzer.asked(text)
	if len(tokens) == 0 {
		return nil
	}
	if last == Word && q.Analyzer.begins(tokens[len(tokens)-1], text) {
		last = Prefix
	}
	n := &Node{Kind: Phrase, Last: last}
	if len(tokens) == 1 {
		n.Kind, n.Last = last, Word
	}
	for _, token := range tokens {
		n.Terms, n.Offsets = append(n.Terms, token.Term), append(n.Offsets, token.Position-tokens[0].Position)
	}
	return q.add(n)
}

// queryParser reads boolean mode.
type queryParser struct {
	query *Query
	rest  []byte
	deep  bool
}

// sign says how a member belongs to its group.
type sign struct {
	must, not bool
	weight    float64
}

// group reads members up to a closing bracket or the end.
func (p *queryParser) group(depth int) *Node {
	group := &Node{Kind: Group, Weight: 1}
	for p.blank(); len(p.rest) > 0; p.blank() {
		if p.rest[0] == ')' {
			p.rest = p.rest[1:]
			if depth > 0 {
				break
			}
			continue
		}
		s := p.sign()
		n := p.member(depth)
		switch {
		case n == nil:
		case s.not:
			group.Not = append(group.Not, n)
		default:
			n.Weight *= s.weight
			if s.must {
				group.Must = append(group.Must, n)
			} else {
				group.Should = append(group.Should, n)
			}
		}
	}
	if len(group.Must) == 0 {
		group.Least = 1
	}
	if depth > 0 {
		if n, ok := p.number('@'); ok {
			group.Least = min(n, len(group.Should))
		}
	}
	if len(group.Must)+len(group.Should) == 0 {
		group.Not = nil // what is only forbidden matches nothing
	}
	return group
}

// isOpen reports whether a leaf has a word that stands for others.
func (n *Node) isOpen() bool {
	return n.Kind == Prefix || n.Kind == Fuzzy || n.Kind == Phrase && n.Last != Word
}

func (p *queryParser) blank() {
	p.rest = bytes.TrimLeftFunc(p.rest, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == 0 })
}

// Weights of > and <, and of ~, which makes a word count against a text.
const (
	weightMore    = 2
	weightLess    = 0.5
	weightAgainst = -0.5
)

func (p *queryParser) sign() sign {
	s := sign{weight: 1}
	for len(p.rest) > 0 {
		switch p.rest[0] {
		case '+':
			s.must, s.not = true, false
		case '-':
			s.not, s.must = true, false
		case '>':
			s.weight = weightMore
		case '<':
			s.weight = weightLess
		case '~':
			s.weight = weightAgainst
		default:
			return s
		}
		p.rest = p.rest[1:]
	}
	return s
}

// member reads a word, a phrase or a group; nil if it has no words.
func (p *queryParser) member(depth int) *Node {
	switch {
	case len(p.rest) == 0:
		return nil
	case p.rest[0] == '(':
		p.rest = p.rest[1:]
		if depth >= depthMax {
			p.deep, p.rest = true, nil
			return nil
		}
		n := p.group(depth + 1)
		if len(n.Must)+len(n.Should) == 0 {
			return nil
		}
		return n
	case p.rest[0] == ')':
		return nil
	case p.rest[0] == '"':
		text, rest, _ := bytes.Cut(p.rest[1:], []byte{'"'})
		p.rest = rest
		return p.query.phrase(text, Word)
	}
	return p.word()
}

// word reads a word, with what stands behind it: * or ~ and a number. What the analyzer cuts into several words is a
// phrase.
func (p *queryParser) word() *Node {
	word := p.rest[:p.wordEnd()]
	p.rest = p.rest[len(word):]
	if n := len(word) - 1; n > 0 && word[n] == '*' {
		return p.query.phrase(bytes.TrimRight(word, "*"), Prefix)
	}
	if at := bytes.LastIndexByte(word, '~'); at > 0 {
		if distance, ok := fuzzyDistance(word[at+1:]); ok {
			n := p.query.phrase(word[:at], Fuzzy)
			if n != nil && n.isOpen() {
				n.Distance = distance
			}
			return n
		}
	}
	return p.query.phrase(word, Word)
}

// wordEnd returns the end of a word of the query: at a blank, at a sign, and at a comma unless that belongs to a word
// of the analyzer.
func (p *queryParser) wordEnd() int {
	end := bytes.IndexFunc(p.rest, func(r rune) bool {
		return unicode.IsSpace(r) || r == '"' || r == '(' || r == ')' ||
			r == 0
	})
	if end < 0 {
		end = len(p.rest)
	}
	if bytes.IndexByte(p.rest[:end], ',') < 0 {
		return end
	}
	tokens := p.query.Analyzer.Tokens(nil, p.rest[:end])
	for at, c := range p.rest[:end] {
		if c == ',' && !slices.ContainsFunc(tokens, func(t Token) bool { return t.Start < at && at+1 < t.End }) {
			return at
		}
	}
	return end
}

// fuzzyDistance reads what follows the ~ of a word: nothing is 1.
func fuzzyDistance(text []byte) (distance int, ok bool) {
	switch string(text) {
	case "", "1":
		return 1, true
	case "2":
		return DistanceMax, true
	}
	return 0, false
}

// number reads a mark and a number.
func (p *queryParser) number(mark byte) (n int, ok bool) {
	if len(p.rest) < 2 || p.rest[0] != mark {
		return 0, false
	}
	end := 1
	for end < len(p.rest) && end < 6 && p.rest[end] >= '0' && p.rest[end] <= '9' {
		n = n*10 + int(p.rest[end]-'0')
		end++
	}
	if end == 1 {
		return 0, false
	}
	p.rest = p.rest[end:]
	return n, true
}

// Leaves calls visit with each node that is no Group, those of Not too.
func (n *Node) Leaves(visit func(*Node)) {
	if n.Kind != Group {
		visit(n)
		return
	}
	for _, members := range [...][]*Node{n.Must, n.Should, n.Not} {
		for _, m := range members {
			m.Leaves(visit)
		}
	}
}

// Fits reports whether a word is one that a leaf asks for, or one of those that a phrase does.
func (n *Node) Fits(term []byte) bool {
	switch n.Kind {
	case Prefix:
		return bytes.HasPrefix(term, n.Terms[0])
	case Fuzzy:
		return Within(term, n.Terms[0], n.Distance)
	}
	terms := n.Terms
	if n.isOpen() {
		last := len(terms) - 1
		if terms = terms[:last]; n.lastWord().Fits(term) {
			return true
		}
	}
	return slices.ContainsFunc(terms, func(t []byte) bool { return bytes.Equal(t, term) })
}

// lastWord is the last word of a Phrase as a leaf of its own.
func (n *Node) lastWord() *Node {
	return &Node{Kind: n.Last, Terms: n.Terms[len(n.Terms)-1:], Distance: n.Distance}
}

// Parts are the words of a Phrase that a text must have as they are, and a leaf for the last word if that stands for
// others; nil if it does not.
func (n *Node) Parts() (words [][]byte, last *Node) {
	if !n.isOpen() {
		return n.Terms, nil
	}
	return n.Terms[:len(n.Terms)-1], n.lastWord()
}

// Within reports whether two words differ by at most so many letters that are wrong, missing or too many.
func Within(a, b []byte, distance int) bool {
	s, t := bytes.Runes(a), bytes.Runes(b)
	if len(s)-len(t) > distance || len(t)-len(s) > distance {
		return false
	}
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		if nextRow(row, s[i], i, t) > distance {
			return false
		}
	}
	return row[len(t)] <= distance
}

// nextRow makes the row of Levenshtein's table for one more letter, and returns the least of it.
func nextRow(row []int, r rune, i int, t []rune) (least int) {
	before := row[0]
	row[0] = i + 1
	least = row[0]
	for j := range t {
		cost := before
		if t[j] != r {
			cost = 1 + min(before, row[j], row[j+1])
		}
		before, row[j+1] = row[j+1], cost
		least = min(least, cost)
	}
	return least
}

// Viable says how many bytes of a term may be the beginning of a word within a distance of another one: all of them, or
// those before and with the first letter after which no such word can follow.
func Viable(term, of []byte, distance int) (bytes int, all bool) {
	t := []rune(string(of))
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	at := 0
	for i := 0; at < len(term); i++ {
		r, n := utf8.DecodeRune(term[at:])
		at += n
		if nextRow(row, r, i, t) > distance {
			return at, false
		}
	}
	return at, true
}

// All is the query for texts that have all the words of a text.
func All(a *Analyzer, text []byte) *Query {
	q := &Query{Analyzer: a, text: string(text)}
	q.Root = q.natural(text)
	q.Root.Must, q.Root.Should, q.Root.Least = q.Root.Should, nil, 0
	return q
}
