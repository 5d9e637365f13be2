// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// SyncBuckets is the number of buckets of a SyncLatency.
const SyncBuckets = 24

// SyncLatency tells how long syncs of the log took. Buckets[i] counts those of at least 2^(i-1) and less than 2^i
// microseconds; the last one has no upper bound.
type SyncLatency struct {
	Count   int64
	Sum     time.Duration
	Buckets [SyncBuckets]int64
}

// syncStats counts syncs by their time, in powers of two microseconds.
type syncStats struct {
	count   atomic.Int64
	nanos   atomic.Int64
	buckets [SyncBuckets]atomic.Int64
}

func (s *syncStats) add(took time.Duration) {
	s.count.Add(1)
	s.nanos.Add(int64(took))
	s.buckets[min(bits.Len64(uint64(took.Microseconds())), SyncBuckets-1)].Add(1)
}

func (s *syncStats) latency() SyncLatency {
	l := SyncLatency{Count: s.count.Load(), Sum: time.Duration(s.nanos.Load())}
	for i := range l.Buckets {
		l.Buckets[i] = s.buckets[i].Load()
	}
	return l
}
