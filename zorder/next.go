// SPDX-License-Identifier: Apache-2.0

package zorder

import "math/bits"

// The search for the next key, after Tropf and Herzog, for words of bits at once instead of one bit after the other.
//
// Go through the bits of z from the first. While its bits are those of low, an attribute is tied to low: it must not go
// below. While they are those of high, it is tied to high: it must not go above. A bit that goes below low, or above
// high, is the event that ends the search; the event of all attributes that comes first decides. Without one z is
// inside.
//
//   - Below: the bits before the event are kept, and what follows is made as small as it may be: attributes tied to low
//     continue as low, the others with zeros.
//   - Above: a bit before the event must be raised from 0 to 1, the last one that may be: one of an attribute not tied
//     to high, or where high has a 1. The bits before it are kept, and what follows is made as small as it may be.
//
// Bits of different attributes are different bits of a word. So the difference of z and a corner in one attribute's
// bits has its first event as highest bit, and of two differences the one with the earlier event is the larger integer.

// next is the search in keys of one word.
func (c *cell) next(z uint64) (key uint64, in, ok bool) {
	event, above := uint64(0), false
	for i := range c.spans {
		s := &c.spans[i]
		value := z & s.mask
		if value < s.low {
			if value^s.low > event {
				event, above = value^s.low, false
			}
		} else if value > s.high {
			if value^s.high > event {
				event, above = value^s.high, true
			}
		}
	}
	if event == 0 {
		return z, true, true
	}
	if above {
		return c.raise(z, tail(event))
	}
	rest := tail(event)
	key = z &^ rest
	for i := range c.spans {
		s := &c.spans[i]
		if (z^s.low)&s.mask <= rest {
			key |= s.low & rest
		}
	}
	return key, false, true
}

// raise answers an event above high: rest is its bit and all that follow.
func (c *cell) raise(z, rest uint64) (key uint64, in, ok bool) {
	legal := c.free
	for i := range c.spans {
		s := &c.spans[i]
		if value := z & s.mask; value < s.high {
			legal |= s.mask & tail(value^s.high)
		}
	}
	legal &^= z | rest
	if legal == 0 {
		return 0, false, false
	}
	bit := legal & -legal
	rest = bit - 1
	key = z&^rest | bit
	for i := range c.spans {
		s := &c.spans[i]
		if (z^s.low)&s.mask <= rest && s.mask&bit == 0 {
			key |= s.low & rest
		}
	}
	return key, false, true
}

// ties are the spans that lie on a corner's bound, one bit each.
type ties uint16

const allSpans = ties(1<<spansMax - 1)

// within is the span as it bounds a word: without the bounds that it is no longer tied to.
func (s span) within(low, high ties, i int) span {
	s.low &= -uint64(low >> i & 1)
	s.high |= s.mask & (uint64(high>>i&1) - 1)
	return s
}

// mark is a word in which a bit may be raised, and the spans' ties where that word begins.
type mark struct {
	word      int
	low, high ties
}

// nextLong is the search in keys of several words: word for word, remembering the last one with a bit to raise.
func (r *region) nextLong(dst, z []byte) (key []byte, in, ok bool) {
	saved := mark{word: -1}
	low, high := allSpans, allSpans
	for w := range r.cells {
		c := &r.cells[w]
		word := loadWord(z, w) ^ r.flip
		event, above, legal := uint64(0), false, c.free&^word
		lowAfter, highAfter := low, high
		for i := range c.spans {
			s := c.spans[i].within(low, high, i)
			value := word & s.mask
			if value != s.low {
				lowAfter &^= 1 << i
				if value < s.low && value^s.low > event {
					event, above = value^s.low, false
				}
			}
			if value != s.high {
				highAfter &^= 1 << i
				if value < s.high {
					legal = 1
				} else if value^s.high > event {
					event, above = value^s.high, true
				}
			}
		}
		if event != 0 {
			at := mark{w, low, high}
			if above {
				return r.raiseLong(dst, z, at, tail(event), saved)
			}
			return r.lowerLong(dst, z, at, word, tail(event)), false, true
		}
		if legal != 0 {
			saved = mark{w, low, high}
		}
		low, high = lowAfter, highAfter
	}
	return r.appendKey(dst, z), true, true
}

// lowerLong answers an event below low in the word at: rest is its bit and all that follow.
func (r *region) lowerLong(dst, z []byte, at mark, word, rest uint64) []byte {
	key := word &^ rest
	low := ties(0)
	for i := range r.cells[at.word].spans {
		s := r.cells[at.word].spans[i].within(at.low, at.high, i)
		if (word^s.low)&s.mask <= rest {
			key |= s.low & rest
			low |= at.low & (1 << i)
		}
	}
	return r.appendFrom(dst, z, at.word, key, low)
}

// raiseLong answers an event above high in the word at: rest is its bit and all that follow. saved is an earlier word
// with a bit to raise.
func (r *region) raiseLong(dst, z []byte, at mark, rest uint64, saved mark) (key []byte, in, ok bool) {
	word, bit := r.lastLegal(z, at, rest)
	if bit == 0 {
		if saved.word < 0 {
			return dst, false, false
		}
		at = saved
		word, bit = r.lastLegal(z, at, 0)
	}
	rest = bit - 1
	low := ties(0)
	changed := word&^rest | bit
	for i := range r.cells[at.word].spans {
		s := r.cells[at.word].spans[i].within(at.low, at.high, i)
		if (word^s.low)&s.mask <= rest && s.mask&bit == 0 {
			changed |= s.low & rest
			low |= at.low & (1 << i)
		}
	}
	return r.appendFrom(dst, z, at.word, changed, low), false, true
}

// lastLegal returns a word of z and its last bit that may be raised and is not in rest, or 0.
func (r *region) lastLegal(z []byte, at mark, rest uint64) (word, bit uint64) {
	c := &r.cells[at.word]
	word = loadWord(z, at.word) ^ r.flip
	legal := c.free
	for i := range c.spans {
		s := c.spans[i].within(at.low, at.high, i)
		if value := word & s.mask; value < s.high {
			legal |= s.mask & tail(value^s.high)
		}
	}
	legal &^= word | rest
	return word, legal & -legal
}

// appendFrom appends the words of z before w, then word, then the smallest words that the ties to low allow.
func (r *region) appendFrom(dst, z []byte, w int, word uint64, low ties) []byte {
	dst = r.appendKey(dst, z)
	key := dst[len(dst)-r.bytes:]
	storeWord(key, w, word^r.flip)
	for w++; w < len(r.cells); w++ {
		word = 0
		for rest := low; rest != 0; rest &= rest - 1 {
			word |= r.cells[w].spans[bits.TrailingZeros16(uint16(rest))].low
		}
		storeWord(key, w, word^r.flip)
	}
	return dst
}

// appendKey appends z, padded with zeros.
func (r *region) appendKey(dst, z []byte) []byte {
	dst = append(dst, z...)
	for range r.bytes - len(z) {
		dst = append(dst, 0)
	}
	return dst
}
