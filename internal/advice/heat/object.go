// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

const (
	trailKeys    = 48  // keys of one column, by direction, that stay in the trail
	trailColumns = 16  // columns of the trail
	topKept      = 8   // keys of one column that are kept
	seriesMax    = 360 // columns of the series
)

// object describes one table or index, without its counts.
type object struct {
	id Object

	mu        sync.Mutex // short: requests that find it taken go on without
	tops      [2]top     // of this column, by direction
	conflicts top
	throttles top
	now       [2]sample // of this column, by direction: the trail's next piece

	// Under Map.mu:
	history []Moment // oldest first, at most seriesMax; those before the last trailColumns hold totals alone
	idle    int      // columns since the last request
}

// Moment is one column of one table or index.
type Moment struct {
	From, To      int64   // Unix milliseconds
	Reads, Writes float64 // requests
	// Tops are by reads, writes, conflicts and throttles; Counted are the requests that they were chosen from.
	Tops          [4][]Top
	Counted       [4]float64
	Read, Written [][]byte // a sample of the keys, in the order of the requests
}

func newObject(id Object) *object {
	return &object{id: id, tops: [2]top{newTop(), newTop()}, conflicts: newTop(), throttles: newTop()}
}

// leave keeps a key, unless another request is just leaving one.
func (o *object) leave(d direction, key []byte, weight float64) {
	if !o.mu.TryLock() {
		return
	}
	o.tops[d].add(key, weight)
	o.now[d].offer(key, weight, trailKeys)
	o.mu.Unlock()
}

// count counts a key in a top of o's.
func (o *object) count(t *top, key []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t.add(key, 1)
}

// moment returns what this column has so far; the counts are the caller's to fill in.
func (o *object) moment() Moment {
	o.mu.Lock()
	defer o.mu.Unlock()
	var m Moment
	for d := range o.tops {
		m.Tops[d], m.Counted[d] = o.tops[d].most(topKept), o.tops[d].counted
	}
	m.Tops[2], m.Counted[2] = o.conflicts.most(topKept), o.conflicts.counted
	m.Tops[3], m.Counted[3] = o.throttles.most(topKept), o.throttles.counted
	m.Read, m.Written = o.now[read].inOrder(), o.now[write].inOrder()
	return m
}

// next begins another column.
func (o *object) next(m Moment) {
	o.mu.Lock()
	for d := range o.tops {
		o.tops[d].reset()
		o.now[d].clear()
	}
	o.conflicts.reset()
	o.throttles.reset()
	o.mu.Unlock()
	o.history = append(o.history, m)
	if i := len(o.history) - 1 - trailColumns; i >= 0 {
		old := &o.history[i]
		*old = Moment{From: old.From, To: old.To, Reads: old.Reads, Writes: old.Writes}
	}
	if len(o.history) > seriesMax {
		o.history = slices.Delete(o.history, 0, 1)
	}
	o.idle++
	if m.Reads+m.Writes > 0 {
		o.idle = 0
	}
}

// objectOf finds the object of a key, and makes it if there is room for another; nil: the key is no row's and no
// entry's, or there is none.
func (m *Map) objectOf(key []byte) *object {
	id, ok := ObjectOf(key)
	if !ok {
		return nil
	}
	if o, ok := (*m.objects.Load())[id]; ok {
		return o
	}
	return m.addObject(id)
}

func (m *Map) addObject(id Object) *object {
	if !m.growing.TryLock() {
		return nil
	}
	defer m.growing.Unlock()
	known := *m.objects.Load()
	if o, ok := known[id]; ok {
		return o
	}
	if len(known) >= m.options.ObjectsMax {
		return nil
	}
	grown := maps.Clone(known)
	o := newObject(id)
	grown[id] = o
	m.objects.Store(&grown)
	return o
}

// idleMax is for how many columns nothing may be asked of an object that gives way to others.
const idleMax = 30

// dropIdle makes room for other objects. The caller holds mu.
func (m *Map) dropIdle() {
	m.growing.Lock()
	defer m.growing.Unlock()
	known := *m.objects.Load()
	if len(known) < m.options.ObjectsMax {
		return
	}
	kept := maps.Clone(known)
	maps.DeleteFunc(kept, func(_ Object, o *object) bool { return o.idle > idleMax })
	if len(kept) >= m.options.ObjectsMax { // all are in use: the coldest gives way
		delete(kept, slices.MinFunc(slices.Collect(maps.Values(kept)), func(a, b *object) int {
			return cmp.Or(cmp.Compare(a.recent(), b.recent()), cmp.Compare(a.id.Table, b.id.Table),
				cmp.Compare(a.id.Index, b.id.Index))
		}).id)
	}
	m.objects.Store(&kept)
}

// recent counts the requests of the last columns.
func (o *object) recent() float64 {
	sum := 0.0
	for _, m := range o.history[max(0, len(o.history)-trailColumns):] {
		sum += m.Reads + m.Writes
	}
	return sum
}
