// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"container/heap"
	"errors"
	"math"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
	"github.com/weftdb/weft/zorder"
	"github.com/weftdb/weft/zorder/codec"
)

// Near asks for rows in the order of their distance from a point, the nearest first; equally far ones come in the order
// of the primary key. The distance is Euclid's, over columns of numbers.
type Near struct {
	// Columns are in the Z-order part with which the index's key begins.
	Columns []string
	// To is the point: a number for each column.
	To []float64
	// Missing puts rows without a number in one of the columns before all others, as far as the index has them.
	// Otherwise they are left out.
	Missing bool
	// Rows is about the number of entries the index has; 0: not known.
	Rows float64
}

// Distance returns the distance of at from the point.
func (n *Near) Distance(at []float64) float64 {
	sum := 0.0
	for i, x := range at {
		d := x - n.To[i]
		sum += float64(d * d) // rounded by itself on every machine
	}
	return math.Sqrt(sum)
}

// ErrNear says that an index can't put rows in the order of distances.
var ErrNear = errors.New("query: distances need an index whose key begins with a zorder(..) of numbers over all columns of the distance, or whose parts before it are bound to single values")

const (
	// nearRead is the number of entries of a cell that are read before the rest of it is cut in two.
	nearRead = 24
	// nearReadAhead is nearRead over the network, where a request costs as much as many entries.
	nearReadAhead = 600
	// nearBytesMax bounds what is remembered of rows that were read and whose turn has not come.
	nearBytesMax = 64 << 20
)

// nearest is a best-first search: it keeps cells of the curve, each all keys that begin with some bits, and rows, and
// takes up whichever is nearest. A cell is as near as the nearest place in it; taken up, it is read, and cut in two if
// it has many entries. A row that is taken up is the next of the answer.
type nearest struct {
	near    *Near
	part    *schema.KeyPart
	owners  []byte
	of      []int // the part's argument of each column
	walk    kv.Cursor
	queue   nearQueue
	found   [][]byte // entries whose turn it is
	whole   bool     // every key of the index may match
	depth   int      // cells with fewer bits are cut without being read
	most    int      // entries of a cell that are read before it is cut
	pending int      // bytes of rows in the queue
	at      []float64
	code    []byte
}

// nearItem is a cell, or a row whose entry has the key entry, without the index's prefix.
type nearItem struct {
	distance float64
	entry    []byte
	primary  []byte // the end of entry: the row's key
	cell     *nearCell
}

// nearCell is the keys below prefix whose codes begin with the first bits of code.
type nearCell struct {
	prefix []byte
	code   []byte // behind its bits, zeros
	bits   int
	from   []byte // the first key that was not read yet
	// low and high enclose the values of each column.
	low, high []float64
}

// nearQueue is a heap: the nearest first, of equally near ones cells, then rows by their keys.
type nearQueue []nearItem

func (q nearQueue) Len() int { return len(q) }
func (q nearQueue) Less(i, j int) bool {
	switch a, b := &q[i], &q[j]; {
	case a.distance != b.distance:
		return a.distance < b.distance
	case (a.cell == nil) != (b.cell == nil):
		return a.cell != nil
	default:
		return bytes.Compare(a.primary, b.primary) < 0
	}
}
func (q nearQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *nearQueue) Push(x any)   { *q = append(*q, x.(nearItem)) }
func (q *nearQueue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	(*q)[last], *q = nearItem{}, (*q)[:last]
	return x
}

// openNear begins the search.
func (c *Cursor) openNear() error {
	s := c.scan
	n := &nearest{near: s.Near, at: make([]float64, len(s.Near.To)), most: nearRead}
	if s.ReadAhead {
		n.most = nearReadAhead
	}
	prefixes, err := n.begin(s)
	if err != nil || len(s.Path.Spans) == 0 {
		return err
	}
	n.walk = c.from.Scan(c.ctx, s.Index.Span(nil, nil), false)
	c.near = n
	if rows := n.near.Rows / float64(n.most); rows > 1 {
		n.depth = min(int(math.Log2(rows)), len(n.owners))
	}
	for _, prefix := range prefixes {
		n.takeMissing(c, prefix)
		cell := &nearCell{prefix: prefix, code: make([]byte, n.part.Curve.Plan.Bytes())}
		cell.from = slices.Concat(prefix, cell.code)
		if len(s.Path.Curves) > 0 {
			cell.from = firstBelow(s.Path.Spans, prefix)
		}
		for range n.near.Columns {
			cell.low, cell.high = append(cell.low, math.Inf(-1)), append(cell.high, math.Inf(1))
		}
		heap.Push(&n.queue, nearItem{cell: cell})
	}
	return nil
}

