// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"cmp"
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
