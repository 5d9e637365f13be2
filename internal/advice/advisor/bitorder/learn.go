// SPDX-License-Identifier: Apache-2.0

package bitorder

import "math"

// Corners is a box in codes.
type Corners struct{ Low, High []uint64 }

// WeightedBox is a box with its rate.
type WeightedBox struct {
	Corners
	Weight float64
}

// Learn gives the first length bits, one by one, to the attribute that lowers the share of the cells that the boxes
// touch most. One split may not help where two do, so it looks two bits ahead. Of equals the attribute with the higher
// preference wins. widths are the bits of each attribute; the result is the owner of each of the first bits, fewer than
// length where no attribute has more.
func Learn(boxes []WeightedBox, widths []int, length int, preference []float64) []byte {
	bits := make([]int, len(widths))
	var owners []byte
	for len(owners) < length {
		best, least := -1, math.Inf(1)
		for a := range widths {
			if bits[a] >= widths[a] {
				continue
			}
			bits[a]++
			cost := cellsAhead(boxes, bits, widths)
			bits[a]--
			if best < 0 || cost < least*(1-1e-9) || cost < least*(1+1e-9) && preference[a] > preference[best] {
				best, least = a, cost
			}
		}
		if best < 0 {
			break
		}
		bits[best]++
		owners = append(owners, byte(best))
	}
	return owners
}

// cellsAhead is the least expected share of the cells that queries touch after one bit more.
func cellsAhead(boxes []WeightedBox, bits, widths []int) float64 {
	least := math.Inf(1)
	for a := range bits {
		if bits[a] < widths[a] {
			bits[a]++
			least = math.Min(least, cells(boxes, bits, widths))
			bits[a]--
		}
	}
	if math.IsInf(least, 1) {
		return cells(boxes, bits, widths)
	}
	return least
}

// cells is the expected share of the cells that queries touch, if attributes have so many leading bits of their widths.
func cells(boxes []WeightedBox, bits, widths []int) float64 {
	sum := 0.0
	for _, b := range boxes {
		share := b.Weight
		for a, n := range bits {
			shift := uint(widths[a] - n)
			share *= float64(b.High[a]>>shift-b.Low[a]>>shift+1) / float64(uint64(1)<<uint(n))
		}
		sum += share
	}
	return sum
}
