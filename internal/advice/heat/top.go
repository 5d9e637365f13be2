// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
)

// topMax is the number of keys a top watches.
const topMax = 64

// Top is a key and about how often it was asked for. Count is never too small; it is at most Over too large.
type Top struct {
	Key         []byte
	Count, Over float64
}

// top counts the most frequent keys by space-saving: a key that is not watched takes the place of the least frequent
// one, and its count.
type top struct {
	place   map[string]*watched
	heap    []*watched // the least count first
	counted float64    // of all keys
}

type watched struct {
	key         string
	count, over float64
	at          int // in the heap
}

func newTop() top { return top{place: make(map[string]*watched, topMax)} }

func (t *top) add(key []byte, weight float64) {
	t.counted += weight
	if w, ok := t.place[string(key)]; ok {
		w.count += weight
		t.down(w.at)
		return
	}
	if len(t.heap) < topMax {
		w := &watched{key: string(key), count: weight, at: len(t.heap)}
		t.heap = append(t.heap, w)
		t.place[w.key] = w
		t.up(w.at)
		return
	}
	w := t.heap[0]
	delete(t.place, w.key)
	w.key, w.over = string(key), w.count
	w.count += weight
	t.place[w.key] = w
	t.down(0)
}

func (t *top) up(i int) {
	for i > 0 && t.heap[i].count < t.heap[(i-1)/2].count {
		t.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (t *top) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.heap[child].count < t.heap[least].count {
				least = child
			}
		}
		if least == i {
			return
		}
		t.swap(i, least)
		i = least
	}
}

func (t *top) swap(i, j int) {
	t.heap[i], t.heap[j] = t.heap[j], t.heap[i]
	t.heap[i].at, t.heap[j].at = i, j
}

// most lists at most n keys, the most frequent first.
func (t *top) most(n int) []Top {
	list := make([]Top, 0, len(t.heap))
	for _, w := range t.heap {
		list = append(list, Top{[]byte(w.key), w.count, w.over})
	}
	slices.SortFunc(list, func(a, b Top) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Over, b.Over), slices.Compare(a.Key, b.Key))
	})
	return slices.Clip(list[:min(n, len(list))])
}

// reset forgets all keys.
func (t *top) reset() {
	clear(t.place)
	t.heap, t.counted = t.heap[:0], 0
}

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
