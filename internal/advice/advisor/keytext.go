// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/internal/advice/advisor/report"
	"github.com/weftdb/weft/internal/advice/advisor/valueformat"
)

const (
	prefixBytesMin = 4   // shorter common beginnings are not worth a word
	prefixShare    = 0.8 // share of the values that must have it
)

// sharedPrefixes warns of texts in keys that nearly all begin alike, as web addresses do. On a Z-order index that takes
// the first bytes of a text they make all codes equal; in other keys they cost space.
func sharedPrefixes(s *study) []report.Finding { return s.keyTexts(sharedPrefix) }

// keyTexts judges each attribute of a key that holds texts, as an argument of a part of the key.
func (s *study) keyTexts(judge func(namedKey, design.Part, design.Argument, *column) (report.Finding, bool)) (
	findings []report.Finding) {
	if s.madeUp {
		return nil
	}
	for _, k := range s.keys() {
		for _, p := range k.parts {
			for _, a := range p.Args {
				c := s.columns[a.Attribute]
				if c == nil || c.kind != "S" {
					continue
				}
				if f, ok := judge(k, p, a, c); ok {
					findings = append(findings, f)
				}
			}
		}
	}
	return findings
}

func sharedPrefix(k namedKey, p design.Part, a design.Argument, c *column) (f report.Finding, ok bool) {
	if c.seen < 10 || c.distinct < 2 {
		return f, false
	}
	prefix, share := c.prefix()
	if len(prefix) < prefixBytesMin || growingText(c) != "" {
		return f, false
	}
	f = report.Finding{Severity: report.Advice, Rule: "shared-prefix", Subject: k.subject}
	f.Problem = fmt.Sprintf("%.0f %% of the values of %s begin with %q.", 100*share, c.name, prefix)
	f.Evidence = []report.Figure{{Name: "values that begin so", Value: share, Unit: "%"},
		{Name: "bytes of it", Value: float64(len(prefix))}}
	switch bytes, cut := codeBytes(a.Encoding); {
	case p.Function == "zorder" && cut:
		codes := c.codes(bytes)
		f.Severity = report.Warning
		f.Problem += fmt.Sprintf(" The curve sees the first %d bytes, so its bounds exclude next to nothing.", bytes)
		f.Remedy = fmt.Sprintf("Declare it as %s text codec=quantile, or store it without the beginning.",
			design.Spell(c.name))
		f.Evidence = append(f.Evidence, report.Figure{Name: "different values in the sample",
			Value: float64(c.codes(1 << 20))},
			report.Figure{Name: "different codes in the sample", Value: float64(codes)})
	case p.Function == "zorder" || len(prefix) < 2*prefixBytesMin:
		return f, false
	default:
		f.Remedy = "Store it without the beginning: every key repeats it."
		f.Before = &report.Cost{Bytes: k.entries * float64(len(prefix))}
		f.After = &report.Cost{}
	}
	return f, true
}

// codeBytes reads how many first bytes of a text an encoding takes; cut is false if it takes them all.
func codeBytes(encoding string) (bytes int, cut bool) {
	if strings.Contains(encoding, "codec=quantile") ||
		!strings.HasPrefix(encoding, "text") && !strings.HasPrefix(encoding, "nfc") &&
			!strings.HasPrefix(encoding, "raw") {
		return 0, false
	}
	open, end := strings.IndexByte(encoding, '['), strings.IndexByte(encoding, ']')
	if open < 0 || end < open {
		return 8, true
	}
	n, err := strconv.Atoi(encoding[open+1 : end])
	return n, err == nil
}

// codes counts the different first n bytes in the sample.
func (c *column) codes(n int) int {
	seen := map[string]bool{}
	for _, v := range c.sorted {
		seen[v.Text[:min(n, len(v.Text))]] = true
	}
	return len(seen)
}

// prefix is the longest beginning that prefixShare of the values have, and the share that has it. The values are
// sorted, so those with a common beginning lie side by side.
func (c *column) prefix() (prefix string, share float64) {
	need := int(prefixShare*float64(c.seen)) + 1
	for i := 0; i+need <= c.seen; i++ {
		a, b := c.sorted[i].Text, c.sorted[i+need-1].Text
		n := 0
		for n < len(a) && n < len(b) && a[n] == b[n] {
			n++
		}
		if n > len(prefix) {
			prefix = a[:n]
		}
	}
	return prefix, c.share(func(v design.Value) bool { return strings.HasPrefix(v.Text, prefix) })
}

// mixedDates warns of dates in key attributes that are written in several forms: their order as texts is not that of
// the days.
func mixedDates(s *study) []report.Finding { return s.keyTexts(mixedDate) }

func mixedDate(k namedKey, _ design.Part, a design.Argument, c *column) (f report.Finding, ok bool) {
	if strings.HasPrefix(a.Encoding, "iso8601") {
		return f, false
	}
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
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		f.Evidence = append(f.Evidence, report.Figure{Name: name, Value: forms[name] / float64(c.seen), Unit: "%"})
	}
	return f, true
}