// firstBelow is the start of the first span whose keys begin with prefix.
func firstBelow(spans []indexkey.Span, prefix []byte) []byte {
	at := slices.IndexFunc(spans, func(s indexkey.Span) bool { return bytes.HasPrefix(s.Start, prefix) })
	return spans[max(at, 0)].Start
}

// begin finds the Z-order part and the bytes that stand before its codes.
func (n *nearest) begin(s *Scan) (prefixes [][]byte, err error) {
	part, mark, ok := indexkey.CurveAfter(s.Index.Index, s.NearAfter)
	for _, span := range s.Path.Spans {
		if s.NearAfter == 0 {
			prefixes = [][]byte{mark}
			break
		}
		prefixes = append(prefixes, slices.Concat(span.Start, mark))
	}
	if len(s.Path.Curves) > 0 {
		prefixes = nil
		for _, curve := range s.Path.Curves {
			part, ok = curve.Part, true
			if !slices.ContainsFunc(prefixes, func(p []byte) bool { return bytes.Equal(p, curve.Prefix) }) {
				prefixes = append(prefixes, curve.Prefix)
			}
		}
	}
	if !ok || len(n.near.Columns) == 0 || len(n.near.Columns) != len(n.near.To) {
		return nil, ErrNear
	}
	n.part, n.owners = part, part.Curve.Plan.Owners()
	for i, column := range n.near.Columns {
		a := slices.IndexFunc(part.Args, func(a schema.Argument) bool { return a.Column == column })
		if a < 0 || math.IsNaN(n.near.To[i]) || math.IsInf(n.near.To[i], 0) {
			return nil, ErrNear
		}
		if _, err := part.Curve.Codecs[a].AppendCode(nil, codec.Float(0)); err != nil {
			return nil, ErrNear
		}
		n.of = append(n.of, a)
	}
	n.whole = len(s.Path.Spans) == 1 && s.Path.Spans[0].Start == nil && s.Path.Spans[0].End == nil
	return prefixes, nil
}

// takeMissing takes the rows below prefix that have no value in one of the columns.
func (n *nearest) takeMissing(c *Cursor, prefix []byte) {
	plan := n.part.Curve.Plan
	var boxes []*zorder.Box
	for _, a := range n.of {
		if n.part.Curve.Codecs[a].Attribute().Nulls != codec.NullsFirst {
			continue
		}
		ranges := make([]zorder.Range, plan.Attributes())
		null := make([]byte, plan.CodeBytes(a))
		ranges[a] = zorder.Range{Low: null, High: null}
		if box, err := plan.BoxOfRanges(ranges...); err == nil {
			boxes = append(boxes, box)
		}
	}
	union, err := zorder.Union(plan, boxes, 0)
	if !n.near.Missing || err != nil || union.Empty() {
		return
	}
	index := c.scan.Index.Prefix
	target := slices.Concat(index, prefix, union.Low())
	start := len(index) + len(prefix)
	for n.seek(c, target); n.walk.Next(); {
		key := n.walk.Key()
		if !bytes.HasPrefix(key, target[:start]) || len(key) < start+plan.Bytes() {
			return
		}
		next, in, ok := union.Next(target[:start], key[start:start+plan.Bytes()])
		switch {
		case in:
			n.take(c, math.Inf(-1))
		case !ok:
			return
		default:
			target = next
			n.seek(c, target)
		}
	}
}

func (n *nearest) seek(c *Cursor, key []byte) {
	c.Counts.Seeks++
	n.walk.Seek(key)
}

