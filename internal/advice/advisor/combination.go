// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// From so many patterns, and attributes in them, or in the place of so many ordered indexes, one search index is worth
// its writes. One pattern with OR over attributes is enough: no other index helps.
const (
	combinedPatterns   = 3
	combinedAttributes = 3
	combinedIndexes    = 4
)

// combination is a search index that might be made.
type combination struct {
	*study
	fields   []string // attributes, in order
	infix    []string // those whose parts are looked for
	patterns []*pattern
	either   int // how many of them have OR over attributes
	ordered  int // ordered indexes that would serve some of them as well
}

// combine returns the search index for the patterns that no ordered index serves: those with OR over attributes, and
// those that filter many attributes in different combinations; and for those that take many new ordered indexes. nil:
// it would not pay, or there is one already.
func (s *study) combine(unserved []*pattern, final map[*query]assignment) *combination {
	either, other := &combination{study: s}, s.replace(final)
	for _, p := range unserved {
		switch {
		case p.found()*2 > p.best():
		case len(p.queries[0].Any) > 0:
			either.take(p)
		case len(p.queries[0].Bounds) > 0:
			other.take(p)
		}
	}
	either.either, either.ordered = len(either.patterns), other.ordered
	if len(other.patterns) >= combinedPatterns && len(other.fields) >= combinedAttributes {
		for _, p := range other.patterns {
			either.take(p)
		}
	}
	if len(either.patterns) == 0 || either.exists() || !either.pays() {
		return nil
	}
	return either
}

// replace gathers the patterns for which new ordered indexes are proposed, if these are many. Patterns with an order
// keep their own.
func (s *study) replace(final map[*query]assignment) *combination {
	c, by := &combination{study: s}, map[*candidate]bool{}
	var served []*query
	for _, q := range s.shapes {
		if a, ok := final[q]; ok && !a.by.curve && q.OrderBy == "" && q.Limit == 0 {
			served, by[a.by] = append(served, q), true
		}
	}
	if len(by) < combinedIndexes {
		return c
	}
	for _, p := range patternsOf(served, func(*query) int { return 0 }) {
		c.take(p)
	}
	c.ordered = len(by)
	return c
}

// take adds a pattern and its attributes.
func (c *combination) take(p *pattern) {
	c.patterns = append(c.patterns, p)
	for _, b := range slices.Concat(p.queries[0].Bounds, p.queries[0].Any) {
		if c.columns[b.Attribute] == nil {
			continue
		}
		c.fields = withName(c.fields, b.Attribute)
		if b.Operator == design.Contains {
			c.infix = withName(c.infix, b.Attribute)
		}
	}
}

// withName adds a name to an ordered list that lacks it.
func withName(list []string, name string) []string {
	if at, found := slices.BinarySearch(list, name); !found {
		return slices.Insert(list, at, name)
	}
	return list
}

// exists reports whether a search index holds all the attributes already: the planner knows why it doesn't take it.
func (c *combination) exists() bool {
	return slices.ContainsFunc(c.Table.Searches, func(x design.Index) bool {
		return !slices.ContainsFunc(c.fields, func(name string) bool {
			return !slices.Contains(x.Key, name) && !slices.Contains(x.Key, "trigrams("+name+")")
		})
	})
}

// pays reports whether the index saves more than its writes cost, each of which takes an entry for each attribute.
func (c *combination) pays() bool {
	before, after := c.reads()
	return before == 0 || before-after-c.Writes*float64(len(c.fields))*writeCost >= gainMin*before
}

// reads is the number of entries that the patterns read per second, and would with the index.
func (c *combination) reads() (before, after float64) {
	for _, p := range c.patterns {
		before += p.rate() * p.best()
		after += p.rate() * p.found()
	}
	return before, after
}

// finding puts the index into words.
func (c *combination) finding() report.Finding {
	f := report.Finding{Severity: report.Advice, Rule: "search-index", Subject: "table " + c.Table.Name}
	before, after := c.reads()
	f.Before, f.After = &report.Cost{Reads: before}, &report.Cost{Reads: after,
		Writes: c.Writes * float64(len(c.fields))}
	for _, p := range c.patterns {
		f.Patterns = append(f.Patterns, report.PatternCost{Name: p.name, Rate: p.rate(), Before: p.best(),
			After: p.found()})
	}
	names := strings.Join(c.fields, ", ")
	switch {
	case c.ordered > 0:
		f.Problem = fmt.Sprintf("%s the attributes %s in different combinations, which takes %d new ordered indexes.",
			filter(len(c.patterns)), names, c.ordered)
	case len(c.patterns) == c.either:
		f.Problem = fmt.Sprintf("%s by OR over attributes (%s), which no ordered index serves, so all entries are read.", filter(c.either), names)
	default:
		f.Problem = fmt.Sprintf("%s the attributes %s in different combinations, and no ordered index serves one of them.", filter(len(c.patterns)), names)
	}
	statement := c.statement()
	f.Remedy = "Make one search index of them"
	if c.ordered > 0 {
		f.Remedy += " instead"
	}
	f.Remedy += ", which finds items by any combination: " + strings.TrimSuffix(statement, ";") + c.asked() + "."
	c.makeIndex(&f, report.Statement{SQL: statement}, true, nil)
	return f
}

// filter begins a sentence about patterns.
func filter(patterns int) string {
	if patterns == 1 {
		return "1 pattern filters"
	}
	return fmt.Sprintf("%d patterns filter", patterns)
}

// statement makes the index in SQL, where those of DynamoDB's tables are made, too.
func (c *combination) statement() string {
	var fields []string
	for _, name := range c.fields {
		field := quote(name)
		if slices.Contains(c.infix, name) {
			field += "(infix=true)"
		}
		fields = append(fields, field)
	}
	return c.createSearch(fields)
}

// createSearch is the statement that makes a search index of fields.
func (s *study) createSearch(fields []string) string {
	name := "find"
	for n := 2; slices.ContainsFunc(slices.Concat(s.Table.Indexes, s.Table.Searches),
		func(x design.Index) bool { return x.Name == name }); n++ {
		name = fmt.Sprintf("find%d", n)
	}
	return fmt.Sprintf("CREATE INDEX %s USING SEARCH ON %s (%s);", name, s.quotedTable(), strings.Join(fields, ", "))
}
