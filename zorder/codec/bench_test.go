// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"testing"

	"github.com/weftdb/weft/order"
)

func BenchmarkCode(b *testing.B) {
	decimal, _ := order.ParseDecimal([]byte("40.749207"))
	for _, c := range []struct {
		name, declaration string
		value             Value
	}{
		{"u64", "x u64", Uint(12345)},
		{"i8", "x i8", Int(-5)},
		{"i8 of a decimal", "x i8", Number(decimal)},
		{"f64", "x f64", Float(40.749207)},
		{"f64 of a decimal", "x f64", Number(decimal)},
		{"f32", "x f32", Float(40.749207)},
		{"bool", "x bool", Bool(true)},
		{"timestamp(s)", "x timestamp(s)", Int(1469566800)},
		{"timestamp(ms)", "x timestamp(ms):16", Int(1469566800000)},
		{"lat", "x lat:16", Float(40.749207)},
		{"text[8]", "x text[8]", String("cartographer")},
		{"number", "x number:64", Number(decimal)},
		{"nfc[8]", "x nfc[8]", String("cartographer")},
		{"nfc[8] decomposed", "x nfc[8]", String("cafe\u0301 de Flore")},
		{"iso8601(ms)", "x iso8601(ms)", String("2024-05-31T23:59:59.25+02:00")},
	} {
		b.Run(c.name, func(b *testing.B) {
			codec := declared(b, c.declaration)
			b.ReportAllocs()
			var sum uint64
			for b.Loop() {
				code, err := codec.Code(c.value)
				if err != nil {
					b.Fatal(err)
				}
				sum += code
			}
			_ = sum
		})
	}
}

func BenchmarkAppendCode(b *testing.B) {
	for _, c := range []struct {
		name, declaration string
		value             Value
	}{
		{"number", "x number", Int(1469566800)}, {"text[20]", "x text[20]", String("http://www.example.com")},
		{"i32", "x i32", Int(7)},
	} {
		b.Run(c.name, func(b *testing.B) {
			codec := declared(b, c.declaration)
			b.ReportAllocs()
			var buffer [32]byte
			for b.Loop() {
				if _, err := codec.AppendCode(buffer[:0], c.value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkQuantile(b *testing.B) {
	r := newRandom(b)
	floats := make([]Value, 1<<16)
	for i := range floats {
		floats[i] = Float(r.NormFloat64())
	}
	for name, values := range map[string][]Value{"f64": floats, "text": r.names(1<<16, "http://www.")} {
		kind := F64
		if name == "text" {
			kind = UTF8
		}
		c, err := Learn(Attribute{Type: Type{Kind: kind}}, 1, values, LearnOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if _, err := c.Code(values[i&(1<<16-1)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// TestAllocations holds the simple codecs to allocate nothing.
func TestAllocations(t *testing.T) {
	values := map[string]Value{
		"x u64": Uint(1), "x i8": Int(1), "x f64": Float(1.5), "x bool": Bool(true), "x timestamp(ms)": Int(1),
		"x lat:16": Float(1), "x text[4]": String("cart"),
		"x number": Int(1469566800), "x number:40": Float(0.5), "x nfc[4]": String("cart"),
		"x iso8601(ms)": String("2024-W22-5T10:00Z"), "x binary[20]": Binary([]byte("cart")),
	}
	for declaration, v := range values {
		c := declared(t, declaration)
		buffer := make([]byte, 0, 64)
		lo, hi := make([]byte, 0, 64), make([]byte, 0, 64)
		if n := testing.AllocsPerRun(100, func() {
			if _, err := c.AppendCode(buffer, v); err != nil {
				t.Fatal(err)
			}
			if _, _, _, err := c.AppendRange(lo, hi, Between(v, v)); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %.0f allocations", declaration, n)
		}
	}
}
