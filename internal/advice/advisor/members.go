// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"slices"
)

// curveMembers judges the attributes of Z-order indexes that exist: each should be bound often, and its bounds should
// exclude much. An attribute that is not costs every query bits that the others could use.
func curveMembers(s *study) []report.Finding {
	var findings []report.Finding
	for i, k := range s.keys() {
		for at, p := range k.parts {
			if p.Function != "zorder" {
				continue
			}
			group := s.group(k, i, at)
			if len(group) == 0 {
				continue
			}
			findings = append(findings, s.judgeCurve(k, p, at, group)...)
		}
	}
	return findings
}

// group lists the queries that a curve is for: those that use it and those that could.
func (s *study) group(k namedKey, path, at int) []*query {
	return slices.DeleteFunc(slices.Clone(s.shapes), func(q *query) bool {
		if q.Rate == 0 || at == 1 && !s.binds(q, k.parts[0]) {
			return true
		}
		return q.best != path && !(k.index != nil && q.Index == k.index.Name)
	})
}

// judgeCurve weighs each attribute, and prices the curve without those that don't belong.
func (s *study) judgeCurve(k namedKey, p design.Part, at int, group []*query) []report.Finding {
	weights := s.members("", group)
	var keep []*column
	var bad []member
	for _, name := range p.Attributes() {
		i := slices.IndexFunc(weights, func(m member) bool { return m.column.name == name })
		m := member{column: s.columns[name]}
		if i >= 0 {
			m = weights[i]
		}
		if m.bound >= boundOften && m.excludes >= excludesMin {
			keep = append(keep, m.column)
		} else {
			bad = append(bad, m)
		}
	}
	var findings []report.Finding
	for _, m := range bad {
		f := report.Finding{Severity: report.Warning, Rule: "curve-member", Subject: k.subject}
		f.Evidence = []report.Figure{{Name: "bound in", Value: m.bound, Unit: "%"},
			{Name: "its bounds exclude", Value: m.excludes, Unit: "%"}}
		switch {
		case m.bound == 0:
			f.Problem = fmt.Sprintf("No query binds %s, yet it takes bits of the curve from the others.", m.column.name)
		case m.excludes < excludesMin:
			f.Problem = fmt.Sprintf("The bounds on %s exclude %.0f %% of the items on average: the curve gains next to nothing by it.", m.column.name, 100*m.excludes)
		case m.bound < boundOften:
			f.Problem = fmt.Sprintf("%s is unbound in %.0f %% of the queries, which then read along all of its values.",
				m.column.name, 100*(1-m.bound))
			if m.bound >= boundMin {
				f.Severity = report.Advice
			}
		}
		f.Remedy = fmt.Sprintf("Leave %s out of the curve; the queries go on checking it on what they read.",
			m.column.name)
		findings = append(findings, f)
	}
	if len(findings) > 0 && len(keep) > 0 && len(keep) < len(p.Attributes()) {
		s.recut(&findings[0], k, at, keep, group)
	}
	return findings
}

// recut adds the index without the attributes that don't belong to the first finding, with the costs of both.
func (s *study) recut(f *report.Finding, k namedKey, at int, keep []*column, group []*query) {
	key := design.Key{spellCurve(keep, nil)}
	if at == 1 {
		key = design.Key{k.parts[0].Name, key[0]}
	}
	next := s.indexPath(&design.Index{Name: "new", Key: key, Nulls: s.Table.SQL, Projection: keysOnly})
	f.Before, f.After = &report.Cost{}, &report.Cost{}
	for _, q := range group {
		p := s.priceOf(q, &next)
		f.Before.Reads += q.Rate * q.price.entries
		f.After.Reads += q.Rate * p.entries
		f.Patterns = append(f.Patterns, report.PatternCost{Name: q.Name, Rate: q.Rate, Before: q.price.entries,
			After: p.entries})
	}
	if f.After.Reads > f.Before.Reads {
		f.Severity = report.Advice
		f.Before, f.After, f.Patterns = nil, nil, nil
		return
	}
	f.Remedy += fmt.Sprintf(" The new index has %s.", key[at])
	s.makeIndex(f, s.createIndex(s.indexName(&candidate{key: key, curve: true}), key), false, k.replaceable())
}
