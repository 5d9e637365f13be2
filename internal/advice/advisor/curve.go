// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"math"
	"sort"

	"github.com/weftdb/weft/internal/advice/advisor/bitorder"
	"github.com/weftdb/weft/internal/advice/advisor/design"
)

const (
	codeBits     = 16   // of a value's place in the sample
	curveRowsMax = 8192 // values of a column that codecs are learned from
	boxesMax     = 256  // that all queries together are tried with, in each half
	boxesEach    = 24   // that one query is tried with, in each half
	leafEntries  = 64   // entries that are read together
)

// code places the value at a position among the column's values, in bits bits.
func (c *column) code(position, bits int) uint64 {
	if c.seen == 0 {
		return 0
	}
	code := uint64(position) * (1<<codeBits - 1) / uint64(max(1, c.seen-1))
	if c.kind == "BOOL" {
		code = 0
		if c.sorted[position].Text == "true" {
			code = 1<<codeBits - 1
		}
	}
	return code >> uint(codeBits-bits)
}

// width is the number of bits tell the column's values apart; common values take several codes, hence three bits more.
func (c *column) width() int {
	const spareBits = 3
	if c.kind == "BOOL" {
		return 1
	}
	return min(codeBits, int(math.Ceil(math.Log2(math.Max(2, c.distinct))))+spareBits)
}

func widthsOf(columns []*column) []int {
	list := make([]int, len(columns))
	for i, c := range columns {
		list[i] = c.width()
	}
	return list
}

// low and high are the positions of the first and the last value equal to v.
func (c *column) low(v design.Value) int {
	return sort.Search(c.seen, func(i int) bool { return c.sorted[i].Compare(v) >= 0 })
}

// place is low of a row's value, which the row must have. All are found once, when the first is asked for.
func (c *column) place(row int) int {
	if c.places == nil {
		c.places = make([]int32, len(c.values))
		for i, v := range c.values {
			if v.Type != "" {
				c.places[i] = int32(c.low(v))
			}
		}
	}
	return int(c.places[row])
}

func (c *column) high(v design.Value) int {
	return max(0, sort.Search(c.seen, func(i int) bool { return c.sorted[i].Compare(v) > 0 })-1)
}

// span is some places among the values of a column.
type span struct{ from, to int }

// places are where a query's bounds on some columns lie among their values. Bounds without values are put around the
// values of rows; half 0 and half 1 take different rows, so that a bit order is never judged on the boxes that it was
// made for.
func (s *study) places(q *query, columns []*column, half, count int) (list [][]span) {
	for i := range count {
		row := (2*i + half) * s.rows / (2 * count)
		at, moves, ok := s.placesAround(q, columns, row)
		if !ok {
			continue
		}
		list = append(list, at)
		if !moves {
			break
		}
	}
	return list
}

// placesAround are the places around one row. moves is true if they depend on the row; ok is false if the row lacks an
// attribute.
func (s *study) placesAround(q *query, columns []*column, row int) (list []span, moves, ok bool) {
	for _, c := range columns {
		b, bound := q.bound(c.name)
		at := span{0, c.seen}
		switch {
		case !bound || !b.Narrows():
		case (b.Low.Type != "" || b.High.Type != "") && b.Keeps == 0:
			at.from, at.to = c.span(b)
		case c.values[row].Type == "":
			return nil, true, false
		case b.Operator == design.Equal:
			moves = true
			at = span{c.place(row), c.high(c.values[row]) + 1}
		default:
			moves = true
			width := max(1, int(math.Round(math.Min(1, q.keeps[c.name]/c.present)*float64(c.seen))))
			at.from = min(max(0, c.place(row)-width/2), c.seen-width)
			at.to = at.from + width
		}
		at.to = max(at.to, at.from+1)
		list = append(list, at)
	}
	return list, moves, true
}

// boxOf is a box of codes.
func boxOf(columns []*column, at []span) (box bitorder.Corners) {
	for i, c := range columns {
		last := min(at[i].to, c.seen) - 1
		box.Low = append(box.Low, c.code(min(at[i].from, c.seen-1), c.width()))
		box.High = append(box.High, c.code(max(last, 0), c.width()))
	}
	return box
}

// boxesPerQuery shares the boxes out among the queries.
func (s *study) boxesPerQuery() int {
	return min(boxesEach, max(1, boxesMax/max(1, len(s.Shapes))))
}
