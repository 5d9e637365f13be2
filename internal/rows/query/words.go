// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// wordStream is a stream that can score the row at hand.
type wordStream interface {
	stream
	// score is the score of the row at which the stream stands.
	score(s *search.Scorer) float64
}

// ErrTooManyRows says that rows can't be ranked because a word of a query stands for too many others.
var ErrTooManyRows = errors.New("query: a prefix or fuzzy word of the search query stands for more rows than can be ranked; write more of it")

// openWords is the stream of a query in words.
func (f *finder) openWords(n *access.SearchNode) stream {
	w := f.openNode(f.index.Field(n.Field), n.Query.Root)
	if w == nil && f.scorer != nil && f.scorer.Query() == n.Query {
		f.err = ErrTooManyRows
	}
	if w == nil {
		f.partial = true
		return f.everything()
	}
	if f.scorer != nil && f.scorer.Query() == n.Query {
		f.ranked = w.(*group)
	}
	return w
}

// openNode is the stream of a part of a query; nil if it stands for too many words and rows.
func (f *finder) openNode(field *record.Field, n *search.Node) wordStream {
	switch n.Kind {
	case search.Word:
		keep := kv.BlockKeys
		if f.scorer != nil {
			keep = kv.BlockValues
		}
		return &word{list: f.list(field.WordPrefix(nil, n.Terms[0], true), keep), node: n}
	case search.Phrase:
		return f.openPhrase(field, n)
	case search.Prefix, search.Fuzzy:
		ranges, ok := f.others(field, n)
		if !ok {
			return nil
		}
		return f.gatherWords(field, n, ranges)
	}
	return f.openGroup(field, n)
}

// others are the entries of the words that a word stands for; ok is false if they are too many.
func (f *finder) others(field *record.Field, n *search.Node) (ranges []kv.Range, ok bool) {
	if n.Kind == search.Fuzzy {
		return f.similar(field, n)
	}
	start := field.WordPrefix(nil, n.Terms[0], false)
	end, _ := order.PrefixEnd(nil, start)
	return []kv.Range{{Start: start, End: end}}, true
}

func (f *finder) gatherWords(field *record.Field, n *search.Node, ranges []kv.Range) wordStream {
	g, ok := f.gather(ranges, func(key []byte) ([]byte, error) { return field.Rest(key[len(field.Prefix):]) })
	if !ok && f.err == nil {
		return nil
	}
	return &anyWord{sortedKeys: g, node: n}
}

// similarMax is the number of words a fuzzy word stands for at most: more are too many.
const similarMax = 10_000

// similar finds the entries of all words of a field that are within a distance of one; ok is false if they are too
// many. It leaps over words that begin as none of these does.
func (f *finder) similar(field *record.Field, n *search.Node) (ranges []kv.Range, ok bool) {
	whole := kv.Range{Start: field.Prefix}
	whole.End, _ = order.PrefixEnd(nil, field.Prefix)
	walk := f.from.Scan(f.ctx, whole, false)
	defer walk.Close()
	var term []byte
	for walk.Next() {
		f.counts.Postings++
		cut, _, err := order.CutBytes(walk.Key()[len(field.Prefix):], term[:0])
		if f.err = err; err != nil || len(ranges) == similarMax {
			return nil, false
		}
		term = cut
		start := field.WordPrefix(nil, term, true)
		end, _ := order.PrefixEnd(nil, start)
		if search.Within(term, n.Terms[0], n.Distance) {
			ranges = append(ranges, kv.Range{Start: start, End: end})
		} else if at, viable := search.Viable(term, n.Terms[0], n.Distance); !viable {
			end = field.WordPrefix(nil, nextLetter(term[:at]), false)
		}
		f.counts.Seeks++
		walk.Seek(end)
	}
	f.err = walk.Close()
	return ranges, f.err == nil
}

// nextLetter is the beginning of the first words behind those that begin with term.
func nextLetter(term []byte) []byte {
	r, n := utf8.DecodeLastRune(term)
	if r == utf8.RuneError || r == utf8.MaxRune {
		end, _ := order.PrefixEnd(nil, term)
		return end
	}
	if r++; r == 0xD800 { // surrogates are no letters
		r = 0xE000
	}
	return utf8.AppendRune(slices.Clone(term[:len(term)-n]), r)
}

// word is the rows of one word.
type word struct {
	*list
	node *search.Node
}

func (w *word) score(s *search.Scorer) float64 {
	p := w.posting()
	return s.Leaf(w.node, p.Count(), p.Length())
}

// anyWord is the rows of any of some words.
type anyWord struct {
	*sortedKeys
	node *search.Node
}

func (w *anyWord) score(s *search.Scorer) float64 { return s.Leaf(w.node, 1, 1) }

// positionStream is a stream of rows that knows where in the texts of the row at hand the words stand.
type positionStream interface {
	stream
	appendPlaces(dst []uint32) ([]uint32, error)
}

func (l *list) appendPlaces(dst []uint32) ([]uint32, error) { return l.posting().Places(dst) }

// phrase is the rows that have words one after the other.
type phrase struct {
	f       *finder
	node    *search.Node
	first   *list // of its first word
	words   []positionStream
	streams []stream
	places  [][]uint32
	count   int
	at      []byte // nil: no row is at hand
}

