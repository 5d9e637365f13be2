// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
)

const (
	partitionsMin = 20   // fewer values than this make few partitions
	crowded       = 1000 // entries per partition from which that matters
	lopsided      = 0.3  // share of one value
)

// fewPartitions warns of partition keys with few values, or with one that most entries have: their entries can't be
// spread.
func fewPartitions(s *study) []report.Finding {
	var findings []report.Finding
	for i, k := range s.keys() {
		p := k.parts[0]
		if p.Function != "" && p.Function != "desc" && p.Function != "reverse" {
			continue
		}
		c := s.columns[p.Attributes()[0]]
		top, share := c.top()
		each := k.entries / c.distinct
		if c.assumed || s.isFlag(c, i) || each < crowded ||
			c.distinct > partitionsMin && (share < lopsided || k.entries*share < crowded) {
			continue
		}
		f := report.Finding{Severity: report.Advice, Rule: "few-partitions", Subject: k.subject}
		if s.writes(k) >= busyWrites {
			f.Severity = report.Warning
		}
		f.Problem = fmt.Sprintf("The partition key %s has only %s.", c.name,
			report.Count(c.distinct, "value", "values"))
		f.Evidence = []report.Figure{{Name: "different values", Value: c.distinct},
			{Name: "entries per value", Value: each}}
		if top.Type != "" {
			f.Evidence = append(f.Evidence,
				report.Figure{Name: "entries with " + top.String(), Value: share, Unit: "%"})
			if c.distinct > partitionsMin {
				f.Problem = fmt.Sprintf("%.0f %% of the entries have the same value of the partition key %s.",
					100*share, c.name)
			}
		}
		s.spread(&f, k, c)
		findings = append(findings, f)
	}
	return findings
}

// spread proposes to join the attribute that queries bind along with the partition key most often.
func (s *study) spread(f *report.Finding, k namedKey, c *column) {
	f.Remedy = fmt.Sprintf("Join an attribute of many values to it, or a shard number that writers choose and readers ask in parallel: concat(%s,'#',shard).", design.Spell(c.name))
	partner := s.partner(k, c)
	if s.Table.SQL {
		f.Remedy = "Begin the key with another column, one of many values that queries give exactly."
		if partner != "" {
			f.Remedy = fmt.Sprintf("Queries give %s as well: begin the key with it.", partner)
		}
		return
	}
	if partner == "" {
		return
	}
	key := design.Key{design.Concat(separator, c.name, partner)}
	for _, p := range k.parts[1:] {
		if p.Name != partner {
			key = append(key, p.Name)
		}
	}
	f.Remedy = fmt.Sprintf("Queries give %s as well: make the partition key %s.", partner, key[0])
	if k.index == nil {
		f.Statements = s.createTable(key, s.Table.Hashed)
		return
	}
	name := s.indexName(&candidate{key: key})
	s.makeIndex(f, s.createIndex(name, key), false, k.replaceable())
}

// partner finds another attribute that all queries on the key give exactly, with more values.
func (s *study) partner(k namedKey, c *column) string {
	total := 0.0
	exact := map[string]float64{}
	for _, q := range s.shapes {
		if !q.equal(c.name) || k.index != nil && s.paths[q.best].index != k.index.Name {
			continue
		}
		total += q.Rate
		for _, b := range q.Bounds {
			if b.Operator == design.Equal && b.Attribute != c.name && s.keyable(b.Attribute) &&
				s.columns[b.Attribute].distinct > c.distinct {
				exact[b.Attribute] += q.Rate
			}
		}
	}
	best, most := "", 0.0
	for _, name := range slices.Sorted(maps.Keys(exact)) {
		if exact[name] >= 0.999*total && s.columns[name].distinct > most && s.columns[name].present >= 1 {
			best, most = name, s.columns[name].distinct
		}
	}
	return best
}
