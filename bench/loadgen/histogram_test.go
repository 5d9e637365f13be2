// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestHistogram compares quantiles with those of the sorted durations.
func TestHistogram(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var whole, half Histogram
	durations := make([]time.Duration, 10_001)
	for i := range durations {
		durations[i] = time.Duration(random.Int64N(1 << random.IntN(40)))
		if i%2 == 0 {
			whole.Add(durations[i])
		} else {
			half.Add(durations[i])
		}
	}
	whole.Merge(&half)
	slices.Sort(durations)
	for _, q := range []float64{0, 0.01, 0.5, 0.99, 0.999} {
		want := float64(durations[int(q*float64(len(durations)))]) / 1e3
		if got := whole.Quantile(q); got < want*0.97 || got > want*1.03 {
			t.Errorf("the quantile %g is %g, want %g within 3 %%", q, got, want)
		}
	}
	whole.Add(-1)
	whole.Add(1<<63 - 1)
	if got := new(Histogram).Quantile(0.5); got != 0 {
		t.Errorf("the median of nothing is %g", got)
	}
}
