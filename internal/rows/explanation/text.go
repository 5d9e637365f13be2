// SPDX-License-Identifier: Apache-2.0

package explanation

import (
	"fmt"
	"strconv"
	"strings"
)

// Add adds the work of a later page of the same Query to the work of the pages before. After the last page the estimate
// can be judged.
func (e *Explanation) Add(page *Actual) {
	if e.Actual == nil || page == nil {
		return
	}
	a := e.Actual
	a.LookedAt += page.LookedAt
	a.Examined += page.Examined
	a.Skipped += page.Skipped
	a.Returned += page.Returned
	a.FalsePositives += page.FalsePositives
	a.Seeks += page.Seeks
	a.Jumps += page.Jumps
	a.Bytes += page.Bytes
	a.ReadBack += page.ReadBack
	a.Dead += page.Dead
	a.Postings += page.Postings
	a.Milliseconds += page.Milliseconds
	for _, s := range page.Stretches {
		a.addStretch(s)
	}
	a.StretchesMore += page.StretchesMore
	a.More, a.LastKey, a.Boundaries, a.QError = page.More, page.LastKey, page.Boundaries, 0
	if !a.More {
		a.QError = QError(e.Path.Estimate.Entries, float64(a.LookedAt))
	}
}

// Text writes the explanation for people, on several lines.
func (e *Explanation) Text() string {
	var t explanationText
	path := &e.Path
	t.line("%s, %s (%s): %s", e.Table, indexWords(path.Index), strings.Join(path.Key, ", "), kindWords(path.Kind))
	for _, one := range path.Properties() {
		t.line("  %-10s%s", one.About, one.Text)
	}
	if e.Reads != "entries" {
		t.line("  then      each item is read back from the table")
	}
	t.line("  estimate  %v, of %d entries", path.Estimate, e.Rows)
	if c := e.Cheaper; c != nil {
		t.line("  cheaper   %s, %s: %v", indexWords(c.Index), kindWords(c.Kind), c.Estimate)
	}
	t.actual(e.Actual)
	return t.String()
}

type explanationText struct{ strings.Builder }

func (t *explanationText) line(format string, arguments ...any) {
	fmt.Fprintf(t, format+"\n", arguments...)
}

func (t *explanationText) actual(a *Actual) {
	if a == nil {
		return
	}
	t.line("  actual    %d entries, %d bytes, %d seeks, %d of these jumps, in %.1f ms", a.LookedAt, a.Bytes, a.Seeks,
		a.Jumps, a.Milliseconds)
	t.line("            %d examined, %d skipped, %d returned, %d false positives, %d items read back", a.Examined,
		a.Skipped, a.Returned, a.FalsePositives,
		a.ReadBack)
	if a.Postings > 0 {
		t.line("            %d entries of the search index", a.Postings)
	}
	if a.Dead > 0 {
		t.line("            %d dead entries met, %s for each live one", a.Dead,
			strconv.FormatFloat(float64(a.Dead)/float64(max(a.Examined, 1)), 'f', 2, 64))
	}
	if a.More {
		t.line("            a limit has ended the page")
	} else if a.QError > 0 {
		t.line("            the estimate of entries is wrong by a factor of %.2f", a.QError)
	}
}

func indexWords(index string) string {
	if index == "" {
		return "the table itself"
	}
	return "index " + index
}

func kindWords(kind string) string {
	switch kind {
	case "point":
		return "one item"
	case "range":
		return "a part of it"
	case "found":
		return "what a search index finds"
	case "box":
		return "boxes"
	case "whole":
		return "all of it"
	}
	return "nothing can match"
}
