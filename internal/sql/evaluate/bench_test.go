// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"testing"

	"github.com/weftdb/weft/internal/sql/datum"
)

// benchmarked are conditions and values that hot statements compute for each row.
var benchmarked = []string{"i > 4 AND s LIKE 'h%'", "s LIKE '%ll%'", "i IN (1, 3, 5, 7, 9)", "s IN ('a', 'hello')",
	"ts > '2024-01-01'", "d * 2 + 1", "f < 0.5",
	"CONCAT(s, '-', i)", "CASE WHEN i > 3 THEN 1 ELSE 0 END", "YEAR(ts) = 2024", "i BETWEEN 1 AND 9 AND s <> ''"}

// TestNoAllocation holds that these take no memory per row.
func TestNoAllocation(t *testing.T) {
	s := generatedTable(t)
	for _, text := range benchmarked {
		run := benchmarkedRow(t, text, s)
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}

// benchmarkedRow computes an expression for one row, as an executor does.
func benchmarkedRow(t testing.TB, text string, s *table) func() {
	e, err := expression(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(e, s)
	if err != nil {
		t.Fatal(err)
	}
	x := &Context{Row: s.row}
	x.Begin([]datum.Datum{}, now, session{})
	return func() {
		x.Reset()
		if _, err := p.Value(x); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkRow(b *testing.B) {
	s := &table{}
	s.declare(&testing.T{}, generatedRow)
	for _, text := range benchmarked {
		b.Run(text, func(b *testing.B) {
			run := benchmarkedRow(b, text, s)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}
