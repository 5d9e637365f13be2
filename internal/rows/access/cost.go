// SPDX-License-Identifier: Apache-2.0

package access

import (
	"math"
	"slices"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
)

// Costs, in units of reading the next entry.
const (
	seekCost     = 10 // to begin reading at another place
	readBackCost = 8  // to look up the row of an index entry, among many at once
	byteCost     = 0.001
	sortCost     = 0.5 // to sort a row
	matchCost    = 50  // to cut a row's texts into words, for a search that no index does
)

// estimate fills in the expected cost of a path.
func (c *chooser) estimate(p *Path) {
	e := p.Scan.Estimate(c.statisticsOf(p))
	p.Rows, p.Bytes, p.seeks = e.Rows, e.Bytes, e.Seeks
	if spans := float64(len(p.Scan.Spans)); p.Single && p.Rows > spans {
		p.Bytes *= spans / p.Rows
		p.Rows = spans
	}
	p.price()
}

func (p *Path) price() {
	p.Cost = p.Rows + byteCost*p.Bytes + seekCost*p.seeks
	if !p.Covering {
		p.Cost += readBackCost * p.Rows
	}
	if p.cutsTexts() {
		p.Cost += matchCost * p.Rows
	}
}

// cutsTexts reports whether the filter looks for words.
func (p *Path) cutsTexts() bool {
	return slices.ContainsFunc(expr.Conjuncts(p.Filter), hasMatches)
}

func hasMatches(condition expr.Condition) bool {
	switch c := condition.(type) {
	case *expr.Matches:
		return true
	case *expr.Not:
		return hasMatches(c.Of)
	case *expr.And:
		return slices.ContainsFunc(c.List, hasMatches)
	case *expr.Or:
		return slices.ContainsFunc(c.List, hasMatches)
	}
	return false
}

// luck is the factor by which a walk may examine more entries than expected until Limit is reached, where conditions
// drop rows: those that meet them may stand at the end.
const luck = 10

// limit adds the sort to the cost of paths that need one. The others are read only until there are enough rows. The
// number of rows that the most selective path finds is the number of rows of every path.
func (c *chooser) limit(paths []Path) {
	if c.query.Limit <= 0 && len(c.query.Order) == 0 {
		return
	}
	matches := math.Inf(1)
	if c.query.Matches > 0 {
		matches = c.query.Matches
	}
	for i := range paths {
		matches = min(matches, paths[i].Rows)
	}
	for i := range paths {
		p := &paths[i]
		switch {
		case !p.Sorted:
			p.Cost += sortCost * matches
		case c.query.Limit > 0 && matches > 0:
			p.shorten(c.share(p, matches))
		}
	}
}

// share is the part of a path that is read until Limit is reached.
func (c *chooser) share(p *Path, matches float64) float64 {
	if !c.query.Drops && !c.drops(p) {
		return min(1, float64(c.query.Limit)/p.Rows)
	}
	return min(1, luck*float64(c.query.Limit)/matches)
}

// drops reports whether the filter is expected to drop rows. Conditions on the columns of a curve, which boxes
// guarantee but for their edges, are not.
func (c *chooser) drops(p *Path) bool {
	if p.Scan.Curves == nil {
		return p.Filter != nil
	}
	for path := range expr.Paths(p.Filter) {
		if !slices.ContainsFunc(p.Scan.Curves[0].Part.Args,
			func(a schema.Argument) bool { return a.Column == path.Name }) {
			return true
		}
	}
	return false
}

func (p *Path) shorten(share float64) {
	p.Rows, p.Bytes, p.seeks = p.Rows*share, p.Bytes*share, max(min(p.seeks, 1), p.seeks*share)
	p.price()
}

// rowsOf is the number of entries x that has; 0 if nothing is known.
func (c *chooser) rowsOf(x *schema.Index) float64 {
	if rows := c.statistics.Indexes[x.ID].Rows; rows > 0 {
		return rows
	}
	return c.statistics.Rows
}

// statisticsOf returns what is known of the path's index, with the table's figures where it is nothing.
func (c *chooser) statisticsOf(p *Path) indexkey.Statistics {
	s := c.statistics.Indexes[p.Index.ID].Statistics
	s.Rows = c.rowsOf(p.Index)
	if s.Bytes == 0 && c.statistics.Rows > 0 {
		s.Bytes = c.statistics.Bytes * s.Rows / c.statistics.Rows
	}
	return s
}
