// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"testing"

	"github.com/weftdb/weft/internal/data/value"
)

func benchmarkDefinitions() *Substitutions {
	s := &Substitutions{}
	s.AddName("#status", "status")
	s.AddName("#v", "version")
	s.AddValue(":s", value.AppendString(nil, []byte("shipped")))
	s.AddValue(":v", value.AppendInt(nil, 12))
	s.AddValue(":w", value.AppendInt(nil, 15))
	return s
}

func BenchmarkParseCondition(b *testing.B) {
	for _, text := range []string{
		"attribute_not_exists(id)",
		"#v = :v",
		"attribute_exists(id) AND #status = :s AND version < :v",
		"(#status = :s OR begins_with(owner_id, :s)) AND version BETWEEN :v AND :w AND NOT contains(tags, :s)",
	} {
		b.Run(text, func(b *testing.B) {
			known := benchmarkDefinitions()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseCondition(text, known); err != nil {
					b.Fatal(err)
				}
				known.nodes.reset()
			}
		})
	}
}

func BenchmarkParseUpdate(b *testing.B) {
	for _, text := range []string{
		"SET #status = :s",
		"SET #status = :s, version = if_not_exists(version, :v) + :w, address.city = :s REMOVE draft ADD hits :v",
	} {
		b.Run(text, func(b *testing.B) {
			known := benchmarkDefinitions()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseUpdate(text, known); err != nil {
					b.Fatal(err)
				}
				known.nodes.reset()
			}
		})
	}
}

func BenchmarkParseProjection(b *testing.B) {
	known := benchmarkDefinitions()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseProjection("id, #status, address.city, rows_of[0].price", known); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseKeyCondition(b *testing.B) {
	known := benchmarkDefinitions()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseKeyCondition("id = :s AND created BETWEEN :v AND :w", known); err != nil {
			b.Fatal(err)
		}
	}
}
