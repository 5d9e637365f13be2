// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// tablesMax bounds the tables of one plan, 2 KiB each. Plans of a regular order need one to three; what the tables of
// an irregular one do not cover is woven bit by bit.
const tablesMax = 64

// weave is the work of encoding. A key of one word is made from its codes written one after the other, a word too, of
// which each byte is looked up in a table. In a longer key each byte of a code is a step of each word that has bits of
// it.
type weave struct {
	wide  bool     // some attribute has more than 64 bits
	bytes *lookups // of keys of one word
	words [][]step // by word; of keys of several words
}

// lookup spreads a byte over a word.
type lookup struct {
	table *[256]uint64 // the byte's bits, spread from the word's first bit on; nil if there are too many tables
	right uint8        // how far the table's bits are moved
}

// lookups are the lookups of the 8 bytes of a word, each with a table.
type lookups struct {
	bytes  [8]lookup
	widths [AttributesMax]uint8  // in bits
	above  [AttributesMax]uint64 // the bits that a code must not have
}

// step spreads one byte of one code over one word of the key.
type step struct {
	lookup
	attribute uint8
	// the byte in a block of all codes as integers aligned to the left, if no attribute has more than 64 bits
	source uint8
	index  uint16 // of the byte in the code
	// the place of each bit of the byte in the word, counted from the highest; noTarget if it is in another word
	targets [8]uint8
}

// noTarget says that a bit is not in the word.
const noTarget = 0xFF

// tables are the tables of one plan; lookups that spread equally share one.
type tables map[[8]uint8]*[256]uint64

// find returns the lookup for a byte whose bits go to targets.
func (t tables) find(targets [8]uint8) lookup {
	right := slices.Min(targets[:])
	if right == noTarget {
		right = 0
	}
	for i, target := range targets {
		if target != noTarget {
			targets[i] = target - right
		}
	}
	table := t[targets]
	if table == nil && len(t) < tablesMax {
		table = new([256]uint64)
		for value := range table {
			table[value] = spread(byte(value), &targets)
		}
		t[targets] = table
	}
	return lookup{table, right}
}

// spread puts the bits of value, the most significant first, to targets.
func spread(value byte, targets *[8]uint8) uint64 {
	word := uint64(0)
	for i, target := range targets {
		if value<<i&0x80 != 0 && target != noTarget {
			word |= 1 << (wordBits - 1 - target&63)
		}
	}
	return word
}

func (s *step) spread(value byte) uint64 {
	if s.table != nil {
		return s.table[value] >> (s.right & 63)
	}
	return spread(value, &s.targets)
}

func newWeave(p *Plan) weave {
	v := weave{wide: slices.Max(p.widths) > wordBits}
	places := make([][]int, len(p.widths)) // where the bits of each code are in the key
	for bit, attribute := range p.owners {
		places[attribute] = append(places[attribute], bit)
	}
	shared := tables{}
	if len(p.masks) == 1 {
		v.bytes = newLookups(shared, slices.Concat(places...))
		for attribute, width := range p.widths {
			v.bytes.widths[attribute], v.bytes.above[attribute] = uint8(width), ^lowBits(width)
		}
		return v
	}
	v.words = make([][]step, len(p.masks))
	for attribute, list := range places {
		for index := 0; index < len(list); index += 8 {
			v.addByte(shared, attribute, index/8, list[index:min(index+8, len(list))])
		}
	}
	return v
}

// newLookups makes the lookups of the codes written one after the other, the last bit last in the word. Bit i of them
// goes to places[i].
func newLookups(shared tables, places []int) *lookups {
	var list lookups
	for i := range list.bytes {
		var targets [8]uint8
		for j := range targets {
			targets[j] = noTarget
			if bit := 8*i + j - (wordBits - len(places)); bit >= 0 {
				targets[j] = uint8(places[bit])
			}
		}
		list.bytes[i] = shared.find(targets)
	}
	return &list
}

// addByte adds the steps of one byte of a code, whose bits go to places.
func (v *weave) addByte(shared tables, attribute, index int, places []int) {
	for w := places[0] / wordBits; w <= places[len(places)-1]/wordBits; w++ {
		s := step{attribute: uint8(attribute), source: uint8(8*attribute + index%8), index: uint16(index)}
		used := false
		for i := range s.targets {
			s.targets[i] = noTarget
			if i < len(places) && places[i]/wordBits == w {
				s.targets[i], used = uint8(places[i]%wordBits), true
			}
		}
		if used {
			s.lookup = shared.find(s.targets)
			v.words[w] = append(v.words[w], s)
		}
	}
}

