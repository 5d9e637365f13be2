// SPDX-License-Identifier: Apache-2.0

package parse_test

import (
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/parse"
)

// benchmarked are the statements whose reading is measured. // immutable
var benchmarked = [...]struct{ name, text string }{
	{"point", "SELECT * FROM orders WHERE channel = 'alipay' AND id = 'a0001' AND ts = 1705786502000"},
	{"short", "SELECT v FROM kv WHERE k = 12345"},
	{"upsert10", "UPSERT INTO orders (channel, id, ts, status, location, amount, currency, buyer, seller, note) " +
		"VALUES ('alipay', 'a0001', 1705786502000, '0', 'shanghai', 12.50, 'CNY', 'u123', 's456', 'thanks a lot')"},
	{"in27", "SELECT * FROM orders WHERE channel IN ('alipay', 'wechat', 'unionpay') AND id IN ('a0001', 'a0002', 'a0003') " +
		"AND ts IN (1705786502000, 1705786502222, 1705786502333)"},
}

func BenchmarkParse(b *testing.B) {
	for _, s := range benchmarked {
		b.Run(s.name, func(b *testing.B) {
			text := []byte(s.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parse.Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFingerprint(b *testing.B) {
	for _, s := range benchmarked {
		b.Run(s.name, func(b *testing.B) {
			text := []byte(s.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var key []byte
			var literals []datum.Datum
			for b.Loop() {
				var ok bool
				if key, literals, ok = (parse.Dialect{}).Fingerprint(text, key[:0], literals[:0]); !ok {
					b.Fatal("no fingerprint")
				}
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	text := []byte(benchmarked[0].text)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := (parse.Dialect{}).Split(text); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFingerprintAllocations keeps the way to a cached plan free of memory.
func TestFingerprintAllocations(t *testing.T) {
	for _, s := range benchmarked {
		text, key, literals := []byte(s.text), make([]byte, 0, 1024), make([]datum.Datum, 0, 64)
		got := testing.AllocsPerRun(100, func() {
			if _, _, ok := (parse.Dialect{}).Fingerprint(text, key, literals); !ok {
				t.Fatal("no fingerprint")
			}
			if _, _, err := (parse.Dialect{}).Split(text); err != nil {
				t.Fatal(err)
			}
		})
		if got > 0 {
			t.Errorf("%s: %v allocations", s.name, got)
		}
	}
}
