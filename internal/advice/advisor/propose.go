// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// propose finds indexes for the queries that no key serves well, and puts them into words.
func propose(s *study) []report.Finding {
	c := newChoice(s)
	var findings []report.Finding
	final := c.assign(c.chosen)
	for _, one := range c.chosen {
		better := map[*query]price{}
		for q, a := range final {
			if a.by == one {
				better[q] = a.price
			}
		}
		if len(better) > 0 {
			findings = append(findings, s.word(one, c.bad, better))
		}
	}
	return append(findings, s.unserved(c.bad, final)...)
}

// word puts a candidate into words. better are the prices of the queries that it is for.
func (s *study) word(c *candidate, bad []*query, better map[*query]price) report.Finding {
	f := report.Finding{Severity: report.Advice, Rule: s.ruleOf(c), Before: &report.Cost{}, After: &report.Cost{}}
	name := s.indexName(c)
	f.Subject = "new index " + name
	scans := 0
	for _, q := range bad {
		p, ok := better[q]
		if !ok {
			continue
		}
		if q.known().scan {
			scans++
		}
		f.Patterns = append(f.Patterns, report.PatternCost{Name: q.Name, Rate: q.Rate, Before: q.known().entries,
			After: p.entries})
		f.Before.Reads += q.Rate * q.known().entries
		f.After.Reads += q.Rate * p.entries
	}
	everything := scans == len(f.Patterns)
	f.Patterns = report.Together(f.Patterns)
	if scans > 0 || f.After.Reads*servedFactor*2 < f.Before.Reads {
		f.Severity = report.Warning
	}
	f.Problem = problemOf(f.Patterns, everything)
	f.Remedy = s.remedyOf(c)
	f.After.Writes = s.Writes * s.share(c)
	f.After.Bytes = c.path.entries * s.itemSize
	f.Evidence = append(f.Evidence, report.Figure{Name: "entries in the index", Value: c.path.entries},
		report.Figure{Name: "of the items", Value: s.share(c), Unit: "%"})
	f.Evidence = append(f.Evidence, c.extra...)
	f.Evidence = append(f.Evidence, assumptions(better)...)
	s.makeIndex(&f, s.createIndex(name, c.key), false, nil)
	return f
}

// ruleOf names the kind of index: a key that most items lack makes it sparse, whatever else it is.
func (s *study) ruleOf(c *candidate) string {
	if !c.curve && s.share(c) < sparseShare {
		return "sparse-index"
	}
	return c.rule
}

func problemOf(patterns []report.PatternCost, everything bool) string {
	subject := "The pattern " + report.Names(patterns)
	verb := "reads"
	if len(patterns) > 1 {
		subject, verb = "The patterns "+report.Names(patterns), "read"
	}
	worst := slices.MaxFunc(patterns, func(a,
		b report.PatternCost) int {
		return int(math.Copysign(1, a.Before/a.After-b.Before/b.After))
	})
	text := fmt.Sprintf("%s %s up to %s times the entries that an index would", subject, verb,
		report.Amount(worst.Before/math.Max(1, worst.After)))
	if everything {
		return text + ": no key serves them, so everything is read."
	}
	return text + "."
}

// remedyOf says what the index is and how it is asked.
func (s *study) remedyOf(c *candidate) string {
	var text string
	switch s.ruleOf(c) {
	case "zorder-index":
		text = "Make a Z-order index on " + c.key.String() + "; queries put their ranges into the FilterExpression."
		if s.Table.SQL {
			text = "Make a Z-order index on " + strings.Join(spellSQL(c.key), ", ") + "."
		}
	case "sparse-index":
		text = "Make a sparse index on " + c.key.String() + ": it holds only the items that have " +
			strings.Join(s.optionalOf(c), " and ") + "."
	case "template-index":
		text = "Make an index on " + c.key.String() +
			": Weft joins the attributes, and begins_with asks for the first ones."
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
			text += fmt.Sprintf(" %s %s, so all writes go to one end of the index: watch it as the load grows.",
				first.Attributes()[0], why)
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
func assumptions(prices map[*query]price) []report.Figure {
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
	return []report.Figure{{Name: "assumed, for want of figures: the selectivity of", Text: strings.Join(names, ", ")}}
}

// A key that reads no more than unservedShare of the items, and no more than unservedEntries, serves as well as can be
// hoped for.
const (
	unservedShare   = 0.01
	unservedEntries = 1000
)

// unserved finds a search index for the patterns that nothing proposed helps, and warns of those that it doesn't help
// either.
func (s *study) unserved(bad []*query, final map[*query]assignment) []report.Finding {
	var left []*query
	for _, q := range bad {
		if _, ok := final[q]; !ok && !q.searches() {
			left = append(left, q)
		}
	}
	var unserved []*pattern
	for _, p := range patternsOf(left, func(q *query) int { return q.best }) {
		known := p.queries[0].known()
		if p.served(p.best()) || (known.index || !known.scan) &&
			p.best() <= min(unservedEntries, unservedShare*s.items) || s.paths[p.queries[0].best].fields != nil {
			continue
		}
		unserved = append(unserved, p)
	}
	var findings []report.Finding
	search := s.combine(unserved, final)
	if search != nil {
		findings = append(findings, search.finding())
	}
	for _, p := range unserved {
		if search != nil && slices.Contains(search.patterns, p) {
			continue
		}
		read := p.best()
		f := report.Finding{Severity: report.Warning, Rule: "unserved-pattern", Subject: "pattern " + p.name}
		f.Problem = fmt.Sprintf("%q reads %s entries for each item that it wants, and no index would save more than it costs.", p.name, report.Amount(read/p.wanted()))
		f.Remedy = "Give the query an attribute that it binds to one value or a narrow range, or run it rarely and in parallel segments."
		f.Evidence = p.evidence(read)
		f.Before = &report.Cost{Reads: p.rate() * read}
		findings = append(findings, f)
	}
	return findings
}
