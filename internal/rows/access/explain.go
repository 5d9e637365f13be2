// SPDX-License-Identifier: Apache-2.0

package access

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/zorder/codec"
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

// Property is something that is said of a path.
type Property struct{ About, Text string }

// alternativesShown is the number of members of an OR that are written out.
const alternativesShown = 8

// Properties says in words how the path reads its index, and what that is expected to take.
func (t *Tree) Properties() (list []Property) {
	add := func(about, format string, args ...any) {
		list = append(list, Property{about, fmt.Sprintf(format, args...)})
	}
	for _, line := range t.Search {
		add("search", "%s", line)
	}
	for _, span := range t.Spans {
		if span == "[ - ]" {
			span = "the whole index"
		}
		add("span", "%s", span)
	}
	if t.SpansMore > 0 {
		add("span", "and %d more", t.SpansMore)
	}
	if t.Box != nil {
		t.Box.describe(add)
	}
	if t.Filter != "" {
		add("filter", "%s", t.Filter)
	}
	return list
}

// describe says what is looked for in the search space, and how large that is.
func (b *BoxTree) describe(add func(about, format string, args ...any)) {
	or := ""
	for i, alternative := range b.Alternatives {
		if i == alternativesShown {
			add("box", "or %d more", len(b.Alternatives)-i)
			break
		}
		add("box", "%s%s", or, alternative)
		or = "or "
	}
	for i := range b.Attributes {
		a := &b.Attributes[i]
		if len(b.Alternatives) == 0 {
			where := strings.Join(a.Where, " AND ")
			add("box", "%s: %s", a.Name, cmp.Or(where, "any"))
		}
		add("codes", "%s: %s - %s, %s of them", a.Name, a.Low, a.High, percent(a.Share))
	}
	boxes := "1 box"
	if n := len(b.Boxes) + b.BoxesMore; n != 1 {
		boxes = fmt.Sprintf("%d boxes", n)
	}
	add("space", "%s, %s of 2^%d addresses, %s excluded; by the formula of AWS's article: %s", boxes, round(b.Addresses), b.Bits,
		percent(b.Excluded), round(b.ArticleAddresses))
}

// String says what a path is expected to take.
func (e Estimated) String() string {
	return fmt.Sprintf("%s entries, %s bytes, %s seeks, cost %s", round(e.Entries), round(e.Bytes), round(e.Seeks),
		round(e.Cost))
}

// round writes large numbers with four digits.
func round(n float64) string {
	if n < 1e9 {
		return strconv.FormatFloat(math.Ceil(n), 'f', 0, 64)
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

// Explain writes the path for people, on several lines.
func (p *Path) Explain() string {
	t := p.Tree()
	name := "the table itself"
	if !p.Index.IsPrimary() {
		name = "index " + t.Index
	}
	how := "scan"
	switch {
	case p.Point:
		how = "point"
	case len(p.Scan.Spans) == 0:
		how = "nothing can match"
	case p.Scan.Skip != nil:
		how = "scan with skips"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%s): %s\n", name, strings.Join(t.Key, ", "), how)
	for _, one := range t.Properties() {
		fmt.Fprintf(&text, "  %-10s%s\n", one.About, one.Text)
	}
	if !p.Covering {
		text.WriteString("  then      the rows of these entries\n")
	}
	fmt.Fprintf(&text, "  estimate  %v\n", t.Estimate)
	return text.String()
}

// Unusable is an index that has a column of a query's condition but can't answer the query, with the reason.
type Unusable struct{ Index, Why string }

// FindUnusable lists the indexes that can't answer a query, of those that have a column of its condition or that the
// query names.
func FindUnusable(t *schema.Table, q Query, s Statistics) (list []Unusable) {
	c := newChooser(t, &q, s)
	for _, x := range c.all[1:] {
		if why := c.objection(x); why != "" && (x.Name == q.Index || c.concerns(x)) {
			list = append(list, Unusable{x.Name, why})
		}
	}
	return list
}

// concerns reports whether a condition is on a column of x.
func (c *chooser) concerns(x *schema.Index) bool {
	return slices.ContainsFunc(c.conjuncts,
		func(one conjunct) bool { return one.constrained && isIn(x, one.constraint.name) }) ||
		slices.ContainsFunc(c.disjunctions, func(d disjunction) bool { return allName(d.branches, x) })
}

// objection is why x can't answer; "" if it can.
func (c *chooser) objection(x *schema.Index) string {
	switch {
	case !x.State.Readable():
		return "it is " + x.State.String() + "; wait until it is active"
	case slices.Contains(c.query.Ignore, x.Name):
		return "the query excludes it"
	case !c.holdsAll(x):
		return c.lacks(x)
	}
	return ""
}

// lacks says which rows x may have no entry for.
func (c *chooser) lacks(x *schema.Index) string {
	complete := c.statistics.Indexes[x.ID].Complete
	for i := range x.Visible() {
		p := &x.Visible()[i]
		if c.holdsPart(x, i, complete) {
			continue
		}
		for j := range p.Args {
			column := p.Args[j].Column
			curved := p.Function == schema.ZOrder && p.Curve.Codecs[j].Attribute().Nulls == codec.NullsFirst && complete
			if column != "" && !curved && len(c.bounds(column)) == 0 {
				return "it has no entry for rows without a value of " + column +
					", which the condition does not rule out; bind " + column + " by =, IN or a range"
			}
		}
		return "it may have no entry for rows whose values of " + p.Name +
			" can't be its keys, which the condition does not rule out"
	}
	return "it does not contain all rows"
}
