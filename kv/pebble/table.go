// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"math/bits"
	"sync"
)

// Sizes of a shard of the commit table.
const (
	tablePlacesMin    = 8   // of a shard that holds anything
	tablePlacesKept   = 128 // of a shard that is left alone between commits
	tableSweepAtLeast = 64  // entries of a shard before it is swept for the first time
)

// tableShard is a part of the commit table: a hash table with linear probing. Its entries lie in one slice and hold no
// pointers, so the garbage collector does not look at them, however many there are.
type tableShard struct {
	mu      sync.Mutex
	places  []tableEntry           // a power of two, a quarter of them free at least; nil if there is no entry
	count   int                    // entries
	sweepAt int                    // number of entries at which the shard is swept
	max     int                    // number of entries above which the oldest ones are dropped
	waiting map[uint64][]*lockWait // by hash, those who wait for an entry; nil if nobody does
}

// tableEntry is the table's knowledge of a key.
type tableEntry struct {
	hash    uint64 // 0 = the place is free
	version uint64 // of the last commit that wrote or touched the key; 0 = none known
	written uint64 // of the last commit that wrote it; 0 = none known
	owner   uint32 // the number of the commit that is writing the key now; 0 = none
	guards  uint32 // commits that guard the key now
}

// home is the place where the search for a hash begins. The shard took its top bits.
func (s *tableShard) home(hash uint64) int { return int(hash>>1) & (len(s.places) - 1) }

// find returns the place of a hash: its entry, or a free one. There are places.
func (s *tableShard) find(hash uint64) int {
	i := s.home(hash)
	for s.places[i].hash != 0 && s.places[i].hash != hash {
		i = (i + 1) & (len(s.places) - 1)
	}
	return i
}

// entry returns the entry of a hash, nil if there is none. It is valid until entries are added or removed.
func (s *tableShard) entry(hash uint64) *tableEntry {
	if s.count == 0 {
		return nil
	}
	if e := &s.places[s.find(hash)]; e.hash != 0 {
		return e
	}
	return nil
}

// add adds an entry for a hash that has none.
func (s *tableShard) add(hash uint64) *tableEntry {
	s.fit(s.count + 1)
	e := &s.places[s.find(hash)]
	e.hash = hash
	s.count++
	return e
}

// fit makes room for n entries, and gives room back if that is far too much.
func (s *tableShard) fit(n int) {
	want := max(tablePlacesMin, 1<<bits.Len(uint(n+n/3)))
	if n == 0 {
		want = 0
	}
	if have := len(s.places); want <= have && (have <= tablePlacesKept || 4*want > have) {
		return
	}
	old := s.places
	s.places = make([]tableEntry, want)
	for i := range old {
		if old[i].hash != 0 {
			s.places[s.find(old[i].hash)] = old[i]
		}
	}
}

// remove frees place i, and moves those behind it that are searched for from before.
func (s *tableShard) remove(i int) {
	mask := len(s.places) - 1
	for next := (i + 1) & mask; s.places[next].hash != 0; next = (next + 1) & mask {
		if from := s.home(s.places[next].hash); (next-from)&mask >= (next-i)&mask {
			s.places[i] = s.places[next]
			i = next
		}
	}
	s.places[i] = tableEntry{}
	s.count--
}

// removeAll removes the entries that drop wants to go.
func (s *tableShard) removeAll(drop func(e *tableEntry) bool) {
	if s.count == 0 {
		return
	}
	first := 0 // behind a free place, so that none moves over the end to where the walk has been
	for s.places[first].hash != 0 {
		first++
	}
	for n := 1; n < len(s.places); n++ {
		i := (first + n) & (len(s.places) - 1)
		for s.places[i].hash != 0 && drop(&s.places[i]) {
			s.remove(i)
		}
	}
}

// owners numbers the commits that hold locks.
type owners struct {
	mu      sync.Mutex
	commits []*commit // by number, less 1
	free    []uint32
}

// add returns a number for c.
func (o *owners) add(c *commit) uint32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if last := len(o.free) - 1; last >= 0 {
		number := o.free[last]
		o.free = o.free[:last]
		o.commits[number-1] = c
		return number
	}
	o.commits = append(o.commits, c)
	return uint32(len(o.commits))
}

// get returns the commit with a number.
func (o *owners) get(number uint32) *commit {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.commits[number-1]
}

// remove lets others have the number.
func (o *owners) remove(number uint32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.commits[number-1] = nil
	o.free = append(o.free, number)
}
