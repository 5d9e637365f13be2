// SPDX-License-Identifier: Apache-2.0

package access

import "github.com/weftdb/weft/internal/indexkey"

// Costs, in that of reading one entry after another.
const (
	seekCost     = 10 // to begin reading at another place
	readBackCost = 8  // to look up the row of an index entry, among many at once
	byteCost     = 0.001
)

// estimate fills in what a path is expected to take.
func (c *chooser) estimate(p *Path) {
	e := p.Scan.Estimate(c.statisticsOf(p))
	p.Rows, p.Bytes, p.seeks = e.Rows, e.Bytes, e.Seeks
	p.Cost = e.Rows + byteCost*e.Bytes + seekCost*e.Seeks
	if !p.Covering {
		p.Cost += readBackCost * e.Rows
	}
}

// statisticsOf returns what is known of the path's index, with the table's figures where it is nothing.
func (c *chooser) statisticsOf(p *Path) indexkey.Statistics {
	s := c.statistics.Indexes[p.Index.ID].Statistics
	if s.Rows == 0 {
		s.Rows = c.statistics.Rows
	}
	if s.Bytes == 0 && c.statistics.Rows > 0 {
		s.Bytes = c.statistics.Bytes * s.Rows / c.statistics.Rows
	}
	return s
}
