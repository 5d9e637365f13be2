// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestArticleTable is the table of costs in the AWS article: an index of four attributes of 16 bits. The article prints
// 65,535 in its second row; 2^16 is 65,536.
func TestArticleTable(t *testing.T) {
	p, err := RoundRobin(16, 16, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	n := math.Exp2(float64(p.Bits()))
	for _, row := range []struct {
		query     string
		bounds    []uint64
		addresses float64
	}{
		{"a = 5 AND b = 2 AND c = 8 AND d = 1", []uint64{5, 2, 8, 1}, 1},
		{"a = 5 AND b = 2 AND c = 8", []uint64{5, 2, 8}, 65_536},
		{"a = 5 AND b = 2", []uint64{5, 2}, 4_294_967_296},
		{"a = 5", []uint64{5}, 281_474_976_710_656},
		{"no bounds", nil, 18_446_744_073_709_551_616},
	} {
		if got := ArticleAddresses(n, 4, float64(len(row.bounds))); got != row.addresses {
			t.Errorf("%s: the formula says %.0f, want %.0f", row.query, got, row.addresses)
		}
		low, high, shares := make([]uint64, 4), make([]uint64, 4), make([]float64, 4)
		for i := range low {
			low[i], high[i], shares[i] = 0, p.CodeMax(i), 1
			if i < len(row.bounds) {
				low[i], high[i], shares[i] = row.bounds[i], row.bounds[i], math.Exp2(-16)
			}
		}
		box, err := p.Box(low, high)
		if err != nil {
			t.Fatal(err)
		}
		if got := n * box.Share(); got != row.addresses {
			t.Errorf("%s: the box holds %.0f, want %.0f", row.query, got, row.addresses)
		}
		if got := Addresses(n, shares...); got != row.addresses {
			t.Errorf("%s: the product is %.0f, want %.0f", row.query, got, row.addresses)
		}
	}
}

// TestArticleRanges: for a range the article puts the excluded share in the place of b. For one attribute, half
// excluded, that makes n addresses the square root of n. With -log2(share)/bits in its place the formula is the product
// of the shares.
func TestArticleRanges(t *testing.T) {
	const n, bits = 65_536.0, 16
	if got := ArticleAddresses(n, 1, 0.5); got != 256 {
		t.Errorf("half of one attribute: the article's rule says %v", got)
	}
	if got := ArticleAddresses(n, 1, RangeBound(0.5, bits)); got != n/2 {
		t.Errorf("half of one attribute: %v, want %v", got, n/2)
	}
	if RangeBound(1, bits) != 0 || RangeBound(1.0/n, bits) != 1 {
		t.Errorf("no bound counts %v, one code %v", RangeBound(1, bits), RangeBound(1.0/n, bits))
	}
	r := newRand(t)
	for range 1000 {
		attributes := 1 + r.IntN(4)
		space, bound, shares := math.Exp2(float64(attributes*bits)), 0.0, make([]float64, attributes)
		for i := range shares {
			shares[i] = 1 - r.Float64()
			bound += RangeBound(shares[i], bits)
		}
		formula, product := ArticleAddresses(space, attributes, bound), Addresses(space, shares...)
		if math.Abs(formula-product) > 1e-9*product {
			t.Fatalf("%v: %v and %v", shares, formula, product)
		}
	}
}

// TestArticleOrder is the article's example of the order of binary keys: the first byte that differs decides, as
// unsigned numbers.
func TestArticleOrder(t *testing.T) {
	a := []byte{0b0111_1010, 0b0110_0001, 0b0110_0011, 0b0110_1011}
	b := []byte{0b0111_1010, 0b0110_0001, 0b0110_1011, 0b0110_1011}
	p, err := RoundRobin(16, 16)
	if err != nil {
		t.Fatal(err)
	}
	box, err := p.BoxOfKeys(a, a)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Compare(a, b) >= 0 || commonBits(a, b) != 20 {
		t.Errorf("A comes after B, or they share %d bits", commonBits(a, b))
	}
	if _, _, ok := box.Next(nil, b); ok {
		t.Error("A comes after B")
	}
	if key, in, ok := box.Prev(nil, b); !ok || in || !bytes.Equal(key, a) {
		t.Errorf("before B: %x", key)
	}
}

// TestShare compares with counting keys.
func TestShare(t *testing.T) {
	r := newRand(t)
	for range 300 {
		p := randomPlan(t, r, 4, 10)
		low, high := randomBounds(r, p)
		box, members := newTestBox(t, p, low, high)
		inside := 0
		for _, is := range members {
			if is {
				inside++
			}
		}
		if got := box.Share() * float64(len(members)); math.Abs(got-float64(inside)) > 1e-6 {
			t.Fatalf("%s %s: %v keys, want %d", p.Text(), box, got, inside)
		}
		if got := box.Union().Share(); got != box.Share() {
			t.Fatalf("%s %s: share %v alone and %v in a union", p.Text(), box, box.Share(), got)
		}
	}
	wide, err := RoundRobin(4000, 4000)
	if err != nil {
		t.Fatal(err)
	}
	box, err := wide.BoxOfRanges(Range{High: append([]byte{0x7F}, bytes.Repeat([]byte{0xFF}, 499)...)})
	if err != nil || box.Share() != 0.5 || box.AttributeShare(1) != 1 {
		t.Errorf("share %v, %v", box.Share(), err)
	}
}

// sortedKeys are the keys of random rows, spread evenly.
func sortedKeys(t *testing.T, r *rand.Rand, p *Plan, count int) [][]byte {
	t.Helper()
	keys := make([][]byte, count)
	for i := range keys {
		keys[i] = randomCorner(r, p)
	}
	slices.SortFunc(keys, bytes.Compare)
	return keys
}

// touchedModel counts the leaves in which some key of the plan could be inside, by looking at all keys.
func touchedModel(union *Boxes, separators [][]byte) (leaves, runs int) {
	p := union.Plan()
	last := -2
	for leaf := range len(separators) + 1 {
		touched := false
		for z := range 1 << p.Bits() {
			key := keyOfNumber(p, z)
			after := leaf == 0 || bytes.Compare(cut(separators[leaf-1], p.Bytes()), key) <= 0
			before := leaf == len(separators) || bytes.Compare(key, separators[leaf]) < 0
			touched = touched || after && before && union.In(key)
		}
		if touched {
			leaves++
			if leaf != last+1 {
				runs++
			}
			last = leaf
		}
	}
	return leaves, runs
}

func TestTouchedLeaves(t *testing.T) {
	r := newRand(t)
	for range 200 {
		p := randomPlan(t, r, 3, 9)
		union, _ := randomUnion(t, r, p, 2, 0)
		separators := randomSeparators(r, p, r.IntN(12))
		leaves, runs := union.TouchedLeaves(separators)
		wantLeaves, wantRuns := touchedModel(union, separators)
		if leaves != wantLeaves || runs != wantRuns {
			t.Fatalf("%s %s %x: %d leaves in %d runs, want %d in %d", p.Text(), union, separators, leaves, runs,
				wantLeaves, wantRuns)
		}
	}
}

// TestEstimates: on rows spread evenly the product form and the sampled form are near what a scan touches. The data is
// fixed, so the errors are too.
func TestEstimates(t *testing.T) {
	const rows, rowsPerLeaf, every = 100_000, 50, 8
	r := rand.New(rand.NewPCG(7, 7))
	p, err := RoundRobin(16, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	keys := sortedKeys(t, r, p, rows)
	var separators, sampled [][]byte
	for i := rowsPerLeaf; i < rows; i += rowsPerLeaf {
		separators = append(separators, keys[i])
		if i%(rowsPerLeaf*every) == 0 {
			sampled = append(sampled, keys[i])
		}
	}
	var product, samples, formula []float64
	for range 300 {
		low, high := make([]uint64, 3), make([]uint64, 3)
		bound := 0.0
		for i := range low {
			size := uint64(math.Exp2(16 * (0.5 + r.Float64()/2)))
			low[i] = r.Uint64N(65_536 - size + 1)
			high[i] = low[i] + size - 1
			bound += RangeBound(float64(size)/65_536, 16)
		}
		box, err := p.Box(low, high)
		if err != nil {
			t.Fatal(err)
		}
		touched, _ := box.Union().TouchedLeaves(separators)
		few, _ := box.Union().TouchedLeaves(sampled)
		product = append(product, apart(box.EstimateLeaves(rows, rowsPerLeaf), float64(touched)))
		samples = append(samples, apart(SampledLeaves(few, every), float64(touched)))
		formula = append(formula, apart(max(1, ArticleAddresses(rows/rowsPerLeaf, 3, bound)), float64(touched)))
	}
	for _, list := range [][]float64{product, samples, formula} {
		slices.Sort(list)
	}
	const half, most = 150, 270
	t.Logf("off by a factor of, half and nine tenths of the boxes: product %.2f %.2f, samples %.2f %.2f, n^((a-b)/a) %.2f %.2f",
		product[half], product[most], samples[half], samples[most], formula[half], formula[most])
	if product[half] > 1.5 || product[most] > 2.5 || samples[half] > 2 || samples[most] > 3 {
		t.Error("an estimate is worse than it was")
	}
	if product[half] > formula[half] {
		t.Error("the product form is worse than the article's formula")
	}
}

// apart is by which factor an estimate is off.
func apart(estimate, actual float64) float64 {
	return max(estimate/max(actual, 1), max(actual, 1)/estimate)
}
