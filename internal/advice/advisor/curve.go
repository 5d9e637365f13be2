// SPDX-License-Identifier: Apache-2.0

package advisor

import (
	"math"
	"sort"

	"github.com/weftdb/weft/internal/advice/advisor/bitorder"
	"github.com/weftdb/weft/internal/advice/advisor/design"
	"github.com/weftdb/weft/zorder"
)

const (
	codeBits     = 16   // of a value's place in the sample
	curveRowsMax = 8192 // of the sample that are laid along a curve
	boxesMax     = 256  // that all queries together are tried with, in each half
	boxesEach    = 24   // that one query is tried with, in each half
	leafEntries  = 64   // entries that are read together
)

// curveSample is the sample along a Z-order curve: its rows that have all the attributes. Codes are places in the
// sample, so that the leading bits of each attribute halve the rows.
type curveSample struct {
	*bitorder.Curve
	columns []*column
}

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

// newCurve lays the sample along a plan. It returns nil for columns of which the sample has no rows.
func (s *study) newCurve(columns []*column, plan *zorder.Plan) *curveSample {
	var rows [][]uint64
	for row := 0; row < s.rows; row += max(1, s.rows/curveRowsMax) {
		codes := make([]uint64, len(columns))
		complete := true
		for i, column := range columns {
			v := column.values[row]
			if complete = complete && v.Type != ""; complete {
				codes[i] = column.code(column.place(row), plan.Width(i))
			}
		}
		if complete {
			rows = append(rows, codes)
		}
	}
	c, err := bitorder.New(plan, rows)
	if err != nil || len(rows) == 0 {
		return nil
	}
	return &curveSample{c, columns}
}

// defaultCurve is the curve of an index that exists. It is nil where the sample lacks the attributes.
func (s *study) defaultCurve(p design.Part) *curveSample {
	var columns []*column
	for _, name := range p.Attributes() {
		if c := s.columns[name]; c != nil && c.seen > 0 {
			columns = append(columns, c)
		}
	}
	if len(columns) == 0 || len(columns) > zorder.AttributesMax || len(columns) < len(p.Attributes()) {
		return nil
	}
	owners, err := zorder.ParseOrder(p.Order)
	if err != nil {
		return nil
	}
	plan, err := zorder.Leading(owners, widthsOf(columns)...)
	if err != nil {
		return nil
	}
	return s.newCurve(columns, plan)
}

// boxes makes boxes for a query out of its bounds. Bounds without values are put around the values of rows; half 0 and
// half 1 take different rows, so that a bit order is never judged on the boxes that it was made for.
func (s *study) boxes(q *query, columns []*column, half, count int) []bitorder.Corners {
	var list []bitorder.Corners
	for i := range count {
		row := (2*i + half) * s.rows / (2 * count)
		box, moves, ok := s.box(q, columns, row)
		if !ok {
			continue
		}
		list = append(list, box)
		if !moves {
			break
		}
	}
	return list
}

// box makes the box around one row. moves is true if it depends on the row; ok is false if the row lacks an attribute.
func (s *study) box(q *query, columns []*column, row int) (box bitorder.Corners, moves, ok bool) {
	for _, c := range columns {
		b, bound := q.bound(c.name)
		from, to := 0, c.seen
		switch {
		case !bound || !b.Narrows():
		case (b.Low.Type != "" || b.High.Type != "") && b.Keeps == 0:
			from, to = c.span(b)
		case c.values[row].Type == "":
			return box, true, false
		case b.Operator == design.Equal:
			moves = true
			from, to = c.place(row), c.high(c.values[row])+1
		default:
			moves = true
			width := max(1, int(math.Round(math.Min(1, q.keeps[c.name]/c.present)*float64(c.seen))))
			from = min(max(0, c.place(row)-width/2), c.seen-width)
			to = from + width
		}
		to = max(to, from+1)
		last := min(to, c.seen) - 1
		box.Low = append(box.Low, c.code(min(from, c.seen-1), c.width()))
		box.High = append(box.High, c.code(max(last, 0), c.width()))
	}
	return box, moves, true
}

// walk prices a query on a Z-order index of entries (those of one partition). Matches grow with the entries; entries
// read in vain lie along the box's border and grow with their square root.
func (s *study) walk(q *query, p *path, entries float64, out *price) {
	out.ordered = q.OrderBy == ""
	out.entries = entries
	if p.curve == nil {
		s.walkBlind(q, p, entries, out)
		return
	}
	share, bound := 1.0, false
	for _, c := range p.curve.columns {
		if b, ok := q.bound(c.name); ok && b.Narrows() {
			share *= s.narrows(q, c.name)
			bound = true
		}
	}
	if !bound {
		return
	}
	boxes := s.boxes(q, p.curve.columns, 1, s.boxesPerQuery())
	if len(boxes) == 0 {
		s.walkBlind(q, p, entries, out)
		return
	}
	missed, seeks := 0, 0
	for _, b := range boxes {
		_, m, k := p.curve.Read(b)
		missed += m
		seeks += k
	}
	growth := math.Sqrt(entries / float64(p.curve.Rows()))
	count := float64(len(boxes))
	out.scan = false
	out.entries = math.Min(entries, entries*share+growth*float64(missed)/count)
	out.seeks = math.Max(1, growth*float64(seeks)/count)
}

// walkBlind prices a Z-order index without a sample: of s of d attributes bound exactly, pages^(1-s/d) are read; ranges
// count by what they exclude.
func (s *study) walkBlind(q *query, p *path, entries float64, out *price) {
	for _, part := range p.key {
		if part.Function != "zorder" {
			continue
		}
		pages := math.Max(1, entries/leafEntries)
		dimensions := float64(len(part.Attributes()))
		read := entries
		for _, name := range part.Attributes() {
			if b, ok := q.bound(name); ok && b.Narrows() {
				read *= math.Max(s.narrows(q, name), math.Pow(pages, -1/dimensions))
				out.scan = false
			}
		}
		out.entries = math.Min(entries, math.Max(read, 1))
	}
}

// boxesPerQuery shares the boxes out among the queries.
func (s *study) boxesPerQuery() int {
	return min(boxesEach, max(1, boxesMax/max(1, len(s.Shapes))))
}
