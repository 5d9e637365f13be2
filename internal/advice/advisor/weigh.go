// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"cmp"
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
)

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
