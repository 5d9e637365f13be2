// SPDX-License-Identifier: Apache-2.0

package throttle

import (
	"hash/maphash"
	"time"
)

// What one key can bear in a second, wherever its partition is.
var keyRates = [directions]float64{Read: 3000, Write: 1000} // immutable

// keysMax bounds how many keys are remembered.
const keysMax = 1 << 16

// keys are the buckets of single keys, by their hashes. A key that nothing was asked of for a second is as one that is
// not there.
type keys struct {
	seed    maphash.Seed
	buckets map[keyID]*bucket
}

type keyID struct {
	hash uint64
	d    Direction
}

// of returns the bucket of a key. The limiter's mutex is held.
func (k *keys) of(key []byte, d Direction, now time.Time) *bucket {
	id := keyID{maphash.Bytes(k.seed, key), d}
	b := k.buckets[id]
	if b != nil {
		return b
	}
	if len(k.buckets) >= keysMax {
		k.forget(now)
	}
	b = &bucket{rate: keyRates[d], most: keyRates[d], level: keyRates[d], at: now}
	k.buckets[id] = b
	return b
}

// forget makes room: by the keys that are as new ones, or else by all.
func (k *keys) forget(now time.Time) {
	for id, b := range k.buckets {
		if b.fill(now); b.level == b.most {
			delete(k.buckets, id)
		}
	}
	if len(k.buckets) >= keysMax {
		clear(k.buckets)
	}
}
