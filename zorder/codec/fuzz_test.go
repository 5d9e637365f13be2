// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/weftdb/weft/order"
)

// FuzzParse: what is read is valid, and its canonical form reads as the same.
func FuzzParse(f *testing.F) {
	for _, d := range declarations {
		f.Add(d)
	}
	f.Add(`ts timestamp(s), "odd, ""name""" i8:4 codec=quantile nulls=first, c text codec=quantile`)
	f.Add("x linear(-0,1e-300), y iso8601(ms,-00:00)")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse(text)
		if err != nil {
			var parse *ParseError
			if !errors.As(err, &parse) || parse.Offset < 0 || parse.Offset > len(text) || parse.Reason == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		for _, a := range list {
			if err := a.Validate(); err != nil {
				t.Fatal(err)
			}
		}
		canonical := Format(list)
		again, err := Parse(canonical)
		if err != nil || !slices.Equal(again, list) {
			t.Fatalf("%q became %q: %v, %v; was %v", text, canonical, again, err, list)
		}
	})
}

// FuzzInstant: no text panics, intervals are not upside down, and zones move both ends alike.
func FuzzInstant(f *testing.F) {
	for _, s := range []string{"2024-05-31T23:59:59.25+02:00", "2024W225", "+0020240531T24", "-271821-04-20",
		"2024-152T10,5Z", "2024-12-31T23:59:60Z", "1969"} {
		f.Add(s, 0)
	}
	f.Fuzz(func(t *testing.T, text string, zone int) {
		zone %= zoneMax
		first, last, err := ParseInstant([]byte(text), zone)
		if err != nil {
			if !errors.Is(err, ErrInstant) || first != (Instant{}) {
				t.Fatal(first, err)
			}
			return
		}
		if last.Compare(first) < 0 || first.Nanos < 0 || first.Nanos > 999_999_999 ||
			last.Seconds-first.Seconds > 366*secondsPerDay {
			t.Fatal(first, last)
		}
		for unit := Second; unit < unitCount; unit++ {
			low, _ := first.count(unit)
			high, _ := last.count(unit)
			if low > high {
				t.Fatal(low, high)
			}
		}
	})
}

// FuzzDecode: damaged bytes are errors; what is accepted is written again byte for byte, and keeps the order of codes.
func FuzzDecode(f *testing.F) {
	r := newRandom(f)
	for i, d := range declarations {
		list, _ := Parse(d)
		c, _ := New(list[0], uint32(i))
		stored, _ := c.MarshalBinary()
		f.Add(stored[:len(stored)-4], []byte("a"), []byte("b"))
		values := []Value{r.value(list[0].Type).value, r.value(list[0].Type).value, r.value(list[0].Type).value}
		list[0].Bits = 0
		if c, err := Learn(list[0], 1, values, LearnOptions{Buckets: 3}); err == nil {
			stored, _ = c.MarshalBinary()
			f.Add(stored[:len(stored)-4], []byte("http"), []byte{})
		}
	}
	f.Fuzz(func(t *testing.T, body, a, b []byte) {
		// The checksum would hide the decoder from the fuzzer, so it is put right.
		stored := binary.BigEndian.AppendUint32(slices.Clone(body), checksum(body))
		c, err := Decode(stored)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnicode) {
				t.Fatal(err)
			}
			return
		}
		if again, err := c.MarshalBinary(); err != nil || !bytes.Equal(again, stored) {
			t.Fatalf("%x was written again as %x, %v", stored, again, err)
		}
		text, _ := c.MarshalText()
		if again, err := DecodeText(string(text)); err != nil || again.attribute != c.attribute ||
			again.version != c.version {
			t.Fatal(again, err)
		}
		if _, err := Decode(stored[:len(stored)-1]); !errors.Is(err, ErrCorrupt) {
			t.Fatal("cut short, it is accepted")
		}
		checkPair(t, c, a, b)
	})
}

// checkPair compares the codes of two strings, or of the floats that are their first 8 bytes.
func checkPair(t *testing.T, c *Codec, a, b []byte) {
	x, y := Value{}, Value{}
	want := bytes.Compare(a, b)
	switch c.Order() {
	case OrderBytes:
		x, y = Ordered(a), Ordered(b)
		switch c.attribute.Type.Kind {
		case UTF8:
			x, y = Text(a), Text(b)
		case Bytes:
			x, y = Binary(a), Binary(b)
		}
	case OrderNFC:
		x, y, want = Text(a), Text(b), bytes.Compare(norm.NFC.Bytes(a), norm.NFC.Bytes(b))
	case OrderNumber:
		f, g := math.Float64frombits(load(a, 0, 0)), math.Float64frombits(load(b, 0, 0))
		x, y, want = Float(f), Float(g), bytes.Compare(order.AppendFloat(nil, f), order.AppendFloat(nil, g))
	default:
		return
	}
	codeA, errA := c.AppendCode(nil, x)
	codeB, errB := c.AppendCode(nil, y)
	if got := bytes.Compare(codeA, codeB); errA != nil || errB != nil || got != 0 && got != want {
		t.Fatalf("%v: %x and %x compare as %d, their codes %x and %x as %d; %v, %v", c.attribute, a, b, want, codeA,
			codeB, got, errA, errB)
	}
}

// FuzzOrder: codes of decimals and of floats keep their order, among each other, too.
func FuzzOrder(f *testing.F) {
	f.Add("1e3", 1000.0)
	f.Add("-9.9999999999999999999999999999999999999E125", -1e126)
	f.Add("0.1", 0.1)
	f.Add("-9.9999999999999997E125", -1e126) // the float is just below 1E126
	f.Add("18446744073709551615.5", 1.8446744073709552e19)
	f.Fuzz(func(t *testing.T, text string, float float64) {
		d, err := order.ParseDecimal([]byte(text))
		if err != nil {
			return
		}
		a, b := numberSample(d), floatSample(float)
		for _, declaration := range []string{"x u8", "x u64", "x i64", "x i16:7", "x f32", "x f64", "x number",
			"x number:30", "x timestamp(ms)", "x lat", "x linear(0,1e9)"} {
			checkOrder(t, declared(t, declaration), a, b)
		}
	})
}

// FuzzPrefix: whatever begins with a prefix is in its range, of raw and of learned codecs.
func FuzzPrefix(f *testing.F) {
	f.Add([]byte("http://www."), []byte("example"), uint8(3), []byte("http://www.a,http://www.b,http://www.c"))
	f.Add([]byte{0xff}, []byte{0xff}, uint8(20), []byte{0xff, ',', 0xff, 0xff, ',', 0, ','})
	f.Fuzz(func(t *testing.T, prefix, rest []byte, size uint8, words []byte) {
		codec, err := New(Attribute{Type: Type{Kind: Raw, Bytes: int(size)%BytesMax + 1}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		var values []Value
		for _, word := range bytes.Split(words, []byte(",")) {
			values = append(values, Ordered(word))
		}
		quantile, err := Learn(Attribute{Type: Type{Kind: Raw}, Bits: 1 + int(size)%64}, 1, values,
			LearnOptions{Buckets: len(values), Spare: int(size%9) - 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*Codec{codec, quantile} {
			lo, hi, none, err := c.AppendRange(nil, nil, BeginsWith(Ordered(prefix)))
			code, _ := c.AppendCode(nil, Ordered(slices.Concat(prefix, rest)))
			if err != nil || none || bytes.Compare(lo, code) > 0 || bytes.Compare(code, hi) > 0 {
				t.Fatalf("%v: %x..%x, %v, %v excludes %x", c.attribute, lo, hi, none, err, code)
			}
		}
	})
}
