// SPDX-License-Identifier: Apache-2.0

package explanation

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/rows/access"
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
	for _, span := range path.Spans {
		t.line("  span      %s", span)
	}
	if path.SpansMore > 0 {
		t.line("  and %d spans more", path.SpansMore)
	}
	for _, line := range path.Search {
		t.line("  search    %s", line)
	}
	t.box(path)
	if path.Filter != "" {
		t.line("  check     %s", path.Filter)
	}
	if e.Reads != "entries" {
		t.line("  then      each item is read back from the table")
	}
	t.line("  estimate  %s, cost %s, of %s entries",
		amounts(path.Estimate.Entries, path.Estimate.Seeks, path.Estimate.Bytes), round(path.Estimate.Cost),
		round(float64(e.Rows)))
	if c := e.Cheaper; c != nil {
		t.line("  cheaper   %s, %s: %s, cost %s", indexWords(c.Index), kindWords(c.Kind),
			amounts(c.Estimate.Entries, c.Estimate.Seeks, c.Estimate.Bytes),
			round(c.Estimate.Cost))
	}
	t.actual(e.Actual)
	return t.String()
}

type explanationText struct{ strings.Builder }

func (t *explanationText) line(format string, arguments ...any) {
	fmt.Fprintf(t, format+"\n", arguments...)
}

func (t *explanationText) box(path *access.Tree) {
	b := path.Box
	if b == nil {
		return
	}
	for _, a := range b.Attributes {
		where := "all of it"
		if len(a.Where) > 0 {
			where = strings.Join(a.Where, "; ")
		}
		t.line("  box       %s: %s", a.Name, where)
		t.line("            codes %s - %s, %s of them", a.Low, a.High, percent(a.Share))
	}
	if n := len(b.Boxes) + b.BoxesMore; n != 1 {
		t.line("            %d boxes", n)
	}
	t.line("  space     %s of 2^%d addresses, %s excluded; the article's formula: %s", round(b.Addresses), b.Bits,
		percent(b.Excluded), round(b.ArticleAddresses))
}

func (t *explanationText) actual(a *Actual) {
	if a == nil {
		return
	}
	t.line("  actual    %s, %d of the seeks jumps, in %.1f ms",
		amounts(float64(a.LookedAt), float64(a.Seeks), float64(a.Bytes)), a.Jumps, a.Milliseconds)
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

func amounts(entries, seeks, bytes float64) string {
	return fmt.Sprintf("%s entries, %s seeks, %s bytes", round(entries), round(seeks), round(bytes))
}

// round writes large numbers with four digits.
func round(n float64) string {
	if n < 1e9 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 4, 64)
}

// percent writes a share, small ones and those near 1 with the digits that matter.
func percent(share float64) string {
	if share > 0.999 && share < 1 {
		return strconv.FormatFloat(100*share, 'g', 8, 64) + " %"
	}
	return strconv.FormatFloat(100*share, 'g', 3, 64) + " %"
}
