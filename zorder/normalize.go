// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// pairsMax bounds the comparisons of boxes with each other; of very many boxes only near ones are compared.
const pairsMax = 1 << 20

// normalize sorts boxes, which are not empty, drops those inside others, and covers neighbours until no more than
// boxesMax are left.
func normalize(plan *Plan, boxes []*Box, boxesMax int) (kept []*Box, covered bool) {
	slices.SortStableFunc(boxes, compareBoxes)
	boxes = dropContained(boxes, 1)
	boxes = dropContained(boxes, max(boxesMax, pairsMax/max(len(boxes), 1)))
	if len(boxes) <= boxesMax {
		return boxes, false
	}
	boxes = cover(plan, boxes, boxesMax)
	slices.SortStableFunc(boxes, compareBoxes)
	return dropContained(boxes, boxesMax), true
}

// compareBoxes puts a box that holds another, or equals it, before it: neither of its corners is inside the other's.
func compareBoxes(a, b *Box) int {
	return cmp.Or(bytes.Compare(a.low, b.low), bytes.Compare(b.high, a.high))
}

// dropContained drops boxes inside one of the last boxes, at most depth, that were kept before them.
func dropContained(boxes []*Box, depth int) []*Box {
	kept := make([]*Box, 0, len(boxes))
	for _, box := range boxes {
		near := kept[max(0, len(kept)-depth):]
		if !slices.ContainsFunc(near, func(b *Box) bool { return b.contains(box) }) {
			kept = append(kept, box)
		}
	}
	return kept
}

// cover replaces sorted boxes by at most boxesMax, each covering neighbours. It cuts the sequence where low keys differ
// in the earliest bits, where the curve makes its largest steps.
func cover(plan *Plan, boxes []*Box, boxesMax int) []*Box {
	cuts := make([]int, len(boxes)-1)
	for i := range cuts {
		cuts[i] = i + 1
	}
	slices.SortStableFunc(cuts, func(a, b int) int {
		return cmp.Compare(commonBits(boxes[a-1].low, boxes[a].low), commonBits(boxes[b-1].low, boxes[b].low))
	})
	cuts = append(cuts[:boxesMax-1], len(boxes))
	slices.Sort(cuts)
	covers := make([]*Box, 0, boxesMax)
	start := 0
	for _, end := range cuts {
		covers = append(covers, coverOf(plan, boxes[start:end]))
		start = end
	}
	return covers
}

// coverOf is the smallest box that holds all boxes.
func coverOf(plan *Plan, boxes []*Box) *Box {
	if len(boxes) == 1 {
		return boxes[0]
	}
	low, high := bytes.Clone(boxes[0].low), bytes.Clone(boxes[0].high)
	for _, box := range boxes[1:] {
		for attribute := range plan.widths {
			if plan.compareCode(attribute, box.low, low) < 0 {
				plan.copyCode(attribute, low, box.low)
			}
			if plan.compareCode(attribute, box.high, high) > 0 {
				plan.copyCode(attribute, high, box.high)
			}
		}
	}
	return newBox(plan, low, high)
}

// copyCode copies one attribute's bits from a key to another.
func (p *Plan) copyCode(attribute int, dst, src []byte) {
	for w, masks := range p.masks {
		mask := masks[attribute]
		storeWord(dst, w, loadWord(dst, w)&^mask|loadWord(src, w)&mask)
	}
}

// commonBits is the number of leading bits that two keys of one length have in common.
func commonBits(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return 8*i + bits.LeadingZeros8(a[i]^b[i])
		}
	}
	return 8 * len(a)
}
