// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"slices"
)

// indexesMany is how many secondary indexes are a lot: each write is repeated in each of them.
const indexesMany = 5

// cost is what an index costs: its writes and its bytes.
func (s *study) cost(k keyed) Cost {
	c := Cost{Writes: s.writes(k), Bytes: k.index.Bytes}
	if c.Bytes == 0 {
		c.Bytes = k.entries * s.entryBytes(k.index.Projection)
	}
	return c
}

// used says whether any query goes through the index, or should.
func (s *study) used(name string) bool {
	return slices.ContainsFunc(s.shapes, func(q *query) bool {
		return s.paths[q.best].index == name || s.paths[q.offerAt].index == name
	})
}

// unusedIndexes warns of indexes that no query uses, if the design says that it lists them all.
func unusedIndexes(s *study) []Finding {
	if !s.Complete {
		return nil
	}
	var findings []Finding
	for _, k := range s.keys()[1:] {
		if s.used(k.index.Name) {
			continue
		}
		f := Finding{Severity: Warning, Rule: "unused-index", Subject: k.subject, After: &Cost{}}
		f.Problem = "No query uses the index, and every write pays for it."
		f.Remedy = "Drop it."
		s.drop(&f, k)
		findings = append(findings, f)
	}
	return findings
}

// drop fills in the cost of an index and the request that drops it.
func (s *study) drop(f *Finding, k keyed) {
	c := s.cost(k)
	f.Before = &c
	f.Evidence = append(f.Evidence, Figure{Name: "entries", Value: k.entries})
	if k.index.Local {
		f.Remedy = "It is local and can't be dropped by itself: leave it out when the table is next made."
		return
	}
	f.Statements = []Statement{s.dropIndex(k.index.Name)}
}
