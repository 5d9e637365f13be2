// SPDX-License-Identifier: Apache-2.0

package order

import "testing"

func BenchmarkDecimal(b *testing.B) {
	for _, text := range []string{"5", "19.99", "-1234567890", "12345678901234567890123456789012345678"} {
		d, err := ParseDecimal([]byte(text))
		if err != nil {
			b.Fatal(err)
		}
		key := AppendDecimal(nil, d)
		raw, buffer := []byte(text), make([]byte, 0, 256)
		var decimal Decimal
		var rest []byte
		run := func(name string, body func()) {
			b.Run(name+"/"+text, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					body()
				}
			})
		}
		run("Parse", func() { decimal, _ = ParseDecimal(raw) })
		run("AppendText", func() { buffer = d.AppendText(buffer[:0]) })
		run("Append", func() { buffer = AppendDecimal(buffer[:0], d) })
		run("Cut", func() { decimal, rest, _ = CutDecimal(key) })
		run("Skip", func() { rest, _ = SkipDecimal(key) })
		run("Add", func() { decimal, _ = d.Add(d) })
		run("Compare", func() { _ = d.Compare(decimal) })
		_ = rest
	}
}

func BenchmarkScalar(b *testing.B) {
	buffer := make([]byte, 0, 256)
	text := []byte("customer#000123456789")
	zeros := []byte("a\x00b\x00c\x00d\x00e\x00f\x00g\x00h\x00i")
	scratch := make([]byte, 0, 64)
	cases := []struct {
		name string
		body func()
	}{
		{"Uint", func() { buffer = AppendUint(buffer[:0], 12345); _, _, _ = CutUint(buffer) }},
		{"Uvarint", func() { buffer = AppendUvarint(buffer[:0], 12345); _, _, _ = CutUvarint(buffer) }},
		{"Float", func() { buffer = AppendFloat(buffer[:0], 1.5); _, _, _ = CutFloat(buffer) }},
		{"Bytes", func() { buffer = AppendBytes(buffer[:0], text); _, _, _ = CutBytes(buffer, scratch) }},
		{"BytesZeros", func() { buffer = AppendBytes(buffer[:0], zeros); _, _, _ = CutBytes(buffer, scratch) }},
		{"BytesDesc", func() { buffer = AppendBytesDesc(buffer[:0], text); _, _, _ = CutBytesDesc(buffer, scratch) }},
		{"BytesSkip", func() { buffer = AppendBytes(buffer[:0], text); _, _ = SkipBytes(buffer) }},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.body()
			}
		})
	}
}
