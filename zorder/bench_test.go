// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The benchmarks walk over keys that lie in and around the box, as a scan meets them: a third of them inside, the
// others followed by a jump or by nothing. The seed is fixed, so that runs can be compared.
func benchPlan(b *testing.B, widths ...int) *Plan {
	p, err := RoundRobin(widths...)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

const benchKeys = 1024

func benchBox(b *testing.B, p *Plan, r *rand.Rand) *Box {
	low, high := make([]uint64, p.Attributes()), make([]uint64, p.Attributes())
	for i := range low {
		quarter := p.CodeMax(i)/4 + 1
		low[i] = r.Uint64N(2 * quarter)
		high[i] = low[i] + quarter + r.Uint64N(quarter)
	}
	box, err := p.Box(low, high)
	if err != nil {
		b.Fatal(err)
	}
	return box
}

func benchNext(b *testing.B, p *Plan, step func([]byte, []byte) ([]byte, bool, bool), r *rand.Rand) {
	keys := make([][]byte, benchKeys)
	for i := range keys {
		keys[i] = make([]byte, p.Bytes())
		for j := range keys[i] {
			keys[i][j] = byte(r.Uint32())
		}
	}
	dst := make([]byte, 0, 2*p.Bytes())
	b.ReportAllocs()
	found := 0
	for i := 0; b.Loop(); i++ {
		if _, _, ok := step(dst, keys[i%benchKeys]); ok {
			found++
		}
	}
	if found == 0 {
		b.Fatal("nothing found")
	}
}

func BenchmarkNext(b *testing.B) {
	for _, widths := range [][]int{{16, 16, 16, 16}, {32, 32}, {21, 21, 21}, {13, 7, 20, 5, 9}, {32, 32, 32, 32},
		{64, 64}, {20, 20, 20, 20, 20}, {64, 64, 64, 64}} {
		p := benchPlan(b, widths...)
		r := rand.New(rand.NewPCG(1, 2))
		box := benchBox(b, p, r)
		b.Run(fmt.Sprint(p.Bits(), "bits/", len(widths), "attributes"),
			func(b *testing.B) { benchNext(b, p, box.Next, r) })
	}
}

func BenchmarkPrev(b *testing.B) {
	for _, widths := range [][]int{{16, 16, 16, 16}, {32, 32, 32, 32}} {
		p := benchPlan(b, widths...)
		r := rand.New(rand.NewPCG(1, 2))
		box := benchBox(b, p, r)
		b.Run(fmt.Sprint(p.Bits(), "bits/", len(widths), "attributes"),
			func(b *testing.B) { benchNext(b, p, box.Prev, r) })
	}
}

func BenchmarkUnionNext(b *testing.B) {
	for _, count := range []int{1, 2, 16, 256} {
		for _, widths := range [][]int{{16, 16, 16, 16}, {32, 32, 32, 32}} {
			p := benchPlan(b, widths...)
			r := rand.New(rand.NewPCG(1, 2))
			boxes := make([]*Box, count)
			for i := range boxes {
				low, high := make([]uint64, 4), make([]uint64, 4)
				for i := range low {
					size := p.CodeMax(i) >> 4
					low[i] = r.Uint64N(p.CodeMax(i) - size)
					high[i] = low[i] + size
				}
				boxes[i], _ = p.Box(low, high)
			}
			union, err := Union(p, boxes, 0)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprint(p.Bits(), "bits/", union.Len(), "boxes"),
				func(b *testing.B) { benchNext(b, p, union.Next, r) })
		}
	}
}

func BenchmarkAppendKey(b *testing.B) {
	for _, widths := range [][]int{{16, 16, 16, 16}, {32, 32}, {13, 7, 20, 5, 9}, {32, 32, 32, 32}, {64, 64, 64, 64}} {
		p := benchPlan(b, widths...)
		codes := make([]uint64, len(widths))
		dst := make([]byte, 0, p.Bytes())
		b.Run(fmt.Sprint(p.Bits(), "bits/", len(widths), "attributes"), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				codes[0] = uint64(i) & 31
				if _, err := p.AppendKey(dst, codes...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendCodes(b *testing.B) {
	for _, widths := range [][]int{{16, 16, 16, 16}, {32, 32, 32, 32}} {
		p := benchPlan(b, widths...)
		key := make([]byte, p.Bytes())
		dst := make([]uint64, 0, len(widths))
		b.Run(fmt.Sprint(p.Bits(), "bits/", len(widths), "attributes"), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				key[0] = byte(i)
				if _, err := p.AppendCodes(dst, key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNewBox(b *testing.B) {
	p := benchPlan(b, 16, 16, 16, 16)
	low, high := []uint64{1, 2, 3, 4}, []uint64{100, 200, 300, 400}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Box(low, high); err != nil {
			b.Fatal(err)
		}
	}
}
