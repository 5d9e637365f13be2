// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
)

// sample is a bounded choice of keys by priority sampling: each offer gets its weight over a random number, and the
// highest stay. A key that stays stands for its own weight or for the highest priority that did not stay, whichever is
// more; so sums are right on average.
type sample struct {
	keys      []sampleKey
	offered   float64 // weight of all offers
	threshold float64 // the highest priority that did not stay
	least     int     // of the priorities in keys, once they are as many as may be
}

// sampleKey is one key; its bytes are the sample's, and used again.
type sampleKey struct {
	key              []byte
	weight, priority float64
	order            float64 // the weight of all that was offered before it
}

// offer puts a key in, or not.
func (s *sample) offer(key []byte, weight float64, keysMax int) {
	x := sampleKey{weight: weight, priority: weight / (1 - rand.Float64()), order: s.offered}
	s.offered += weight
	switch {
	case len(s.keys) < keysMax:
		if cap(s.keys) > len(s.keys) { // an entry that was used before has bytes to use again
			s.keys = s.keys[:len(s.keys)+1]
		} else {
			s.keys = append(s.keys, sampleKey{})
		}
		s.put(len(s.keys)-1, key, x)
	case x.priority <= s.keys[s.least].priority:
		s.threshold = max(s.threshold, x.priority)
		return
	default:
		s.threshold = max(s.threshold, s.keys[s.least].priority)
		s.put(s.least, key, x)
	}
	if len(s.keys) == keysMax {
		s.findLeast()
	}
}

func (s *sample) put(i int, key []byte, x sampleKey) {
	x.key = append(s.keys[i].key[:0], key...)
	s.keys[i] = x
}

func (s *sample) findLeast() {
	s.least = 0
	for i := range s.keys {
		if s.keys[i].priority < s.keys[s.least].priority {
			s.least = i
		}
	}
}

// clear empties the sample and keeps its memory.
func (s *sample) clear() { *s = sample{keys: s.keys[:0]} }

// inOrder copies the keys in the order in which they came.
func (s *sample) inOrder() [][]byte {
	sorted := slices.Clone(s.keys)
	slices.SortFunc(sorted, func(a, b sampleKey) int { return cmp.Compare(a.order, b.order) })
	keys := make([][]byte, len(sorted))
	for i := range sorted {
		keys[i] = slices.Clone(sorted[i].key)
	}
	return keys
}

// weightedKey is a key and for how many requests it stands.
type weightedKey struct {
	key    []byte
	weight float64
}

// weighed copies the keys.
func (s *sample) weighed() []weightedKey {
	list := make([]weightedKey, len(s.keys))
	for i := range s.keys {
		list[i] = weightedKey{slices.Clone(s.keys[i].key), max(s.keys[i].weight, s.threshold)}
	}
	return list
}

func compareWeighed(a, b weightedKey) int { return bytes.Compare(a.key, b.key) }
