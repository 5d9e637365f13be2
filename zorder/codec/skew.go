// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// SkewOptions are the limits of Codec.Skew.
type SkewOptions struct {
	// RatioMax is the largest tolerable Ratio; 0 is 4.
	RatioMax float64
	// ClampedShareMax is the largest tolerable ClampedShare; 0 is 0.02.
	ClampedShareMax float64
}

// Skew says how evenly a codec spreads the values of a sample.
type Skew struct {
	Rows    int // values of the sample, nulls not counted
	Nulls   int
	Buckets int // buckets compared: of at least 16 values each, if all were even
	// Ratio is the largest bucket's share of the values, over the share that it was made for: 1 is even. With buckets
	// of equal size it is that share times Buckets.
	Ratio float64
	// Excess is Ratio without the commonest value of each bucket, which no codec can part.
	Excess float64
	// ClampedShare is the share of values out of the codec's range, which have the first or the last code.
	ClampedShare float64
	// Due says that a rebuild with a codec learned anew is due: ClampedShare, or Ratio of a quantile codec, or Excess
	// of a raw one, is above its limit.
	Due bool
}

// Skew measures c over a sample of current values. Errors are those of Code.
func (c *Codec) Skew(sample []Value, o SkewOptions) (Skew, error) {
	s := Skew{Ratio: 1, Excess: 1}
	var rows []codedValue
	clamped := 0
	for i := range sample {
		if sample[i].kind == valueNull {
			s.Nulls++
			continue
		}
		row, side, err := c.place(&sample[i])
		if err != nil {
			return Skew{}, err
		}
		if side != 0 {
			clamped++
		}
		rows = append(rows, row)
	}
	if s.Rows = len(rows); s.Rows == 0 {
		return s, nil
	}
	slices.SortFunc(rows, func(a, b codedValue) int {
		return cmp.Or(cmp.Compare(a.word, b.word), strings.Compare(a.content, b.content))
	})
	s.ClampedShare = float64(clamped) / float64(s.Rows)
	s.compare(rows, c.cells(s.Rows))
	ratio := s.Excess
	if c.quantile != nil {
		ratio = s.Ratio
	}
	s.Due = ratio > cmp.Or(o.RatioMax, 4) || s.ClampedShare > cmp.Or(o.ClampedShareMax, 0.02)
	return s, nil
}

// codedValue is a value beside its full code.
type codedValue struct {
	word    uint64
	content string // not cut to what the code tells apart
}

// place also reports whether the value was clamped.
func (c *Codec) place(v *Value) (row codedValue, side int, err error) {
	var room [numberBytes]byte
	content, err := c.quantileContent(v, edgeLow, &room)
	if err != nil {
		return row, 0, err
	}
	switch {
	case c.quantile != nil:
		row.word, side = c.quantile.word(content, edgeLow)
	case c.source < sourceNumber:
		row.word, side, err = c.scalar(v, edgeLow)
	default:
		row.word = load(content, 0, 0)
	}
	switch {
	case c.source == sourceNumber && c.quantile == nil:
		_, side, _ = numberOf(v)
	case c.source > sourceNumber:
		content, err = c.content(v, &room)
	}
	row.content = string(content)
	return row, side, err
}

// cell is the words from start up to the next cell's, made for a share of the values.
type cell struct {
	start uint64
	share float64
}

// cells returns the buckets that are compared: those that a quantile codec was made with, merged so that each should
// hold 16 of the rows, or all; otherwise equal ones, no more than there are codes.
func (c *Codec) cells(rows int) []cell {
	if c.quantile != nil {
		return c.quantile.cells(float64(rowsPerBucket) / float64(rows))
	}
	width := min(c.bits, max(bits.Len(uint(rows/rowsPerBucket))-1, 0), 16)
	cells := make([]cell, 1<<width)
	for i := range cells {
		cells[i] = cell{uint64(i) << (64 - width), 1 / float64(len(cells))}
	}
	return cells
}

func (q *quantile) cells(least float64) []cell {
	cells := []cell{{}}
	last := &cells[0]
	for i, count := range q.counts {
		if last.share >= least && float64(q.rows-count) >= least*float64(q.rows) {
			cells = append(cells, cell{start: q.starts[i]})
			last = &cells[len(cells)-1]
		}
		end := q.rows
		if i+1 < len(q.counts) {
			end = q.counts[i+1]
		}
		last.share += float64(end-count) / float64(q.rows)
	}
	return cells
}

// compare sets the ratios from sorted rows.
func (s *Skew) compare(rows []codedValue, cells []cell) {
	s.Buckets = len(cells)
	s.Ratio, s.Excess = 0, 0
	for i, c := range cells {
		n := len(rows)
		if i+1 < len(cells) {
			n, _ = slices.BinarySearchFunc(rows, cells[i+1].start,
				func(r codedValue, word uint64) int { return cmp.Compare(r.word, word) })
		}
		expected := c.share * float64(s.Rows)
		s.Ratio = max(s.Ratio, float64(n)/expected)
		s.Excess = max(s.Excess, float64(n-commonest(rows[:n]))/expected)
		rows = rows[n:]
	}
}

// commonest returns how often the commonest value is in sorted rows.
func commonest(rows []codedValue) int {
	most, run := 0, 0
	for i := range rows {
		if i > 0 && rows[i] != rows[i-1] {
			run = 0
		}
		run++
		most = max(most, run)
	}
	return most
}
