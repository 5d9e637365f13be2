// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// pattern is a set of queries that differ in their values only. Findings are about patterns: a thousand boxes of one
// form are one thing to mend.
type pattern struct {
	name    string
	queries []*query
}

// patternsOf groups queries by name, in the order of their first queries. Queries that apart returns different numbers
// for stay apart.
func patternsOf(queries []*query, apart func(*query) int) []*pattern {
	type id struct {
		name  string
		apart int
	}
	var list []*pattern
	places := map[id]*pattern{}
	for _, q := range queries {
		one := id{q.Name, apart(q)}
		p := places[one]
		if p == nil {
			p = &pattern{name: q.Name}
			places[one] = p
			list = append(list, p)
		}
		p.queries = append(p.queries, q)
	}
	return list
}

// rate is the number of the pattern's queries a second.
func (p *pattern) rate() float64 {
	sum := 0.0
	for _, q := range p.queries {
		sum += q.Rate
	}
	return sum
}

// mean is the mean of a figure over the pattern's queries, by their rates; each counts the same if no rate is known.
func (p *pattern) mean(figure func(*query) float64) float64 {
	sum, weights := 0.0, p.rate()
	for _, q := range p.queries {
		if weights > 0 {
			sum += figure(q) * q.Rate / weights
		} else {
			sum += figure(q) / float64(len(p.queries))
		}
	}
	return sum
}

// used and best are the entries that a query of the pattern reads on the path that it takes, and on the cheapest one.
func (p *pattern) used() float64 { return p.mean(func(q *query) float64 { return q.price.entries }) }
func (p *pattern) best() float64 { return p.mean(func(q *query) float64 { return q.known().entries }) }

// found is its cost on a search index of all its attributes.
func (p *pattern) found() float64 { return p.mean(func(q *query) float64 { return q.found }) }

// wanted is the number of items that a query of the pattern has use for.
func (p *pattern) wanted() float64 { return p.mean((*query).wanted) }

// served reports whether the queries read near the least that they can, on average.
func (p *pattern) served(entries float64) bool {
	return entries <= servedFactor*p.wanted()+servedSlack
}

// evidence holds the counts and estimates of the pattern.
func (p *pattern) evidence(entries float64) []report.Figure {
	return []report.Figure{
		{Name: "queries", Value: p.rate(), Unit: "/s"}, {Name: "entries read per query", Value: entries},
		{Name: "items wanted per query", Value: math.Max(1, p.wanted())},
	}
}

// countServed counts the patterns, and those whose queries are all served by the paths that they take. It explains
// those that are not, where no finding does.
func (s *study) countServed(r *report.Report) {
	for _, p := range patternsOf(s.shapes, func(*query) int { return 0 }) {
		r.Patterns++
		usable := true
		for _, q := range p.queries {
			usable = usable && q.price.usable
		}
		if usable && p.served(p.used()) {
			r.Served++
		} else if !named(r, p.name) {
			r.Unserved = append(r.Unserved,
				report.PatternCost{Name: p.name, Rate: p.rate(), Before: p.used(), After: math.Max(1, p.wanted())})
		}
	}
}

// named reports whether a finding is about a pattern.
func named(r *report.Report, pattern string) bool {
	return slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
		return strings.HasSuffix(f.Subject, pattern) ||
			slices.ContainsFunc(f.Patterns, func(p report.PatternCost) bool { return p.Name == pattern })
	})
}
