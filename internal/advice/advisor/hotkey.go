// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"math"

	"github.com/weftdb/weft/internal/advice/advisor/report"
)

const (
	hotShare = 0.1 // share of all requests that one key may take
	hotRate  = 100 // requests per second below which no key is hot
	keyRate  = 500 // requests per second that one key is trusted with
)

// hotKeys warns of single values of a partition key that take a large part of the load.
func hotKeys(s *study) []report.Finding {
	sums := map[string]float64{}
	for _, h := range s.Heat {
		sums[h.Index] += h.Rate
	}
	var findings []report.Finding
	for _, h := range s.Heat {
		total := math.Max(h.Total, sums[h.Index])
		if h.Rate < hotRate || h.Rate < hotShare*total {
			continue
		}
		shards := int(math.Max(2, math.Ceil(h.Rate/keyRate)))
		f := report.Finding{Severity: report.Warning, Rule: "hot-key", Subject: "table " + s.Table.Name}
		if h.Index != "" {
			f.Subject = "index " + h.Index
		}
		f.Problem = fmt.Sprintf("The key %q takes %.0f %% of the requests.", h.Key, 100*h.Rate/total)
		f.Remedy = fmt.Sprintf("Spread it over %d keys with a number behind it (%s-1 to %s-%d): writers choose one, readers ask all.", shards, h.Key, h.Key, shards)
		f.Evidence = []report.Figure{{Name: "requests for the key", Value: h.Rate, Unit: "/s"},
			{Name: "requests in all", Value: total, Unit: "/s"}}
		findings = append(findings, f)
	}
	return findings
}
