// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/order"
	"github.com/weftdb/weft/zorder"
)

// Guesses where there are no statistics.
const (
	rowsDefault     = 100_000
	rowBytesDefault = 200
	// keyDensity is the part of an index's rows, as an exponent, that its key tells apart: all in the primary index,
	// less in others.
	keyDensity = 0.9
	// rangeShare and halfRangeShare are the parts of the values that a range with two ends, and one with one end,
	// holds.
	rangeShare     = 0.05
	halfRangeShare = 0.3
)

// rowsPerLeaf is the number of neighbouring entries the estimate of a Z-order scan takes for one place.
const rowsPerLeaf = 64

// runShare is the number of the places that boxes touch begin a run: the scan seeks there.
const runShare = 0.5

// How walks over boxes look between separators, fitted to walks over the curves of places and of weather reports, with
// 33 to 1,200 entries to a part, and boxes of 0.01 to 50 % of the rows that bind one attribute to all.
const (
	edgeFactor = 3   // of the square root of a part: what is looked at of a part that begins a run
	gapPower   = 0.4 // by which power of a part the gaps in it take away from what is looked at, in runs of one part
	seekFactor = 0.1 // of seekPower of a part: how often a touched part is sought in, in runs of one part
	seekPower  = 0.6
)

// separatorsMin is the number of separators that must lie among the entries of boxes for an estimate by them.
const separatorsMin = 16

// estimate returns Scan.Estimate for the spans found.
func (b *planner) estimate(found []foundSpan) func(Statistics) Estimate {
	x := b.index
	return func(s Statistics) Estimate {
		s = s.withDefaults()
		guess := guesser{Statistics: s, index: x, hidden: hiddenParts(x), visible: len(x.Visible()),
			density: keyDensity}
		if x.IsPrimary() {
			guess.density = 1
		}
		e := Estimate{Seeks: float64(len(found))}
		for i := range found {
			rows, runs := guess.span(&found[i])
			e.Rows += rows
			e.Seeks += runs - 1
		}
		e.Rows = min(e.Rows, s.Rows)
		e.Bytes = e.Rows * s.Bytes / s.Rows
		return e
	}
}

// guesser guesses about single spans.
type guesser struct {
	Statistics
	index           *schema.Index
	hidden, visible int
	density         float64
	depth           int // for which share was found last, plus 1
	share           float64
}

// span is the number of entries reading a span looks at, and in how many runs.
func (g *guesser) span(f *foundSpan) (rows, runs float64) {
	if f.part.boxes != nil {
		return g.boxes(f)
	}
	if f.joined != nil {
		for i := range f.joined {
			one, _ := g.span(&f.joined[i])
			rows += one
		}
		return g.clip(rows, f.Span), 1
	}
	depth := max(0, f.depth-g.hidden)
	switch {
	case f.part.point:
		rows = g.below(min(g.visible, depth+1))
	case (f.part.from || f.part.to) && depth < len(g.Shares):
		return g.below(depth) * g.Shares[depth], 1
	case f.part.from && f.part.to:
		rows = g.below(depth) * rangeShare
		if n, ok := integersIn(g.index, f); ok && n*g.below(min(g.visible, depth+1)) < rows {
			rows = n * g.below(min(g.visible, depth+1))
		}
	case f.part.from || f.part.to:
		rows = g.below(depth) * halfRangeShare
	default:
		rows = g.below(depth)
	}
	return g.clip(rows, f.Span), 1
}

// integersIn is the number of values in a span's range of a part of integers.
func integersIn(x *schema.Index, f *foundSpan) (n float64, ok bool) {
	if f.depth >= len(x.Key) || x.Key[f.depth].Type != schema.Int {
		return 0, false
	}
	number := func(encoding []byte) uint64 {
		if x.KeepNulls {
			encoding = encoding[min(1, len(encoding)):] // its mark
		}
		var room [8]byte // the end of a range may be shorter
		copy(room[:], encoding)
		return binary.BigEndian.Uint64(room[:])
	}
	start, end := number(f.part.start), number(f.part.end)
	return float64(end - start), end >= start
}

// below is the number of entries that have the same values in their first visible parts.
func (g *guesser) below(parts int) float64 {
	if g.depth != parts+1 {
		g.depth, g.share = parts+1, g.Rows/g.distinct(parts, g.visible, g.density)
	}
	return g.share
}

// clip brings a guess within what the separators in the span allow. Where there are some, they are the better guess.
func (g *guesser) clip(rows float64, span Span) float64 {
	if len(g.Separators) == 0 {
		return rows
	}
	inside, part := float64(len(g.within(span))), g.Rows/float64(len(g.Separators)+1)
	if inside >= 2 {
		return inside * part
	}
	return min(rows, (inside+1)*part)
}

// within returns the separators in a span.
func (g *guesser) within(span Span) [][]byte {
	at := func(key []byte) int {
		i, _ := slices.BinarySearchFunc(g.Separators, key, bytes.Compare)
		return i
	}
	end := len(g.Separators)
	if span.End != nil {
		end = at(span.End)
	}
	return g.Separators[at(span.Start):max(at(span.Start), end)]
}

// boxes is span for the boxes of a Z-order part.
func (g *guesser) boxes(f *foundSpan) (rows, runs float64) {
	prefix := f.Start[:f.offset]
	whole := Span{Start: prefix}
	if end, ok := order.PrefixEnd(nil, prefix); ok {
		whole.End = end
	}
	below := g.clip(g.below(max(0, f.depth-g.hidden)), whole)
	if separators := g.within(whole); len(separators) >= separatorsMin {
		rows, runs = g.sampled(f.part.boxes, separators, f.offset)
	} else {
		places := f.part.boxes.EstimateLeaves(below, rowsPerLeaf)
		rows, runs = places*rowsPerLeaf, places*runShare
	}
	return min(rows, below), max(runs, 1)
}

// sampled is span for boxes, by some of the keys that part the entries. Where a run begins, the boxes are taken to
// reach into few of the entries. Further on they hold the more of them, and have the fewer gaps, the longer runs are: a
// long run is the inside of a large box, while in short ones boxes are thinner than the parts.
func (g *guesser) sampled(boxes *zorder.Boxes, separators [][]byte, offset int) (rows, runs float64) {
	keys := make([][]byte, len(separators))
	for i := range separators {
		keys[i] = separators[i][offset:]
	}
	leaves, starts := boxes.TouchedLeaves(keys)
	if leaves == 0 {
		return 0, 0
	}
	touched, begun, part := float64(leaves), float64(starts), max(g.Rows/float64(len(g.Separators)+1), 1)
	inside := math.Pow(part, 1-gapPower*begun/touched)
	edge := min(part, edgeFactor*math.Sqrt(part))
	return inside*(touched-begun) + edge*begun, seekFactor * math.Pow(part, seekPower) * math.Sqrt(touched*begun)
}

// curves lists the boxes that were found.
func curves(x *schema.Index, found []foundSpan) (list []Curve) {
	for i := range found {
		if f := &found[i]; f.part.boxes != nil {
			list = append(list, Curve{Prefix: f.Start[:f.offset:f.offset], Part: &x.Key[f.depth], Boxes: f.part.boxes})
		}
	}
	return list
}

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
