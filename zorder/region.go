// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// region is a box made ready to be searched in one direction. Backward, every key is complemented on its way in and
// out: the largest key of a box that is not above z is the complement of the smallest key of the complemented box that
// is not below the complement of z.
//
// The attributes are regrouped, which changes no answer and saves work. The leading bits that an attribute's lowest and
// highest code have in common can have one value only; such bits of all attributes form one span whose low and high are
// equal, and the bits after the last of the plan belong to it, their value 0. Attributes without bounds, or whose
// remaining bits have none, have no span: their bits are free. The rest of an attribute is a span of its own.
type region struct {
	flip  uint64 // all ones backward
	bytes int    // of a key
	cells []cell // by word of the key
}

// cell is one word of a region.
type cell struct {
	free  uint64
	spans []span
}

// span is the part of a range in one word: the bits mask, from low to high. All cells have the same number of spans in
// the same order.
type span struct{ mask, low, high uint64 }

// spansMax: one for each attribute, and one for the bits of one value.
const spansMax = AttributesMax + 1

// newRegion prepares the box between two corners, given in the order of the search.
func newRegion(p *Plan, first, last []byte, flip uint64) region {
	words := len(p.masks)
	r := region{flip: flip, bytes: p.bytes, cells: make([]cell, words)}
	fixed := make([]span, words)
	for attribute := range p.widths {
		spans := make([]span, words)
		for w, masks := range p.masks {
			mask := masks[attribute]
			spans[w] = span{mask, (loadWord(first, w) ^ flip) & mask, (loadWord(last, w) ^ flip) & mask}
		}
		splitFixed(spans, fixed)
		r.add(spans)
	}
	end := &fixed[words-1]
	end.mask, end.low, end.high = end.mask|p.spare, end.low|p.spare&flip, end.high|p.spare&flip
	if slices.ContainsFunc(fixed, func(s span) bool { return s.mask != 0 }) {
		r.append(fixed)
	}
	return r
}

// splitFixed moves the leading bits that low and high have in common from spans to fixed.
func splitFixed(spans, fixed []span) {
	for w := range spans {
		s, f := &spans[w], &fixed[w]
		rest := uint64(0)
		if s.low != s.high {
			rest = tail(s.low ^ s.high)
		}
		f.mask |= s.mask &^ rest
		f.low |= s.low &^ rest
		f.high |= s.low &^ rest
		s.mask, s.low, s.high = s.mask&rest, s.low&rest, s.high&rest
		if rest != 0 {
			return
		}
	}
}

// add gives the bits of spans to the free ones if nothing bounds them.
func (r *region) add(spans []span) {
	if slices.ContainsFunc(spans, func(s span) bool { return s.low != 0 || s.high != s.mask }) {
		r.append(spans)
		return
	}
	for w, s := range spans {
		r.cells[w].free |= s.mask
	}
}

func (r *region) append(spans []span) {
	for w, s := range spans {
		r.cells[w].spans = append(r.cells[w].spans, s)
	}
}

// tail is the highest bit of x, which is not 0, and all bits below it.
func tail(x uint64) uint64 { return ^uint64(0) >> (uint(bits.LeadingZeros64(x)) & 63) }

// contains is true if key is inside.
func (r *region) contains(key []byte) bool {
	low, high := allSpans, allSpans
	for w := range r.cells {
		word := loadWord(key, w) ^ r.flip
		for i, s := range r.cells[w].spans {
			s, value := s.within(low, high, i), word&s.mask
			if value < s.low || value > s.high {
				return false
			}
			if value != s.low {
				low &^= 1 << i
			}
			if value != s.high {
				high &^= 1 << i
			}
		}
	}
	return true
}

// next appends the smallest key inside that is not below z, in the order of the search. z has no more bytes than a key.
func (r *region) next(dst, z []byte) (key []byte, in, ok bool) {
	if len(r.cells) > 1 {
		return r.nextLong(dst, z)
	}
	word, in, ok := r.cells[0].next(loadWord(z, 0) ^ r.flip)
	if ok {
		dst = appendWord(dst, word^r.flip, r.bytes)
	}
	return dst, in, ok
}

// storeWord writes word w of a key; bits beyond the key's end are dropped.
func storeWord(key []byte, w int, word uint64) {
	if len(key) >= 8*w+8 {
		binary.BigEndian.PutUint64(key[8*w:], word)
		return
	}
	for i := 8 * w; i < len(key); i++ {
		key[i] = byte(word >> 56)
		word <<= 8
	}
}
