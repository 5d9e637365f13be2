// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"testing"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/evaluate"
	"github.com/weftdb/weft/internal/sql/operator"
)

// numbers are the numbers from 0 up to a count, modulo another one, with a second column.
func numbers(x *evaluate.Context, slot, count, modulo int) operator.Rows {
	next := 0
	return &operator.Func{OnOpen: func(context.Context) error { next = 0; return nil }, OnNext: func() (bool, error) {
		if next == count {
			return false, nil
		}
		x.Row[slot], x.Row[slot+1] = datum.Int(int64(next%modulo)), datum.Int(int64(next))
		next++
		return true, nil
	}}
}

// BenchmarkHashJoin joins ten rows with each of the kept ones, in memory and by files.
func BenchmarkHashJoin(b *testing.B) {
	for _, one := range []struct {
		name     string
		kept     int
		bytesMax int64
	}{{"memory", 20_000, 64 << 20}, {"files", 20_000, 1 << 20}, {"million", 1_000_000, 64 << 20}} {
		b.Run(one.name, func(b *testing.B) {
			x := &evaluate.Context{Row: make([]datum.Datum, 4)}
			server := memory.New(one.bytesMax)
			j := &operator.HashJoin{Left: numbers(x, 0, 10*one.kept, one.kept),
				Right: numbers(x, 2, one.kept, one.kept), LeftSlots: []int{0, 1}, RightSlots: []int{2, 3},
				Keys: []operator.Key{{Left: program(b, column(0)), Right: program(b, column(2))}}, Context: x,
				Budget: &operator.Budget{BytesMax: one.bytesMax, Spill: &spill.Folder{Dir: b.TempDir()},
					Memory: server}}
			b.ReportAllocs()
			for b.Loop() {
				rows := 0
				if err := j.Open(context.Background()); err != nil {
					b.Fatal(err)
				}
				for {
					ok, err := j.Next()
					if err != nil {
						b.Fatal(err)
					}
					if !ok {
						break
					}
					rows++
				}
				if rows != 10*one.kept {
					b.Fatalf("%d rows", rows)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(10*one.kept), "ns/row")
			b.ReportMetric(float64(j.Counts.MemoryPeak), "peak-bytes")
		})
	}
}
