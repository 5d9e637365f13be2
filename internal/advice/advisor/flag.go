// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"slices"
	"strings"
)

const (
	flagValuesMax = 4    // an attribute with more values is no flag
	flagShare     = 0.8  // share of the entries with the value that nobody looks for
	flagPresent   = 0.95 // share of the items that have the flag, from which the index is not sparse
)

// unset are the words by which a flag says no. immutable
var unset = []string{"", "0", "-", "f", "n", "no", "off", "none", "null", "false", "inactive", "closed", "done"}

// flagValues warns of an index on a flag that most items have set to no: left out of those items, the flag makes the
// index sparse.
func flagValues(s *study) []report.Finding {
	var findings []report.Finding
	for i, k := range s.keys()[1:] {
		for _, p := range k.parts {
			if p.Function != "" {
				continue
			}
			if c := s.columns[p.Name]; s.isFlag(c, i+1) {
				findings = append(findings, s.flagValue(k, c))
			}
		}
	}
	return findings
}

// isFlag reports whether an attribute in the key of an index is a flag that most items have set to no.
func (s *study) isFlag(c *column, path int) bool {
	no, share := c.top()
	return !s.madeUp && path > 0 && c.distinct <= flagValuesMax && c.distinct >= 2 && c.present >= flagPresent &&
		share >= flagShare && s.saysNo(c, no, path)
}

// saysNo reports whether nobody looks for the value through the index: a word for no that no query asks for, or, where
// values are known, not the one asked for.
func (s *study) saysNo(c *column, v design.Value, path int) bool {
	for _, q := range s.shapes {
		if b, ok := q.bound(c.name); ok && q.best == path && b.Low.Type != "" && b.Operator == design.Equal &&
			b.Low.Compare(v) == 0 {
			return false
		}
	}
	return slices.Contains(unset, strings.ToLower(v.Text))
}

func (s *study) flagValue(k namedKey, c *column) report.Finding {
	no, share := c.top()
	f := report.Finding{Severity: report.Warning, Rule: "flag-value", Subject: k.subject}
	f.Problem = fmt.Sprintf("%.0f %% of the entries have %s = %s: the index repeats nearly the whole table to find the others.", 100*share, c.name, no)
	f.Remedy = fmt.Sprintf("Remove the attribute %s from an item instead of setting it to %s: items without it are not in the index.", c.name, no)
	f.Evidence = []report.Figure{{Name: "entries with " + c.name + " = " + no.String(), Value: share, Unit: "%"},
		{Name: "entries", Value: k.entries}}
	before := s.cost(k)
	f.Before, f.After = &before, &report.Cost{Writes: before.Writes * (1 - share), Bytes: before.Bytes * (1 - share)}
	return f
}
