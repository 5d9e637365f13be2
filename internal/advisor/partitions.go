// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"math"

	"github.com/weftdb/weft/internal/advisor/design"
	"github.com/weftdb/weft/internal/advisor/report"
)

const (
	partitionsMin = 20   // fewer values than this make few partitions
	crowded       = 1000 // entries per partition from which that matters
	lopsided      = 0.3  // share of one value
)

// fewPartitions warns of partition keys with few values, or with one that most entries have: their entries can't be spread.
func fewPartitions(s *study) []Finding {
	var findings []Finding
	for _, k := range s.keys() {
		p := k.parts[0]
		if p.Function != "" && p.Function != "desc" && p.Function != "reverse" {
			continue
		}
		c := s.columns[p.Attributes()[0]]
		top, share := c.top()
		each := k.entries / c.distinct
		if c.assumed || each < crowded || c.distinct > partitionsMin && (share < lopsided || k.entries*share < crowded) {
			continue
		}
		f := Finding{Severity: Advice, Rule: "few-partitions", Subject: k.subject}
		if s.writes(k) >= busyWrites {
			f.Severity = Warning
		}
		f.Problem = fmt.Sprintf("The partition key %s has only %s.", c.name, report.Count(c.distinct, "value", "values"))
		f.Evidence = []Figure{{Name: "different values", Value: c.distinct}, {Name: "entries per value", Value: each}}
		if top.Type != "" {
			f.Evidence = append(f.Evidence, Figure{Name: "entries with " + top.String(), Value: share, Unit: "%"})
			if c.distinct > partitionsMin {
				f.Problem = fmt.Sprintf("%.0f %% of the entries have the same value of the partition key %s.", 100*share, c.name)
			}
		}
		s.spread(&f, k, c)
		findings = append(findings, f)
	}
	return findings
}

// spread proposes to join the attribute that queries bind along with the partition key most often.
func (s *study) spread(f *Finding, k keyed, c *column) {
	f.Remedy = fmt.Sprintf("Join an attribute of many values to it, or a shard number that writers choose and readers ask in parallel: concat(%s,'#',shard).", design.Spell(c.name))
	partner := s.partner(k, c)
	if partner == "" {
		return
	}
	key := Key{design.Concat(separator, c.name, partner)}
	for _, p := range k.parts[1:] {
		if p.Name != partner {
			key = append(key, p.Name)
		}
	}
	f.Remedy = fmt.Sprintf("Queries give %s as well: make the partition key %s.", partner, key[0])
	if k.index == nil {
		f.Statements = []Statement{s.createTable(key, s.Table.Hashed)}
		return
	}
	name := s.indexName(&candidate{key: key})
	f.Statements = []Statement{s.createIndex(name, key)}
	if !k.index.Local {
		f.Statements = append(f.Statements, s.dropIndex(k.index.Name))
	}
}

// partner finds another attribute that all queries on the key give exactly, with more values.
func (s *study) partner(k keyed, c *column) string {
	total := 0.0
	exact := map[string]float64{}
	for _, q := range s.shapes {
		if !q.equal(c.name) || k.index != nil && s.paths[q.best].index != k.index.Name {
			continue
		}
		total += q.Rate
		for _, b := range q.Bounds {
			if b.Operator == Equal && b.Attribute != c.name && s.keyable(b.Attribute) && s.columns[b.Attribute].distinct > c.distinct {
				exact[b.Attribute] += q.Rate
			}
		}
	}
	best, most := "", 0.0
	for _, name := range sortedKeys(exact) {
		if exact[name] >= 0.999*total && s.columns[name].distinct > most && s.columns[name].present >= 1 {
			best, most = name, s.columns[name].distinct
		}
	}
	return best
}

const (
	hotShare = 0.1 // share of all requests that one key may take
	hotRate  = 100 // requests per second below which no key is hot
	keyRate  = 500 // requests per second that one key is trusted with
)

// hotKeys warns of single values of a partition key that take a large part of the load.
func hotKeys(s *study) []Finding {
	sums := map[string]float64{}
	for _, h := range s.Heat {
		sums[h.Index] += h.Rate
	}
	var findings []Finding
	for _, h := range s.Heat {
		total := math.Max(h.Total, sums[h.Index])
		if h.Rate < hotRate || h.Rate < hotShare*total {
			continue
		}
		shards := int(math.Max(2, math.Ceil(h.Rate/keyRate)))
		f := Finding{Severity: Warning, Rule: "hot-key", Subject: "table " + s.Table.Name}
		if h.Index != "" {
			f.Subject = "index " + h.Index
		}
		f.Problem = fmt.Sprintf("The key %q takes %.0f %% of the requests.", h.Key, 100*h.Rate/total)
		f.Remedy = fmt.Sprintf("Spread it over %d keys with a number behind it (%s-1 to %s-%d): writers choose one, readers ask all.", shards, h.Key, h.Key, shards)
		f.Evidence = []Figure{{Name: "requests for the key", Value: h.Rate, Unit: "/s"}, {Name: "requests in all", Value: total, Unit: "/s"}}
		findings = append(findings, f)
	}
	return findings
}
