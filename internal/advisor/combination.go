// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/advisor/report"
)

// From so many patterns, and attributes in them, one search index is worth its writes.
const (
	combinedPatterns   = 3
	combinedAttributes = 3
)

// combinations recommends a search index for patterns that no ordered index serves and that filter many attributes in different combinations.
func (s *study) combinations(unserved []*pattern) []report.Finding {
	var names, patterns []string
	reads := 0.0
	for _, p := range unserved {
		filters := false
		for _, b := range p.queries[0].Bounds {
			if s.columns[b.Attribute] == nil {
				continue
			}
			filters = true
			if !slices.Contains(names, b.Attribute) {
				names = append(names, b.Attribute)
			}
		}
		if filters {
			patterns = append(patterns, p.name)
			reads += p.rate() * p.best()
		}
	}
	if len(patterns) < combinedPatterns || len(names) < combinedAttributes {
		return nil
	}
	slices.Sort(names)
	f := report.Finding{Severity: report.Advice, Rule: "search-index", Subject: "table " + s.Table.Name}
	f.Problem = fmt.Sprintf("%d patterns filter the attributes %s in different combinations, and no ordered index serves one of them.", len(patterns), strings.Join(names, ", "))
	f.Remedy = fmt.Sprintf("Make one search index of them, which finds items by any combination: CREATE INDEX find USING SEARCH ON %s(%s).", s.Table.Name, strings.Join(names, ", "))
	f.Evidence = []report.Figure{{Name: "patterns", Text: strings.Join(patterns, ", ")}}
	f.Before = &report.Cost{Reads: reads}
	return []report.Finding{f}
}
