// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Worst is the severity of the worst finding, 0 if there is none.
func (r *Report) Worst() Severity {
	if len(r.Findings) == 0 {
		return 0
	}
	return r.Findings[0].Severity
}

// AllJSON is a JSON array of reports, indented by two spaces, with a line feed at its end.
func AllJSON(reports []*Report) []byte {
	if reports == nil {
		reports = []*Report{}
	}
	return encode(reports)
}

// JSON is the report as a JSON document, indented by two spaces, with a line feed at its end.
func (r *Report) JSON() []byte { return encode(r) }

func encode(v any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil { // plain data: only a number that is none can fail, and Parse lets none in
		return []byte("{}\n")
	}
	return b.Bytes()
}

// TextOptions say what Text prints. The zero value prints about a screen.
type TextOptions struct {
	All        bool // every finding in full
	Statements bool // the requests behind each finding that is printed in full
}

// A screen has linesMax lines; of the findings that don't fit, namesMax are named.
const (
	linesMax = 45
	namesMax = 8
)

// Text is the report for people: a heading and a few aligned lines for each finding. Those beyond a screen are only
// named, unless all are wanted.
func (r *Report) Text(o TextOptions) string {
	var b strings.Builder
	b.WriteString(r.heading() + "\n")
	r.printUnserved(&b)
	lines, shown := 1+len(r.Unserved), 0
	for i := range r.Findings {
		var one strings.Builder
		r.Findings[i].print(&one, false)
		lines += 1 + strings.Count(one.String(), "\n")
		left := min(len(r.Findings)-i-1, namesMax+1)
		if !o.All && i > 0 && lines+left+2 > linesMax {
			break
		}
		shown++
		b.WriteString("\n")
		r.Findings[i].print(&b, o.Statements)
	}
	r.printRest(&b, shown)
	return b.String()
}

// heading counts the findings and the patterns.
func (r *Report) heading() string {
	text := fmt.Sprintf("%s: %s", r.Table, Count(float64(len(r.Findings)), "finding", "findings"))
	if r.Patterns > 0 {
		text += fmt.Sprintf(", %d of %s served well", r.Served, Count(float64(r.Patterns), "pattern", "patterns"))
	}
	return text
}

// printUnserved explains patterns that are not served well, though there is no finding about them.
func (r *Report) printUnserved(b *strings.Builder) {
	for _, p := range r.Unserved {
		wrap(b, fmt.Sprintf("%q reads %s per query and has use for %s; no index is known that would be worth its writes.", p.Name, Count(p.Before, "entry", "entries"), Amount(p.After)))
	}
}

// Line is the report in one line: the counts, and the subject of the worst finding.
func (r *Report) Line() string {
	if len(r.Findings) == 0 {
		return r.heading()
	}
	worst := &r.Findings[0]
	return fmt.Sprintf("%s; first: %s %s (%s)", r.heading(), worst.Severity, worst.Rule, worst.Subject)
}

// printRest names the findings that were not printed.
func (r *Report) printRest(b *strings.Builder, shown int) {
	rest := r.Findings[shown:]
	if len(rest) == 0 {
		return
	}
	b.WriteString("\n")
	for i := range rest[:min(len(rest), namesMax)] {
		fmt.Fprintf(b, "%s  %s  %s\n", strings.ToUpper(rest[i].Severity.String()), rest[i].Rule, rest[i].Subject)
	}
	if more := len(rest) - namesMax; more > 0 {
		fmt.Fprintf(b, "and %d more\n", more)
	}
	b.WriteString("--all prints every finding in full.\n")
}

