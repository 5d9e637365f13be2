// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"sort"
)

const (
	// BucketsMax is the largest number of buckets of a quantile codec.
	BucketsMax = 1 << 16
	// bucketsUsual is the number of buckets that Learn makes of a large enough sample.
	bucketsUsual = 1 << 12
	// rowsPerBucket is the number of values of the sample a bucket holds at least, if the caller does not say how many
	// buckets.
	rowsPerBucket = 16
	// edgeBytesMax bounds separators. Strings that differ only behind that have one code.
	edgeBytesMax = 1024
	// spareMax is the largest LearnOptions.Spare. At 1 there would be nothing but room.
	spareMax = 32
	spareMin = 2
)

// quantile cuts byte strings into buckets. Bucket i holds the strings from edges[i] on and below edges[i+1]; the last
// one includes its upper edge. The first edge is the least string of the sample and the last edge the greatest, both
// perhaps cut.
type quantile struct {
	rows   uint64   // of the sample
	counts []uint64 // of the sample's rows, below each bucket; the first is 0
	edges  [][]byte // one more than buckets
	spare  uint8    // the first and the last 2^-spare of all words are for what is beyond the edges; 0 is none

	starts []uint64 // the first word of each bucket: counts/rows of the words that are not spare
	last   uint64   // the last word of the last bucket
	skips  []int    // how many bytes the two edges of each bucket share
	common int      // how many bytes all edges share
	heads  []uint64 // the 8 bytes of each bucket's lower edge behind those
	anchor int      // where distances from the outer edges are measured: in the 8 bytes from here on
	span   uint64   // the distance between the outer edges
}

// newQuantile computes what follows from rows, counts, edges and spare.
func newQuantile(rows uint64, counts []uint64, edges [][]byte, spare uint8) *quantile {
	q := &quantile{rows: rows, counts: counts, edges: edges, spare: spare}
	least, most := edges[0], edges[len(edges)-1]
	q.common = commonPrefix(least, most)
	// Two bytes before the common ones end, carries are seen. Words are whole.
	if q.anchor = max(q.common-2, 0); len(least) <= 8 && len(most) <= 8 {
		q.anchor = 0
	}
	q.span = load(most, q.anchor, 0) - load(least, q.anchor, 0)
	q.last = math.MaxUint64 - q.room()
	for i, count := range counts {
		start, _ := bits.Div64(count, 0, rows)
		share, _ := bits.Mul64(start, q.last-q.room())
		q.starts = append(q.starts, q.room()+share)
		q.skips = append(q.skips, commonPrefix(edges[i], edges[i+1]))
		q.heads = append(q.heads, load(edges[i], q.common, 0))
	}
	return q
}

// room returns how many words are spare at each end.
func (q *quantile) room() uint64 {
	if q.spare == 0 {
		return 0
	}
	return 1 << (64 - q.spare)
}

// beyond returns the word of a string below or above the edges: the further, the nearer to the first or the last word.
// As far again as the edges are apart takes half of the room.
func (q *quantile) beyond(x []byte, e edge, side int) uint64 {
	outer := q.edges[0]
	if side > 0 {
		outer = q.edges[len(q.edges)-1]
	}
	room := q.room()
	part := room // part of room, the limit of it
	if len(x) >= q.anchor && len(outer) >= q.anchor && bytes.Equal(x[:q.anchor], outer[:q.anchor]) {
		distance := (load(x, q.anchor, e.pad()) - load(outer, q.anchor, 0)) / 2
		if side < 0 {
			distance = (load(outer, q.anchor, 0) - load(x, q.anchor, e.pad())) / 2
		}
		if all := distance + q.span/2; distance < all {
			over, under := bits.Mul64(room, distance)
			part, _ = bits.Div64(over, under, all)
		} else if all == 0 {
			part = 0
		}
	}
	if side < 0 {
		return room - part
	}
	return q.last + part
}

// commonPrefix returns how many leading bytes a and b have in common.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// compare compares x, or with edgePrefix the last of all strings that begin with x, with an edge.
func (e edge) compare(x, edge []byte) int {
	if e == edgePrefix && bytes.HasPrefix(edge, x) {
		return 1
	}
	return bytes.Compare(x, edge)
}

// word returns the code of x. side is -1 or 1 if x is beyond what the sample had.
func (q *quantile) word(x []byte, e edge) (word uint64, side int) {
	last := len(q.starts)
	switch {
	case e.compare(x, q.edges[0]) < 0:
		return q.beyond(x, e, -1), -1
	case e.compare(x, q.edges[last]) > 0:
		return q.beyond(x, e, 1), 1
	}
	i := q.bucket(x, e)
	low, high := load(q.edges[i], q.skips[i], 0), load(q.edges[i+1], q.skips[i], 0)
	at := min(max(load(x, q.skips[i], e.pad()), low), high)
	end := q.last
	if i+1 < last {
		end = q.starts[i+1] - 1
	}
	if low == high {
		return q.starts[i], 0
	}
	over, under := bits.Mul64(at-low, end-q.starts[i])
	part, _ := bits.Div64(over, under, high-low)
	return q.starts[i] + part, 0
}

