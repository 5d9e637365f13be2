// SPDX-License-Identifier: Apache-2.0

package bitorder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/zorder"
)

// table makes rows of evenly spread codes of 12 bits.
func table(r *rand.Rand, rows, attributes int) [][]uint64 {
	list := make([][]uint64, rows)
	for i := range list {
		for range attributes {
			list[i] = append(list[i], r.Uint64N(1<<12))
		}
	}
	return list
}

// box bounds some attributes to a width, the others not at all.
func box(r *rand.Rand, widths []uint64) Corners {
	var b Corners
	for _, w := range widths {
		low := uint64(0)
		if w < 1<<12 {
			low = r.Uint64N(1<<12 - w)
		}
		b.Low = append(b.Low, low)
		b.High = append(b.High, low+w-1)
	}
	return b
}

// TestReadFindsEveryRow compares what Read matches with a look at every row, for random tables, bit orders and boxes.
func TestReadFindsEveryRow(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		attributes := 1 + r.IntN(4)
		rows := table(r, 300, attributes)
		var owners []byte
		for range 12 {
			for a := range attributes {
				owners = append(owners, byte(a))
			}
		}
		r.Shuffle(len(owners), func(i, j int) { owners[i], owners[j] = owners[j], owners[i] })
		plan, err := zorder.FromOwners(owners)
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCurve(plan, rows)
		if err != nil {
			t.Fatal(err)
		}
		var widths []uint64
		for range attributes {
			widths = append(widths, 1+r.Uint64N(1<<12))
		}
		b := box(r, widths)
		want := 0
		for _, row := range rows {
			inside := true
			for a, code := range row {
				inside = inside && b.Low[a] <= code && code <= b.High[a]
			}
			if inside {
				want++
			}
		}
		matched, missed, seeks := c.read(b)
		if matched != want || missed < 0 || matched+missed > len(rows) || seeks < 1 {
			t.Fatalf("seed %d: %d matched (want %d), %d missed, %d seeks, plan %s", seed, matched, want, missed, seeks,
				plan.Text())
		}
	}
}

// TestLearnedOrderReadsLess is the case of four attributes of which one is never bound: six tenths of the boxes bind
// two attributes, three tenths the first and the third, one tenth the third. What is learned from one half reads less
// than round robin for the other half.
func TestLearnedOrderReadsLess(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, seed))
	rows := table(r, 20_000, 4)
	var training []WeightedBox
	var judging []Corners
	all := uint64(1 << 12)
	for i := range 200 {
		widths := []uint64{400, 400, all, all}
		switch {
		case i%10 >= 9:
			widths = []uint64{all, all, 400, all}
		case i%10 >= 6:
			widths = []uint64{200, all, 800, all}
		}
		training = append(training, WeightedBox{box(r, widths), 1})
		judging = append(judging, box(r, widths))
	}
	widths := []int{12, 12, 12, 12}
	read := func(owners []byte) int {
		plan, err := zorder.Leading(owners, widths...)
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCurve(plan, rows)
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, b := range judging {
			_, missed, seeks := c.read(b)
			total += missed + 10*seeks
		}
		return total
	}
	learned := Learn(training, widths, 13, []float64{0, 0, 0, 0})
	before, after := read(nil), read(learned)
	if after*3 > before*2 {
		t.Errorf("round robin reads %d in vain, the learned order %d: wanted two thirds at most", before, after)
	}
	if slices.Contains(learned, 3) {
		t.Errorf("the attribute that is never bound has one of the first bits: %v", learned)
	}
}

// TestLearnedOrderFits checks that no attribute gets more than its bits, and that as many are given as were asked for.
func TestLearnedOrderFits(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 2))
	for range 100 {
		var widths []int
		var limits []uint64
		for range 1 + r.IntN(5) {
			widths = append(widths, 1+r.IntN(16))
		}
		b := Corners{}
		for _, w := range widths {
			limits = append(limits, 1<<uint(w))
			low := r.Uint64N(limits[len(limits)-1])
			b.Low = append(b.Low, low)
			b.High = append(b.High, low+r.Uint64N(limits[len(limits)-1]-low))
		}
		var boxes []WeightedBox
		if r.IntN(4) > 0 {
			boxes = append(boxes, WeightedBox{b, 1})
		}
		length := r.IntN(100)
		owners := Learn(boxes, widths, length, make([]float64, len(widths)))
		counts := make([]int, len(widths))
		for _, a := range owners {
			counts[a]++
		}
		bits := 0
		for a, w := range widths {
			bits += w
			if counts[a] > w {
				t.Fatalf("seed %d: attribute %d has %d of %d bits", seed, a, counts[a], w)
			}
		}
		if len(owners) != min(length, bits) {
			t.Fatalf("seed %d: %d bits of %d have an owner, asked for %d", seed, len(owners), bits, length)
		}
	}
}
