// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/data/schema"
)

// path is a way to the items: the table, an index, or an index that might be made.
type path struct {
	index      string // "" is the table
	key        []design.Part
	entries    float64 // in the whole index
	table      bool
	whole      bool              // items that lack a key attribute are there, too
	hashed     bool              // not in the order of the partition key
	mark       *design.Bound     // the index holds just the items that pass this bound
	fields     design.Key        // of a search index, which has no key
	projection schema.Projection // of an index
	layout     *layout           // as the planner sees it; nil for a search index
}

// price is the cost of one query on a path.
type price struct {
	entries float64 // read per query
	cost    float64 // in the planner's units: that of the next entry
	scan    bool    // all entries are read: the partition key isn't bound
	ordered bool    // entries come in the order that the query wants
	index   bool    // through an index, one that might be made included
	usable  bool    // all items that the query wants are there
}

// reading is the price where a query reads so many entries.
func (p price) reading(entries float64) price {
	if p.entries > 0 {
		p.cost *= entries / p.entries
	}
	p.entries = entries
	return p
}

// tablePath is the table itself.
func (s *study) tablePath() path {
	return path{key: s.Table.Key.Parts(), table: true, whole: true, hashed: s.Table.Hashed, entries: s.items}
}

// indexPath is an index, there or not yet.
func (s *study) indexPath(x *design.Index) path {
	p := path{index: x.Name, key: x.Key.Parts(), whole: x.Nulls, entries: s.entriesOf(x.Key, x.Nulls)}
	if s.Table.SQL && x.Projection == keysOnly { // whose queries read rows for what an entry lacks
		p.projection = schema.ProjectKeys
	}
	return p
}

const keysOnly = "KEYS_ONLY" // a projection

// presentTogether is the share of items that have all the attributes.
func (s *study) presentTogether(names []string) float64 {
	least, counted := 1.0, true
	for _, name := range names {
		c := s.columns[name]
		least = math.Min(least, c.present)
		counted = counted && c.seen > 0 && c.declared.Present == 0
	}
	if !counted || s.rows == 0 {
		return least
	}
	n := 0
	for row := range s.rows {
		n++
		for _, name := range names {
			if s.columns[name].values[row].Type == "" {
				n--
				break
			}
		}
	}
	return math.Max(float64(n)/float64(s.rows), 1/s.items)
}

// bestPath returns the cheapest path of a query, and its position.
func (s *study) bestPath(q *query, paths []path) (best price, at int) {
	for i := range paths {
		p := s.priceOf(q, &paths[i])
		if i == 0 || p.usable && (!best.usable || p.cost < best.cost) {
			best, at = p, i
		}
	}
	return best, at
}

// route finds the path that a query uses and the cheapest one. It uses the index that it names; if it names none and
// its reads were counted, the table; else whatever is cheapest. Reads that were counted stand for the price.
func (s *study) route(q *query) {
	q.offer, q.offerAt = s.bestPath(q, s.paths)
	q.price, q.best = q.offer, q.offerAt
	for i := range s.paths {
		if s.paths[i].index == q.Index && (q.Index != "" || q.Read > 0) {
			q.price, q.best = s.priceOf(q, &s.paths[i]), i
			q.price.usable = true
		}
	}
	if q.Read > 0 {
		q.price = q.price.reading(q.Read)
	}
	if q.best == q.offerAt {
		q.offer = q.price
	}
}

// known is the price of the cheapest path that there is, used or not.
func (q *query) known() price {
	if q.offer.usable && q.offer.cost < q.price.cost {
		return q.offer
	}
	return q.price
}

// searchFor prices a query on a search index, which reads the entries of its rarest field. Only SQL takes one by
// itself.
func (s *study) searchFor(q *query, p *path) price {
	holds := func(b design.Bound) bool { return slices.Contains(p.fields, fieldOf(b)) }
	rarest := 1.0
	if !slices.ContainsFunc(q.Any, func(b design.Bound) bool { return !holds(b) }) {
		rarest = q.anyKeeps
	}
	for _, b := range q.Bounds {
		if holds(b) {
			rarest = math.Min(rarest, q.keeps[b.Attribute])
		}
	}
	if rarest == 1 { // found by words, or not at all
		return price{entries: q.wanted(), cost: q.wanted(), index: true, usable: p.index == q.Index}
	}
	entries := math.Max(1, rarest*s.items)
	return price{entries: entries, cost: entries, index: true, usable: p.index == q.Index || s.Table.SQL}
}

// fieldOf is the field of a search index that a bound needs.
func fieldOf(b design.Bound) string {
	if b.Operator == design.Contains {
		return "trigrams(" + b.Attribute + ")"
	}
	return b.Attribute
}

// holdsAll reports whether every item that the query wants is in the index: each key attribute that items may lack is
// bound.
func (s *study) holdsAll(q *query, p *path) bool {
	if p.whole {
		return true
	}
	if p.mark != nil {
		b, ok := q.bound(p.mark.Attribute)
		if !ok || b.Operator != p.mark.Operator || b.Low.Compare(p.mark.Low) != 0 {
			return false
		}
	}
	for _, part := range p.key {
		if p.mark != nil && part.Name == markName(p.mark.Attribute) {
			continue
		}
		for _, name := range part.Attributes() {
			if _, ok := q.bound(name); !ok && s.columns[name].present < 1 {
				return false
			}
		}
	}
	return true
}

// wanted is the number of items that a query has use for.
func (q *query) wanted() float64 {
	n := math.Max(1, q.matched)
	if q.Limit > 0 {
		n = math.Min(n, q.Limit)
	}
	return n
}

const (
	servedFactor = 4   // entries read per wanted item that are still good
	servedSlack  = 100 // entries that no index is worth
)

// served reports whether a price is near the least that the query can cost.
func (q *query) served(p price) bool {
	return p.usable && p.entries <= servedFactor*q.wanted()+servedSlack
}

// betterPaths warns of queries that read through one key though another that is there would read less than half.
func betterPaths(s *study) []report.Finding {
	var badly []*query
	for _, q := range s.shapes {
		if q.best != q.offerAt && q.offer.usable && !q.served(q.price) && q.offer.cost*2 <= q.price.cost {
			badly = append(badly, q)
		}
	}
	var findings []report.Finding
	for _, p := range patternsOf(badly, func(q *query) int { return q.best*len(s.paths) + q.offerAt }) {
		used, better := s.nameOf(p.queries[0].best), s.nameOf(p.queries[0].offerAt)
		before, after := p.used(), p.best()
		f := report.Finding{Severity: report.Warning, Rule: "better-path", Subject: "pattern " + p.name}
		f.Problem = fmt.Sprintf("%q reads %s entries per query through %s, where %s would read %s.", p.name,
			report.Amount(before), used, better, report.Amount(after))
		f.Remedy = fmt.Sprintf("Send the query to %s.", better)
		f.Evidence = []report.Figure{{Name: "queries", Value: p.rate(), Unit: "/s"}}
		f.Before, f.After = &report.Cost{Reads: p.rate() * before}, &report.Cost{Reads: p.rate() * after}
		findings = append(findings, f)
	}
	return findings
}

// nameOf names a path in a sentence.
func (s *study) nameOf(path int) string {
	if s.paths[path].index == "" {
		return "the table"
	}
	return "the index " + s.paths[path].index
}
