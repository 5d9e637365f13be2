// SPDX-License-Identifier: Apache-2.0

package heat

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/advice/heat/heatmap"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/order"
)

// axis is the buckets that are counted in. Its borders never change; another axis takes its place.
type axis struct {
	borders [][]byte // as layer.Rows has them
	heads   []uint64 // the first eight bytes of each border, which decide most comparisons
	buckets []bucket
}

// bucket counts the requests for a range of keys.
type bucket struct {
	shards [shards]cell
	object atomic.Pointer[object] // whose keys these are; nil: several's, or nobody's yet

	mu         sync.Mutex // of the samples
	samplesMax int
	now, then  [2]sample // by direction: of this column, and of the one before
}

// samplesAll is about the number of keys that are kept of all buckets together, for each direction and column.
const samplesAll = 8192

func newAxis(borders [][]byte) *axis {
	a := &axis{borders: borders, heads: make([]uint64, len(borders)), buckets: make([]bucket, len(borders))}
	for i := range borders {
		a.heads[i] = head(borders[i])
		a.buckets[i].samplesMax = max(12, min(512, samplesAll/len(borders)))
	}
	return a
}

// head is the first eight bytes of a key as a number; shorter keys end in zeros.
func head(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// find returns the bucket that holds key.
func (a *axis) find(key []byte) int {
	h := head(key)
	low, high := 0, len(a.borders)
	for low+1 < high {
		middle := int(uint(low+high) >> 1)
		if x := a.heads[middle]; x < h || x == h && bytes.Compare(a.borders[middle], key) <= 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// end is the first key after bucket i; nil: there is none.
func (a *axis) end(i int) []byte {
	if i+1 < len(a.borders) {
		return a.borders[i+1]
	}
	return nil
}

// take sets the counters back and returns what they said.
func (a *axis) take() heatmap.Rows { return a.read(func(n *atomic.Int64) int64 { return n.Swap(0) }) }

// look returns what the counters say.
func (a *axis) look() heatmap.Rows { return a.read((*atomic.Int64).Load) }

// read adds up what get returns of each counter.
func (a *axis) read(get func(*atomic.Int64) int64) heatmap.Rows {
	r := heatmap.NewRows(a.borders)
	for i := range a.buckets {
		for s := range a.buckets[i].shards {
			for measure := range r.Values {
				r.Values[measure][i] += float64(get(&a.buckets[i].shards[s].counts[measure]))
			}
		}
	}
	return r
}

// ObjectOf says to which table or index a key belongs; ok is false for keys that are no rows and no entries.
func ObjectOf(key []byte) (o Object, ok bool) {
	table, index, _, ok := keyspace.CutRow(key)
	return Object{table, index}, ok
}

// Same reports whether two keys belong to the same table or index, or both to none: buckets of different ones are never
// merged.
func Same(a, b []byte) bool {
	x, isRow := ObjectOf(a)
	y, isRowToo := ObjectOf(b)
	return x == y && isRow == isRowToo
}

// Span returns the range of keys of a table or index.
func (o Object) Span() (first, end []byte) {
	first = keyspace.AppendRows(nil, o.Table, o.Index)
	end, _ = order.PrefixEnd(nil, first) // rows are not the last section of all possible bytes
	return first, end
}
