// SPDX-License-Identifier: Apache-2.0

package zorder

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// Mistakes that others have made, or that are easily made, with an index on this curve. Each has a test that would fail
// if it were made here.

// entry is one entry of an index: a curve key and the primary key behind it.
func scanModel(p *Plan, union *Boxes, entries [][]byte) [][]byte {
	var found [][]byte
	for _, entry := range entries {
		if union.In(entry[:p.Bytes()]) {
			found = append(found, entry)
		}
	}
	return found
}

// scan reads sorted entries by seeking, forward or backward, and counts the entries it looked at.
func scan(p *Plan, union *Boxes, entries [][]byte, backward bool) (found [][]byte, looked int) {
	scratch := make([]byte, 0, 2*p.Bytes())
	if backward {
		for at := len(entries) - 1; at >= 0; {
			looked++
			key, in, ok := union.Prev(scratch, entries[at])
			if in {
				found = append(found, entries[at])
				at--
				continue
			}
			if !ok {
				break
			}
			// The last entry that begins with key, whatever follows it.
			for at >= 0 && bytes.Compare(entries[at][:p.Bytes()], key) > 0 {
				at--
			}
		}
		slices.Reverse(found)
		return found, looked
	}
	for at := 0; at < len(entries); {
		looked++
		key, in, ok := union.Next(scratch, entries[at])
		if in {
			found = append(found, entries[at])
			at++
			continue
		}
		if !ok {
			break
		}
		for at < len(entries) && bytes.Compare(entries[at], key) < 0 {
			at++
		}
	}
	return found, looked
}

// TestPitfallDuplicateKeys: many rows can have one curve key, also the last one of a box. Comparing whole entries with
// the box's last key, or ending the scan at it, loses all of them but none or one.
func TestPitfallDuplicateKeys(t *testing.T) {
	r := newRand(t)
	for range 100 {
		p := randomPlan(t, r, 3, 8)
		union, _ := randomUnion(t, r, p, 3, 0)
		var entries [][]byte
		for range 500 {
			entries = append(entries, append(keyOfNumber(p, r.IntN(1<<p.Bits())), byte(r.Uint32()), byte(r.Uint32())))
		}
		slices.SortFunc(entries, bytes.Compare)
		want := scanModel(p, union, entries)
		for _, backward := range []bool{false, true} {
			got, looked := scan(p, union, entries, backward)
			if !slices.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("%s %s backward=%t: %d entries, want %d", p.Text(), union, backward, len(got), len(want))
			}
			if looked > 2*len(want)+len(entries)/2+2 {
				t.Fatalf("%s %s backward=%t: looked at %d entries for %d", p.Text(), union, backward, looked, len(want))
			}
		}
	}
}

// TestPitfallCutCodes: an encoder that drops the high bits of a code puts rows where no query looks. Codes that are too
// wide are refused for keys and for bounds alike.
func TestPitfallCutCodes(t *testing.T) {
	p, err := RoundRobin(32, 16)
	if err != nil {
		t.Fatal(err)
	}
	for _, codes := range [][]uint64{{1 << 32, 0}, {0, 1 << 16}, {1 << 63, 1 << 63}} {
		if key, err := p.AppendKey(nil, codes...); !errors.Is(err, ErrCode) || key != nil {
			t.Errorf("%d: %x, %v", codes, key, err)
		}
		if _, err := p.Box(make([]uint64, 2), codes); !errors.Is(err, ErrCode) {
			t.Errorf("%d as a bound: %v", codes, err)
		}
	}
	one, err := Composite(64)
	if err != nil {
		t.Fatal(err)
	}
	if key, err := one.AppendKey(nil, 1<<63|1); err != nil || key[0] != 0x80 || key[7] != 1 {
		t.Errorf("64 bits: %x, %v", key, err)
	}
}

// TestPitfallBoundsAreIncluded: x < 5 is the range up to 4, and x < 0 is empty, not everything.
func TestPitfallBoundsAreIncluded(t *testing.T) {
	p, err := RoundRobin(3, 3)
	if err != nil {
		t.Fatal(err)
	}
	box, err := p.Box([]uint64{0, 0}, []uint64{4, 7})
	if err != nil {
		t.Fatal(err)
	}
	for x := range uint64(8) {
		key, err := p.AppendKey(nil, x, 3)
		if err != nil || box.In(key) != (x < 5) {
			t.Errorf("%d: %t, %v", x, box.In(key), err)
		}
	}
	empty, err := p.Box([]uint64{1, 0}, []uint64{0, 7})
	if err != nil || !empty.Empty() || empty.Share() != 0 || empty.Union().Low() != nil {
		t.Errorf("%s: %v", empty, err)
	}
}

// TestPitfallResultsAreInCurveOrder: what a scan finds is not in the order of any attribute, unless the plan puts it in
// front.
func TestPitfallResultsAreInCurveOrder(t *testing.T) {
	for _, c := range []struct {
		text   string
		sorted bool
	}{{"(ab)3", false}, {"a3b3", true}} {
		p, err := ParsePlan(c.text)
		if err != nil {
			t.Fatal(err)
		}
		box, err := p.BoxOfRanges()
		if err != nil {
			t.Fatal(err)
		}
		var first []uint64
		for z := range 1 << p.Bits() {
			if key := keyOfNumber(p, z); box.In(key) {
				first = append(first, codesOf(p, z)[0])
			}
		}
		if slices.IsSorted(first) != c.sorted {
			t.Errorf("%s: sorted by the first attribute: %t", c.text, !c.sorted)
		}
	}
}

