// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"bytes"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// part is a part of a search, as rows can be estimated by.
type part struct {
	kind partKind
	list []byte // of a partList: the prefix of its entries
	// rows is the number of rows a partGuess has, of which nobody can tell which; keys are they if it is known.
	rows float64
	keys [][]byte
	// phrase is the words of a partPhrase, whose lists are must.
	phrase *search.Node
	// A partGroup is the rows that all of must, none of not and least of should have.
	must, should, not []*part
	least             int

	sampled *sample // once it is drawn
}

type partKind uint8

const (
	partList partKind = iota
	partGuess
	partPhrase
	partGroup
)

// sample is rows that stand for all that a part has: each for so many. If whole is set, they are all of them.
type sample struct {
	keys    [][]byte
	weights []float64
	rows    float64 // the sum of weights, or what is guessed where there are no keys
	whole   bool
}

// unionMax is the number of parts of a union that are looked for in each other's rows; of more it is guessed how many
// rows they share.
const unionMax = 8

// Rows estimates how many rows a node finds: see access.Lists.
func (s *Lists) Rows(x *schema.Index, n *access.SearchNode) (rows, entries float64, ok bool) {
	compiled, ok := s.look.Table.IndexByID(x.ID)
	if !ok {
		return 0, 0, false
	}
	p := s.partOf(compiled, n)
	rows, entries = s.draw(p).rows, s.entries(p)
	return min(rows, s.rows), entries, s.err == nil
}

// partOf is the part for a node of a search.
func (s *Lists) partOf(x *record.Index, n *access.SearchNode) *part {
	switch n.Kind {
	case access.SearchWords:
		return s.partOfWords(x.Field(n.Field), n.Query.Root)
	case access.SearchValues:
		return s.partOfValues(x.Field(n.Field).Named(n.Column), n)
	}
	g := &part{kind: partGroup}
	members := make([]*part, 0, len(n.List))
	for _, one := range n.List {
		members = append(members, s.partOf(x, one))
	}
	if g.must = members; n.Kind == access.SearchAny {
		g.must, g.should, g.least = nil, members, 1
	}
	for _, one := range n.Without {
		g.not = append(g.not, s.partOf(x, one))
	}
	return g
}

// partOfValues is the part for some values of a field: lists of them, or a range.
func (s *Lists) partOfValues(field *record.Field, n *access.SearchNode) *part {
	if n.InOrder() && len(n.Spans) <= unionMax {
		g := &part{kind: partGroup, least: 1}
		for _, span := range n.Spans {
			g.should = append(g.should, &part{kind: partList, list: slices.Concat(field.Prefix, span.Start)})
		}
		return g
	}
	p := &part{kind: partGuess, rows: n.Rows}
	if !s.open() {
		return p
	}
	d := drawn{whole: true}
	for _, span := range n.Spans {
		one := s.count(field.Span(span.Start, span.End),
			func(key []byte) ([]byte, error) { return field.Rest(key[len(field.Prefix):]) })
		d.entries, d.keys, d.whole = d.entries+one.entries, append(d.keys, one.keys...), d.whole && one.whole
		if !d.whole || len(d.keys) > listCounted {
			p.rows = max(p.rows, d.entries)
			return p
		}
	}
	p.rows, p.keys = d.entries, d.keys
	return p
}

// partOfWords is the part for a query in the words of a field.
func (s *Lists) partOfWords(field *record.Field, n *search.Node) *part {
	words := func(nodes []*search.Node) (list []*part) {
		for _, one := range nodes {
			list = append(list, s.partOfWords(field, one))
		}
		return list
	}
	switch n.Kind {
	case search.Word:
		return &part{kind: partList, list: field.WordPrefix(nil, n.Terms[0], true)}
	case search.Phrase:
		return s.partOfPhrase(field, n)
	case search.Prefix:
		return &part{kind: partGuess, rows: s.beginnings(field, n.Terms[0])}
	case search.Fuzzy:
		const likeness = 2 // how many times as many rows as the word itself its likenesses are guessed to have
		return &part{kind: partGuess, rows: 1 + likeness*s.list(field.WordPrefix(nil, n.Terms[0], true)).entries}
	}
	return &part{kind: partGroup, must: words(n.Must), should: words(n.Should), not: words(n.Not), least: n.Least}
}

