// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advisor/report"
)

const (
	proposalsMax = 6
	gainMin      = 0.10 // of what the queries in question cost; less is not worth a change
	gainAgain    = 0.30 // the same for a query that an index serves already, since another one costs twice
	tieShare     = 1e-9
	writeCost    = 2 // an entry written, in entries read
)

// propose chooses indexes for the queries that no key serves well: again and again the one that saves the most, as long as it saves at
// least a tenth. What a query costs counts reads, jumps, and the writes that the index adds.
func propose(s *study) []Finding {
	var bad []*query
	for _, q := range s.shapes {
		if !q.served(q.known()) && q.Rate > 0 {
			bad = append(bad, q)
		}
	}
	candidates := s.candidates(bad)
	current := map[*query]price{}
	for _, q := range bad {
		current[q] = q.known()
	}
	var findings []Finding
	for len(findings) < proposalsMax {
		best, better := s.pick(candidates, bad, current)
		if best == nil {
			break
		}
		findings = append(findings, s.propose(best, bad, current, better))
		for q, p := range better {
			current[q] = p
		}
	}
	return append(findings, s.unserved(bad, current)...)
}

// pick returns the candidate with the highest saving, and the prices of the queries that it makes cheaper. Ties go to the shorter key.
func (s *study) pick(candidates []*candidate, bad []*query, current map[*query]price) (best *candidate, better map[*query]price) {
	most := 0.0
	for _, c := range candidates {
		prices, saving := s.try(c, bad, current)
		if best == nil && saving > 0 || saving > most*(1+tieShare) || saving > most*(1-tieShare) && best != nil && s.preferred(c, best) {
			if saving > 0 {
				best, better, most = c, prices, saving
			}
		}
	}
	return best, better
}

// preferred decides between candidates that save the same.
func (s *study) preferred(c, than *candidate) bool {
	if c.mirror != than.mirror {
		return c.mirror
	}
	if computed(c.key) != computed(than.key) {
		return computed(c.key) < computed(than.key)
	}
	if (c.plan == nil) != (than.plan == nil) {
		return c.plan == nil
	}
	if mine, other := c.key[0] == s.Table.Key[0], than.key[0] == s.Table.Key[0]; mine != other {
		return mine // the partitions that the program knows
	}
	if mine, other := s.valuesOf(c.path.key[0]), s.valuesOf(than.path.key[0]); c.plan == nil && mine != other {
		return mine > other
	}
	return c.plan != nil && len(c.key) > len(than.key) // Query rather than Scan
}

// valuesOf is the number of values of a partition key, by its first attribute.
func (s *study) valuesOf(p part) float64 {
	if names := p.Attributes(); len(names) > 0 && s.columns[names[0]] != nil {
		return s.columns[names[0]].distinct
	}
	return 0
}

// computed counts the computed parts of a key.
func computed(key Key) int {
	n := 0
	for _, p := range key.Parts() {
		if p.Function != "" {
			n++
		}
	}
	return n
}

// try prices the queries with one index more. It returns those that become cheaper, and what is saved per second.
func (s *study) try(c *candidate, bad []*query, current map[*query]price) (better map[*query]price, saving float64) {
	better = map[*query]price{}
	affected := 0.0
	for _, q := range bad {
		now := current[q]
		p := s.priceOf(q, &c.path)
		if !p.usable || p.scan && c.plan == nil && !s.scannable(q, c, p) {
			continue
		}
		least := gainMin
		if now.index {
			least = gainAgain
		}
		if p.cost() < now.cost()*(1-least) {
			better[q] = p
			weight := q.Rate
			if c.plan != nil && len(s.shapes) >= splitMin { // judged by the queries that it was not made from
				weight = 0
				if q.judges {
					weight = 2 * q.Rate
				}
			}
			saving += weight * (now.cost() - p.cost())
			affected += weight * now.cost()
		}
	}
	saving -= s.Writes * s.share(c) * writeCost
	if saving < gainMin*affected {
		return nil, 0
	}
	return better, saving
}

// scannable says whether reading a whole index pays: it is sparse, or it ends early.
func (s *study) scannable(q *query, c *candidate, p price) bool {
	return c.path.entries < sparseShare*s.items || q.Limit > 0 && p.ordered
}

// share is how many of the items have an entry in the index.
func (s *study) share(c *candidate) float64 { return c.path.entries / s.items }