// bucket returns the last bucket whose lower edge is not above x, which is within the edges.
func (q *quantile) bucket(x []byte, e edge) int {
	head := load(x, q.common, e.pad())
	first, after := 0, len(q.heads) // the first bucket that may be above x
	for first < after {
		if middle := int(uint(first+after) / 2); q.heads[middle] < head {
			first = middle + 1
		} else {
			after = middle
		}
	}
	if first < len(q.heads) && q.heads[first] == head { // behind the head, the edges themselves decide
		equals := sort.Search(len(q.heads)-first, func(i int) bool {
			return q.heads[first+i] > head || e.compare(x, q.edges[first+i]) < 0
		})
		first += equals
	}
	return max(first-1, 0)
}

// quantileWord is word for codec=quantile.
func (c *Codec) quantileWord(v *Value, e edge) (uint64, error) {
	var number [numberBytes]byte
	content, err := c.quantileContent(v, e, &number)
	if err != nil {
		return 0, err
	}
	word, _ := c.quantile.word(content, e)
	return word, nil
}

// quantileContent returns the bytes by which v is ranked: those of the type's full code.
func (c *Codec) quantileContent(v *Value, e edge, room *[numberBytes]byte) ([]byte, error) {
	if c.source < sourceNumber {
		word, _, err := c.scalar(v, e)
		if err != nil {
			return nil, err
		}
		putWord(room[:8], word)
		return room[:8], nil
	}
	content, err := c.content(v, room)
	if n := c.attribute.Type.Bytes; n > 0 && len(content) > n {
		content = content[:n]
	}
	return content, err
}

// LearnOptions are the choices of Learn.
type LearnOptions struct {
	// Buckets is the number of buckets to make, up to BucketsMax. The sample should hold at least 16 times as many
	// values. 0 makes as many as the sample has values for, up to 4,096. Equal values are never parted, so there may be
	// fewer.
	Buckets int
	// Spare keeps 2^-Spare of all codes at each end for values beyond the sample, such as times to come: the further
	// beyond, the nearer to the first or the last code. 0 is 6, a sixty-fourth; 2 to 32. Below 0 keeps none: all such
	// values have the first or the last code.
	Spare int
}

// Learn returns a codec of a that follows the distribution of a sample, whatever a.Codec says. Nulls in the sample are
// left out. version is as of New. The errors are *AttributeError, ErrSample if there is no value, and those of Code for
// values that a's type does not take.
func Learn(a Attribute, version uint32, sample []Value, o LearnOptions) (*Codec, error) {
	a.Codec = ChoiceQuantile
	if err := a.Validate(); err != nil {
		return nil, err
	}
	c := build(a, version, nil)
	contents := make([][]byte, 0, len(sample))
	for i := range sample {
		if sample[i].kind == valueNull {
			continue
		}
		var room [numberBytes]byte
		content, err := c.quantileContent(&sample[i], edgeLow, &room)
		if err != nil {
			return nil, err
		}
		contents = append(contents, content)
	}
	if len(contents) == 0 {
		return nil, ErrSample
	}
	slices.SortFunc(contents, bytes.Compare)
	c.quantile = learn(contents, o)
	return c, nil
}

func (o LearnOptions) spare() uint8 {
	switch {
	case o.Spare < 0:
		return 0
	case o.Spare == 0:
		return 6
	}
	return uint8(max(min(o.Spare, spareMax), spareMin))
}

// learn takes sorted strings, at least one.
func learn(contents [][]byte, o LearnOptions) *quantile {
	buckets := o.Buckets
	if buckets <= 0 {
		buckets = min(len(contents)/rowsPerBucket, bucketsUsual)
	}
	buckets = max(min(buckets, BucketsMax, len(contents)), 1)
	counts := []uint64{0}
	edges := [][]byte{cutEdge(contents[0])}
	for _, at := range cuts(contents, buckets) {
		below, from := contents[at-1], contents[at]
		if n := commonPrefix(below, from) + 1; n <= edgeBytesMax {
			counts = append(counts, uint64(at))
			edges = append(edges, slices.Clone(from[:n]))
		}
	}
	edges = append(edges, cutEdge(contents[len(contents)-1]))
	return newQuantile(uint64(len(contents)), counts, edges, o.spare())
}

func cutEdge(content []byte) []byte { return slices.Clone(content[:min(len(content), edgeBytesMax)]) }

// cuts returns, ascending, the places where one bucket ends and the next begins: about equally far apart, never between
// equal strings, and on both sides of values so frequent that they deserve a bucket of their own.
func cuts(contents [][]byte, buckets int) []int {
	var places []int
	add := func(at int) {
		if at > 0 && at < len(contents) && len(places) < BucketsMax-1 &&
			(len(places) == 0 || at > places[len(places)-1]) {
			places = append(places, at)
		}
	}
	for j := 1; j < buckets; j++ {
		at := int(uint64(j) * uint64(len(contents)) / uint64(buckets))
		begin, end := equals(contents, at)
		switch {
		case 2*(end-begin)*buckets > len(contents):
			add(begin)
			add(end)
		case at-begin <= end-at:
			add(begin)
		default:
			add(end)
		}
	}
	return places
}

// equals returns where the strings that equal the one at a place begin and end.
func equals(contents [][]byte, at int) (begin, end int) {
	x := contents[at]
	begin = sort.Search(at, func(i int) bool { return bytes.Compare(contents[i], x) >= 0 })
	end = at + sort.Search(len(contents)-at, func(i int) bool { return bytes.Compare(contents[at+i], x) > 0 })
	return begin, end
}
