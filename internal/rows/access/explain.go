// SPDX-License-Identifier: Apache-2.0

package access

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
)

// spansShown is the number of spans, and of boxes, that are written out.
const spansShown = 8

// Kinds of paths.
const (
	KindPoint = "point" // one whole primary key
	KindRange = "range" // some of the index
	KindBox   = "box"   // boxes in a Z-order index
	KindWhole = "whole" // all of the index
	KindEmpty = "empty" // nothing can match
	KindFound = "found" // rows that a search index finds
)

// Tree describes a path for programs and people.
type Tree struct {
	Index     string   `json:",omitempty"` // "" is the table itself
	Kind      string   // one of the kinds of paths
	Key       []string // the visible parts of the index's key
	Spans     []string // of keys, the first of them: [from - to], round parentheses where an end is not included
	SpansMore int      `json:",omitempty"` // not in Spans
	Box       *BoxTree `json:",omitempty"`
	// how a search index finds the rows to read: its name, then a line for each step
	Search   []string  `json:",omitempty"`
	Filter   string    `json:",omitempty"` // the conditions that are also checked on each entry
	Estimate Estimated // of the whole answer, in one page
}

// Estimated is the expected work of a path.
type Estimated struct {
	Entries float64 // looked at
	Bytes   float64 // of these entries
	Seeks   float64
	Cost    float64 // in units of reading the next entry
}

// Kind says how the path reads its index.
func (p *Path) Kind() string {
	switch {
	case p.Point:
		return KindPoint
	case !slices.ContainsFunc(p.Scan.Spans,
		func(s indexkey.Span) bool { return s.End == nil || bytes.Compare(s.Start, s.End) < 0 }):
		return KindEmpty
	case p.Search != nil:
		return KindFound
	case p.Scan.Curves != nil:
		return KindBox
	case len(p.Scan.Spans) == 1 && p.Scan.Spans[0].Start == nil && p.Scan.Spans[0].End == nil:
		return KindWhole
	}
	return KindRange
}

// Expected returns the expected work of the path.
func (p *Path) Expected() Estimated {
	return Estimated{Entries: math.Round(p.Rows), Bytes: math.Round(p.Bytes), Seeks: math.Round(p.seeks),
		Cost: math.Round(p.Cost)}
}

// Tree describes the path.
func (p *Path) Tree() Tree {
	t := Tree{Index: p.Index.Name, Kind: p.Kind(), Key: p.keyNames(), Spans: []string{}, Box: p.boxTree(),
		Estimate: p.Expected()}
	if p.Search != nil {
		t.Search = p.Search.Lines()
	}
	for i, span := range p.Scan.Spans {
		if i == spansShown {
			t.SpansMore = len(p.Scan.Spans) - spansShown
			break
		}
		t.Spans = append(t.Spans, string(indexkey.AppendSpan(nil, p.Index, span)))
	}
	if p.Filter != nil {
		t.Filter = string(expr.Notation{}.AppendCondition(nil, p.Filter))
	}
	return t
}

func (p *Path) keyNames() []string {
	names := make([]string, 0, len(p.Index.Key))
	for _, part := range p.Index.Visible() {
		names = append(names, part.Name)
	}
	return names
}

// Alternatives returns all paths that give the answer, the cheapest first. Errors are those of Choose.
func Alternatives(t *schema.Table, q Query, s Statistics) ([]Path, error) {
	c := newChooser(t, &q, s)
	candidates, err := c.candidates()
	if err != nil {
		return nil, err
	}
	paths, err := c.paths(candidates)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(paths, func(a, b Path) int { return cmp.Compare(a.Cost, b.Cost) })
	return paths, nil
}

// Explain writes the path for people, on several lines.
func (p *Path) Explain() string {
	var text strings.Builder
	t := p.Tree()
	name := "the table itself"
	if !p.Index.IsPrimary() {
		name = "index " + t.Index
	}
	access := "scan"
	switch {
	case p.Point:
		access = "point"
	case len(p.Scan.Spans) == 0:
		access = "nothing can match"
	case p.Scan.Skip != nil:
		access = "scan with skips"
	}
	fmt.Fprintf(&text, "%s (%s): %s\n", name, strings.Join(t.Key, ", "), access)
	for _, span := range t.Spans {
		fmt.Fprintf(&text, "  span %s\n", span)
	}
	if t.SpansMore > 0 {
		fmt.Fprintf(&text, "  and %d spans more\n", t.SpansMore)
	}
	if t.Search != nil {
		fmt.Fprintf(&text, "  found by search index %s\n", strings.Join(t.Search, "\n    "))
	}
	if t.Filter != "" {
		fmt.Fprintf(&text, "  filter %s\n", t.Filter)
	}
	if !p.Covering {
		text.WriteString("  then the rows of these entries\n")
	}
	e := t.Estimate
	fmt.Fprintf(&text, "  about %.0f entries, %.0f bytes, %.0f seeks, cost %.0f\n", e.Entries, e.Bytes, e.Seeks, e.Cost)
	return text.String()
}
