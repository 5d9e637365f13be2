// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"

	"github.com/weftdb/weft/internal/advice/advisor/report"
)

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
