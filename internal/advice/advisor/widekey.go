// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/advice/advisor/valueformat"
)

const (
	partitionBytesMax = 2048 // DynamoDB's limit for a partition key
	sortBytesMax      = 1024 // DynamoDB's limit for a sort key
	wideBytes         = 100
	documentShare     = 0.5
)

// wideKeys warns of long values in keys, and of documents there. Every index entry repeats the table's key as well.
func wideKeys(s *study) []report.Finding {
	if s.madeUp {
		return nil
	}
	var findings []report.Finding
	for _, k := range s.keys() {
		for i, p := range k.parts {
			if p.Function == "zorder" || strings.HasPrefix(p.Function, "hash") {
				continue
			}
			for _, name := range p.Attributes() {
				if f, ok := s.wideKey(k, s.columns[name], i); ok {
					findings = append(findings, f)
				}
			}
		}
	}
	return findings
}

func (s *study) wideKey(k namedKey, c *column, position int) (f report.Finding, ok bool) {
	limit := sortBytesMax
	if position == 0 {
		limit = partitionBytesMax
	}
	mean, most := c.bytes()
	document := c.share(func(v design.Value) bool { return valueformat.Document(v.Text) != "" })
	f = report.Finding{Rule: "wide-key", Subject: k.subject, Severity: report.Advice}
	f.Evidence = []report.Figure{{Name: "mean", Value: mean, Unit: "bytes"},
		{Name: "longest in the sample", Value: float64(most), Unit: "bytes"}}
	f.Remedy = "Use a short identifier or a hash of it as the key, and keep the text in another attribute."
	copies := 1 + float64(len(s.Table.Indexes))
	if k.index != nil {
		copies = 1
	}
	f.Before, f.After = &report.Cost{Bytes: mean * k.entries * copies}, &report.Cost{Bytes: 16 * k.entries * copies}
	switch {
	case document > documentShare && c.kind == "S":
		f.Severity = report.Warning
		f.Problem = fmt.Sprintf("%s is a key and holds %s.", c.name, valueformat.Document(c.sorted[c.seen/2].Text))
	case most > limit*9/10:
		f.Severity = report.Critical
		f.Problem = fmt.Sprintf("%s has keys of up to %d bytes; longer than %d are refused.", c.name, most, limit)
	case mean > wideBytes:
		f.Problem = fmt.Sprintf("%s is a wide key: every entry of the table and of each index holds it.", c.name)
	default:
		return f, false
	}
	return f, true
}
