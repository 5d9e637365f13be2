// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestVerdicts reads histories from files and compares the verdicts.
func TestVerdicts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "check" {
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			h, err := Parse(d.Input)
			if err != nil {
				return "error: " + err.Error()
			}
			if text := Format(h); !strings.Contains(d.Input, "#") &&
				strings.TrimSpace(text) != strings.TrimSpace(d.Input) {
				d.Fatalf(t, "written again it is\n%s", text)
			}
			v, err := Check(h)
			if err != nil {
				return "error: " + err.Error()
			}
			if v.Valid() {
				return fmt.Sprintf("serializable: %d took effect", v.Committed)
			}
			var b strings.Builder
			for _, a := range v.Anomalies {
				line, _, _ := strings.Cut(a.Text, "\n  T")
				fmt.Fprintf(&b, "%s: %s\n", a.Class, line)
			}
			return b.String()
		})
	})
}

// serial makes a history that is strictly serializable by construction: transactions take effect one after the other,
// and each is called before and returns after its moment, so that up to so many are under way at once.
func serial(rng *rand.Rand, count, keys, width int) History {
	h := make(History, count)
	lists := make([][]int32, keys)
	base := int32(0)
	element := int32(0)
	for i := range h {
		moment := int64(i) * 10
		t := &h[i]
		t.Call, t.Return = moment-rng.Int64N(int64(width)*10), moment+rng.Int64N(int64(width)*10)
		for range 1 + rng.IntN(4) {
			slot := rng.IntN(keys)
			if len(lists[slot]) > 30 {
				base++
				lists[slot] = nil
			}
			key := base*int32(keys) + int32(slot)
			// A key stays the same until the next one is begun anywhere: lists of old keys are empty again under a new
			// name.
			if lists[slot] == nil {
				lists[slot] = []int32{-key}
			}
			key = -lists[slot][0]
			if rng.IntN(2) == 0 {
				element++
				lists[slot] = append(lists[slot], element)
				t.Ops = append(t.Ops, Op{Key: key, Append: true, Element: element})
			} else {
				t.Ops = append(t.Ops, Op{Key: key, List: append([]int32(nil), lists[slot][1:]...)})
			}
		}
	}
	return h
}

// TestSerial checks that histories which are serializable are found to be, whatever overlaps.
func TestSerial(t *testing.T) {
	seed := rounds.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		h := serial(rng, 1+rng.IntN(200), 1+rng.IntN(6), 1+rng.IntN(10))
		// What nobody answers may have happened all the same.
		for i := range h {
			if rng.IntN(10) == 0 {
				h[i].Outcome, h[i].Return = Unknown, Never
			}
		}
		v, err := Check(h)
		if err != nil {
			t.Fatal(err)
		}
		if !v.Valid() {
			t.Fatalf("%v\n%s", v.Anomalies, Format(h))
		}
	}
}

// BenchmarkCheck measures whether the time goes up with the size alone.
func BenchmarkCheck(b *testing.B) {
	for _, count := range []int{10_000, 100_000, 1_000_000} {
		h := serial(rand.New(rand.NewPCG(1, 1)), count, 10, 8)
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if v, err := Check(h); err != nil || !v.Valid() {
					b.Fatal(err, v)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(count), "ns/transaction")
		})
	}
}
