// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/advice/advisor/valueformat"
)

// numberedShare is the share of the values that must end in a number: fewer are names that happen to.
const numberedShare = 0.5

// unpaddedNumbers advises on sort keys such as v_2 and v_10: as texts the second comes first.
func unpaddedNumbers(s *study) []report.Finding {
	if s.madeUp {
		return nil
	}
	var findings []report.Finding
	for _, k := range s.keys() {
		for _, p := range k.parts[1:] {
			if p.Function != "" && p.Function != "desc" {
				continue
			}
			c := s.columns[p.Attributes()[0]]
			numbered := c.share(func(v design.Value) bool { return endsInNumber(v.Text) })
			if small, large, ok := c.unpadded(); ok && numbered >= numberedShare {
				f := report.Finding{Severity: report.Advice, Rule: "unpadded-number", Subject: k.subject}
				f.Problem = fmt.Sprintf("The numbers in %s have different lengths: %s comes before %s.", c.name, large,
					small)
				f.Remedy = "Write the numbers with leading zeros, all as long as the largest one may become, if their order matters."
				f.Evidence = []report.Figure{{Name: "values that end in a number", Value: numbered, Unit: "%"}}
				findings = append(findings, f)
			}
		}
	}
	return findings
}

func endsInNumber(text string) bool {
	_, _, ok := valueformat.Numbered(text)
	return ok
}

// unpadded finds two texts with the same beginning whose numbers are out of order. In the sorted values the larger
// number comes first.
func (c *column) unpadded() (small, large string, ok bool) {
	longer := map[string]string{} // by beginning: the last value seen with its longest number
	if c.kind != "S" {
		return "", "", false
	}
	for _, v := range c.sorted {
		front, _, found := valueformat.Numbered(v.Text)
		if !found {
			continue
		}
		if before := longer[front]; len(before) > len(v.Text) {
			return v.Text, before, true
		}
		longer[front] = v.Text
	}
	return "", "", false
}

// share is the part of the values that pass.
func (c *column) share(pass func(design.Value) bool) float64 {
	n := 0
	for _, v := range c.sorted {
		if pass(v) {
			n++
		}
	}
	return float64(n) / float64(max(1, c.seen))
}