// openPhrase is the stream of a phrase; nil if its last word stands for too many others.
func (f *finder) openPhrase(field *record.Field, n *search.Node) wordStream {
	p := &phrase{f: f, node: n, places: make([][]uint32, len(n.Terms))}
	words, last := n.Parts()
	for _, term := range words {
		p.words = append(p.words, f.list(field.WordPrefix(nil, term, true), kv.BlockValues))
	}
	p.first = p.words[0].(*list)
	if last != nil {
		ranges, ok := f.others(field, last)
		if !ok {
			return nil
		}
		tail := f.gatherPostings(field, ranges)
		if tail == nil {
			return nil
		}
		p.words = append(p.words, tail)
	}
	for _, one := range p.words {
		p.streams = append(p.streams, one)
	}
	return p
}

func (p *phrase) seek(key []byte) []byte {
	if p.at != nil && p.f.isAt(p.at, key) {
		return p.at
	}
	return p.accepted(meet(p.f, p.streams, p.streams[0].seek(key)))
}

func (p *phrase) next() []byte { return p.accepted(meet(p.f, p.streams, p.streams[0].next())) }

// accepted moves on from at, at which all words stand, to the first row where they stand one after the other.
func (p *phrase) accepted(at []byte) []byte {
	for ; at != nil; at = meet(p.f, p.streams, p.streams[0].next()) {
		for i, one := range p.words {
			var err error
			if p.places[i], err = one.appendPlaces(p.places[i][:0]); err != nil {
				p.f.err = err
				return nil
			}
		}
		if p.count = p.node.Count(p.places); p.count > 0 {
			break
		}
	}
	p.at = at
	return at
}

func (p *phrase) score(s *search.Scorer) float64 {
	return s.Leaf(p.node, p.count, p.first.posting().Length())
}

// group is the rows that match a group of a query.
type group struct {
	f                 *finder
	node              *search.Node
	must, should, not []wordStream
	musts             []stream // the same
	either            union    // of should, if nothing must be there; without those that don't matter: see leave
	at                []byte   // nil: no row is at hand
}

func (f *finder) openGroup(field *record.Field, n *search.Node) wordStream {
	g := &group{f: f, node: n, either: union{f: f}}
	for _, m := range n.Must {
		s := f.openNode(field, m)
		if s == nil {
			return nil
		}
		g.must, g.musts = append(g.must, s), append(g.musts, s)
	}
	for _, m := range n.Should {
		s := f.openNode(field, m)
		if s == nil {
			return nil
		}
		g.should, g.either.list = append(g.should, s), append(g.either.list, s)
	}
	partial := f.partial
	for _, m := range n.Not {
		f.partial = false
		if s := f.openNode(field, m); s != nil && !f.partial { // what is not there as a whole would leave out too much
			g.not = append(g.not, s)
		} else {
			partial = true
		}
	}
	f.partial = partial
	if one := g.only(); one != nil && f.scorer == nil {
		return one
	}
	return g
}

// only is the member that has all rows of the group; nil if there is none.
func (g *group) only() wordStream {
	switch {
	case len(g.not) > 0:
	case len(g.must) == 1 && g.node.Least <= 0:
		return g.must[0]
	case len(g.must) == 0 && len(g.should) == 1 && g.node.Least <= 1:
		return g.should[0]
	}
	return nil
}

func (g *group) seek(key []byte) []byte {
	if g.at != nil && g.f.isAt(g.at, key) {
		return g.at
	}
	if len(g.musts) > 0 {
		return g.accepted(meet(g.f, g.musts, g.musts[0].seek(key)))
	}
	return g.accepted(g.either.seek(key))
}

func (g *group) next() []byte { return g.accepted(g.step()) }

// step moves to the next row that may match.
func (g *group) step() []byte {
	if len(g.musts) > 0 {
		return meet(g.f, g.musts, g.musts[0].next())
	}
	return g.either.next()
}

// accepted moves on from at to the first row that matches.
func (g *group) accepted(at []byte) []byte {
	for at != nil && !g.accepts(at) {
		at = g.step()
	}
	g.at = at
	return at
}

// accepts reports whether a row has enough of should and none of not.
func (g *group) accepts(at []byte) bool {
	if isIn(g.not, at) {
		return false
	}
	least := g.node.Least
	if len(g.musts) == 0 && least <= 1 {
		return true
	}
	for _, s := range g.should {
		if least > 0 && bytes.Equal(s.seek(at), at) {
			least--
		}
	}
	return least <= 0
}

func (g *group) score(s *search.Scorer) (score float64) {
	for _, m := range g.must {
		score += m.score(s)
	}
	for _, m := range g.should {
		if bytes.Equal(m.seek(g.at), g.at) {
			score += m.score(s)
		}
	}
	return score * g.node.Weight
}

// roundingError is more than sums of scores in another order can differ by.
const roundingError = 1 + 1e-9

// leave tells a group that rows with no more than a score don't matter: members of should that can't reach it together
// are no longer looked for.
func (g *group) leave(s *search.Scorer, least float64) {
	if len(g.must) > 0 || g.node.Least > 1 || len(g.either.list) <= 1 || g.node.Weight != 1 {
		return
	}
	byMost := slices.Clone(g.should)
	most := func(m wordStream) float64 { return s.Most(g.node.Should[slices.Index(g.should, m)]) }
	slices.SortStableFunc(byMost, func(a, b wordStream) int {
		if most(a) < most(b) {
			return -1
		}
		return 1
	})
	reach, left := 0.0, 0
	for left < len(byMost) {
		if reach += most(byMost[left]); reach*roundingError > least {
			break
		}
		left++
	}
	g.either.keep(func(i int) bool { return slices.Contains(byMost[left:], g.either.list[i].(wordStream)) })
}
