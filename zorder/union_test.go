// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// randomUnion makes a union of up to count random boxes, and the boxes.
func randomUnion(t *testing.T, r *rand.Rand, p *Plan, count, boxesMax int) (*Boxes, []*Box) {
	t.Helper()
	var boxes []*Box
	for range r.IntN(count + 1) {
		low, high := randomBounds(r, p)
		box, err := p.Box(low, high)
		if err != nil {
			t.Fatal(err)
		}
		boxes = append(boxes, box)
	}
	union, err := Union(p, boxes, boxesMax)
	if err != nil {
		t.Fatal(err)
	}
	return union, boxes
}

func anyIn(boxes []*Box, key []byte) bool {
	for _, box := range boxes {
		if box.In(key) {
			return true
		}
	}
	return false
}

// TestUnionOfLongKeys compares unions with keys of up to 200 bits with the best answer of the boxes, each by the model
// that walks the bits; keys that end early count as ending with zeros.
func TestUnionOfLongKeys(t *testing.T) {
	r := newRand(t)
	for range rounds.Of(t, 1000) {
		p := randomPlan(t, r, 4, []int{20, 200}[r.IntN(2)])
		var boxes []*Box
		for range 1 + r.IntN(5) {
			low, high := randomCorner(r, p), randomCorner(r, p)
			nearCorner(r, p, low, high)
			box, err := p.BoxOfKeys(low, high)
			if err != nil {
				t.Fatal(err)
			}
			boxes = append(boxes, box)
		}
		union, err := Union(p, boxes, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			z := nearKey(r, boxes[0])
			if r.IntN(2) == 0 {
				z = cut(boxes[r.IntN(len(boxes))].Low(), 1+r.IntN(p.Bytes())) // may be as good as a whole key
			}
			compareUnion(t, union, boxes, z)
		}
	}
}

func compareUnion(t *testing.T, union *Boxes, boxes []*Box, z []byte) {
	t.Helper()
	p := union.Plan()
	list := bitsOf(z, p.Bits())
	var next, prev []byte
	for _, box := range boxes {
		if box.Empty() {
			continue
		}
		low, high := bitsOf(box.Low(), p.Bits()), bitsOf(box.High(), p.Bits())
		if key, _, ok := nextModel(p.owners, list, low, high); ok && (next == nil || bytes.Compare(key, next) < 0) {
			next = key
		}
		if key, _, ok := prevModel(p.owners, list, low, high); ok && (prev == nil || bytes.Compare(key, prev) > 0) {
			prev = key
		}
	}
	scratch := []byte("x")
	if got, in, ok := union.Next(scratch, z); !bytes.Equal(got[1:], keyOf(next)) || ok != (next != nil) ||
		in != (ok && bytes.Equal(next, list)) {
		t.Fatalf("%s %s: next from %x is %x %t %t, want %x", p.Text(), union, z, got[1:], in, ok, keyOf(next))
	}
	if got, in, ok := union.Prev(scratch, z); !bytes.Equal(got[1:], keyOf(prev)) || ok != (prev != nil) ||
		in != (ok && bytes.Equal(prev, list)) {
		t.Fatalf("%s %s: previous from %x is %x %t %t, want %x", p.Text(), union, z, got[1:], in, ok, keyOf(prev))
	}
}

// TestUnionBound: with fewer boxes a union holds at least what it should, and what it should exactly if nothing was
// covered.
func TestUnionBound(t *testing.T) {
	r := newRand(t)
	coveredOnes := 0
	for range 300 {
		p := randomPlan(t, r, 4, 10)
		boxesMax := 1 + r.IntN(6)
		union, boxes := randomUnion(t, r, p, 20, boxesMax)
		if union.Len() > boxesMax {
			t.Fatalf("%d boxes, at most %d", union.Len(), boxesMax)
		}
		if union.Covered() {
			coveredOnes++
		}
		for z := range 1 << p.Bits() {
			key := keyOfNumber(p, z)
			is, want := union.In(key), anyIn(boxes, key)
			if is != want && (!union.Covered() || want) {
				t.Fatalf("%s %s of %v: In(%x) %t", p.Text(), union, boxes, key, is)
			}
		}
		checkNormal(t, union)
	}
	if coveredOnes == 0 {
		t.Error("no union was covered")
	}
}

// checkNormal: no box is empty or inside another, and Low and High are the ends.
func checkNormal(t *testing.T, union *Boxes) {
	t.Helper()
	for i := range union.Len() {
		for j := range union.Len() {
			if i != j && union.Box(i).contains(union.Box(j)) || union.Box(i).Empty() {
				t.Fatalf("%s: box %d holds box %d or is empty", union, i, j)
			}
		}
	}
	first, _, ok := union.Next(nil, nil)
	last, _, _ := union.Prev(nil, bytes.Repeat([]byte{0xFF}, union.Plan().Bytes()))
	if ok == union.Empty() || !bytes.Equal(first, union.Low()) || !bytes.Equal(last, union.High()) {
		t.Fatalf("%s: from %x to %x, want %x to %x", union, union.Low(), union.High(), first, last)
	}
}

