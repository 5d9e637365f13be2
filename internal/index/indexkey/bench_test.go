// SPDX-License-Identifier: Apache-2.0

package indexkey

import (
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/valuetest"
)

// nameMap is a dictionary of attribute names.
type nameMap map[string]uint32

func (m nameMap) ID(name []byte) (uint32, bool) { id, ok := m[string(name)]; return id, ok }
func (m nameMap) Name(uint32) (string, bool)    { return "", false }

// benchmarkRow is a row of ten attributes.
func benchmarkRow(tb testing.TB) (value.Row, value.Names) {
	names := nameMap{}
	var b value.RowBuilder
	for i, name := range []string{"user", "at", "n", "x1", "x2", "x3", "x4", "x5", "x6", "x7"} {
		names[name] = uint32(i + 1)
	}
	b.Reset(names)
	for name, text := range map[string]string{
		"user": `"customer#12345678"`, "at": `"2024-05-17T12:30:00Z"`, "n": "1234.5", "x1": "1", "x2": "2", "x3": "3",
		"x4": "4", "x5": "5",
		"x6": "6", "x7": "7",
	} {
		v, err := valuetest.ParseText(text)
		if err != nil {
			tb.Fatal(err)
		}
		if err := b.Set([]byte(name), v); err != nil {
			tb.Fatal(err)
		}
	}
	return b.AppendTo(nil), names
}

var benchmarkIndexes = []string{
	"user S; at S", "user S; desc(n) N", "user S; at S | nulls", "user S; at S | hash", "concat(user,'#',at) S; n N",
	"hash32(user) B; reverse(user) S",
}

func benchmarkIndex(tb testing.TB, text string) *schema.Index {
	x, err := parseIndex(text)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

func TestAppendAndSkipDoNotAllocate(t *testing.T) {
	row, names := benchmarkRow(t)
	for _, text := range benchmarkIndexes {
		x := benchmarkIndex(t, text)
		dst := make([]byte, 0, 512)
		scratch := make([]byte, 0, 512)
		visit := func(*schema.KeyPart, value.Value) error { return nil }
		n := testing.AllocsPerRun(10, func() {
			key, ok, err := Append(dst, x, row, names)
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			if _, err := Skip(x, key); err != nil {
				t.Fatal(err)
			}
			if _, err := Values(x, key, scratch, visit); err != nil {
				t.Fatal(err)
			}
		})
		if n > 0 {
			t.Errorf("%s: %.0f allocations", text, n)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	row, names := benchmarkRow(b)
	for _, text := range benchmarkIndexes {
		x := benchmarkIndex(b, text)
		b.Run(text, func(b *testing.B) {
			dst := make([]byte, 0, 512)
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Append(dst, x, row, names); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSkip(b *testing.B) {
	row, names := benchmarkRow(b)
	for _, text := range benchmarkIndexes[:3] {
		x := benchmarkIndex(b, text)
		key, _, err := Append(nil, x, row, names)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Skip(x, key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSpans(b *testing.B) {
	user := []Bound{{Kind: Equal, Values: []value.Value{value.AppendString(nil, []byte("customer#12345678"))}}}
	at := []Bound{{Low: value.AppendString(nil, []byte("2024-05")), High: value.AppendString(nil, []byte("2024-06"))}}
	bounds := func(name string) []Bound {
		switch name {
		case "user":
			return user
		case "at":
			return at
		}
		return nil
	}
	for _, text := range []string{"user S; at S", "user S; at S | hash"} {
		x := benchmarkIndex(b, text)
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Bind(x, bounds, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAppendColumns leaves out what it takes to find the attributes in a row.
// BenchmarkPoints binds the first part to ten values.
func BenchmarkPoints(b *testing.B) {
	var points Bound
	for i := range 10 {
		points.Values = append(points.Values, value.AppendString(nil, []byte{byte('a' + i*7%10), 'x', 'y'}))
	}
	points.Kind = In
	bounds := func(name string) []Bound {
		if name == "user" {
			return []Bound{points}
		}
		return nil
	}
	for _, text := range []string{"user S", "user S; at S"} {
		x := benchmarkIndex(b, text)
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p, err := Bind(x, bounds, 0); err != nil || len(p.Spans) != 10 {
					b.Fatal(len(p.Spans), err)
				}
			}
		})
	}
}

func BenchmarkAppendColumns(b *testing.B) {
	row, names := benchmarkRow(b)
	user, _ := row.Get(names, []byte("user"))
	at, _ := row.Get(names, []byte("at"))
	column := func(name string) value.Value {
		if name == "user" {
			return user
		}
		return at
	}
	x := benchmarkIndex(b, "user S; at S")
	dst := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := AppendColumns(dst, x, column); err != nil {
			b.Fatal(err)
		}
	}
}
