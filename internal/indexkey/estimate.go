// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"math"

	"github.com/weftdb/weft/zorder"
)

// Guesses where there are no statistics.
const (
	rowsDefault     = 100_000
	rowBytesDefault = 200
	// keyDensity is how much of an index's rows, as an exponent, its key tells apart: all in the primary index, less in others.
	keyDensity = 0.9
	// rangeShare and halfRangeShare are the parts of the values that a range with two ends, and one with one end, holds.
	rangeShare     = 0.05
	halfRangeShare = 0.3
)

// estimate returns Scan.Estimate for what was found. It keeps only counts, not the spans.
func (b *planner) estimate(seeks int) func(Statistics) Estimate {
	x := b.index
	hidden := hiddenParts(x)
	visible := len(x.Visible())
	type class struct { // spans by the form of their last part
		ranges, halves, whole float64
		boxes                 []*zorder.Boxes
	}
	classes := make([]class, visible+1) // by how many visible parts stand before
	for i := range b.found {
		f := &b.found[i]
		c := &classes[max(0, f.depth-hidden)]
		switch {
		case f.part.boxes != nil:
			c.boxes = append(c.boxes, f.part.boxes)
		case f.part.point:
			classes[min(visible, max(0, f.depth-hidden)+1)].whole++
		case f.part.from && f.part.to:
			c.ranges++
		case f.part.from || f.part.to:
			c.halves++
		default:
			c.whole++
		}
	}
	density := keyDensity
	if x.IsPrimary() {
		density = 1
	}
	return func(s Statistics) Estimate {
		s = s.withDefaults()
		var rows float64
		for k, c := range classes {
			share := s.Rows / s.distinct(k, visible, density)
			rows += share * (c.whole + c.ranges*rangeShare + c.halves*halfRangeShare)
			for _, boxes := range c.boxes {
				rows += curveRows(boxes, share)
			}
		}
		rows = min(rows, s.Rows)
		return Estimate{Rows: rows, Bytes: rows * s.Bytes / s.Rows, Seeks: float64(seeks)}
	}
}

// curveRows is how many of the entries below one prefix a scan of boxes examines.
func curveRows(boxes *zorder.Boxes, rows float64) float64 { return rows * rangeShare }

func (s Statistics) withDefaults() Statistics {
	if s.Rows < 1 {
		s.Rows = rowsDefault
	}
	if s.Bytes < 1 {
		s.Bytes = s.Rows * rowBytesDefault
	}
	return s
}

// distinct returns how many different values the first parts of an index's visible key parts have.
func (s Statistics) distinct(parts, visible int, density float64) float64 {
	switch {
	case parts == 0:
		return 1
	case parts <= len(s.Distinct) && s.Distinct[parts-1] >= 1:
		return s.Distinct[parts-1]
	}
	return math.Pow(s.Rows, density*float64(parts)/float64(visible))
}