// TestPitfallUnboundFirstAttribute: each bit of an unbound attribute that comes before the bound ones doubles the runs,
// so a plan must not put rarely bound attributes in front.
func TestPitfallUnboundFirstAttribute(t *testing.T) {
	for bits := 1; bits <= 8; bits++ {
		p, err := Composite(bits, 4)
		if err != nil {
			t.Fatal(err)
		}
		box, err := p.Box([]uint64{0, 5}, []uint64{p.CodeMax(0), 5})
		if err != nil {
			t.Fatal(err)
		}
		if runs := len(box.Union().Ranges(RangesOptions{RangesMax: -1})); runs != 1<<bits {
			t.Errorf("%d bits in front: %d runs", bits, runs)
		}
	}
}

// TestPitfallCorrelatedAttributes: where attributes go together the product of shares is far off, and separators are
// not.
func TestPitfallCorrelatedAttributes(t *testing.T) {
	p, err := RoundRobin(16, 16)
	if err != nil {
		t.Fatal(err)
	}
	const rows, rowsPerLeaf = 65_536, 64
	var keys, separators [][]byte
	for i := range uint64(rows) {
		key, err := p.AppendKey(nil, i, i) // all rows lie on the diagonal
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	slices.SortFunc(keys, bytes.Compare)
	for i := rowsPerLeaf; i < rows; i += rowsPerLeaf {
		separators = append(separators, keys[i])
	}
	box, err := p.Box([]uint64{0, 0}, []uint64{8191, 8191})
	if err != nil {
		t.Fatal(err)
	}
	const actual = 8192 / rowsPerLeaf
	touched, runs := box.Union().TouchedLeaves(separators)
	if touched != actual || runs != 1 {
		t.Errorf("touched %d leaves in %d runs, want %d in 1", touched, runs, actual)
	}
	if estimate := box.EstimateLeaves(rows, rowsPerLeaf); estimate != actual/8 {
		t.Errorf("the product form says %v", estimate)
	}
}

// TestPitfallSkippingLosesNothing: seeking ahead must find what reading everything finds, from wherever the scan is.
// Jumps never pass a key that is inside, in either direction, and jumping again from where a jump led stays there.
func TestPitfallSkippingLosesNothing(t *testing.T) {
	r := newRand(t)
	for range 300 {
		p := randomPlan(t, r, 8, 300)
		low, high := randomCorner(r, p), randomCorner(r, p)
		nearCorner(r, p, low, high)
		box, err := p.BoxOfKeys(low, high)
		if err != nil || box.Empty() {
			continue
		}
		z, inside := nearKey(r, box), nearKey(r, box)
		inside, _, ok := box.Next(nil, inside)
		if !ok {
			continue
		}
		for _, step := range []struct {
			next nextFunc
			sign int
		}{{box.Next, 1}, {box.Prev, -1}} {
			key, _, ok := step.next(nil, z)
			ahead := bytes.Compare(inside, z)*step.sign >= 0
			if ahead && (!ok || bytes.Compare(inside, key)*step.sign < 0) {
				t.Fatalf("%s %s: from %x to %x passes %x", p.Text(), box, z, key, inside)
			}
			if again, in, _ := step.next(nil, key); ok && (!in || !bytes.Equal(again, key)) {
				t.Fatalf("%s %s: %x and then %x", p.Text(), box, key, again)
			}
		}
	}
}

// TestPitfallOneWordNarrower: a plan of 64 bits and one of 65 are searched by different code, and must agree on what
// they share.
func TestPitfallOneWordNarrower(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		short := randomPlan(t, r, 8, 64)
		long, err := FromOwners(append(append(short.Owners(), bytes.Repeat([]byte{0}, 64-short.Bits())...), 0, 0))
		if err != nil {
			t.Fatal(err)
		}
		low, high := randomCorner(r, short), randomCorner(r, short)
		nearCorner(r, short, low, high)
		// In the long plan the bits behind are unbound: zeros in low, ones in high.
		longLow, longHigh := widen(short, long, low, 0), widen(short, long, high, 1)
		a, err := short.BoxOfKeys(low, high)
		if err != nil {
			t.Fatal(err)
		}
		b, err := long.BoxOfKeys(longLow, longHigh)
		if err != nil {
			t.Fatal(err)
		}
		z := randomCorner(r, short)
		for _, step := range []struct {
			a, b nextFunc
			fill byte
		}{{a.Next, b.Next, 0}, {a.Prev, b.Prev, 1}} {
			want, in, ok := step.a(nil, z)
			got, gotIn, gotOK := step.b(nil, widen(short, long, z, step.fill))
			if ok {
				want = widen(short, long, want, step.fill)
			}
			if in != gotIn || ok != gotOK || !bytes.Equal(got, want) {
				t.Fatalf("%s %s from %x: %x %t %t, want %x %t %t", short.Text(), a, z, got, gotIn, gotOK, want, in, ok)
			}
		}
	}
}

// widen makes a key of the long plan from one of the short plan, with fill for the bits behind.
func widen(short, long *Plan, key []byte, fill byte) []byte {
	return keyOf(append(bitsOf(key, short.Bits()), bytes.Repeat([]byte{fill}, long.Bits()-short.Bits())...))
}
