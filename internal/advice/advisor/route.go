// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"

	"github.com/weftdb/weft/internal/advice/advisor/report"
)

// betterPaths warns of queries that read through one key though another that is there would read less than half.
func betterPaths(s *study) []report.Finding {
	var badly []*query
	for _, q := range s.shapes {
		if q.best != q.offerAt && q.offer.usable && !q.served(q.price) && q.offer.cost*2 <= q.price.cost {
			badly = append(badly, q)
		}
	}
	var findings []report.Finding
	for _, p := range patternsOf(badly, func(q *query) int { return q.best*len(s.paths) + q.offerAt }) {
		used, better := s.nameOf(p.queries[0].best), s.nameOf(p.queries[0].offerAt)
		before, after := p.used(), p.best()
		f := report.Finding{Severity: report.Warning, Rule: "better-path", Subject: "pattern " + p.name}
		f.Problem = fmt.Sprintf("%q reads %s entries per query through %s, where %s would read %s.", p.name,
			report.Amount(before), used, better, report.Amount(after))
		f.Remedy = fmt.Sprintf("Send the query to %s.", better)
		f.Evidence = []report.Figure{{Name: "queries", Value: p.rate(), Unit: "/s"}}
		f.Before, f.After = &report.Cost{Reads: p.rate() * before}, &report.Cost{Reads: p.rate() * after}
		findings = append(findings, f)
	}
	return findings
}

// nameOf names a path in a sentence.
func (s *study) nameOf(path int) string {
	if s.paths[path].index == "" {
		return "the table"
	}
	return "the index " + s.paths[path].index
}