// expand reads a cell, or cuts it in two.
func (n *nearest) expand(c *Cursor, item nearItem) {
	cell := item.cell
	if skip := c.scan.Path.Skip; skip != nil && len(cell.from) >= len(cell.prefix)+len(cell.code) {
		next, in, ok := skip(cell.from, nil)
		switch {
		case in:
		case !ok:
			return
		case !cell.holds(next, n.part.Curve.Plan.Bytes()):
			return
		default:
			cell.from = next
		}
	}
	if cell.bits >= n.depth && n.read(c, cell) {
		return
	}
	if cell.bits >= n.depth && c.scan.ReadAhead {
		cell = n.shrink(c, cell)
	}
	switch {
	case cell == nil:
	case cell.bits == len(n.owners): // all that is left has one code
		heap.Push(&n.queue, nearItem{cell: cell, distance: item.distance})
	default:
		n.cut(cell)
	}
}

// holds reports whether a key that is not below the cell lies in it.
func (cell *nearCell) holds(key []byte, size int) bool {
	if !bytes.HasPrefix(key, cell.prefix) {
		return false
	}
	code := key[len(cell.prefix):]
	whole := cell.bits / 8
	if len(code) < size || !bytes.Equal(code[:whole], cell.code[:whole]) {
		return false
	}
	rest := cell.bits % 8
	return rest == 0 || (code[whole]^cell.code[whole])>>(8-rest) == 0
}

// read takes the first entries of a cell that were not read yet. done says that there are no more.
func (n *nearest) read(c *Cursor, cell *nearCell) (done bool) {
	index := c.scan.Index.Prefix
	n.seek(c, slices.Concat(index, cell.from))
	size := len(cell.code)
	for i := 0; c.err == nil && n.walk.Next(); i++ {
		key := n.walk.Key()[len(index):]
		if !cell.holds(key, size) {
			return true
		}
		if i == n.most {
			cell.from = slices.Clone(key)
			return false
		}
		n.take(c, math.NaN())
	}
	return true
}

// shrink returns the smallest cell that has all entries of a cell from its first unread one on, so that no empty halves
// of it are asked for; nil after an error. It asks for the last entry, which costs one request.
func (n *nearest) shrink(c *Cursor, cell *nearCell) *nearCell {
	last := c.from.Scan(c.ctx, c.scan.Index.Span(cell.from, cell.end()), true)
	defer last.Close()
	if c.Counts.Seeks++; !last.Next() {
		c.err = last.Close()
		return nil
	}
	first := cell.from[len(cell.prefix):]
	for code := last.Key()[len(c.scan.Index.Prefix)+len(cell.prefix):]; cell.bits < len(n.owners); {
		at, bit := cell.bits/8, byte(0x80)>>(cell.bits%8)
		if (first[at]^code[at])&bit != 0 {
			break
		}
		cell = n.half(cell, code[at]&bit != 0)
	}
	return cell
}

// end is the first key behind those of a cell; nil if there is none.
func (cell *nearCell) end() []byte {
	last := slices.Concat(cell.prefix, cell.code)
	for i := cell.bits; i < 8*len(cell.code); i++ {
		last[len(cell.prefix)+i/8] |= 0x80 >> (i % 8)
	}
	end, ok := order.PrefixEnd(nil, last)
	if !ok {
		return nil
	}
	return end
}