// partOfPhrase is the part for a phrase. A last word that stands for others is guessed to follow wherever the words
// before it stand, if there are so many.
func (s *Lists) partOfPhrase(field *record.Field, n *search.Node) *part {
	p := &part{kind: partPhrase, phrase: n}
	words, last := n.Parts()
	for _, term := range words {
		p.must = append(p.must, &part{kind: partList, list: field.WordPrefix(nil, term, true)})
	}
	if last == nil {
		return p
	}
	least := s.draw(s.partOfWords(field, last)).rows
	for _, one := range p.must {
		least = min(least, s.draw(one).rows)
	}
	return &part{kind: partGuess, rows: least}
}

// beginnings estimates the rows that have a word which begins so: it adds up those of the first words.
func (s *Lists) beginnings(field *record.Field, begin []byte) (rows float64) {
	if !s.open() {
		return 0
	}
	start := field.WordPrefix(nil, begin, false)
	end, _ := order.PrefixEnd(nil, start)
	walk := s.from.Scan(s.ctx, kv.Range{Start: start, End: end}, false)
	defer walk.Close()
	const words = 32
	for n := 0; walk.Next(); n++ {
		if n == words {
			return min(s.rows, 2*rows)
		}
		term, _, err := order.CutBytes(walk.Key()[len(field.Prefix):], nil)
		if s.err = err; err != nil {
			return 0
		}
		list := field.WordPrefix(nil, term, true)
		rows += s.list(list).entries
		end, _ := order.PrefixEnd(nil, list)
		walk.Seek(end)
	}
	return min(s.rows, rows)
}

// draw samples the rows of a part.
func (s *Lists) draw(p *part) sample {
	if p.sampled == nil {
		drawn := s.drawAnew(p)
		p.sampled = &drawn
	}
	return *p.sampled
}

func (s *Lists) drawAnew(p *part) sample {
	switch p.kind {
	case partList:
		d := s.list(p.list)
		return weighed(d.keys, d.entries, d.whole)
	case partGuess:
		return weighed(p.keys, p.rows, p.keys != nil)
	case partPhrase:
		return s.meet(p.must, p)
	}
	if len(p.must) > 0 {
		return s.meet(p.must, p)
	}
	return s.join(p)
}

// weighed gives each of some keys the same weight.
func weighed(keys [][]byte, rows float64, whole bool) sample {
	drawn := sample{keys: keys, weights: make([]float64, len(keys)), rows: rows, whole: whole}
	for i := range drawn.weights {
		drawn.weights[i] = rows / float64(len(keys))
	}
	return drawn
}

// meet samples the rows of a part that all of some parts have: those of the rarest one, by how many of them it has.
func (s *Lists) meet(must []*part, p *part) sample {
	var base sample
	share := 1.0
	for i, one := range must {
		drawn := s.draw(one)
		share *= drawn.rows / s.rows
		if rarer := drawn.rows < base.rows; i == 0 || len(drawn.keys) > 0 && (rarer || len(base.keys) == 0) ||
			drawn.whole && rarer {
			base = drawn
		}
	}
	if len(base.keys) == 0 {
		return sample{rows: s.rows * share, whole: base.whole}
	}
	return s.narrow(base, s.chances(p, base.keys), s.rows*share)
}

// narrow leaves of a sample what has a chance. guess is the number of rows that would be left if all parts were
// independent of each other.
func (s *Lists) narrow(base sample, chances []float64, guess float64) sample {
	left := sample{whole: base.whole}
	for i, chance := range chances {
		if chance > 0 {
			left.keys, left.weights = append(left.keys, base.keys[i]), append(left.weights, chance*base.weights[i])
			left.rows += chance * base.weights[i]
		}
	}
	if left.rows == 0 && !left.whole { // fewer than the sample shows
		left.rows = min(guess, base.rows/float64(2*len(base.keys)))
	}
	return left
}

// join samples the rows that enough of a part's members have. A row that several members have counts once.
func (s *Lists) join(p *part) sample {
	if len(p.should) == 0 {
		return sample{rows: max(0, s.rows-s.chance(p.not)*s.rows)}
	}
	drawn := make([]sample, len(p.should))
	none := 1.0
	for i, one := range p.should {
		drawn[i] = s.draw(one)
		none *= 1 - min(1, drawn[i].rows/s.rows)
	}
	if len(p.should) > unionMax || slices.ContainsFunc(drawn,
		func(one sample) bool { return len(one.keys) == 0 && !one.whole }) {
		return sample{rows: s.rows * (1 - none)}
	}
	all := sample{whole: true}
	for i, one := range drawn {
		has := s.chances(p, one.keys)
		shared := make([]float64, len(one.keys))
		for j, other := range p.should {
			if i == j {
				continue
			}
			for k, chance := range s.chances(other, one.keys) {
				shared[k] += chance
			}
		}
		for k, key := range one.keys {
			if weight := one.weights[k] * has[k] / (1 + shared[k]); weight > 0 {
				all.keys, all.weights, all.rows = append(all.keys, key), append(all.weights, weight), all.rows+weight
			}
		}
		all.whole = all.whole && one.whole
	}
	return thinned(all)
}

