// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"fmt"
	"strings"
)

// A Box is the set of keys whose codes lie between a lowest and a highest one, both included, in each attribute. It may
// be empty: it is if a lowest code is above the highest. A Box does not change and is safe for concurrent use.
type Box struct {
	plan     *Plan
	low      []byte // the key of all lowest codes
	high     []byte // the key of all highest codes
	empty    bool
	forward  region
	backward region
}

// Range is the codes of one attribute between Low and High, both included, in their []byte form. Nil is no bound on
// that side.
type Range struct{ Low, High []byte }

// Range makes a Range of codes given as integers. The attribute must have no more than 64 bits.
func (p *Plan) Range(attribute int, low, high uint64) (Range, error) {
	first, err := p.AppendCode(nil, attribute, low)
	if err != nil {
		return Range{}, err
	}
	last, err := p.AppendCode(nil, attribute, high)
	return Range{first, last}, err
}

// Box makes the box between the codes low and high, one each for every attribute, all of up to 64 bits. An attribute
// without bounds has 0 and CodeMax. The errors are those of AppendKey.
func (p *Plan) Box(low, high []uint64) (*Box, error) {
	first, err := p.AppendKey(nil, low...)
	if err != nil {
		return nil, err
	}
	last, err := p.AppendKey(nil, high...)
	if err != nil {
		return nil, err
	}
	return newBox(p, first, last), nil
}

// BoxOfRanges makes a box from one range for each attribute, of any width. Attributes after the last range have no
// bounds.
func (p *Plan) BoxOfRanges(ranges ...Range) (*Box, error) {
	if len(ranges) > len(p.widths) {
		return nil, p.countError(len(ranges))
	}
	low, high := make([][]byte, len(p.widths)), make([][]byte, len(p.widths))
	for attribute := range p.widths {
		low[attribute], high[attribute] = p.codeEnds(attribute)
		if attribute < len(ranges) && ranges[attribute].Low != nil {
			low[attribute] = ranges[attribute].Low
		}
		if attribute < len(ranges) && ranges[attribute].High != nil {
			high[attribute] = ranges[attribute].High
		}
	}
	first, err := p.AppendKeyBytes(nil, low...)
	if err != nil {
		return nil, err
	}
	last, err := p.AppendKeyBytes(nil, high...)
	if err != nil {
		return nil, err
	}
	return newBox(p, first, last), nil
}

// codeEnds returns the lowest and the highest code of an attribute.
func (p *Plan) codeEnds(attribute int) (low, high []byte) {
	size := p.CodeBytes(attribute)
	high = bytes.Repeat([]byte{0xFF}, size)
	high[size-1] <<= uint(8*size - p.widths[attribute])
	return make([]byte, size), high
}

// BoxOfKeys makes the box between two corners: the key of all lowest codes and the key of all highest. Bytes after the
// plan's last are ignored.
func (p *Plan) BoxOfKeys(low, high []byte) (*Box, error) {
	if err := p.checkKey(low); err != nil {
		return nil, err
	}
	if err := p.checkKey(high); err != nil {
		return nil, err
	}
	return newBox(p, bytes.Clone(low[:p.bytes]), bytes.Clone(high[:p.bytes])), nil
}

// newBox takes over low and high.
func newBox(p *Plan, low, high []byte) *Box {
	b := &Box{plan: p, low: low, high: high}
	for attribute := range p.widths {
		if p.compareCode(attribute, low, high) > 0 {
			b.empty = true
			return b
		}
	}
	b.forward = newRegion(p, low, high, 0)
	b.backward = newRegion(p, high, low, ^uint64(0))
	return b
}

// compareCode compares one attribute's codes in two keys.
func (p *Plan) compareCode(attribute int, a, b []byte) int {
	for w, masks := range p.masks {
		x, y := loadWord(a, w)&masks[attribute], loadWord(b, w)&masks[attribute]
		if x < y {
			return -1
		}
		if x > y {
			return 1
		}
	}
	return 0
}

// Plan is the plan whose keys the box holds.
func (b *Box) Plan() *Plan { return b.plan }

// Empty is true if no key is inside.
func (b *Box) Empty() bool { return b.empty }

// Low is the key of all lowest codes, the first key of a box that is not empty. The caller must not change it.
func (b *Box) Low() []byte { return b.low }

// High is the key of all highest codes, the last key of a box that is not empty. The caller must not change it.
func (b *Box) High() []byte { return b.high }

// In is true if key is inside. Bytes after the plan's last are ignored; bytes that key lacks count as zero.
func (b *Box) In(key []byte) bool { return !b.empty && b.forward.contains(cut(key, b.plan.bytes)) }

// Next appends to dst the smallest key inside the box that is not below z. It is z itself if z is inside: in is true.
// If there is none, ok is false and dst comes back as it was. Bytes of z after the plan's last are ignored, so z may be
// a longer key that begins with a curve key; bytes that z lacks count as zero. dst must not overlap z. Nothing is
// allocated if dst has room for Bytes.
func (b *Box) Next(dst, z []byte) (key []byte, in, ok bool) {
	if b.empty {
		return dst, false, false
	}
	return b.forward.next(dst, cut(z, b.plan.bytes))
}

// Prev is Next for scans that go backward: it appends the largest key inside that is not above z.
func (b *Box) Prev(dst, z []byte) (key []byte, in, ok bool) {
	if b.empty {
		return dst, false, false
	}
	return b.backward.next(dst, cut(z, b.plan.bytes))
}

func cut(key []byte, size int) []byte {
	if len(key) > size {
		return key[:size]
	}
	return key
}

// contains is true if all of c is inside b. Both are of the same plan and not empty.
func (b *Box) contains(c *Box) bool { return b.In(c.low) && b.In(c.high) }

// String shows the codes of each attribute in hexadecimal, aligned to the left: "0:12..1f 1:00..ff".
func (b *Box) String() string {
	if b.empty {
		return "empty"
	}
	var text strings.Builder
	for attribute := range b.plan.widths {
		low, _ := b.plan.AppendCodeBytes(nil, b.low, attribute)
		high, _ := b.plan.AppendCodeBytes(nil, b.high, attribute)
		if attribute > 0 {
			text.WriteByte(' ')
		}
		fmt.Fprintf(&text, "%d:%x", attribute, low)
		if !bytes.Equal(low, high) {
			fmt.Fprintf(&text, "..%x", high)
		}
	}
	return text.String()
}
