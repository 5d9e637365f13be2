// SPDX-License-Identifier: Apache-2.0

package loadgen

import (
	"fmt"
	"math/bits"
	"time"
)

// Buckets of a histogram: durations below 2^subBits ns have one each, above that each power of two has 2^subBits, so
// that a bucket is at most 3 % wide.
const (
	subBits     = 5
	bucketCount = (65 - subBits) << subBits
)

// Histogram counts durations. The zero value is empty.
type Histogram struct {
	counts [bucketCount]int64
	total  int64
}

func bucketOf(ns uint64) int {
	shift := max(bits.Len64(ns)-subBits-1, 0)
	return shift<<subBits + int(ns>>shift)
}

// bucketMiddle is the inverse of bucketOf, in the middle of the bucket.
func bucketMiddle(i int) float64 {
	if i < 2<<subBits {
		return float64(i)
	}
	shift := i>>subBits - 1
	low := uint64(i-shift<<subBits) << shift
	return float64(low) + float64(uint64(1)<<shift)/2
}

// Add counts a duration.
func (h *Histogram) Add(d time.Duration) {
	h.counts[bucketOf(uint64(max(d, 0)))]++
	h.total++
}

// Merge counts what the other has counted.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range &other.counts {
		h.counts[i] += n
	}
	h.total += other.total
}

// Quantile returns the duration that the share q of all durations doesn't exceed, in microseconds; 0 if there are none.
func (h *Histogram) Quantile(q float64) float64 {
	rank := int64(q * float64(h.total))
	for i, n := range &h.counts {
		if rank -= n; rank < 0 {
			return bucketMiddle(i) / 1e3
		}
	}
	return 0
}

// Figure writes a number with about three digits that count.
func Figure(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	case x < 10000:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1fk", x/1000)
}