func (f *Finding) print(b *strings.Builder, statements bool) {
	fmt.Fprintf(b, "%s  %s  %s\n", strings.ToUpper(f.Severity.String()), f.Rule, f.Subject)
	wrap(b, f.Problem)
	wrap(b, f.Remedy)
	f.printCosts(b)
	width := 0
	for _, e := range f.Evidence {
		if e.Text == "" {
			width = max(width, len([]rune(e.Name)))
		}
	}
	for _, e := range f.Evidence {
		if e.Text != "" {
			wrap(b, e.Name+": "+e.Text)
			continue
		}
		fmt.Fprintf(b, "  %s%s  %s\n", e.Name, strings.Repeat(" ", width-len([]rune(e.Name))), e.text())
	}
	if statements {
		for _, s := range f.Statements {
			if s.SQL != "" {
				fmt.Fprintln(b, s.SQL)
				continue
			}
			fmt.Fprintf(b, "aws dynamodb %s --cli-input-json \"$(cat <<'END'\n%s\nEND\n)\"\n", dashed(s.Operation),
				s.Input)
		}
	}
}

// printCosts prints the costs, then the patterns, as tables of before and after.
func (f *Finding) printCosts(b *strings.Builder) {
	var lines [][]string
	if f.Before != nil || f.After != nil {
		before, after := cmp.Or(f.Before, &Cost{}), f.After
		row := func(name string, get func(*Cost) float64, format func(float64) string) {
			next := "?"
			if after != nil {
				next = format(get(after))
			}
			if get(before) != 0 || after != nil && get(after) != 0 {
				lines = append(lines, []string{name, format(get(before)), "->", next})
			}
		}
		row("reads, entries/s", func(c *Cost) float64 { return c.Reads }, Amount)
		row("writes, entries/s", func(c *Cost) float64 { return c.Writes }, Amount)
		row("bytes", func(c *Cost) float64 { return c.Bytes }, Size)
	}
	const patternsMax = 10
	for i, p := range f.Patterns {
		if i == patternsMax {
			lines = append(lines, []string{fmt.Sprintf("and %d more", len(f.Patterns)-i), "", "", ""})
			break
		}
		lines = append(lines, []string{p.Name + ", entries/query", Amount(p.Before), "->", Amount(p.After)})
	}
	align(b, lines)
}

// align prints a table: the first column to the left, the others to the right.
func align(b *strings.Builder, lines [][]string) {
	var widths [4]int
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, line := range lines {
		text := ""
		for i, cell := range line {
			gap := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if i == 0 {
				text += cell + gap
			} else {
				text += "  " + gap + cell
			}
		}
		b.WriteString("  " + strings.TrimRight(text, " ") + "\n")
	}
}

// wrap prints a sentence in lines of at most 100 characters, indented.
func wrap(b *strings.Builder, text string) {
	const lineMax = 100
	line := " "
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > lineMax && line != " " {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + word
	}
	if line != " " {
		b.WriteString(line + "\n")
	}
}

// text prints a figure.
func (e Figure) text() string {
	switch e.Unit {
	case "%":
		return strconv.FormatFloat(math.Round(1000*e.Value)/10, 'f', -1, 64) + " %"
	case "bytes":
		return Size(e.Value)
	case "":
		return Amount(e.Value)
	}
	if strings.HasPrefix(e.Unit, "/") {
		return Amount(e.Value) + e.Unit
	}
	return Amount(e.Value) + " " + e.Unit
}

// Amount prints a number with three digits that count, and commas.
func Amount(n float64) string {
	if n > 0 && n < 100 {
		digits := 1
		if n < 1 {
			digits = 2
		}
		scale := math.Pow(10, float64(digits))
		return strconv.FormatFloat(math.Round(n*scale)/scale, 'f', -1, 64)
	}
	scale := math.Pow(10, math.Max(0, math.Floor(math.Log10(math.Max(1, math.Abs(n))))-2))
	text := strconv.FormatFloat(math.Round(n/scale)*scale, 'f', 0, 64)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Size prints bytes in a unit that suits.
func Size(n float64) string {
	units := []string{"B", "KB", "MB", "GB", "TB", "PB"}
	at := 0
	for n >= 1024 && at < len(units)-1 {
		n /= 1024
		at++
	}
	return Amount(n) + " " + units[at]
}

// Count prints a number with the word for one or for many.
func Count(n float64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Amount(n) + " " + many
}

// dashed turns UpdateTable into update-table.
func dashed(operation string) string {
	return strings.ToLower(strings.Replace(operation, "Table", "-Table", 1))
}
