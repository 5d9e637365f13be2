// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"

	"github.com/weftdb/weft/internal/advice/advisor/report"
)

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
