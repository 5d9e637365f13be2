// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestNextAgainstAllKeys compares every form of Next and Prev, In, and unions, with trying all keys, for every z of
// random plans.
func TestNextAgainstAllKeys(t *testing.T) {
	r, cases, plans := newRand(t), 0, 0
	for wanted := rounds.Of(t, 300_000); cases < wanted; {
		p := randomPlan(t, r, AttributesMax, 11)
		boxes := make([]*Box, 1+r.IntN(3))
		members := make([][]bool, len(boxes))
		for i := range boxes {
			low, high := randomBounds(r, p)
			boxes[i], members[i] = newTestBox(t, p, low, high)
		}
		for i, box := range boxes[:1] {
			compareAll(t, p, members[i], fmt.Sprint(p.Text(), box), box.In, box.Next, box.Prev)
			if !box.empty {
				compareAll(t, p, members[i], fmt.Sprint("long form ", p.Text(), box), box.In, box.forward.nextLong,
					box.backward.nextLong)
			}
		}
		union, err := Union(p, boxes, 0)
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Clone(members[0])
		for _, other := range members[1:] {
			for z := range all {
				all[z] = all[z] || other[z]
			}
		}
		compareAll(t, p, all, fmt.Sprint(p.Text(), union), union.In, union.Next, union.Prev)
		for i := range union.forward.pieces {
			if i == 0 && union.Len() > 1 {
				compareAll(t, p, all, fmt.Sprint("long form ", p.Text(), union), union.In, union.forward.nextLong,
					union.backward.nextLong)
			}
		}
		cases += 4 << p.Bits()
		plans++
	}
	t.Logf("%d cases, %d plans", cases, plans)
}

// newTestBox makes a box and the list of the keys inside, found by taking each key apart.
func newTestBox(t *testing.T, p *Plan, low, high []uint64) (*Box, []bool) {
	t.Helper()
	box, err := p.Box(low, high)
	if err != nil {
		t.Fatal(err)
	}
	members := make([]bool, 1<<p.Bits())
	for z := range members {
		members[z] = insideModel(codesOf(p, z), low, high)
	}
	if box.Empty() == slices.Contains(members, true) {
		t.Fatalf("%s %v %v: Empty %t", p.Text(), low, high, box.Empty())
	}
	return box, members
}

type nextFunc func(dst, z []byte) ([]byte, bool, bool)

// compareAll runs every key through in, next and prev.
func compareAll(t *testing.T, p *Plan, members []bool, name string, in func([]byte) bool, next, prev nextFunc) {
	t.Helper()
	following, preceding := make([]int, len(members)), make([]int, len(members))
	last := -1
	for z := range members {
		if members[z] {
			last = z
		}
		preceding[z] = last
	}
	last = -1
	for z := len(members) - 1; z >= 0; z-- {
		if members[z] {
			last = z
		}
		following[z] = last
	}
	scratch := make([]byte, 0, 64)
	for z := range members {
		key := keyOfNumber(p, z)
		if got := in(key); got != members[z] {
			t.Fatalf("%s: In(%x) %t", name, key, got)
		}
		checkStep(t, p, name+" next", next, scratch, key, members[z], following[z])
		checkStep(t, p, name+" prev", prev, scratch, key, members[z], preceding[z])
	}
}

func checkStep(t *testing.T, p *Plan, name string, step nextFunc, scratch, key []byte, in bool, want int) {
	t.Helper()
	got, gotIn, ok := step(append(scratch, 0xEE), key)
	var wanted []byte
	if want >= 0 {
		wanted = keyOfNumber(p, want)
	}
	if ok != (want >= 0) || gotIn != in || got[0] != 0xEE || !bytes.Equal(got[1:], wanted) {
		t.Fatalf("%s of %x: %x in=%t ok=%t, want %x in=%t", name, key, got, gotIn, ok, wanted, in)
	}
}

// TestNextAgainstBits compares keys of up to 300 bits with the model that walks the bits.
func TestNextAgainstBits(t *testing.T) {
	r, cases := newRand(t), 0
	for wanted := rounds.Of(t, 75_000); cases < wanted; {
		p := randomPlan(t, r, AttributesMax, []int{64, 128, 300}[r.IntN(3)])
		low, high := randomCorner(r, p), randomCorner(r, p)
		nearCorner(r, p, low, high)
		box, err := p.BoxOfKeys(low, high)
		if err != nil {
			t.Fatal(err)
		}
		if box.Empty() {
			continue
		}
		for range 16 {
			compareBits(t, p, box, nearKey(r, box))
			cases++
		}
	}
	t.Logf("%d cases", cases)
}

func randomCorner(r *rand.Rand, p *Plan) []byte {
	list := make([]byte, p.Bits())
	for i := range list {
		list[i] = byte(r.IntN(2))
	}
	return keyOf(list)
}

// nearCorner makes low and high equal in the leading bits of some attributes, puts them in order in others, and leaves
// few without.
func nearCorner(r *rand.Rand, p *Plan, low, high []byte) {
	for attribute := range p.Attributes() {
		a, _ := p.AppendCodeBytes(nil, low, attribute)
		b, _ := p.AppendCodeBytes(nil, high, attribute)
		if r.IntN(2) == 0 {
			shared := r.IntN(len(a) + 1)
			copy(b[:shared], a)
		}
		if r.IntN(50) > 0 && bytes.Compare(a, b) > 0 {
			a, b = b, a
		}
		setCode(p, attribute, low, a)
		setCode(p, attribute, high, b)
	}
}

// setCode writes an attribute's code into a key, bit for bit.
func setCode(p *Plan, attribute int, key, code []byte) {
	at := 0
	for i, owner := range p.Owners() {
		if int(owner) == attribute {
			key[i/8] = key[i/8]&^(0x80>>(i%8)) | code[at/8]>>(7-at%8)&1<<(7-i%8)
			at++
		}
	}
}

// nearKey is a corner with few bits changed, or a random key, or one inside with few bits changed.
func nearKey(r *rand.Rand, box *Box) []byte {
	p := box.Plan()
	z := randomCorner(r, p)
	switch r.IntN(4) {
	case 0:
		z = bytes.Clone(box.Low())
	case 1:
		z = bytes.Clone(box.High())
	case 2:
		if inside, _, ok := box.Next(nil, z); ok {
			z = inside
		}
	}
	for range r.IntN(3) {
		bit := r.IntN(p.Bits())
		z[bit/8] ^= 0x80 >> (bit % 8)
	}
	return z
}

func compareBits(t *testing.T, p *Plan, box *Box, z []byte) {
	t.Helper()
	count := p.Bits()
	list, low, high := bitsOf(z, count), bitsOf(box.Low(), count), bitsOf(box.High(), count)
	want, in, ok := nextModel(p.owners, list, low, high)
	got, gotIn, gotOK := box.Next(nil, z)
	if gotIn != in || gotOK != ok || !bytes.Equal(got, keyOf(want)) {
		t.Fatalf("%s %s: Next(%x) %x %t %t, want %x %t %t", p.Text(), box, z, got, gotIn, gotOK, keyOf(want), in, ok)
	}
	want, in, ok = prevModel(p.owners, list, low, high)
	got, gotIn, gotOK = box.Prev(nil, z)
	if gotIn != in || gotOK != ok || !bytes.Equal(got, keyOf(want)) {
		t.Fatalf("%s %s: Prev(%x) %x %t %t, want %x %t %t", p.Text(), box, z, got, gotIn, gotOK, keyOf(want), in, ok)
	}
	if box.In(z) != in {
		t.Fatalf("%s %s: In(%x) %t", p.Text(), box, z, !in)
	}
}