// take puts the row under the cursor into the queue. distance is its distance, NaN if that is to be computed.
func (n *nearest) take(c *Cursor, distance float64) {
	row, err := c.scan.Table.Adapt(c.ctx, n.walk.Value())
	if err != nil {
		c.err = err
		return
	}
	entry := n.walk.Key()[len(c.scan.Index.Prefix):]
	c.Counts.Examined++
	c.Counts.Bytes += int64(row.Size())
	if !n.matches(c, entry) {
		return
	}
	if math.IsNaN(distance) {
		for i, column := range n.near.Columns {
			v, _ := row.Get(c.scan.Table.Names, []byte(column))
			var ok bool
			if n.at[i], ok = v.Float(); !ok || !v.Kind().IsNumeric() {
				return
			}
		}
		if distance = n.near.Distance(n.at); math.IsNaN(distance) {
			return
		}
	}
	if c.row = row; c.scan.Fetch && !c.passesEntry() || !c.scan.Fetch && !c.passes() {
		return
	}
	entry = slices.Clone(entry)
	primary := entry
	if !c.scan.Index.IsPrimary() {
		if primary, c.err = indexkey.Skip(c.scan.Index.Index, entry); c.err != nil {
			return
		}
	}
	if n.pending += len(entry); n.pending > nearBytesMax {
		c.err = ErrSortMemory
		return
	}
	heap.Push(&n.queue, nearItem{distance: distance, entry: entry, primary: primary})
}

// matches reports whether an entry's key is one that the path asks for.
func (n *nearest) matches(c *Cursor, entry []byte) bool {
	if n.whole {
		return true
	}
	if !slices.ContainsFunc(c.scan.Path.Spans, func(s indexkey.Span) bool { return s.Contains(entry) }) {
		return false
	}
	if c.scan.Path.Skip == nil {
		return true
	}
	_, in, _ := c.scan.Path.Skip(entry, nil)
	return in
}

// cut puts the two halves of a cell into the queue.
func (n *nearest) cut(cell *nearCell) {
	left, right := n.half(cell, false), n.half(cell, true)
	start := slices.Concat(cell.prefix, right.code)
	if bytes.Compare(cell.from, start) < 0 {
		right.from = start
		heap.Push(&n.queue, nearItem{cell: left, distance: n.distanceOf(left)})
	}
	heap.Push(&n.queue, nearItem{cell: right, distance: n.distanceOf(right)})
}

// half is a half of a cell, the one with the lower codes or the upper one.
func (n *nearest) half(cell *nearCell, upper bool) *nearCell {
	half := *cell
	half.bits++
	code := slices.Clone(cell.code)
	code[cell.bits/8] |= 0x80 >> (cell.bits % 8)
	if column := slices.Index(n.of, int(n.owners[cell.bits])); column >= 0 {
		below, above := n.border(int(n.owners[cell.bits]), code, cell.low[column], cell.high[column])
		if upper {
			half.low = slices.Clone(cell.low)
			half.low[column] = above
		} else {
			half.high = slices.Clone(cell.high)
			half.high[column] = below
		}
	}
	if upper {
		half.code = code
	}
	return &half
}

// distanceOf is how near the nearest place of a cell is.
func (n *nearest) distanceOf(cell *nearCell) float64 {
	for i, x := range n.near.To {
		n.at[i] = min(max(x, cell.low[i]), cell.high[i])
	}
	return n.near.Distance(n.at)
}

// border returns numbers close to the least that has the code which an attribute has in key. No number with a lower
// code is greater than below, and none with that code or a higher one is less than above: a cell's distance must not
// be greater than that of any row in it.
func (n *nearest) border(attribute int, key []byte, low, high float64) (below, above float64) {
	c := n.part.Curve.Codecs[attribute]
	want, err := n.part.Curve.Plan.AppendCodeBytes(nil, key, attribute)
	if err != nil {
		return high, low
	}
	from, to := rankOf(low), rankOf(high)
	for range 48 {
		middle := from + (to-from)/2
		if middle == from || middle == to {
			break
		}
		n.code, err = c.AppendCode(n.code[:0], codec.Float(floatOf(middle)))
		if err != nil {
			return high, low
		}
		if bytes.Compare(n.code, want) < 0 {
			from = middle
		} else {
			to = middle
		}
	}
	return floatOf(to), floatOf(from)
}

// rankOf numbers floats in their order; floatOf is its inverse.
func rankOf(x float64) uint64 {
	u := math.Float64bits(x + 0)
	return u ^ (uint64(int64(u)>>63) | 1<<63)
}

func floatOf(rank uint64) float64 {
	if rank>>63 == 1 {
		return math.Float64frombits(rank ^ 1<<63)
	}
	return math.Float64frombits(^rank)
}
