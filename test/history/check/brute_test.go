// SPDX-License-Identifier: Apache-2.0

package check

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// serializes tries every order of the transactions that respects time, with and without those whose end is not known.
func serializes(h History, done []bool, lists map[int32][]int32) bool {
	finished := true
	for i := range h {
		if done[i] || h[i].Outcome == Aborted {
			continue
		}
		finished = finished && h[i].Outcome == Unknown
		if !mayBeNext(h, done, i) {
			continue
		}
		after := maps.Clone(lists)
		if !apply(&h[i], after) {
			continue
		}
		done[i] = true
		if serializes(h, done, after) {
			return true
		}
		done[i] = false
	}
	return finished
}

// mayBeNext reports whether no other transaction had to come before.
func mayBeNext(h History, done []bool, at int) bool {
	for i := range h {
		if !done[i] && i != at && h[i].Outcome == Committed && h[i].Return < h[at].Call {
			return false
		}
	}
	return true
}

// apply does a transaction, if it has read what is there.
func apply(t *Txn, lists map[int32][]int32) bool {
	for _, op := range t.Ops {
		if op.Append {
			lists[op.Key] = append(slices.Clip(lists[op.Key]), op.Element)
		} else if t.Outcome == Committed && !slices.Equal(lists[op.Key], op.List) {
			return false
		}
	}
	return true
}

// disturb changes a history a little, so that it may no longer be serializable.
func disturb(rng *rand.Rand, h History) {
	t := &h[rng.IntN(len(h))]
	op := &t.Ops[rng.IntN(len(t.Ops))]
	switch n := len(op.List); rng.IntN(8) {
	case 0:
		t.Outcome = Aborted
	case 1:
		t.Outcome, t.Return = Unknown, Never
	case 2:
		t.Call += rng.Int64N(30)
		t.Return = max(t.Call, t.Return)
	case 3:
		other := &h[rng.IntN(len(h))]
		t.Call, t.Return, other.Call, other.Return = other.Call, other.Return, t.Call, t.Return
	case 4:
		op.List = op.List[:rng.IntN(n+1)]
	case 5:
		if n > 1 {
			i := rng.IntN(n - 1)
			op.List[i], op.List[i+1] = op.List[i+1], op.List[i]
		}
	case 6:
		if n > 0 {
			i := rng.IntN(n)
			op.List = slices.Delete(op.List, i, i+1)
		}
	case 7:
		if !op.Append {
			op.List = append(op.List, int32(1+rng.IntN(8)))
		}
	}
}

// TestAgainstAllOrders compares verdicts on small histories with what comes out when every order is tried.
func TestAgainstAllOrders(t *testing.T) {
	seed := rounds.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	valid, count := 0, 40_000
	for range count {
		h := serial(rng, 2+rng.IntN(5), 1+rng.IntN(3), 1+rng.IntN(4))
		for range rng.IntN(4) {
			disturb(rng, h)
		}
		v, err := Check(h)
		if err != nil {
			t.Fatalf("%v\n%s", err, Format(h))
		}
		want := serializes(h, make([]bool, len(h)), map[int32][]int32{})
		if v.Valid() != want {
			t.Fatalf("found %v; an order exists: %v\n%s", v.Anomalies, want, Format(h))
		}
		if want {
			valid++
		}
	}
	t.Logf("%d of %d histories were serializable", valid, count)
	if valid < count/10 || valid > count*9/10 {
		t.Errorf("%d of %d histories were serializable: the others have hardly been tested", valid, count)
	}
}