// propose puts a candidate into words.
func (s *study) propose(c *candidate, bad []*query, current, better map[*query]price) Finding {
	f := Finding{Severity: Advice, Rule: s.ruleOf(c), Before: &Cost{}, After: &Cost{}}
	name := s.indexName(c)
	f.Subject = "new index " + name
	scans := 0
	for _, q := range bad {
		p, ok := better[q]
		if !ok {
			continue
		}
		now := current[q]
		if now.scan {
			scans++
		}
		f.Patterns = append(f.Patterns, PatternCost{Name: q.Name, Rate: q.Rate, Before: now.entries, After: p.entries})
		f.Before.Reads += q.Rate * now.entries
		f.After.Reads += q.Rate * p.entries
	}
	if scans > 0 || f.After.Reads*servedFactor*2 < f.Before.Reads {
		f.Severity = Warning
	}
	f.Problem = problemOf(f.Patterns, scans)
	f.Remedy = s.remedyOf(c)
	f.After.Writes = s.Writes * s.share(c)
	f.After.Bytes = c.path.entries * s.itemSize
	f.Evidence = append(f.Evidence, Figure{Name: "entries in the index", Value: c.path.entries}, Figure{Name: "of the items", Value: s.share(c), Unit: "%"})
	f.Evidence = append(f.Evidence, c.extra...)
	f.Evidence = append(f.Evidence, assumptions(better)...)
	f.Statements = []Statement{s.createIndex(name, c.key)}
	return f
}

// ruleOf names the kind of index: a key that most items lack makes it sparse, whatever else it is.
func (s *study) ruleOf(c *candidate) string {
	if c.plan == nil && s.share(c) < sparseShare {
		return "sparse-index"
	}
	return c.rule
}

func problemOf(patterns []PatternCost, scans int) string {
	subject := "The pattern " + quoteAll(patterns)
	verb := "reads"
	if len(patterns) > 1 {
		subject, verb = "The patterns "+quoteAll(patterns), "read"
	}
	worst := slices.MaxFunc(patterns, func(a, b PatternCost) int { return int(math.Copysign(1, a.Before/a.After-b.Before/b.After)) })
	text := fmt.Sprintf("%s %s up to %s times the entries that an index would", subject, verb, report.Amount(worst.Before/math.Max(1, worst.After)))
	if scans == len(patterns) {
		return text + ": no key serves them, so everything is read."
	}
	return text + "."
}

func quoteAll(patterns []PatternCost) string {
	const namesMax = 4
	var names []string
	for i, p := range patterns {
		if i == namesMax {
			names = append(names, fmt.Sprintf("%d more", len(patterns)-i))
			break
		}
		names = append(names, `"`+p.Name+`"`)
	}
	return strings.Join(names, ", ")
}

// remedyOf says what the index is and how it is asked.
func (s *study) remedyOf(c *candidate) string {
	var text string
	switch s.ruleOf(c) {
	case "zorder-index":
		text = "Make a Z-order index on " + c.key.String() + "; queries put their ranges into the FilterExpression."
	case "sparse-index":
		text = "Make a sparse index on " + c.key.String() + ": it holds only the items that have " + strings.Join(s.optionalOf(c), " and ") + "."
	case "template-index":
		text = "Make an index on " + c.key.String() + ": Weft joins the attributes, and begins_with asks for the first ones."
		if c.path.key[0].Function == "concat" {
			text = "Make an index on " + c.key.String() + ": Weft joins the attributes, and queries give them joined."
		}
	case "descending-index":
		text = "Make an index on " + c.key.String() + ": a Scan of it returns the highest first."
	default:
		text = "Make an index on " + c.key.String() + "."
	}
	if c.note != "" {
		text += " " + c.note
	}
	if first := c.path.key[0]; first.Function == "" || first.Function == "desc" || first.Function == "concat" {
		if why := s.grows(s.columns[first.Attributes()[0]]); why != "" {
			text += fmt.Sprintf(" %s %s, so all writes go to one end of the index: watch it as the load grows.", first.Attributes()[0], why)
		}
	}
	return text
}

func (s *study) optionalOf(c *candidate) []string {
	if c.path.mark != nil {
		return []string{markName(c.path.mark.Attribute)}
	}
	return s.optional(c.key)
}

// assumptions says which shares are defaults.
func assumptions(prices map[*query]price) []Figure {
	var names []string
	for q := range prices {
		for _, name := range q.assumed {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []Figure{{Name: "assumed, for want of figures: the selectivity of", Text: strings.Join(names, ", ")}}
}

// unserved warns of the patterns that nothing proposed helps.
func (s *study) unserved(bad []*query, current map[*query]price) []Finding {
	var findings []Finding
	for _, q := range bad {
		p := current[q]
		if q.served(p) || p.cost() < q.known().cost()*(1-gainMin) {
			continue
		}
		f := Finding{Severity: Warning, Rule: "unserved-pattern", Subject: "pattern " + q.Name}
		f.Problem = fmt.Sprintf("%q reads %s entries for each item that it wants, and no index would save more than it costs.", q.Name, report.Amount(p.entries/q.wanted()))
		f.Remedy = "Give the query an attribute that it binds to one value or a narrow range, or run it rarely and in parallel segments."
		f.Evidence = []Figure{{Name: "queries", Value: q.Rate, Unit: "/s"}, {Name: "entries read per query", Value: p.entries}, {Name: "items wanted per query", Value: q.wanted()}}
		f.Before = &Cost{Reads: q.Rate * p.entries}
		findings = append(findings, f)
	}
	return findings
}
