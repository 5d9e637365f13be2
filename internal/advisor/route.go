// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"

	"github.com/weftdb/weft/internal/advisor/report"
)

// betterPaths warns of queries that read through one key though another that is there would read less than half.
func betterPaths(s *study) []Finding {
	var findings []Finding
	for _, q := range s.shapes {
		if q.best == q.offerAt || !q.offer.usable || q.served(q.price) || q.offer.cost()*2 > q.price.cost() {
			continue
		}
		f := Finding{Severity: Warning, Rule: "better-path", Subject: "pattern " + q.Name}
		f.Problem = fmt.Sprintf("%q reads %s entries per query through %s, where %s would read %s.",
			q.Name, report.Amount(q.price.entries), s.nameOf(q.best), s.nameOf(q.offerAt), report.Amount(q.offer.entries))
		f.Remedy = fmt.Sprintf("Send the query to %s.", s.nameOf(q.offerAt))
		f.Evidence = []Figure{{Name: "queries", Value: q.Rate, Unit: "/s"}}
		f.Before, f.After = &Cost{Reads: q.Rate * q.price.entries}, &Cost{Reads: q.Rate * q.offer.entries}
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
