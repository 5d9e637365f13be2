// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// sample is a report with everything in it.
func sample() *Report {
	return &Report{Table: "orders", Served: 1, Patterns: 3, Findings: []Finding{
		{
			Severity: Critical, Rule: "large-item", Subject: "table orders", Problem: "It is <large>.",
			Remedy: "Split it.",
			Evidence: []Figure{{Name: "größtes item", Value: 409600, Unit: "bytes"},
				{Name: "share", Value: 0.12345, Unit: "%"}, {Name: "left out", Text: "a, b"},
				{Name: "rate", Value: 1234.5, Unit: "/s"}},
		},
		{
			Severity: Warning, Rule: "ordered-index", Subject: "new index by-a",
			Problem: strings.Repeat("Long words wrap at a hundred characters. ", 5), Remedy: "Make it.",
			Before: &Cost{Reads: 1e6}, After: &Cost{Reads: 12.34, Writes: 0.126, Bytes: 5e9},
			Patterns: []PatternCost{{Name: "one", Rate: 1, Before: 1e6, After: 12.34},
				{Name: "another one", Rate: 2, Before: 100, After: 1}},
			Statements: []Statement{{Operation: "UpdateTable",
				Input: json.RawMessage("{\n  \"TableName\": \"orders\"\n}")}, {SQL: "DROP INDEX by_b ON orders;"}},
		},
		{Severity: Advice, Rule: "many-indexes", Subject: "table orders", Problem: "Many.", Remedy: "Fewer.",
			Before: &Cost{Writes: 510}},
	}}
}

// TestData prints the sample report, as text, with its requests, or as JSON; screen prints as many findings as fit one;
// amount and size print the numbers of each line.
func TestData(t *testing.T) {
	datadriven.RunTest(t, "testdata/print", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "text":
			return sample().Text(TextOptions{All: true, Statements: d.HasArg("requests")})
		case "screen": // n findings, some of them alike
			r, n := &Report{Table: "orders", Patterns: 40}, 0
			d.ScanArgs(t, "n", &n)
			for len(r.Findings) < n {
				r.Findings = append(r.Findings, sample().Findings...)
			}
			r.Findings = r.Findings[:n]
			return r.Text(TextOptions{}) + r.Line() + "\n"
		case "json":
			return string(sample().JSON())
		case "numbers":
			var b strings.Builder
			for _, line := range strings.Split(d.Input, "\n") {
				var n float64
				if err := json.Unmarshal([]byte(line), &n); err != nil {
					return err.Error()
				}
				b.WriteString(Amount(n) + "   " + Size(n) + "\n")
			}
			return b.String()
		}
		t.Fatalf("unknown command %s", d.Cmd)
		return ""
	})
}