// TestUnionOfManyBoxes: hundreds of thousands of boxes are brought down in reasonable time.
func TestUnionOfManyBoxes(t *testing.T) {
	r := newRand(t)
	p, err := RoundRobin(20, 20)
	if err != nil {
		t.Fatal(err)
	}
	boxes := make([]*Box, 20_000)
	for i := range boxes {
		x, y := uint64(i%16)<<16+r.Uint64N(1<<10), uint64(i%10)<<15+r.Uint64N(1<<10) // in clusters
		if boxes[i], err = p.Box([]uint64{x, y}, []uint64{x, y}); err != nil {
			t.Fatal(err)
		}
	}
	union, err := Union(p, boxes, 0)
	if err != nil || union.Len() > BoxesMax || !union.Covered() {
		t.Fatalf("%d boxes, covered %t, %v", union.Len(), union.Covered(), err)
	}
	for _, box := range boxes {
		if !union.In(box.Low()) {
			t.Fatalf("%x was lost", box.Low())
		}
	}
	if union.Share() > 0.01 {
		t.Errorf("the covering boxes hold %v of all keys", union.Share())
	}
}

// TestProduct compares with asking each attribute's list.
func TestProduct(t *testing.T) {
	r := newRand(t)
	for range 300 {
		p := randomPlan(t, r, 3, 9)
		sets := make([][]Range, r.IntN(p.Attributes()+1))
		for attribute := range sets {
			sets[attribute] = randomSet(t, r, p, attribute)
		}
		union, err := p.Product(sets, 1+r.IntN(12))
		if err != nil {
			t.Fatal(err)
		}
		checkNormal(t, union)
		for z := range 1 << p.Bits() {
			key := keyOfNumber(p, z)
			want := true
			for attribute, set := range sets {
				code, err := p.AppendCodeBytes(nil, key, attribute)
				if err != nil {
					t.Fatal(err)
				}
				want = want && (set == nil || inSet(set, code))
			}
			if is := union.In(key); is != want && (!union.Covered() || want) {
				t.Fatalf("%s %x: In(%x) %t, union %s", p.Text(), sets, key, is, union)
			}
		}
	}
}

func randomSet(t *testing.T, r *rand.Rand, p *Plan, attribute int) []Range {
	if r.IntN(4) == 0 {
		return nil
	}
	set := []Range{}
	for range r.IntN(6) {
		low, high := r.Uint64()&p.CodeMax(attribute), r.Uint64()&p.CodeMax(attribute)
		if r.IntN(2) == 0 {
			high = low
		}
		next, err := p.Range(attribute, low, high)
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(5) == 0 {
			next.High = nil
		}
		set = append(set, next)
	}
	return set
}

func inSet(set []Range, code []byte) bool {
	for _, r := range set {
		if bytes.Compare(code, r.Low) >= 0 && (r.High == nil || bytes.Compare(code, r.High) <= 0) {
			return true
		}
	}
	return false
}

// TestErrors: what does not belong together is refused.
func TestErrors(t *testing.T) {
	p, err := RoundRobin(4, 4)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Composite(4, 4)
	if err != nil {
		t.Fatal(err)
	}
	box, err := q.Box([]uint64{0, 0}, []uint64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	_, union := Union(p, []*Box{box}, 0)
	_, low := p.Box([]uint64{16, 0}, []uint64{1, 1})
	_, high := p.Box([]uint64{1, 0}, []uint64{1, 16})
	_, count := p.Box([]uint64{1}, []uint64{1, 1})
	_, ranges := p.BoxOfRanges(Range{}, Range{}, Range{})
	_, width := p.BoxOfRanges(Range{Low: []byte{0x08}})
	_, sets := p.Product(make([][]Range, 3), 0)
	_, set := p.Product([][]Range{{{High: []byte{1, 2}}}}, 0)
	_, code := p.AppendCode(nil, 2, 0)
	_, attribute := p.AppendCodeBytes(nil, []byte{0}, -1)
	_, integer := p.Range(0, 3, 16)
	for i, err := range []error{low, high, count, ranges, width, sets, set, code, attribute, integer} {
		if !errors.Is(err, ErrCode) {
			t.Errorf("%d: %v", i, err)
		}
	}
	_, short := p.BoxOfKeys(nil, []byte{1})
	_, long := p.BoxOfKeys([]byte{1}, nil)
	if !errors.Is(short, ErrKey) || !errors.Is(long, ErrKey) || !errors.Is(union, ErrPlan) {
		t.Error(short, long, union)
	}
	if _, err := FromOwners([]byte{0, 8}); !errors.Is(err, ErrPlan) {
		t.Error(err)
	}
}
