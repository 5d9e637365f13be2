// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// FuzzParsePlan: any text is a plan or an error, and a plan's text is read back as that plan.
func FuzzParsePlan(f *testing.F) {
	for _, text := range []string{"(abcd)16", "a8(bc)16b8", "abbacb", "a32b32", "(ab", "a8192", "(abcdefgh)1024", "()",
		"a00", "h", "(ab2)3(ba)4"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePlan(text)
		if err != nil {
			if !errors.Is(err, ErrPlan) || p != nil {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := ParsePlan(p.Text())
		if err != nil || !again.Equal(p) || again.Text() != p.Text() || len(p.Text()) > p.Bits() {
			t.Fatalf("%q: %q, %v, %v", text, p.Text(), again, err)
		}
	})
}

// FuzzNext compares Next and Prev with walking the bits, and for short keys with trying all.
func FuzzNext(f *testing.F) {
	f.Add("(ab)3", []byte{0x34}, []byte{0xd8}, []byte{0x38})
	f.Add("a8(bc)16b8", []byte{1, 2, 3, 4, 5, 6}, []byte{7, 8, 9, 10, 11, 12}, []byte{4, 4, 4, 4, 4, 4})
	f.Add("(abcd)32", make([]byte, 16), bytes.Repeat([]byte{0xFF}, 16), []byte{0x80})
	f.Add("abbacb", []byte{0x10}, []byte{0xF0}, []byte{0xFF, 0xFF})
	f.Fuzz(func(t *testing.T, text string, low, high, z []byte) {
		p, err := ParsePlan(text)
		if err != nil || p.Bits() > 400 {
			return
		}
		box, err := p.BoxOfKeys(low, high)
		if err != nil {
			if !errors.Is(err, ErrKey) {
				t.Fatal(err)
			}
			return
		}
		checkFuzzed(t, p, box, z)
	})
}

func checkFuzzed(t *testing.T, p *Plan, box *Box, z []byte) {
	// The bits behind the plan's are an attribute of their own that is always zero.
	owners := slices.Concat(p.owners, bytes.Repeat([]byte{AttributesMax}, 8*p.bytes-p.Bits()))
	list, first, last := bitsOf(z, len(owners)), bitsOf(box.Low(), len(owners)), bitsOf(box.High(), len(owners))
	for _, c := range []struct {
		next  nextFunc
		model func(owners, z, low, high []byte) ([]byte, bool, bool)
	}{{box.Next, nextModel}, {box.Prev, prevModel}} {
		got, in, ok := c.next(nil, z)
		if box.Empty() {
			if ok || in || got != nil {
				t.Fatalf("%x in an empty box", got)
			}
			continue
		}
		want, wantIn, wantOK := c.model(owners, list, first, last)
		if in != wantIn || ok != wantOK || !bytes.Equal(got, keyOf(want)) {
			t.Fatalf("%s %s from %x: %x %t %t, want %x %t %t", p.Text(), box, z, got, in, ok, keyOf(want), wantIn,
				wantOK)
		}
	}
	if p.Bits() <= 12 && !box.Empty() {
		checkNaive(t, p, box, keyOf(list))
	}
}

// checkNaive tries the keys one after the other.
func checkNaive(t *testing.T, p *Plan, box *Box, z []byte) {
	var after, before []byte
	for number := range 1 << p.Bits() {
		key := keyOfNumber(p, number)
		if !insideModel(codesOf(p, number), codesOf(p, numberOf(p, box.Low())), codesOf(p, numberOf(p, box.High()))) {
			continue
		}
		if bytes.Compare(key, z) <= 0 {
			before = key
		}
		if after == nil && bytes.Compare(key, z) >= 0 {
			after = key
		}
	}
	if got, _, _ := box.Next(nil, z); !bytes.Equal(got, after) {
		t.Fatalf("%s %s: next from %x is %x, want %x", p.Text(), box, z, got, after)
	}
	if got, _, _ := box.Prev(nil, z); !bytes.Equal(got, before) {
		t.Fatalf("%s %s: previous from %x is %x, want %x", p.Text(), box, z, got, before)
	}
}

// FuzzDecode: any bytes are codes or an error, and codes encode to the bytes they came from.
func FuzzDecode(f *testing.F) {
	f.Add("(abcd)16", []byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add("a70b3", bytes.Repeat([]byte{0xAA}, 10))
	f.Fuzz(func(t *testing.T, text string, key []byte) {
		p, err := ParsePlan(text)
		if err != nil {
			return
		}
		var long [][]byte
		for attribute := range p.Attributes() {
			code, err := p.AppendCodeBytes(nil, key, attribute)
			if err != nil {
				if !errors.Is(err, ErrKey) {
					t.Fatal(err)
				}
				return
			}
			long = append(long, code)
		}
		if again, err := p.AppendKeyBytes(nil, long...); err != nil || !bytes.Equal(again, key[:p.Bytes()]) {
			t.Fatalf("%q %x: %x, %v", text, key, again, err)
		}
		if codes, err := p.AppendCodes(nil, key); err == nil {
			if again, err := p.AppendKey(nil, codes...); err != nil || !bytes.Equal(again, key[:p.Bytes()]) {
				t.Fatalf("%q %x: %x, %v", text, key, again, err)
			}
		}
	})
}
