// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// gather takes the bits of one attribute out of one word, by the parallel compress of Hacker's Delight (H. S. Warren,
// section 7-4).
type gather struct {
	mask  uint64
	count int       // bits in mask
	moves [6]uint64 // the bits that move by 1, 2, 4 .. 32 places
}

func newGathers(p *Plan) [][]gather {
	gathers := make([][]gather, len(p.masks))
	for w, masks := range p.masks {
		for _, mask := range masks {
			gathers[w] = append(gathers[w], newGather(mask))
		}
	}
	return gathers
}

func newGather(mask uint64) gather {
	g := gather{mask: mask, count: bits.OnesCount64(mask)}
	holes := ^mask << 1 // below each bit, the places that it must skip
	for i := range g.moves {
		parity := holes
		for distance := 1; distance < wordBits; distance *= 2 {
			parity ^= parity << distance
		}
		g.moves[i] = parity & mask
		mask = mask ^ g.moves[i] | g.moves[i]>>(1<<i)
		holes &^= parity
	}
	return g
}

// take returns the bits of mask in word, pushed together at the low end.
func (g *gather) take(word uint64) uint64 {
	word &= g.mask
	for i, moves := range g.moves {
		moved := word & moves
		word = word ^ moved | moved>>(1<<i&63)
	}
	return word
}

// AppendCodes appends to dst the code of each attribute in key, which must begin with a key of the plan; what follows
// it is ignored. It fails with ErrKey if key is too short or has bits set after the plan's last one, and with ErrCode
// if an attribute has more than 64 bits.
func (p *Plan) AppendCodes(dst []uint64, key []byte) ([]uint64, error) {
	if err := p.checkKey(key); err != nil {
		return dst, err
	}
	if p.weave.wide {
		return dst, fmt.Errorf("%w: an attribute has more than 64 bits; use AppendCodeBytes", ErrCode)
	}
	for attribute := range p.widths {
		code := uint64(0)
		for w, gathers := range p.gathers {
			g := &gathers[attribute]
			code = code<<g.count | g.take(loadWord(key[:p.bytes], w))
		}
		dst = append(dst, code)
	}
	return dst, nil
}

// AppendCodeBytes appends to dst the code of one attribute in key, in its []byte form. The errors are those of
// AppendCodes.
func (p *Plan) AppendCodeBytes(dst []byte, key []byte, attribute int) ([]byte, error) {
	if err := p.checkKey(key); err != nil {
		return dst, err
	}
	if attribute < 0 || attribute >= len(p.widths) {
		return dst, fmt.Errorf("%w: attribute %d of %d", ErrCode, attribute, len(p.widths))
	}
	var packer packer
	for w, gathers := range p.gathers {
		g := &gathers[attribute]
		dst = packer.append(dst, g.take(loadWord(key[:p.bytes], w)), g.count)
	}
	return packer.flush(dst), nil
}

func (p *Plan) checkKey(key []byte) error {
	if len(key) < p.bytes {
		return fmt.Errorf("%w: %d bytes; the plan's %d bits take %d", ErrKey, len(key), len(p.owners), p.bytes)
	}
	if used := len(p.owners) % 8; used != 0 && key[p.bytes-1]<<used != 0 {
		return fmt.Errorf("%w: bits are set after the plan's %d", ErrKey, len(p.owners))
	}
	return nil
}

// packer writes groups of bits one after the other.
type packer struct {
	pending uint64 // aligned to the left
	count   int    // bits in pending, 0 to 7 between calls
}

func (k *packer) append(dst []byte, value uint64, count int) []byte {
	for count > 0 {
		chunk := min(count, 8)
		count -= chunk
		k.pending |= (value >> count & lowBits(chunk)) << (wordBits - k.count - chunk)
		k.count += chunk
		if k.count >= 8 {
			dst = append(dst, byte(k.pending>>56))
			k.pending <<= 8
			k.count -= 8
		}
	}
	return dst
}

func (k *packer) flush(dst []byte) []byte {
	if k.count > 0 {
		dst = append(dst, byte(k.pending>>56))
	}
	return dst
}

// loadWord reads word w of a key; bytes that the key lacks are zero.
func loadWord(key []byte, w int) uint64 {
	if len(key) >= 8*w+8 {
		return binary.BigEndian.Uint64(key[8*w:])
	}
	word := uint64(0)
	for i := 8 * w; i < len(key); i++ {
		word |= uint64(key[i]) << (56 - 8*(i-8*w))
	}
	return word
}