// plants are changes of a right history that each make an anomaly of one class. They report whether there was a place
// for it. // immutable
var plants = []struct {
	class Class
	plant func(rng *rand.Rand, h History) bool
}{
	{AbortedRead, func(_ *rand.Rand, h History) bool {
		return withElement(h,
			func(t *Txn, _ *Op) { t.Outcome = Aborted })
	}},
	{DirtyUpdate, func(_ *rand.Rand, h History) bool {
		return withElement(h,
			func(t *Txn, _ *Op) { t.Outcome = Aborted })
	}},
	{Duplicate, func(_ *rand.Rand, h History) bool {
		return withElement(h, func(_ *Txn, op *Op) {
			inReads(h, op.Key, func(list []int32) []int32 {
				if i := slices.Index(list, op.Element); i >= 0 && i+1 < len(list) {
					list = slices.Insert(slices.Clone(list), i+2, op.Element)
				}
				return list
			})
		})
	}},
	{LostElement, func(_ *rand.Rand, h History) bool {
		return withElement(h, func(_ *Txn, op *Op) {
			inReads(h, op.Key, func(list []int32) []int32 {
				return slices.DeleteFunc(slices.Clone(list), func(e int32) bool { return e == op.Element })
			})
		})
	}},
	{Unwritten, func(_ *rand.Rand, h History) bool {
		return withElement(h, func(_ *Txn, op *Op) {
			inReads(h, op.Key, func(list []int32) []int32 { return append([]int32{-7}, list...) })
		})
	}},
	{IncompatibleOrder, func(rng *rand.Rand, h History) bool {
		return withRead(rng, h, func(op *Op) { op.List = slices.Clone(op.List); slices.Reverse(op.List) })
	}},
	{Internal, func(rng *rand.Rand, h History) bool {
		at := rng.IntN(len(h))
		h[at].Ops = append(h[at].Ops, Op{Key: -1, Append: true, Element: -9}, Op{Key: -1})
		return true
	}},
	{FutureRead, func(rng *rand.Rand, h History) bool {
		at := rng.IntN(len(h))
		h[at].Ops = append(h[at].Ops, Op{Key: -1, List: []int32{-9}}, Op{Key: -1, Append: true, Element: -9})
		return true
	}},
	{RealTime, func(rng *rand.Rand, h History) bool {
		late := &h[len(h)-1]
		late.Ops = late.Ops[:1]
		list := late.Ops[0].List
		writer := slices.IndexFunc(h, func(t Txn) bool {
			return slices.ContainsFunc(t.Ops,
				func(op Op) bool { return op.Append && len(list) > 0 && op.Element == list[len(list)-1] })
		})
		if writer < 0 || len(h[writer].Ops) > 1 {
			return false // less than a whole transaction would be missing
		}
		late.Ops[0].List = list[:len(list)-1]
		return true
	}},
}

// withElement finds an append that some later append of another transaction and a read follow.
func withElement(h History, use func(*Txn, *Op)) bool {
	followed := map[int32]bool{}
	for i := range h {
		for _, op := range h[i].Ops {
			for j := 0; j+2 < len(op.List); j++ {
				followed[op.List[j]] = true
			}
		}
	}
	for i := len(h) / 3; i < len(h); i++ {
		for j := range h[i].Ops {
			if op := &h[i].Ops[j]; op.Append && followed[op.Element] && len(h[i].Ops) == 1 {
				use(&h[i], op)
				return true
			}
		}
	}
	return false
}

// withRead finds a transaction that only reads a long list.
func withRead(rng *rand.Rand, h History, use func(*Op)) bool {
	for range 1000 {
		if t := &h[1+rng.IntN(len(h)-1)]; len(t.Ops) == 1 && len(t.Ops[0].List) > 3 {
			use(&t.Ops[0])
			return true
		}
	}
	return false
}

// inReads changes what all transactions have read of a list.
func inReads(h History, key int32, change func([]int32) []int32) {
	for i := range h {
		for j := range h[i].Ops {
			if op := &h[i].Ops[j]; !op.Append && op.Key == key {
				op.List = change(op.List)
			}
		}
	}
}

// withLate adds a transaction to a history of serial that begins after all others and reads every list.
func withLate(h History) History {
	lists := map[int32][]int32{}
	for i := range h {
		apply(&h[i], lists)
	}
	late := Txn{Call: 1 << 40, Return: 1 << 41}
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		late.Ops = append(late.Ops, Op{Key: key, List: lists[key]})
	}
	return append(h, late)
}

// TestPlants changes right histories so that they have one anomaly, which must be found by its class.
func TestPlants(t *testing.T) {
	seed := rounds.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, p := range plants {
		planted := 0
		for range 50 {
			h := withLate(serial(rng, 400, 3, 4))
			if !p.plant(rng, h) {
				continue
			}
			planted++
			v, err := Check(h)
			if err != nil {
				t.Fatal(err)
			}
			if !v.Has(p.class) {
				t.Fatalf("%s was not found: %v", p.class, v.Counts)
			}
		}
		if planted == 0 {
			t.Errorf("%s could not be planted", p.class)
		}
	}
}

// FuzzParse wants of every text that is a history that it comes back from Format, and that Check ends.
func FuzzParse(f *testing.F) {
	f.Add("0-10 ok: append k1 1\n20-- unknown: read k1 [1]\n")
	f.Add("1-2 aborted: append k1 1, read k2 [3 4]")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(Format(h))
		if err != nil || Format(again) != Format(h) {
			t.Fatalf("%v\n%s\n%s", err, Format(h), Format(again))
		}
		_, _ = Check(h)
	})
}
