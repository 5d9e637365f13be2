// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRanges: without a budget the ranges are the union's keys, with one they are more; exact ones never are.
func TestRanges(t *testing.T) {
	r := newRand(t)
	for range 400 {
		p := randomPlan(t, r, 4, 11)
		union, _ := randomUnion(t, r, p, 3, 0)
		exact := union.Ranges(RangesOptions{RangesMax: -1})
		checkRanges(t, union, exact)
		for i, list := range exact {
			if !list.Exact || i > 0 && numberOf(p, exact[i-1].Last)+1 == numberOf(p, list.First) {
				t.Fatalf("%s: %v", union, exact)
			}
		}
		for _, budget := range []int{1, 2, 5, 30, 0} {
			options := RangesOptions{RangesMax: budget, StepsMax: r.IntN(40)}
			if r.IntN(2) == 0 {
				options.Separators = randomSeparators(r, p, r.IntN(20))
			}
			ranges := union.Ranges(options)
			checkRanges(t, union, ranges)
			if budget > 0 && len(ranges) > budget {
				t.Fatalf("%s: %d ranges, at most %d", union, len(ranges), budget)
			}
		}
	}
}

// randomSeparators are sorted keys, some of them with something behind.
func randomSeparators(r *rand.Rand, p *Plan, count int) [][]byte {
	list := make([][]byte, count)
	for i := range list {
		list[i] = keyOfNumber(p, r.IntN(1<<p.Bits()))
		if r.IntN(3) == 0 {
			list[i] = append(list[i], byte(r.Uint32()))
		}
	}
	slices.SortFunc(list, bytes.Compare)
	return list
}

func checkRanges(t *testing.T, union *Boxes, ranges []KeyRange) {
	t.Helper()
	p := union.Plan()
	held := make([]bool, 1<<p.Bits())
	last := -1
	for _, keys := range ranges {
		first := numberOf(p, keys.First)
		if first <= last || numberOf(p, keys.Last) < first {
			t.Fatalf("%s: %v", union, ranges)
		}
		last = numberOf(p, keys.Last)
		if !union.In(keys.First) || !union.In(keys.Last) {
			t.Fatalf("%s: the ends of %v are not inside", union, keys)
		}
		for z := first; z <= last; z++ {
			held[z] = true
			if keys.Exact && !union.In(keyOfNumber(p, z)) {
				t.Fatalf("%s: %v is not exact: %d", union, keys, z)
			}
		}
	}
	for z, is := range held {
		if !is && union.In(keyOfNumber(p, z)) {
			t.Fatalf("%s: %v lacks %d", union, ranges, z)
		}
	}
}

// TestRangesOfLongKeys: the work stays within the budget for boxes of any size.
func TestRangesOfLongKeys(t *testing.T) {
	r := newRand(t)
	for range 20 {
		p := randomPlan(t, r, 4, 400)
		low, high := randomCorner(r, p), randomCorner(r, p)
		nearCorner(r, p, low, high)
		box, err := p.BoxOfKeys(low, high)
		if err != nil {
			t.Fatal(err)
		}
		ranges := box.Union().Ranges(RangesOptions{})
		if len(ranges) > RangesMax || box.Empty() != (len(ranges) == 0) {
			t.Fatalf("%s: %d ranges", box, len(ranges))
		}
		for range 200 {
			if key, _, ok := box.Next(nil, nearKey(r, box)); ok && !heldBy(ranges, key) {
				t.Fatalf("%s: %x is in no range", box, key)
			}
		}
	}
}

func heldBy(ranges []KeyRange, key []byte) bool {
	return slices.ContainsFunc(ranges, func(k KeyRange) bool {
		return bytes.Compare(k.First, key) <= 0 &&
			bytes.Compare(key, k.Last) <= 0
	})
}

// TestMoreRangesHoldLess: a wider budget never holds more keys.
func TestMoreRangesHoldLess(t *testing.T) {
	p, err := RoundRobin(8, 8)
	if err != nil {
		t.Fatal(err)
	}
	box, err := p.Box([]uint64{19, 100}, []uint64{77, 201})
	if err != nil {
		t.Fatal(err)
	}
	before := 1 << 16
	for budget := 1; budget < 400; budget *= 2 {
		held := 0
		for _, keys := range box.Union().Ranges(RangesOptions{RangesMax: budget}) {
			held += numberOf(p, keys.Last) - numberOf(p, keys.First) + 1
		}
		if held > before {
			t.Errorf("%d ranges hold %d keys, half as many %d", budget, held, before)
		}
		before = held
	}
	if before != (77-19+1)*(201-100+1) {
		t.Errorf("%d keys in the end", before)
	}
}
