// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"math"
	"slices"
	"sort"
)

// KeyRange is the keys from First to Last, both included.
type KeyRange struct {
	First, Last []byte
	Exact       bool // every key between is inside the union; otherwise check the keys found with In
}

// RangesOptions bound a list of ranges. The zero value works.
type RangesOptions struct {
	// RangesMax is the number of ranges at most; 0 means RangesMax. A negative number is no bound: the ranges are then
	// the union's keys and no others, as many as it takes, which is more than fits into memory for most boxes.
	RangesMax int
	// StepsMax bounds the work: the number of ranges that are cut in two. 0 means 16 for each of the ranges asked for,
	// and no bound if those have none.
	StepsMax int
	// Separators are keys at which the store's data is cut into parts of about the same size, such as the first keys of
	// its pages or regions, or every n-th key, in ascending order; they may be longer than the plan's keys. With them
	// the data decide: the ranges with the most separators are cut first, those without one are not cut, and gaps
	// without one are not left out.
	Separators [][]byte
}

// RangesMax is the default number of ranges.
const RangesMax = 100

// Ranges cuts the union into ranges of keys, for stores that can't seek cheaply, or want to be asked for everything at
// once. They are in ascending order, do not overlap, and hold every key of the union. The wider the budget, the fewer
// other keys they hold.
//
// As GeoMesa does, it begins with one range and cuts the largest in two until all are exact or the budget is used up.
// Unlike there, each range begins and ends at a key of the union, since Next and Prev find those without descending,
// and in the end the largest gaps are the ones that are left out.
func (u *Boxes) Ranges(options RangesOptions) []KeyRange {
	if u.Empty() {
		return nil
	}
	options.RangesMax = cmp.Or(options.RangesMax, RangesMax)
	steps := options.StepsMax
	if steps == 0 && options.RangesMax > 0 {
		steps = 16 * options.RangesMax
	}
	s := splitter{union: u, separators: options.Separators}
	s.push(u.Low(), u.High())
	for taken := 0; s.open.Len() > 0 && (steps <= 0 || taken < steps); taken++ {
		s.split(heap.Pop(&s.open).(stretch))
	}
	for _, rest := range s.open {
		s.done = append(s.done, rest.KeyRange)
	}
	slices.SortFunc(s.done, func(a, b KeyRange) int { return bytes.Compare(a.First, b.First) })
	return s.join(options.RangesMax)
}

// stretch is a range that begins and ends inside the union, and what makes it worth cutting.
type stretch struct {
	KeyRange
	separators int
	size       float64 // log2 of the number of keys
}

type stretches []stretch

func (h stretches) Len() int { return len(h) }
func (h stretches) Less(i, j int) bool {
	if h[i].separators != h[j].separators {
		return h[i].separators > h[j].separators
	}
	return h[i].size > h[j].size
}
func (h stretches) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *stretches) Push(x any) { *h = append(*h, x.(stretch)) }

// Pop implements heap.Interface.
func (h *stretches) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

type splitter struct {
	union      *Boxes
	separators [][]byte
	open       stretches // ranges to cut
	done       []KeyRange
}

// push adds a range whose ends are inside the union.
func (s *splitter) push(first, last []byte) {
	next := stretch{KeyRange{First: first, Last: last}, s.count(first, last), distance(first, last)}
	next.Exact = s.full(first, last)
	if next.Exact || s.separators != nil && next.separators == 0 {
		s.done = append(s.done, next.KeyRange)
		return
	}
	heap.Push(&s.open, next)
}

// full is true if all keys between two are inside for a reason that is seen at once: there is one key, or the keys are
// a cell of the curve, all keys with a common prefix, inside one box. A cell is a box, so it is inside if its corners
// are.
func (s *splitter) full(first, last []byte) bool {
	bit := commonBits(first, last)
	if bit >= s.union.plan.Bits() {
		return true
	}
	if !bytes.Equal(first, s.edge(first, bit, 0)) || !bytes.Equal(last, s.edge(last, bit, 0xFF)) {
		return false
	}
	return slices.ContainsFunc(s.union.boxes, func(b *Box) bool { return b.In(first) && b.In(last) })
}

