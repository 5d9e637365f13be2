// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestKeysAgainstBits compares encoding and decoding with copying bit for bit, for plans of all lengths.
func TestKeysAgainstBits(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		p := randomPlan(t, r, AttributesMax, []int{8, 64, 65, 128, 1000, bitsMax}[r.IntN(6)>>r.IntN(2)])
		codes := make([][]byte, p.Attributes())
		want := make([]byte, p.Bytes())
		for attribute := range codes {
			codes[attribute] = randomCode(r, p, attribute)
			setCode(p, attribute, want, codes[attribute])
		}
		key, err := p.AppendKeyBytes([]byte("x"), codes...)
		if err != nil || !bytes.Equal(key[1:], want) || key[0] != 'x' {
			t.Fatalf("%.200s: %x, want %x, %v", p.Text(), key, want, err)
		}
		for attribute, code := range codes {
			got, err := p.AppendCodeBytes([]byte("x"), append(bytes.Clone(want), 0xFF), attribute)
			if err != nil || !bytes.Equal(got[1:], code) {
				t.Fatalf("%.200s: attribute %d is %x, want %x, %v", p.Text(), attribute, got, code, err)
			}
		}
		compareIntegers(t, p, codes, want)
		if q, err := ParsePlan(p.Text()); err != nil || !q.Equal(p) || q.Text() != p.Text() {
			t.Fatalf("%.200s: parsed back as %v, %v", p.Text(), q, err)
		}
	}
}

func randomCode(r *rand.Rand, p *Plan, attribute int) []byte {
	low, code := p.codeEnds(attribute)
	for i := range code {
		code[i] &= byte(r.Uint32())
	}
	if r.IntN(8) == 0 {
		return low
	}
	return code
}

// compareIntegers checks the forms that take and give integers.
func compareIntegers(t *testing.T, p *Plan, codes [][]byte, want []byte) {
	t.Helper()
	var list []uint64
	for attribute, code := range codes {
		list = append(list, loadWord(code, 0)>>(max(0, wordBits-p.Width(attribute))))
	}
	key, err := p.AppendKey(nil, list...)
	back, backErr := p.AppendCodes(nil, want)
	if slices.Max(p.Widths()) > wordBits {
		if !errors.Is(err, ErrCode) || !errors.Is(backErr, ErrCode) || key != nil || back != nil {
			t.Fatalf("%.200s: %v, %v", p.Text(), err, backErr)
		}
		return
	}
	if err != nil || !bytes.Equal(key, want) {
		t.Fatalf("%.200s: %x, want %x, %v", p.Text(), key, want, err)
	}
	if backErr != nil || !slices.Equal(back, list) {
		t.Fatalf("%.200s: %d, want %d, %v", p.Text(), back, list, backErr)
	}
	attribute := len(list) - 1
	if p.Width(attribute) < wordBits {
		list[attribute] = p.CodeMax(attribute) + 1
		if got, err := p.AppendKey(key, list...); !errors.Is(err, ErrCode) || !bytes.Equal(got, key) {
			t.Fatalf("%.200s: a code that is too wide: %v", p.Text(), err)
		}
	}
}

// TestOrder: a key is not below another if none of its codes is.
func TestOrder(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		p := randomPlan(t, r, AttributesMax, 200)
		low, high := make([][]byte, p.Attributes()), make([][]byte, p.Attributes())
		for attribute := range low {
			a, b := randomCode(r, p, attribute), randomCode(r, p, attribute)
			if bytes.Compare(a, b) > 0 {
				a, b = b, a
			}
			low[attribute], high[attribute] = a, b
		}
		first, err := p.AppendKeyBytes(nil, low...)
		if err != nil {
			t.Fatal(err)
		}
		last, err := p.AppendKeyBytes(nil, high...)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Compare(first, last) > 0 {
			t.Fatalf("%s: %x above %x", p.Text(), first, last)
		}
	}
}

// TestNoAllocation: what a scan does for each key allocates nothing.
func TestNoAllocation(t *testing.T) {
	if rounds.Race {
		t.Skip("the race detector allocates")
	}
	r := newRand(t)
	for _, widths := range [][]int{{16, 16, 16, 16}, {13, 5}, {32, 32, 32, 32}, {64, 64, 64, 64, 64, 64, 64, 64}} {
		p, err := RoundRobin(widths...)
		if err != nil {
			t.Fatal(err)
		}
		var boxes []*Box
		for range 3 {
			low, high := randomBounds(r, p)
			for i := range low {
				low[i], high[i] = min(low[i], high[i]), max(low[i], high[i])
			}
			box, err := p.Box(low, high)
			if err != nil {
				t.Fatal(err)
			}
			boxes = append(boxes, box)
		}
		union, err := Union(p, boxes, 0)
		if err != nil {
			t.Fatal(err)
		}
		scratch, codes, list := make([]byte, 0, 2*p.Bytes()), make([]uint64, 0, len(widths)), make([]uint64,
			len(widths))
		z := boxes[0].High()
		allocations := testing.AllocsPerRun(100, func() {
			boxes[1].Next(scratch, z)
			boxes[1].Prev(scratch, z)
			union.Next(scratch, z)
			union.Prev(scratch, z)
			union.In(z)
			key, err := p.AppendKey(scratch, list...)
			if err == nil {
				_, err = p.AppendCodes(codes, key)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		if allocations > 0 {
			t.Errorf("%s: %v allocations", p, allocations)
		}
	}
}
