// SPDX-License-Identifier: Apache-2.0

package throttle

import "time"

// burst is the time for which unused capacity can still be used.
const burst = 300 * time.Second

// bucket holds the capacity units that may be used at once. Requests take what they turn out to have cost, so that it
// can fall below zero: others then wait for longer.
type bucket struct {
	rate  float64 // units a second; 0: without a limit
	most  float64 // that it holds
	level float64
	at    time.Time // when level was right
}

// newBucket returns a bucket of a rate that nobody has used for some time.
func newBucket(rate float64, unused time.Duration, now time.Time) bucket {
	b := bucket{rate: rate, most: rate * burst.Seconds(), at: now.Add(-min(max(unused, time.Second), burst))}
	b.fill(now)
	return b
}

// fill adds what has come since the last time. A clock that goes back adds nothing.
func (b *bucket) fill(now time.Time) {
	if elapsed := now.Sub(b.at); elapsed > 0 {
		b.level = min(b.level+b.rate*elapsed.Seconds(), b.most)
	}
	b.at = now
}

// has reports whether so many units are there. A limit below them is enough once it is full.
func (b *bucket) has(units float64, now time.Time) bool {
	if b.rate == 0 {
		return true
	}
	b.fill(now)
	return b.level >= min(units, b.most)
}

// setRate changes the rate from now on. What is there stays, as far as it fits.
func (b *bucket) setRate(rate float64, now time.Time) {
	if b.rate == 0 {
		*b = newBucket(rate, 0, now)
		return
	}
	b.fill(now)
	b.rate, b.most, b.level = rate, rate*burst.Seconds(), min(b.level, rate*burst.Seconds())
}
