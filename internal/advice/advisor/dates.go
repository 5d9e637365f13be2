// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/advice/advisor/valueformat"
)

// mixedDates warns of dates in key attributes that are written in several forms: their order as texts is not that of
// the days.
func mixedDates(s *study) []report.Finding {
	if s.madeUp {
		return nil
	}
	var findings []report.Finding
	for _, k := range s.keys() {
		for _, p := range k.parts {
			for _, a := range p.Args {
				c := s.columns[a.Attribute]
				if c == nil || c.kind != "S" || strings.HasPrefix(a.Encoding, "iso8601") {
					continue
				}
				if f, ok := mixedDate(k, c); ok {
					findings = append(findings, f)
				}
			}
		}
	}
	return findings
}

func mixedDate(k namedKey, c *column) (f report.Finding, ok bool) {
	forms := map[string]float64{}
	dates := 0.0
	for _, v := range c.sorted {
		if name := valueformat.Date(v.Text); name != "" {
			forms[name]++
			dates++
		}
	}
	if len(forms) < 2 || dates < growsShare*float64(c.seen) {
		return f, false
	}
	f = report.Finding{Severity: report.Warning, Rule: "mixed-dates", Subject: k.subject}
	f.Problem = fmt.Sprintf("%s holds dates in %d forms, so ranges of it miss or add days.", c.name, len(forms))
	f.Remedy = "Write all dates in one form and one precision; on a Z-order index declare the attribute iso8601, which reads every form."
	for _, name := range sortedKeys(forms) {
		f.Evidence = append(f.Evidence, report.Figure{Name: name, Value: forms[name] / float64(c.seen), Unit: "%"})
	}
	return f, true
}
