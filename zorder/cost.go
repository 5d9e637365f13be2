// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"math"
	"math/big"
	"math/bits"
	"sort"
)

// The cost of a box. A leaf is the unit that the store reads at once: a page, a block, the rows of one request. All
// estimates are of leaves that hold candidates; the number of candidates is at most leaves times rows of a leaf, and
// the number of seeks is the number of runs of leaves.
//
// From cheap to good: ArticleAddresses and Addresses count places on the curve, whether there are rows or not.
// EstimateLeaves takes rows to be spread evenly, and is right within a factor of two or three as long as attributes are
// not correlated: use it to plan. TouchedLeaves looks at where the data is: use it to decide between plans that are
// close.

// ArticleAddresses is the formula of the AWS article, n^((a-b)/a): the addresses to look at, of n in the search space,
// in an index of a attributes of the same width of which b have exact bounds. For a range the article says to let b be
// the excluded share of the attribute, which is wrong: half of a single attribute would leave the square root of n
// addresses, not n/2. Give RangeBound instead, or use Addresses.
func ArticleAddresses(n float64, attributes int, exact float64) float64 {
	a := float64(attributes)
	return math.Exp2(math.Log2(n) * (a - exact) / a) // exact for powers of two, as math.Pow is not
}

// RangeBound returns the part of ArticleAddresses' b for a range that leaves share (above 0, at most 1) of an attribute
// of so many bits: -log2(share)/bits. It is 1 for one of all codes and 0 for no bound.
func RangeBound(share float64, bits int) float64 { return -math.Log2(share) / float64(bits) }

// Addresses is the number of addresses inside, of n in the search space, if the bounds leave these shares (0 to 1) of
// the attributes: n times their product.
func Addresses(n float64, shares ...float64) float64 {
	for _, share := range shares {
		n *= share
	}
	return n
}

// AttributeShare is the share of an attribute's codes between its bounds: 0 if there are none, 1 without bounds.
func (b *Box) AttributeShare(attribute int) float64 {
	if b.empty {
		return 0
	}
	low, _ := b.plan.AppendCodeBytes(nil, b.low, attribute)
	high, _ := b.plan.AppendCodeBytes(nil, b.high, attribute)
	width := b.plan.widths[attribute]
	difference := new(big.Int).SetBytes(high)
	difference.Sub(difference, new(big.Int).SetBytes(low))
	difference.Rsh(difference, uint(8*len(low)-width))
	share := new(big.Float).SetInt(difference.Add(difference, big.NewInt(1)))
	result, _ := share.SetMantExp(share, -width).Float64()
	return result
}

// Share is the share of all keys that are inside, 0 to 1; 1 - Share is the part that the bounds exclude.
func (b *Box) Share() float64 {
	share := 1.0
	for attribute := range b.plan.widths {
		share *= b.AttributeShare(attribute)
	}
	return share
}

// Share is the share of all keys that are inside, 0 to 1. Where boxes overlap it is too high.
func (u *Boxes) Share() float64 {
	share := 0.0
	for _, box := range u.boxes {
		share += box.Share()
	}
	return min(share, 1)
}

// EstimateLeaves is the number of leaves with keys of the box, in an index of so many rows, so many to a leaf, spread
// evenly over the keys: the first log2(leaves) bits of the key tell leaves apart, and the box touches, of the cells
// that each attribute's share of those bits makes, the ones between its bounds. It is 1 at least unless the box is
// empty.
func (b *Box) EstimateLeaves(rows, rowsPerLeaf float64) float64 {
	if b.empty {
		return 0
	}
	leaves := max(rows/max(rowsPerLeaf, 1), 1)
	steering := ^(^uint64(0) >> min(uint(math.Round(math.Log2(leaves))), 63))
	touched := leaves
	for _, mask := range b.plan.masks[0] {
		mask &= steering
		g := newGather(mask)
		cells := g.take(loadWord(b.high, 0)) - g.take(loadWord(b.low, 0)) + 1
		touched *= float64(cells) / math.Exp2(float64(bits.OnesCount64(mask)))
	}
	return max(touched, 1)
}

// EstimateLeaves is the sum of the boxes' estimates, at most all leaves.
func (u *Boxes) EstimateLeaves(rows, rowsPerLeaf float64) float64 {
	touched := 0.0
	for _, box := range u.boxes {
		touched += box.EstimateLeaves(rows, rowsPerLeaf)
	}
	return min(touched, max(rows/max(rowsPerLeaf, 1), 1))
}

// TouchedLeaves counts the leaves that hold, or could hold, keys of the union, and their runs: leaves that follow each
// other and are read after one seek. separators are the first keys of all leaves but the first, in ascending order.
// They may be longer than the plan's keys: then keys equal to a separator's beginning are taken to lie on both its
// sides. One Next is run for each leaf of the answer, and one for each run.
func (u *Boxes) TouchedLeaves(separators [][]byte) (leaves, runs int) {
	z := make([]byte, u.plan.bytes)
	var scratch []byte
	for leaf, last := 0, -2; leaf <= len(separators); leaf++ {
		if leaf > 0 {
			z = cut(separators[leaf-1], u.plan.bytes)
		}
		key, _, ok := u.Next(scratch[:0], z)
		if !ok {
			break
		}
		scratch = key
		leaf += sort.Search(len(separators)-leaf, func(i int) bool { return u.endsAfter(separators[leaf+i], key) })
		leaves++
		if leaf != last+1 {
			runs++
		}
		last = leaf
	}
	return leaves, runs
}

// endsAfter is true if key may lie in a leaf before separator.
func (u *Boxes) endsAfter(separator, key []byte) bool {
	order := bytes.Compare(cut(separator, u.plan.bytes), key)
	return order > 0 || order == 0 && len(separator) > u.plan.bytes
}

// SampledLeaves is the estimate of the leaves touched if TouchedLeaves was given every n-th separator only. It lies
// between all of the touched samples being full of touched leaves and one in each: touched times the square root of
// every.
func SampledLeaves(touched, every int) float64 {
	return float64(touched) * math.Sqrt(float64(every))
}
