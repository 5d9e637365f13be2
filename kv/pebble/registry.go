// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// registryShards spreads a registry's locks. A power of two, at most 256.
const registryShards = 32

// registry lists what is open: transactions by their start, and whatever must be released before Pebble is closed.
type registry struct {
	shards [registryShards]struct {
		mu   sync.Mutex
		head member // ring; members ascend by start
		_    [16]byte
	}
}

// member is the part of an object that stands in a registry.
type member struct {
	prev, next *member
	owner      releaser
	start      uint64 // the last commit version given out before the object's snapshot was taken
	shard      uint8
	listed     bool
}

// releaser frees the engine's resources of an object. It is called by its owner's Close or by the store's, never by
// both at once.
type releaser interface{ release() error }

func newRegistry() *registry {
	r := &registry{}
	for i := range r.shards {
		head := &r.shards[i].head
		head.prev, head.next = head, head
	}
	return r
}

// add lists m and sets its start. The start is loaded under the shard's lock, so that oldest never misses a smaller
// one.
func (r *registry) add(m *member, owner releaser, version *atomic.Uint64) {
	m.owner, m.shard, m.listed = owner, uint8(rand.Uint32()%registryShards), true
	shard := &r.shards[m.shard]
	shard.mu.Lock()
	m.start = version.Load()
	last := shard.head.prev
	m.prev, m.next = last, &shard.head
	last.next, shard.head.prev = m, m
	shard.mu.Unlock()
}

func (r *registry) remove(m *member) {
	if !m.listed {
		return
	}
	shard := &r.shards[m.shard]
	shard.mu.Lock()
	m.prev.next, m.next.prev = m.next, m.prev
	shard.mu.Unlock()
	m.prev, m.next, m.owner, m.listed = nil, nil, nil, false
}

// oldest returns a version that no start, present or future, is smaller than.
func (r *registry) oldest(version *atomic.Uint64) uint64 {
	oldest := version.Load()
	for i := range r.shards {
		shard := &r.shards[i]
		shard.mu.Lock()
		if first := shard.head.next; first != &shard.head {
			oldest = min(oldest, first.start)
		}
		shard.mu.Unlock()
	}
	return oldest
}

// releaseAll releases every member. Nobody may be inside the store's gate.
func (r *registry) releaseAll() error {
	var first error
	for i := range r.shards {
		shard := &r.shards[i]
		shard.mu.Lock()
		for m := shard.head.next; m != &shard.head; m = m.next {
			if err := m.owner.release(); err != nil && first == nil {
				first = err
			}
		}
		shard.mu.Unlock()
	}
	return first
}

func (r *registry) count() int {
	n := 0
	for i := range r.shards {
		shard := &r.shards[i]
		shard.mu.Lock()
		for m := shard.head.next; m != &shard.head; m = m.next {
			n++
		}
		shard.mu.Unlock()
	}
	return n
}
