// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/advisor/report"
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

// redundantIndexes advises to drop an index whose key another one begins with.
func redundantIndexes(s *study) []Finding {
	var findings []Finding
	keys := s.keys()
	for _, k := range keys[1:] {
		if s.Complete && !s.used(k.index.Name) {
			continue // said already
		}
		for _, other := range keys[1:] {
			if other.index.Name == k.index.Name || !covers(s, other, k) {
				continue
			}
			f := Finding{Severity: Advice, Rule: "redundant-index", Subject: k.subject, After: &Cost{}}
			f.Problem = fmt.Sprintf("The index %s begins with the same key (%s), so it serves the same queries.", other.index.Name, other.index.Key)
			f.Remedy = fmt.Sprintf("Drop it and name %s in the queries.", other.index.Name)
			s.drop(&f, k)
			findings = append(findings, f)
			break
		}
	}
	return findings
}

// covers says whether every query on k could use other: its key begins with k's and it holds all that k holds. Of two equal ones the
// first covers the second.
func covers(s *study, other, k keyed) bool {
	if len(other.index.Key) < len(k.index.Key) || !slices.Equal(other.index.Key[:len(k.index.Key)], k.index.Key) {
		return false
	}
	if other.index.Projection != "" && other.index.Projection != "ALL" && other.index.Projection != k.index.Projection {
		return false
	}
	if len(s.optional(other.index.Key)) > len(s.optional(k.index.Key)) {
		return false
	}
	return len(other.index.Key) > len(k.index.Key) || other.index.Name < k.index.Name
}

// manyIndexes advises on the number of indexes: what they cost together for each write.
func manyIndexes(s *study) []Finding {
	if len(s.Table.Indexes) <= indexesMany {
		return nil
	}
	f := Finding{Severity: Advice, Rule: "many-indexes", Subject: "table " + s.Table.Name, Before: &Cost{}}
	entries := 0.0
	for _, k := range s.keys()[1:] {
		c := s.cost(k)
		f.Before.Writes += c.Writes
		f.Before.Bytes += c.Bytes
		entries += k.entries / s.items
	}
	f.Problem = fmt.Sprintf("The table has %d indexes: each item written takes %s index entries.", len(s.Table.Indexes), report.Amount(entries))
	f.Remedy = "Drop what is seldom used; one Z-order index often replaces several, and sparse ones cost little."
	f.Evidence = []Figure{{Name: "indexes", Value: float64(len(s.Table.Indexes))}, {Name: "index entries per item", Value: entries}}
	return []Finding{f}
}
