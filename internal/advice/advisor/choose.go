// SPDX-License-Identifier: Apache-2.0

package advisor

import "github.com/weftdb/weft/internal/advice/advisor/design"

import "math"

const (
	proposalsMax = 6
	gainMin      = 0.10 // of what the queries in question cost; less is not worth a change
	gainAgain    = 0.30 // the same for a query that an index serves already, since another one costs twice
	tieShare     = 1e-9
	writeCost    = 2 // an entry written, in entries read
)

// choice chooses indexes for the queries that no key serves well: each time the one that saves the most. The cost of a
// query counts reads, jumps, and the writes that an index adds.
type choice struct {
	*study
	bad    []*query
	prices map[*candidate]map[*query]price // of the queries that the candidate can serve
	all    []*candidate
	chosen []*candidate
}

// assignment is the cost of a query, and the index that it uses.
type assignment struct {
	price price
	by    *candidate
}

func newChoice(s *study) *choice {
	c := &choice{study: s, prices: map[*candidate]map[*query]price{}}
	for _, q := range s.shapes {
		if !q.served(q.known()) && q.Rate > 0 {
			c.bad = append(c.bad, q)
		}
	}
	candidates := s.candidates(c.bad)
	c.all = candidates
	for _, one := range candidates {
		c.prices[one] = s.pricesOf(one, c.bad)
	}
	for len(c.chosen) < proposalsMax {
		best := c.pick(candidates)
		if best == nil {
			break
		}
		c.chosen = append(c.chosen, best)
	}
	c.prune()
	return c
}

// pricesOf prices the queries that a candidate can serve.
func (s *study) pricesOf(c *candidate, bad []*query) map[*query]price {
	prices := map[*query]price{}
	for _, q := range bad {
		p := s.priceOf(q, &c.path)
		if c.curve {
			p = p.reading(p.entries * s.surplus(q))
		}
		if p.usable && (!p.scan || c.curve || s.scannable(q, c, p)) {
			prices[q] = p
		}
	}
	return prices
}

// surplus is the factor by which a query reads more on its curve than the model of curves says. The same is expected of
// another curve.
func (s *study) surplus(q *query) float64 {
	used := &s.paths[q.best]
	if q.Read == 0 || used.fields != nil || s.layoutOf(used).columns == nil {
		return 1
	}
	return math.Max(1, q.Read/s.priceOf(q, used).entries)
}

// assign gives each query the cheapest of the indexes, if that is a tenth cheaper than what there is, or more where an
// index serves it already.
func (c *choice) assign(indexes []*candidate) map[*query]assignment {
	out := map[*query]assignment{}
	for _, q := range c.bad {
		for _, one := range indexes {
			p, ok := c.prices[one][q]
			now := q.known()
			if before, found := out[q]; found {
				now = before.price
			}
			if ok && p.cost < now.cost*(1-c.least(q, out)) {
				out[q] = assignment{p, one}
			}
		}
	}
	return out
}

// least is the share of a query's cost that an index must save to be worth it.
func (c *choice) least(q *query, out map[*query]assignment) float64 {
	if _, ok := out[q]; ok || q.known().index {
		return gainAgain
	}
	return gainMin
}

// pick returns the candidate that saves the most in addition to those chosen, or nil if none saves enough.
func (c *choice) pick(candidates []*candidate) (best *candidate) {
	most := 0.0
	current := c.assign(c.chosen)
	for _, one := range candidates {
		saving := c.saving(one, current)
		if saving > 0 && (best == nil || saving > most*(1+tieShare) ||
			saving > most*(1-tieShare) && c.preferred(one, best)) {
			best, most = one, saving
		}
	}
	return best
}

// saving returns the cost that an index saves per second, net of its writes; 0 if that is less than a tenth of the cost
// of its queries.
func (c *choice) saving(one *candidate, current map[*query]assignment) float64 {
	saving, affected := 0.0, 0.0
	for _, q := range c.bad {
		p, ok := c.prices[one][q]
		now := q.known()
		if a, found := current[q]; found {
			now = a.price
		}
		if !ok || p.cost >= now.cost*(1-c.least(q, current)) {
			continue
		}
		weight := q.Rate
		if one.curve && len(c.shapes) >= splitMin { // judged by the queries that it was not made from
			weight = 0
			if q.judges {
				weight = 2 * q.Rate
			}
		}
		saving += weight * (now.cost - p.cost)
		affected += weight * now.cost
	}
	saving -= c.Writes * c.share(one) * writeCost
	if saving < gainMin*affected {
		return 0
	}
	return saving
}

// prune takes indexes back that later ones have made superfluous.
func (c *choice) prune() {
	for i := 0; i < len(c.chosen) && len(c.chosen) > 1; {
		rest := append(append([]*candidate{}, c.chosen[:i]...), c.chosen[i+1:]...)
		with, without := c.assign(c.chosen), c.assign(rest)
		saving, affected := 0.0, 0.0
		for _, q := range c.bad {
			a, ok := with[q]
			if !ok || a.by != c.chosen[i] {
				continue
			}
			next := q.known()
			if b, ok := without[q]; ok {
				next = b.price
			}
			saving += q.Rate * (next.cost - a.price.cost)
			affected += q.Rate * next.cost
		}
		if saving-c.Writes*c.share(c.chosen[i])*writeCost < gainAgain*affected || affected == 0 {
			c.chosen = rest
			continue
		}
		i++
	}
}

// preferred decides between candidates that save the same.
func (s *study) preferred(c, than *candidate) bool {
	if c.mirror != than.mirror {
		return c.mirror
	}
	if computed(c.key) != computed(than.key) {
		return computed(c.key) < computed(than.key)
	}
	if c.curve != than.curve {
		return !c.curve
	}
	if mine, other := c.key[0] == s.Table.Key[0], than.key[0] == s.Table.Key[0]; mine != other {
		return mine // the partitions that the program knows
	}
	if mine, other := s.valuesOf(c.path.key[0]), s.valuesOf(than.path.key[0]); !c.curve && mine != other {
		return mine > other
	}
	return c.curve && len(c.key) > len(than.key) // Query rather than Scan
}

// valuesOf is the number of values of a partition key, by its first attribute.
func (s *study) valuesOf(p design.Part) float64 {
	if names := p.Attributes(); len(names) > 0 && s.columns[names[0]] != nil {
		return s.columns[names[0]].distinct
	}
	return 0
}

// computed counts the computed parts of a key.
func computed(key design.Key) int {
	n := 0
	for _, p := range key.Parts() {
		if p.Function != "" {
			n++
		}
	}
	return n
}

// scannable reports whether reading a whole index pays: it is sparse, or it ends early.
func (s *study) scannable(q *query, c *candidate, p price) bool {
	return c.path.entries < sparseShare*s.items || q.Limit > 0 && p.ordered
}

// share is the number of the items that have an entry in the index.
func (s *study) share(c *candidate) float64 { return c.path.entries / s.items }