// thinned leaves so many rows of a sample that looking for all of them stays cheap.
func thinned(all sample) sample {
	if len(all.keys) <= drawnKeys {
		return all
	}
	step := float64(len(all.keys)) / drawnKeys
	few := sample{rows: all.rows}
	total := 0.0
	for i := range drawnKeys {
		at := int(float64(i) * step)
		few.keys, few.weights = append(few.keys, all.keys[at]), append(few.weights, all.weights[at])
		total += all.weights[at]
	}
	for i := range few.weights {
		few.weights[i] *= all.rows / total
	}
	return few
}

// chance is the share of the table that some parts have, independent of each other.
func (s *Lists) chance(parts []*part) float64 {
	none := 1.0
	for _, one := range parts {
		none *= 1 - min(1, s.draw(one).rows/s.rows)
	}
	return 1 - none
}

// chances says of each of some rows how likely a part has it: 0 or 1 where that can be looked up.
func (s *Lists) chances(p *part, keys [][]byte) []float64 {
	chances := make([]float64, len(keys))
	switch p.kind {
	case partList:
		s.have(p.list, keys, func(i int, _ []byte) { chances[i] = 1 })
	case partGuess:
		for i, key := range keys {
			switch {
			case p.keys == nil:
				chances[i] = min(1, p.rows/s.rows)
			case slices.ContainsFunc(p.keys, func(one []byte) bool { return bytes.Equal(one, key) }):
				chances[i] = 1
			}
		}
	case partPhrase:
		s.phrases(p, keys, chances)
	default:
		s.groups(p, keys, chances)
	}
	return chances
}

// phrases looks whether rows have words one after the other.
func (s *Lists) phrases(p *part, keys [][]byte, chances []float64) {
	places := make([][][]uint32, len(keys))
	for word, one := range p.must {
		s.have(one.list, keys, func(i int, held []byte) {
			if len(places[i]) < word {
				return // it lacks one of the words before
			}
			at, err := search.Posting(held).Places(nil)
			if err != nil {
				s.err = err
				return
			}
			places[i] = append(places[i], at)
		})
	}
	for i := range keys {
		if len(places[i]) == len(p.must) && p.phrase.Count(places[i]) > 0 {
			chances[i] = 1
		}
	}
}

// groups looks whether rows have what a group asks for.
func (s *Lists) groups(p *part, keys [][]byte, chances []float64) {
	for i := range chances {
		chances[i] = 1
	}
	for _, one := range p.must {
		for i, chance := range s.chances(one, keys) {
			chances[i] *= chance
		}
	}
	for _, one := range p.not {
		for i, chance := range s.chances(one, keys) {
			chances[i] *= 1 - chance
		}
	}
	if p.least == 0 {
		return
	}
	counts := make([][]float64, len(keys)) // how likely a row has exactly so many members, the last: so many or more
	for i := range counts {
		counts[i] = make([]float64, p.least+1)
		counts[i][0] = 1
	}
	for _, one := range p.should {
		for i, chance := range s.chances(one, keys) {
			count := counts[i]
			count[p.least] += count[p.least-1] * chance
			for n := p.least - 1; n > 0; n-- {
				count[n] = count[n]*(1-chance) + count[n-1]*chance
			}
			count[0] *= 1 - chance
		}
	}
	for i := range chances {
		chances[i] *= counts[i][p.least]
	}
}

// leaping is the number of entries of another list that are read, at most, for each row of the rarest.
const leaping = 4

// entries estimates how many entries are read for a part.
func (s *Lists) entries(p *part) (entries float64) {
	if p.kind == partList || p.kind == partGuess {
		return s.draw(p).rows
	}
	least := math.Inf(1)
	for _, one := range p.must {
		least, entries = min(least, s.draw(one).rows), entries+s.entries(one)
	}
	if len(p.must) > 0 {
		return min(entries, float64(len(p.must))*leaping*least)
	}
	for _, one := range p.should {
		entries += s.entries(one)
	}
	if len(p.should) == 0 {
		entries = s.rows
	}
	return entries
}
