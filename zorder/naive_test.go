// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// The models that the package is compared with: keys of few bits as numbers, tried one after the other, and keys of
// many bits as slices of bits, walked one by one.

// bitsOf are the bits of a key, one byte each.
func bitsOf(key []byte, count int) []byte {
	list := make([]byte, count)
	for i := range list {
		if i/8 < len(key) {
			list[i] = key[i/8] >> (7 - i%8) & 1
		}
	}
	return list
}

func keyOf(list []byte) []byte {
	key := make([]byte, (len(list)+7)/8)
	for i, bit := range list {
		key[i/8] |= bit << (7 - i%8)
	}
	return key
}

// keyOfNumber is the key of a plan of few bits, given as a number.
func keyOfNumber(p *Plan, number int) []byte {
	list := make([]byte, p.Bits())
	for i := range list {
		list[i] = byte(number >> (len(list) - 1 - i) & 1)
	}
	return keyOf(list)
}

// codesOf takes the codes out of a number, bit for bit.
func codesOf(p *Plan, number int) []uint64 {
	codes := make([]uint64, p.Attributes())
	for i, owner := range p.Owners() {
		codes[owner] = codes[owner]<<1 | uint64(number>>(p.Bits()-1-i)&1)
	}
	return codes
}

func insideModel(codes, low, high []uint64) bool {
	for i, code := range codes {
		if code < low[i] || code > high[i] {
			return false
		}
	}
	return true
}

// nextModel walks the bits as Tropf and Herzog describe it.
func nextModel(owners, z, low, high []byte) (key []byte, in, ok bool) {
	underLow, overHigh := [AttributesMax + 1]bool{}, [AttributesMax + 1]bool{} // no longer tied to low, to high
	save, savedLow := -1, underLow
	finish := func(from int, free [AttributesMax + 1]bool) []byte {
		for p := from; p < len(owners); p++ {
			key[p] = 0
			if !free[owners[p]] {
				key[p] = low[p]
			}
		}
		return key
	}
	key = append([]byte(nil), z...)
	for p, owner := range owners {
		l, h := byte(0), byte(1)
		if !underLow[owner] {
			l = low[p]
		}
		if !overHigh[owner] {
			h = high[p]
		}
		if z[p] < l {
			return finish(p, underLow), false, true
		}
		if z[p] > h {
			if save < 0 {
				return nil, false, false
			}
			key[save] = 1
			return finish(save+1, savedLow), false, true
		}
		if z[p] == 0 && h == 1 {
			save, savedLow = p, underLow
			savedLow[owner] = true
		}
		underLow[owner] = underLow[owner] || z[p] != l
		overHigh[owner] = overHigh[owner] || z[p] != h
	}
	return key, true, true
}

func complement(list []byte) []byte {
	flipped := make([]byte, len(list))
	for i, bit := range list {
		flipped[i] = bit ^ 1
	}
	return flipped
}

func prevModel(owners, z, low, high []byte) (key []byte, in, ok bool) {
	key, in, ok = nextModel(owners, complement(z), complement(high), complement(low))
	if ok {
		key = complement(key)
	}
	return key, in, ok
}

// newRand makes a random source and prints its seed.
func newRand(t testing.TB) *rand.Rand {
	seed := rounds.Seed(t)
	return rand.New(rand.NewPCG(seed, 0))
}

// randomPlan has one to attributes attributes and at most bitsMax bits, in one of several orders.
func randomPlan(t testing.TB, r *rand.Rand, attributes, bits int) *Plan {
	count := min(1+r.IntN(attributes), bits)
	widths := make([]int, count)
	for i := range widths {
		widths[i] = 1
	}
	for range r.IntN(bits - count + 1) {
		widths[r.IntN(count)]++
	}
	var p *Plan
	var err error
	switch r.IntN(4) {
	case 0:
		p, err = RoundRobin(widths...)
	case 1:
		p, err = Composite(widths...)
	case 2:
		p, err = Prefixed(r.IntN(count+1), widths...)
	default:
		var owners []byte
		for i, width := range widths {
			for range width {
				owners = append(owners, byte(i))
			}
		}
		r.Shuffle(len(owners), func(i, j int) { owners[i], owners[j] = owners[j], owners[i] })
		p, err = FromOwners(owners)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// randomBounds are two codes for each attribute: ranges, equal codes, prefixes, no bounds, and now and then an empty
// range.
func randomBounds(r *rand.Rand, p *Plan) (low, high []uint64) {
	for attribute := range p.Attributes() {
		a, b := r.Uint64()&p.CodeMax(attribute), r.Uint64()&p.CodeMax(attribute)
		switch r.IntN(8) {
		case 0:
			b = a
		case 1:
			a, b = 0, p.CodeMax(attribute)
		case 2:
			free := lowBits(r.IntN(p.Width(attribute) + 1))
			a, b = a&^free, a|free
		case 3:
			b = min(a+r.Uint64N(4), p.CodeMax(attribute))
		case 4:
			if r.IntN(8) > 0 {
				a, b = min(a, b), max(a, b)
			}
		default:
			a, b = min(a, b), max(a, b)
		}
		low, high = append(low, a), append(high, b)
	}
	return low, high
}
