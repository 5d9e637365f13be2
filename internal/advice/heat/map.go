// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/advice/heat/heatmap"
)

// Options are the settings of a Map. The zero value works.
type Options struct {
	// ColumnMS is how wide the youngest columns are, milliseconds. Default: a minute.
	ColumnMS int64
	// BucketsMax is the number of buckets that are counted in at once. Default 768; at most layer.BucketsMax.
	BucketsMax int
	// ObjectsMax is the number of tables and indexes that have their keys counted; the coldest give way. Default 64.
	ObjectsMax int
}

// Map holds the counts of one store. All methods are safe for concurrent use. Somebody must call Tick about once a
// second.
type Map struct {
	options Options
	live    atomic.Pointer[axis]
	objects atomic.Pointer[map[Object]*object] // copied when one is added or dropped

	mu      sync.Mutex // Tick's, and of all that reads columns; never taken by requests
	layers  *heatmap.Layers
	before  *axis     // counted in until the last change of borders; late requests may still do
	warmth  []float64 // of the live buckets: their requests, halved with each column
	column  int64     // when the column that is being counted began, Unix milliseconds; 0: not yet
	now     int64     // the last Tick
	growing sync.Mutex
}

// Object is a table (index 0) or an index, by their ids.
type Object struct{ Table, Index uint32 }

// New returns an empty Map.
func New(o Options) *Map {
	if o.ColumnMS <= 0 {
		o.ColumnMS = 60_000
	}
	if o.BucketsMax <= 0 || o.BucketsMax > heatmap.BucketsMax {
		o.BucketsMax = 768
	}
	if o.ObjectsMax <= 0 {
		o.ObjectsMax = 64
	}
	m := &Map{options: o, layers: heatmap.New(Same)}
	m.live.Store(newAxis([][]byte{{}}))
	m.warmth = []float64{0}
	m.objects.Store(&map[Object]*object{})
	return m
}

// Shards of a bucket's counters, and how often a key is left: for each of the first sampleAll requests of a shard in a
// column, then for one in sampleEvery.
const (
	shards      = 4
	sampleAll   = 32
	sampleEvery = 16
)

// cell is the counters of one shard, a cache line. The first two are requests, the others bytes, in the order of
// layer.Measure.
type cell struct {
	counts [heatmap.Measures]atomic.Int64
	_      [64 - 8*heatmap.Measures]byte
}

// direction reports whether a request read or wrote a key.
type direction int

const (
	read  direction = iota // = layer.Reads
	write                  // = layer.Writes
)

// note counts one request for a key.
func (m *Map) note(d direction, key []byte, size int) {
	r := rand.Uint32()
	a := m.live.Load()
	a.note(m, a.find(key), d, key, 1, size, r)
}

// note counts requests for keys of bucket i, the last of which was for key. r is random.
func (a *axis) note(m *Map, i int, d direction, key []byte, requests, size int, r uint32) {
	b := &a.buckets[i]
	c := &b.shards[r%shards]
	n := c.counts[d].Add(int64(requests))
	c.counts[int(d)+2].Add(int64(size))
	switch {
	case n <= sampleAll:
		m.leave(b, d, key, float64(requests))
	case (r>>8)%sampleEvery == 0:
		m.leave(b, d, key, float64(requests)*sampleEvery)
	}
}

// leave keeps the key of a request that stands for weight requests, unless somebody else is just doing so.
func (m *Map) leave(b *bucket, d direction, key []byte, weight float64) {
	if !b.mu.TryLock() {
		return
	}
	b.now[d].offer(key, weight, b.samplesMax)
	b.mu.Unlock()
	o := b.object.Load()
	if o == nil {
		if o = m.objectOf(key); o == nil {
			return
		}
	}
	o.leave(d, key, weight)
}

// Throttle counts a request that exceeded a limit of throughput, for a key or what several have in common.
func (m *Map) Throttle(key []byte) {
	if o := m.objectOf(key); o != nil {
		o.count(&o.throttles, key)
	}
}

// Conflict counts a transaction that failed because of a key.
func (m *Map) Conflict(key []byte) {
	if o := m.objectOf(key); o != nil {
		o.count(&o.conflicts, key)
	}
}
