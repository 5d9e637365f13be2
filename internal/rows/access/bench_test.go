// SPDX-License-Identifier: Apache-2.0

package access

import "testing"

// BenchmarkChoose plans one equality and a range over a named index and over all.
func BenchmarkChoose(b *testing.B) {
	table, err := parseTable([]string{"user S; at S", "by_at: user S; n N", "by_day: day S; at S",
		"by_mail: mail S | keys"})
	if err != nil {
		b.Fatal(err)
	}
	for _, query := range []struct{ name, index, where string }{
		{"primary", "", `user = "x" AND at BETWEEN "a" AND "b"`},
		{"named", "by_at", `user = "x" AND n > 5`},
	} {
		where, err := parseCondition(query.where)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(query.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Choose(table, Query{Where: where, Index: query.index, Primary: query.index == ""},
					Statistics{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
