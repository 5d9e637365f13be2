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

const itemBytesMax = 400 * 1024 // DynamoDB's limit

// largeItems warns of items near the limit.
func largeItems(s *study) []report.Finding {
	most, name := s.Sizes.Max, ""
	biggest := 0
	for _, row := range s.Sample {
		most = max(most, float64(row.Bytes()))
		for _, f := range row {
			if f.Value.Bytes > biggest {
				biggest, name = f.Value.Bytes, f.Name
			}
		}
	}
	if most < 0.75*itemBytesMax {
		return nil
	}
	f := report.Finding{Severity: report.Warning, Rule: "large-item", Subject: "table " + s.Table.Name}
	if most >= 0.95*itemBytesMax {
		f.Severity = report.Critical
	}
	f.Problem = fmt.Sprintf("The largest item has %s of the %s that an item may have; larger ones are refused.",
		report.Size(most), report.Size(itemBytesMax))
	f.Remedy = "Split what grows into items of its own under the same partition key, and keep large contents elsewhere."
	f.Evidence = []report.Figure{{Name: "largest item", Value: most, Unit: "bytes"},
		{Name: "mean item", Value: s.itemSize, Unit: "bytes"}}
	if biggest > 1024 {
		f.Evidence = append(f.Evidence, report.Figure{Name: "largest attribute: " + name, Value: float64(biggest),
			Unit: "bytes"})
	}
	return []report.Finding{f}
}
