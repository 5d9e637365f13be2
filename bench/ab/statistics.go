// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/weftdb/weft/bench/loadgen"
)

const (
	resamples = 10_000
	tail      = 0.005 // of the resamples' ratios, left out on either side of an interval
	// margin is the difference that counts for nothing: two starts of one binary differ by as much.
	margin = 0.02
)

// verdict is the result of a comparison.
type verdict string

const (
	faster       verdict = "faster"
	slower       verdict = "slower"
	noDifference verdict = "no difference"
)

// interval is a ratio, with the bounds that 99 % of the resamples lie between. Zero: unknown.
type interval struct{ ratio, low, high float64 }

// String shows the ratio and its bounds.
func (i interval) String() string { return fmt.Sprintf("%.3f (%.3f to %.3f)", i.ratio, i.low, i.high) }

// side is 1 if the ratio lies above 1, -1 if it lies below, and 0 if that isn't sure, or hardly above or below.
func (i interval) side() int {
	switch {
	case i.low > 1+margin:
		return 1
	case i.high > 0 && i.high < 1/(1+margin):
		return -1
	}
	return 0
}

// bootstrap estimates the ratio of b to a, figures of turns that were taken in the order a, b, b, a: the median of the
// ratios of such fours, in each of which a drift of the machine cancels out. Both have an even number of figures.
func bootstrap(a, b []float64, random *rand.Rand) interval {
	var logs []float64
	for i := 0; i+1 < min(len(a), len(b)); i += 2 {
		logs = append(logs, (math.Log(b[i])+math.Log(b[i+1])-math.Log(a[i])-math.Log(a[i+1]))/2)
	}
	if len(logs) == 0 || slices.ContainsFunc(logs, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		return interval{}
	}
	medians, sample := make([]float64, resamples), make([]float64, len(logs))
	for i := range medians {
		for j := range sample {
			sample[j] = logs[random.IntN(len(logs))]
		}
		medians[i], _, _ = loadgen.Middle(sample)
	}
	slices.Sort(medians)
	middle, _, _ := loadgen.Middle(logs)
	cut := int(tail * resamples)
	return interval{math.Exp(middle), math.Exp(medians[cut]), math.Exp(medians[resamples-1-cut])}
}

// comparison is two revisions in one scenario: the second's figures to the first's.
type comparison struct{ rate, cpu interval }

// compare compares the turns of two revisions, which were taken in the order a, b, b, a. The seed makes it repeatable.
func compare(a, b []loadgen.Result, seed uint64) comparison {
	random := rand.New(rand.NewPCG(seed, 0))
	of := func(pick func(*loadgen.Result) float64) interval {
		return bootstrap(loadgen.Each(a, pick), loadgen.Each(b, pick), random)
	}
	return comparison{rate: of((*loadgen.Result).Rate), cpu: of((*loadgen.Result).CPUMicros)}
}

// verdict is that of the rate and of the CPU for one operation together: one alone is enough, and a contradiction is no
// difference.
func (c comparison) verdict() verdict {
	switch better := c.rate.side() - c.cpu.side(); {
	case better > 0:
		return faster
	case better < 0:
		return slower
	}
	return noDifference
}
