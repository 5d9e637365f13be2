// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"maps"
	"slices"
	"sync"
)

// Moves tells a reader of the journal, in the process that moves changes there, to which buckets some were moved, so
// that it need not ask the store. It is safe for concurrent use; NewMoves makes one, and a nil one takes nothing.
type Moves struct {
	wake chan struct{} // holds one if there are buckets

	mu      sync.Mutex
	buckets map[Bucket]struct{}
}

// NewMoves returns Moves without buckets.
func NewMoves() *Moves { return &Moves{wake: make(chan struct{}, 1), buckets: map[Bucket]struct{}{}} }

// add notes buckets to which changes were moved.
func (m *Moves) add(given map[Bucket]uint64) {
	if m == nil || len(given) == 0 {
		return
	}
	m.mu.Lock()
	for bucket := range given {
		m.buckets[bucket] = struct{}{}
	}
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Wake has something to receive once there are buckets that were not taken; nil blocks forever.
func (m *Moves) Wake() <-chan struct{} {
	if m == nil {
		return nil
	}
	return m.wake
}

// Take returns the buckets since the last Take.
func (m *Moves) Take() []Bucket {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.Collect(maps.Keys(m.buckets))
	clear(m.buckets)
	return list
}
