// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// tablesMax bounds the tables of one plan, 2 KiB each. Plans of a regular order need one to three; what the tables of an irregular one
// do not cover is woven bit by bit.
const tablesMax = 64

// weave is the work of encoding: for each word of the key, the bytes of codes that have bits in it.
type weave struct {
	wide  bool // some attribute has more than 64 bits
	words [][]step
}

// step spreads one byte of one code over one word of the key.
type step struct {
	table     *[256]uint64 // the byte's bits, spread from the word's first bit on; nil if there are too many tables
	mask      uint64       // where the bits go in the word; used without a table
	attribute uint8
	index     uint16 // of the byte in the code
	shift     uint8  // of the byte in the code as an integer aligned to the left
	right     uint8  // how far the table's bits are moved
	skip      uint8  // bits of the byte that are in earlier words; used without a table
}

// tableKey names a table: all steps that spread equally share one.
type tableKey struct {
	mask uint64
	skip uint8
}

func newWeave(p *Plan) weave {
	v := weave{words: make([][]step, len(p.masks)), wide: slices.Max(p.widths) > wordBits}
	tables := map[tableKey]*[256]uint64{}
	used := make([]int, len(p.widths)) // bits of each code that earlier words hold
	for w, masks := range p.masks {
		for attribute, mask := range masks {
			v.words[w] = append(v.words[w], newSteps(tables, attribute, used[attribute], mask)...)
			used[attribute] += bits.OnesCount64(mask)
		}
	}
	return v
}

// newSteps cuts the bits that an attribute has in one word at the bytes of its code. used is the number of bits before this word.
func newSteps(tables map[tableKey]*[256]uint64, attribute, used int, mask uint64) []step {
	var steps []step
	for mask != 0 {
		skip := used % 8
		part := uint64(0)
		for count := skip; count < 8 && mask != 0; count++ {
			top := topBit(mask)
			part |= top
			mask &^= top
			used++
		}
		s := step{mask: part, attribute: uint8(attribute), index: uint16((used - 1) / 8), skip: uint8(skip), right: uint8(bits.LeadingZeros64(part))}
		s.shift = uint8(wordBits - 8 - 8*min(int(s.index), 7))
		s.table = findTable(tables, tableKey{part << s.right, s.skip})
		steps = append(steps, s)
	}
	return steps
}

func findTable(tables map[tableKey]*[256]uint64, key tableKey) *[256]uint64 {
	table := tables[key]
	if table == nil && len(tables) < tablesMax {
		table = new([256]uint64)
		for value := range table {
			table[value] = spread(byte(value)<<key.skip, key.mask)
		}
		tables[key] = table
	}
	return table
}

// spread puts the bits of value, the most significant first, to the places of mask.
func spread(value byte, mask uint64) uint64 {
	word := uint64(0)
	for ; mask != 0; value <<= 1 {
		top := topBit(mask)
		if value&0x80 != 0 {
			word |= top
		}
		mask &^= top
	}
	return word
}

// topBit is the highest bit of x, which is not 0.
func topBit(x uint64) uint64 { return 1 << (wordBits - 1 - uint(bits.LeadingZeros64(x))) }

func (s *step) spread(value byte) uint64 {
	if s.table != nil {
		return s.table[value] >> (s.right & 63)
	}
	return spread(value<<s.skip, s.mask)
}

// AppendKey appends the key of the codes to dst: Bytes bytes. It fails with ErrCode, leaving dst as it came, if there are not as many
// codes as attributes, if one is above CodeMax, or if an attribute has more than 64 bits. It does not allocate if dst has room.
func (p *Plan) AppendKey(dst []byte, codes ...uint64) ([]byte, error) {
	if len(codes) != len(p.widths) || p.weave.wide {
		return dst, p.codesError(codes)
	}
	var aligned [AttributesMax]uint64
	over := uint64(0)
	for attribute, code := range codes {
		free := uint(wordBits-p.widths[attribute]) & 63
		aligned[attribute&7] = code << free
		over |= code ^ code<<free>>free
	}
	if over != 0 {
		return dst, p.codesError(codes)
	}
	size := len(dst) + p.bytes
	for _, steps := range p.weave.words {
		word := uint64(0)
		for i := range steps {
			s := &steps[i]
			word |= s.spread(byte(aligned[s.attribute&7] >> (s.shift & 63)))
		}
		dst = appendWord(dst, word, size-len(dst))
	}
	return dst, nil
}

func (p *Plan) codesError(codes []uint64) error {
	if len(codes) != len(p.widths) {
		return p.countError(len(codes))
	}
	for attribute, width := range p.widths {
		if width > wordBits {
			return fmt.Errorf("%w: attribute %d has %d bits; use the form that takes codes as bytes", ErrCode, attribute, width)
		}
		if codes[attribute] > p.CodeMax(attribute) {
			return fmt.Errorf("%w: the code %d of attribute %d has more than %d bits", ErrCode, codes[attribute], attribute, width)
		}
	}
	return nil
}

func (p *Plan) countError(count int) error {
	return fmt.Errorf("%w: %d codes for %d attributes", ErrCode, count, len(p.widths))
}

// AppendKeyBytes is AppendKey for codes in their []byte form, each of CodeBytes bytes.
func (p *Plan) AppendKeyBytes(dst []byte, codes ...[]byte) ([]byte, error) {
	if len(codes) != len(p.widths) {
		return dst, p.countError(len(codes))
	}
	for attribute, code := range codes {
		if err := p.checkCode(attribute, code); err != nil {
			return dst, err
		}
	}
	size := len(dst) + p.bytes
	for _, steps := range p.weave.words {
		word := uint64(0)
		for i := range steps {
			s := &steps[i]
			word |= s.spread(codes[s.attribute][s.index])
		}
		dst = appendWord(dst, word, size-len(dst))
	}
	return dst, nil
}

// checkCode says what is wrong with a code in its []byte form.
func (p *Plan) checkCode(attribute int, code []byte) error {
	width := p.widths[attribute]
	if len(code) != p.CodeBytes(attribute) {
		return fmt.Errorf("%w: the code of attribute %d has %d bytes; its %d bits take %d", ErrCode, attribute, len(code), width, p.CodeBytes(attribute))
	}
	if width%8 != 0 && code[len(code)-1]<<(width%8) != 0 {
		return fmt.Errorf("%w: the code of attribute %d has bits set after its %d bits; align it to the left", ErrCode, attribute, width)
	}
	return nil
}

// AppendCode appends to dst the []byte form of a code of an attribute of up to 64 bits. Bits above the attribute's width are an error.
func (p *Plan) AppendCode(dst []byte, attribute int, code uint64) ([]byte, error) {
	if attribute < 0 || attribute >= len(p.widths) {
		return dst, fmt.Errorf("%w: attribute %d of %d", ErrCode, attribute, len(p.widths))
	}
	width := p.widths[attribute]
	if width > wordBits || code > p.CodeMax(attribute) {
		return dst, fmt.Errorf("%w: the code %d of attribute %d is not one of %d bits", ErrCode, code, attribute, width)
	}
	return appendWord(dst, code<<(wordBits-width), p.CodeBytes(attribute)), nil
}

// appendWord appends the first bytes of a word, at most limit.
func appendWord(dst []byte, word uint64, limit int) []byte {
	if limit >= 8 {
		return binary.BigEndian.AppendUint64(dst, word)
	}
	for ; limit > 0; limit-- {
		dst = append(dst, byte(word>>56))
		word <<= 8
	}
	return dst
}
