// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// redundantIndexes advises to drop an index whose key another one begins with.
func redundantIndexes(s *study) []report.Finding {
	var findings []report.Finding
	keys := s.keys()
	for _, k := range keys[1:] {
		if s.Complete && !s.used(k.index.Name) {
			continue // said already
		}
		for _, other := range keys[1:] {
			if other.index.Name == k.index.Name || !covers(s, other, k) {
				continue
			}
			f := report.Finding{Severity: report.Advice, Rule: "redundant-index", Subject: k.subject,
				After: &report.Cost{}}
			f.Problem = fmt.Sprintf("The index %s begins with the same key (%s), so it serves the same queries.",
				other.index.Name, other.index.Key)
			f.Remedy = fmt.Sprintf("Drop it and name %s in the queries.", other.index.Name)
			s.drop(&f, k)
			findings = append(findings, f)
			break
		}
	}
	return findings
}

// covers reports whether every query on k could use other: its key begins with k's and it holds all that k holds. Of
// two equal ones the first covers the second.
func covers(s *study, other, k namedKey) bool {
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
func manyIndexes(s *study) []report.Finding {
	if len(s.Table.Indexes) <= indexesMany {
		return nil
	}
	f := report.Finding{Severity: report.Advice, Rule: "many-indexes", Subject: "table " + s.Table.Name,
		Before: &report.Cost{}}
	entries := 0.0
	for _, k := range s.keys()[1:] {
		c := s.cost(k)
		f.Before.Writes += c.Writes
		f.Before.Bytes += c.Bytes
		entries += k.entries / s.items
	}
	f.Problem = fmt.Sprintf("The table has %d indexes: each item written takes %s index entries.", len(s.Table.Indexes),
		report.Amount(entries))
	f.Remedy = "Drop what is seldom used; one Z-order index often replaces several, and sparse ones cost little."
	f.Evidence = []report.Figure{{Name: "indexes", Value: float64(len(s.Table.Indexes))},
		{Name: "index entries per item", Value: entries}}
	return []report.Finding{f}
}
