// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"cmp"
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// rules are the rules of the advisor, one in a file. immutable
var rules = []func(*study) []report.Finding{
	largeItems, wideKeys, growingKeys, fewPartitions, hotKeys, sharedPrefixes, mixedDates, unpaddedNumbers,
	curveMembers, flagValues, betterPaths, substrings, wideProjections, unusedIndexes, redundantIndexes, manyIndexes,
	propose,
}

// Advise judges a design. The findings come worst first, then by the entries per second that they save. Equal designs
// get equal reports. The sample is cut at 65,536 rows. A design without a sample is judged on rows made up from
// Attributes; without shapes, by its keys alone.
func Advise(d *design.Design) *report.Report {
	if len(d.Table.Key) == 0 {
		return &report.Report{Table: d.Table.Name}
	}
	s := newStudy(d)
	r := &report.Report{Table: d.Table.Name}
	for _, rule := range rules {
		r.Findings = append(r.Findings, rule(s)...)
	}
	s.countServed(r)
	slices.SortStableFunc(r.Findings, func(a, b report.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(saves(&b), saves(&a)),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Subject, b.Subject))
	})
	return r
}

// saves is the cost that a finding takes away, in entries per second.
func saves(f *report.Finding) float64 {
	if f.Before == nil || f.After == nil {
		return 0
	}
	return f.Before.Reads - f.After.Reads + f.Before.Writes - f.After.Writes
}

// namedKey is one key of the table, with what to call it.
type namedKey struct {
	subject string
	index   *design.Index // nil is the table
	parts   []design.Part // nil: a search index, which has fields instead
	entries float64
}

// replaceable is the key's index, if that can be dropped alone; nil if it can't.
func (k namedKey) replaceable() *namedKey {
	if k.index == nil || k.index.Local {
		return nil
	}
	return &k
}

// keys lists the table's key and the keys of the indexes: rules about keys run on all of them.
func (s *study) keys() []namedKey {
	list := []namedKey{{"table " + s.Table.Name, nil, s.paths[0].key, s.items}}
	for i := range s.Table.Indexes {
		x := &s.Table.Indexes[i]
		list = append(list, namedKey{"index " + x.Name, x, s.paths[i+1].key, s.paths[i+1].entries})
	}
	return list
}

// writes is the number of entries that are written into the key per second; 0 is unknown.
func (s *study) writes(k namedKey) float64 {
	if k.index == nil {
		return s.Writes
	}
	return s.Writes * k.entries / s.items
}

// candidatesMax is the number of candidates that are told of.
const candidatesMax = 12

// Weigh scores designs for the queries of a table: the table as it is, with each index that was thought of alone, and
// with all that Advise proposes. The first one is the table as it is; the others come best first.
func Weigh(d *design.Design) []report.Candidate {
	if len(d.Table.Key) == 0 {
		return nil
	}
	s := newStudy(d)
	c := newChoice(s)
	now := s.weigh(nil, nil)
	now.Key, now.Heat = d.Table.Key, s.simulate(&s.paths[0])
	var list []report.Candidate
	for _, one := range c.all {
		w := s.weigh(c.assign([]*candidate{one}), []*candidate{one})
		w.Score = score(&now, &w, s.Writes)
		w.Name, w.Rule, w.Key, w.Chosen = s.indexName(one), s.ruleOf(one), one.key, slices.Contains(c.chosen, one)
		w.Statements = []report.Statement{s.createIndex(w.Name, one.key)}
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(a, b report.Candidate) int { return cmp.Compare(b.Score, a.Score) })
	list = list[:min(len(list), candidatesMax)]
	for i := range list {
		at := slices.IndexFunc(c.all, func(one *candidate) bool { return slices.Equal(one.key, list[i].Key) })
		list[i].Heat = s.simulate(&c.all[at].path)
	}
	if len(c.chosen) > 1 {
		list = append([]report.Candidate{s.together(c, &now)}, list...)
	}
	return append([]report.Candidate{now}, list...)
}

// together weighs all indexes that were chosen.
func (s *study) together(c *choice, now *report.Candidate) report.Candidate {
	w := s.weigh(c.assign(c.chosen), c.chosen)
	w.Score, w.Rule, w.Chosen = score(now, &w, s.Writes), "all-proposed", true
	for _, one := range c.chosen {
		name := s.indexName(one)
		w.Together = append(w.Together, name)
		w.Statements = append(w.Statements, s.createIndex(name, one.key))
	}
	return w
}

// weigh adds up what all queries read with some more indexes, and what these cost.
func (s *study) weigh(better map[*query]assignment, indexes []*candidate) (w report.Candidate) {
	for _, q := range s.shapes {
		known := q.known()
		p := report.PatternCost{Name: q.Name, Rate: q.Rate, Before: known.entries, After: known.entries}
		cost := known.cost
		if a, ok := better[q]; ok {
			p.After, cost = a.price.entries, a.price.cost
		}
		w.Patterns = append(w.Patterns, p)
		w.Cost.Reads += q.Rate * p.After
		w.Total += q.Rate * cost
	}
	w.Patterns = report.Together(w.Patterns)
	for _, one := range indexes {
		w.Cost.Writes += s.Writes * s.share(one)
		w.Cost.Bytes += one.path.entries * s.itemSize
	}
	w.Total += w.Cost.Writes * writeCost
	return w
}

// score is the share of the total cost that a design saves, the writes of the items themselves included on both sides.
func score(now, then *report.Candidate, writes float64) float64 {
	before := now.Total + writes*writeCost
	if before <= 0 {
		return 0
	}
	return (now.Total - then.Total) / before
}