// AppendKey appends the key of the codes to dst: Bytes bytes. It fails with ErrCode, leaving dst as it came, if there
// are not as many codes as attributes, if one is above CodeMax, or if an attribute has more than 64 bits. It does not
// allocate if dst has room.
func (p *Plan) AppendKey(dst []byte, codes ...uint64) ([]byte, error) {
	if len(codes) != len(p.widths) || p.weave.wide {
		return dst, p.codesError(codes)
	}
	if p.weave.bytes == nil {
		return p.appendLongKey(dst, codes)
	}
	key, over := p.weave.bytes.key(codes)
	if over {
		return dst, p.codesError(codes)
	}
	return appendWord(dst, key, p.bytes), nil
}

// key is the key of codes, not more than there are attributes; over says that one is too wide.
func (t *lookups) key(codes []uint64) (key uint64, over bool) {
	joined, rest := uint64(0), uint64(0)
	for attribute, code := range codes {
		at := attribute & (AttributesMax - 1)
		joined = joined<<(t.widths[at]&63) | code
		rest |= code & t.above[at]
	}
	return t.spread(joined), rest != 0
}

// spread looks up all bytes of a word.
func (l *lookups) spread(word uint64) uint64 {
	t := &l.bytes
	return t[0].table[byte(word>>56)]>>(t[0].right&63) | t[1].table[byte(word>>48)]>>(t[1].right&63) |
		t[2].table[byte(word>>40)]>>(t[2].right&63) | t[3].table[byte(word>>32)]>>(t[3].right&63) |
		t[4].table[byte(word>>24)]>>(t[4].right&63) | t[5].table[byte(word>>16)]>>(t[5].right&63) |
		t[6].table[byte(word>>8)]>>(t[6].right&63) | t[7].table[byte(word)]>>(t[7].right&63)
}

func (p *Plan) appendLongKey(dst []byte, codes []uint64) ([]byte, error) {
	var block [8 * AttributesMax]byte // 8 bytes for each attribute: its code aligned to the left
	over := uint64(0)
	for attribute, code := range codes {
		free := uint(wordBits-p.widths[attribute]) & 63
		aligned := code << free
		over |= code ^ aligned>>free
		binary.BigEndian.PutUint64(block[8*attribute&(len(block)-8):], aligned)
	}
	if over != 0 {
		return dst, p.codesError(codes)
	}
	size := len(dst) + p.bytes
	for _, steps := range p.weave.words {
		word := uint64(0)
		for i := range steps {
			word |= steps[i].spread(block[steps[i].source&63])
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
			return fmt.Errorf("%w: attribute %d has %d bits; use the form that takes codes as bytes", ErrCode,
				attribute, width)
		}
		if codes[attribute] > p.CodeMax(attribute) {
			return fmt.Errorf("%w: the code %d of attribute %d has more than %d bits", ErrCode, codes[attribute],
				attribute, width)
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
	if p.weave.bytes != nil {
		// The integers are not joined here: Go 1.26 on amd64 turns x<<(n&63) | y>>((64-n)&63) into one double shift,
		// which loses y if n is 64.
		var integers [AttributesMax]uint64
		for attribute, code := range codes {
			integers[attribute&(AttributesMax-1)] = loadWord(code, 0) >> (wordBits - p.widths[attribute])
		}
		key, _ := p.weave.bytes.key(integers[:len(codes)])
		return appendWord(dst, key, p.bytes), nil
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
		return fmt.Errorf("%w: the code of attribute %d has %d bytes; its %d bits take %d", ErrCode, attribute,
			len(code), width, p.CodeBytes(attribute))
	}
	if width%8 != 0 && code[len(code)-1]<<(width%8) != 0 {
		return fmt.Errorf("%w: the code of attribute %d has bits set after its %d bits; align it to the left", ErrCode,
			attribute, width)
	}
	return nil
}

// AppendCode appends to dst the []byte form of a code of an attribute of up to 64 bits. Bits above the attribute's
// width are an error.
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
	if limit >= 4 {
		dst = binary.BigEndian.AppendUint32(dst, uint32(word>>32))
		word, limit = word<<32, limit-4
	}
	for ; limit > 0; limit-- {
		dst = append(dst, byte(word>>56))
		word <<= 8
	}
	return dst
}