// edge is key with all bits from bit on replaced by those of fill.
func (s *splitter) edge(key []byte, bit int, fill byte) []byte {
	edge := bytes.Clone(key)
	if bit/8 == len(edge) {
		return edge
	}
	edge[bit/8] = edge[bit/8]&^(0xFF>>(bit%8)) | fill&(0xFF>>(bit%8))
	for i := bit/8 + 1; i < len(edge); i++ {
		edge[i] = fill
	}
	if used := s.union.plan.Bits() % 8; used != 0 {
		edge[len(edge)-1] &= 0xFF << (8 - used)
	}
	return edge
}

// split cuts a range at the first bit in which its ends differ. Both halves hold one of the ends.
func (s *splitter) split(r stretch) {
	bit := commonBits(r.First, r.Last)
	left, _, _ := s.union.Prev(nil, s.edge(r.First, bit+1, 0xFF))
	right, _, _ := s.union.Next(nil, s.edge(r.Last, bit+1, 0))
	s.push(r.First, left)
	s.push(right, r.Last)
}

// count is the number of separators after first and not after last.
func (s *splitter) count(first, last []byte) int {
	if len(s.separators) == 0 {
		return 0
	}
	return s.upTo(last) - s.upTo(first)
}

// upTo is the number of separators that are not after key, of which only the plan's bytes count.
func (s *splitter) upTo(key []byte) int {
	return sort.Search(len(s.separators), func(i int) bool {
		return bytes.Compare(cut(s.separators[i], s.union.plan.bytes), key) > 0
	})
}

// join joins sorted ranges without a gap worth leaving out, until there are at most count of them, if count is
// positive.
func (s *splitter) join(count int) []KeyRange {
	type gap struct {
		index, separators int
		size              float64
	}
	var gaps []gap
	for i := 1; i < len(s.done); i++ {
		before, after := s.done[i-1].Last, s.done[i].First
		g := gap{i, s.count(before, after), distance(before, after)}
		if !s.adjacent(before, after) && (s.separators == nil || g.separators > 0) {
			gaps = append(gaps, g)
		}
	}
	if count > 0 && len(gaps) >= count {
		slices.SortStableFunc(gaps, func(a, b gap) int {
			return cmp.Or(cmp.Compare(b.separators, a.separators), cmp.Compare(b.size, a.size))
		})
		gaps = gaps[:count-1]
		slices.SortFunc(gaps, func(a, b gap) int { return cmp.Compare(a.index, b.index) })
	}
	joined := make([]KeyRange, 0, len(gaps)+1)
	start := 0
	for _, g := range append(gaps, gap{index: len(s.done)}) {
		joined = append(joined, s.merge(s.done[start:g.index]))
		start = g.index
	}
	return joined
}

func (s *splitter) merge(parts []KeyRange) KeyRange {
	merged := parts[0]
	for i, part := range parts[1:] {
		merged.Exact = merged.Exact && part.Exact && s.adjacent(parts[i].Last, part.First)
		merged.Last = part.Last
	}
	return merged
}

// adjacent is true if no key of the plan lies between two.
func (s *splitter) adjacent(before, after []byte) bool {
	bit := commonBits(before, after)
	return bit < s.union.plan.Bits() && bytes.Equal(before, s.edge(before, bit+1, 0xFF)) &&
		bytes.Equal(after, s.edge(after, bit+1, 0))
}

// distance is log2 of last - first + 1, roughly where they share all but their last bits.
func distance(first, last []byte) float64 {
	at := commonBits(first, last) / 8
	var a, b [8]byte
	copy(a[:], first[at:])
	copy(b[:], last[at:])
	difference := float64(binary.BigEndian.Uint64(b[:]) - binary.BigEndian.Uint64(a[:]))
	unit := float64(8 * (len(first) - at - 8)) // log2 of what the last bit of the difference stands for
	return unit + math.Log2(difference+math.Exp2(-unit))
}
