// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"math"
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
)

// path is a way to the items: the table, an index, or an index that might be made.
type path struct {
	index   string // "" is the table
	key     []design.Part
	entries float64 // in the whole index
	table   bool
	whole   bool          // items that lack a key attribute are there, too
	hashed  bool          // not in the order of the partition key
	mark    *design.Bound // the index holds just the items that pass this bound
	curve   *curveSample  // of the part with function zorder
	fields  design.Key    // of a search index, which has no key
}

// price is the cost of one query on a path.
type price struct {
	entries float64 // read per query
	seeks   float64 // jumps per query, the first one included
	scan    bool    // all entries are read: the partition key isn't bound
	ordered bool    // entries come in the order that the query wants
	index   bool    // through an index, one that might be made included
	usable  bool    // all items that the query wants are there
}

// seekEntries is the cost of one jump in entries read one after another.
const seekEntries = 10

func (p price) cost() float64 { return p.entries + seekEntries*p.seeks }

// newPath is the table for index "", or an index. whole says that items which lack a key attribute are there, too.
func (s *study) newPath(index string, key design.Key, whole bool) path {
	p := path{index: index, key: key.Parts(), table: index == "", whole: whole, entries: s.items}
	p.hashed = p.table && s.Table.Hashed
	if !p.table {
		p.entries = s.entriesOf(key, whole)
	}
	for _, part := range p.key {
		if part.Function == "zorder" {
			p.curve = s.defaultCurve(part)
		}
	}
	return p
}

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
		if i == 0 || p.usable && (!best.usable || p.cost() < best.cost()) {
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
		q.price.entries = q.Read
	}
	if q.best == q.offerAt {
		q.offer = q.price
	}
}

// known is the price of the cheapest path that there is, used or not.
func (q *query) known() price {
	if q.offer.usable && q.offer.cost() < q.price.cost() {
		return q.offer
	}
	return q.price
}

// priceOf prices a query on one path.
func (s *study) priceOf(q *query, p *path) price {
	if p.fields != nil {
		return s.searchFor(q, p)
	}
	out := price{entries: p.entries, seeks: 1, scan: true, index: !p.table, usable: p.table ||
		p.index != "" && p.index == q.Index || s.holdsAll(q, p)}
	first := s.use(q, p.key[0])
	switch {
	case p.key[0].Function == "zorder":
		s.walk(q, p, p.entries, &out)
	case first.equal:
		out.scan = false
		out.entries *= first.share
		out.ordered = q.OrderBy == "" || q.equal(q.OrderBy)
		if len(p.key) > 1 {
			s.priceSort(q, p, &out)
		}
	default:
		out.ordered = q.OrderBy == "" || !p.hashed && leads(p.key[0], q.OrderBy, q.Descending)
	}
	s.limit(q, &out)
	return out
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
		return price{entries: q.wanted(), seeks: 1, index: true, usable: p.index == q.Index}
	}
	return price{entries: math.Max(1, rarest*s.items), seeks: 1, index: true, usable: p.index == q.Index || s.Table.SQL}
}

// fieldOf is the field of a search index that a bound needs.
func fieldOf(b design.Bound) string {
	if b.Operator == design.Contains {
		return "trigrams(" + b.Attribute + ")"
	}
	return b.Attribute
}

// priceSort lets the sort key narrow what the partition key has left. Keys of more than two parts go on while parts are
// bound exactly.
func (s *study) priceSort(q *query, p *path, out *price) {
	for _, part := range p.key[1:] {
		if part.Function == "zorder" {
			s.walk(q, p, out.entries, out)
			return
		}
		u := s.use(q, part)
		out.entries *= u.share
		out.ordered = out.ordered || u.orders
		if !u.equal {
			return
		}
	}
}

// limit applies what the program takes of the result: it stops early if the order suits it.
func (s *study) limit(q *query, out *price) {
	if out.entries < 1 {
		out.entries = 1
	}
	if q.Limit <= 0 || !out.ordered {
		return
	}
	each := math.Max(1, out.entries/math.Max(1, q.matched)) // entries read for one that is wanted
	out.entries = math.Min(out.entries, q.Limit*each)
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

// usage says how a query uses one key part.
type usage struct {
	share  float64 // of the entries that remain
	equal  bool    // one value: the next part can be used
	orders bool    // entries with equal parts before come in the order that the query wants
}

// use finds how far a query binds a key part.
func (s *study) use(q *query, p design.Part) usage {
	if b, ok := q.bound(p.Name); ok && p.Function != "" && b.Narrows() { // the condition names the computed part
		return usage{share: q.keeps[p.Name], equal: b.Operator == design.Equal, orders: true}
	}
	switch p.Function {
	case "hash8", "hash32", "hash64", "reverse":
		return s.useWhole(q, p)
	case "zorder":
		return usage{share: 1}
	}
	u := usage{share: 1, equal: true}
	for _, a := range p.Args {
		if a.Attribute == "" {
			continue
		}
		u.orders = u.orders || q.OrderBy != "" && (a.Attribute == q.OrderBy || p.Alias == q.OrderBy)
		b, ok := q.bound(a.Attribute)
		if !ok || !b.Narrows() || p.Function == "concat" && !s.joins(b) {
			return usage{share: u.share, orders: u.orders}
		}
		u.share *= s.narrows(q, a.Attribute)
		if b.Operator != design.Equal {
			return usage{share: u.share, orders: u.orders}
		}
	}
	return u
}

// useWhole is use for functions that keep no order: all attributes must be equal.
func (s *study) useWhole(q *query, p design.Part) usage {
	u := usage{share: 1, equal: true}
	for _, name := range p.Attributes() {
		if !q.equal(name) {
			return usage{share: 1}
		}
		u.share *= s.narrows(q, name)
	}
	return u
}

// joins reports whether a bound can be used within concat(..): numbers joined as text keep no numeric order.
func (s *study) joins(b design.Bound) bool {
	return b.Operator == design.Equal || s.columns[b.Attribute].kind != "N"
}

// narrows is the share that a bound leaves among the items that have the attribute.
func (s *study) narrows(q *query, name string) float64 {
	return math.Min(1, q.keeps[name]/s.columns[name].present)
}

// leads reports whether reading the keys from the first on gives the wanted order.
func leads(p design.Part, name string, descending bool) bool {
	switch p.Function {
	case "":
		return (p.Name == name || p.Alias == name) && !descending
	case "desc":
		return p.Args[0].Attribute == name && descending
	case "concat":
		return p.Args[0].Attribute == name && !descending
	}
	return false
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
