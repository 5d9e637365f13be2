// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"cmp"
	"math/big"
	"slices"
)

// Product makes the union of all boxes that take one range of each attribute: the box form of (a IN (..) OR a BETWEEN
// ..) AND (b IN ..). sets[i] lists the ranges of attribute i, in any order; nil, or a missing last one, is no bound,
// and an empty list that is not nil holds nothing. The boxes are not enumerated where there would be more than boxesMax
// (0 means BoxesMax): before that, the attribute with the most ranges has those joined that lie next to each other with
// the smallest gaps between them, and Covered is true.
func (p *Plan) Product(sets [][]Range, boxesMax int) (*Boxes, error) {
	if len(sets) > len(p.widths) {
		return nil, p.countError(len(sets))
	}
	if boxesMax <= 0 {
		boxesMax = BoxesMax
	}
	lists := make([][]Range, len(p.widths))
	for attribute := range lists {
		lists[attribute] = []Range{{}}
		if attribute < len(sets) && sets[attribute] != nil {
			lists[attribute] = sets[attribute]
		}
		closed, err := p.closeRanges(attribute, lists[attribute])
		if err != nil {
			return nil, err
		}
		lists[attribute] = p.mergeRanges(attribute, closed)
	}
	covered := shrinkLists(lists, boxesMax)
	boxes, err := p.cross(lists)
	if err != nil {
		return nil, err
	}
	union, err := Union(p, boxes, boxesMax)
	if err == nil {
		union.covered = union.covered || covered
	}
	return union, err
}

// closeRanges puts the attribute's ends for missing bounds, checks the codes, and drops empty ranges.
func (p *Plan) closeRanges(attribute int, ranges []Range) ([]Range, error) {
	closed := make([]Range, 0, len(ranges))
	lowest, highest := p.codeEnds(attribute)
	for _, r := range ranges {
		if r.Low == nil {
			r.Low = lowest
		}
		if r.High == nil {
			r.High = highest
		}
		if err := cmp.Or(p.checkCode(attribute, r.Low), p.checkCode(attribute, r.High)); err != nil {
			return nil, err
		}
		if bytes.Compare(r.Low, r.High) <= 0 {
			closed = append(closed, r)
		}
	}
	return closed, nil
}

// mergeRanges sorts ranges and joins those that overlap or follow each other without a gap.
func (p *Plan) mergeRanges(attribute int, ranges []Range) []Range {
	slices.SortFunc(ranges, func(a, b Range) int { return bytes.Compare(a.Low, b.Low) })
	merged := ranges[:0]
	for _, r := range ranges {
		last := len(merged) - 1
		if last < 0 || bytes.Compare(r.Low, merged[last].High) > 0 && !p.follows(attribute, merged[last].High, r.Low) {
			merged = append(merged, r)
		} else if bytes.Compare(r.High, merged[last].High) > 0 {
			merged[last].High = r.High
		}
	}
	return merged
}

// follows is true if after is the code that follows before. It is above before, so before is not the highest code.
func (p *Plan) follows(attribute int, before, after []byte) bool {
	next := bytes.Clone(before)
	carry := byte(1) << (8*len(next) - p.widths[attribute])
	for i := len(next) - 1; i >= 0 && carry != 0; i-- {
		sum := int(next[i]) + int(carry)
		next[i], carry = byte(sum), byte(sum>>8)
	}
	return bytes.Equal(next, after)
}

// shrinkLists joins ranges until the product of the lists' lengths is at most boxesMax; it reports whether it had to.
func shrinkLists(lists [][]Range, boxesMax int) bool {
	shrunk := false
	for {
		product, longest := 1, 0
		for i, list := range lists {
			product = min(product*len(list), 1<<40)
			if len(list) > len(lists[longest]) {
				longest = i
			}
		}
		if product <= boxesMax {
			return shrunk
		}
		others := 1
		for i, list := range lists {
			if i != longest {
				others = min(others*len(list), 1<<40)
			}
		}
		// At most half at a time, for another list may then be the longest.
		size := len(lists[longest])
		lists[longest] = joinNearest(lists[longest], max(boxesMax/others, (size+1)/2))
		shrunk = true
	}
}

// joinNearest joins neighbours among sorted ranges, those with the smallest gaps first, until count are left.
func joinNearest(ranges []Range, count int) []Range {
	type gap struct {
		index int
		size  *big.Int
	}
	gaps := make([]gap, len(ranges)-1)
	for i := range gaps {
		low, high := new(big.Int).SetBytes(ranges[i].High), new(big.Int).SetBytes(ranges[i+1].Low)
		gaps[i] = gap{i + 1, high.Sub(high, low)}
	}
	slices.SortStableFunc(gaps, func(a, b gap) int { return b.size.Cmp(a.size) })
	cuts := make([]int, 0, count)
	for _, g := range gaps[:count-1] {
		cuts = append(cuts, g.index)
	}
	slices.Sort(cuts)
	joined := make([]Range, 0, count)
	start := 0
	for _, end := range append(cuts, len(ranges)) {
		joined = append(joined, Range{ranges[start].Low, ranges[end-1].High})
		start = end
	}
	return joined
}

// cross enumerates the boxes.
func (p *Plan) cross(lists [][]Range) ([]*Box, error) {
	product := 1
	for _, list := range lists {
		product *= len(list)
	}
	boxes := make([]*Box, 0, product)
	ranges := make([]Range, len(lists))
	for number := range product {
		for i, list := range lists {
			ranges[i] = list[number%len(list)]
			number /= len(list)
		}
		box, err := p.BoxOfRanges(ranges...)
		if err != nil {
			return nil, err
		}
		boxes = append(boxes, box)
	}
	return boxes, nil
}
