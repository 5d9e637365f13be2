// SPDX-License-Identifier: Apache-2.0

// Package cache keeps values by a key of bytes, within bounds of their number and memory.
//
// Knows: budgets of memory.
// Never: what the values are.
package cache

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/resource/memory"
)

// shardCount is the number of parts of a cache. Keys of different parts never wait for each other, and reading takes a
// shared lock only.
const shardCount = 32

// Cache keeps values by a key of bytes. When a part is full, the values that were not used since the last look go. Its
// methods are safe for concurrent use.
type Cache[V any] struct {
	seed     maphash.Seed
	perMax   int   // entries of one part
	bytesMax int64 // of one part; 0 is no bound
	memory   *memory.Budget
	shards   [shardCount]shard[V]
}

type shard[V any] struct {
	mu      sync.RWMutex
	entries map[string]*entry[V]
	bytes   int64
	_       [64]byte // parts stand in cache lines of their own
}

type entry[V any] struct {
	value V
	bytes int64
	used  atomic.Bool
}

// New returns a cache of about max values, which takes at most an eighth of the memory; nil memory has no bound.
func New[V any](max int, memory *memory.Budget) *Cache[V] {
	c := &Cache[V]{seed: maphash.MakeSeed(), perMax: max/shardCount + 1, memory: memory}
	if memory != nil {
		c.bytesMax = memory.Limit() / 8 / shardCount
	}
	for i := range c.shards {
		c.shards[i].entries = map[string]*entry[V]{}
	}
	return c
}

func (c *Cache[V]) shardOf(key []byte) *shard[V] {
	return &c.shards[maphash.Bytes(c.seed, key)%shardCount]
}

// Get returns the value of a key.
func (c *Cache[V]) Get(key []byte) (value V, ok bool) {
	s := c.shardOf(key)
	s.mu.RLock()
	e := s.entries[string(key)]
	s.mu.RUnlock()
	if e == nil {
		return value, false
	}
	if !e.used.Load() {
		e.used.Store(true)
	}
	return e.value, true
}

// Put keeps a value of so many bytes under a key, which is copied, unless it is too large.
func (c *Cache[V]) Put(key []byte, value V, bytes int64) {
	s := c.shardOf(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes > c.bytesMax/2 && c.bytesMax > 0 {
		return
	}
	c.drop(s, string(key))
	for len(s.entries) > 0 && (len(s.entries) >= c.perMax || c.bytesMax > 0 && s.bytes+bytes > c.bytesMax) {
		c.evict(s)
	}
	if !c.memory.Take(bytes) {
		return
	}
	s.bytes += bytes
	e := &entry[V]{value: value, bytes: bytes}
	e.used.Store(true)
	s.entries[string(key)] = e
}

// evict makes room: the entries that nobody has used since the last time go, or one of any kind.
func (c *Cache[V]) evict(s *shard[V]) {
	before := len(s.entries)
	for key, e := range s.entries {
		if !e.used.Swap(false) {
			c.drop(s, key)
		}
	}
	if len(s.entries) < before {
		return
	}
	for key := range s.entries {
		c.drop(s, key)
		return
	}
}

// drop forgets an entry, if it is there.
func (c *Cache[V]) drop(s *shard[V], key string) {
	if e := s.entries[key]; e != nil {
		s.bytes -= e.bytes
		c.memory.Give(e.bytes)
		delete(s.entries, key)
	}
}

// Len returns the number of values.
func (c *Cache[V]) Len() int {
	n := 0
	for i := range c.shards {
		c.shards[i].mu.RLock()
		n += len(c.shards[i].entries)
		c.shards[i].mu.RUnlock()
	}
	return n
}
