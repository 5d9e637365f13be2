// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/internal/memory"
)

// cacheShards is how many parts the cache has: statements of different parts never wait for each other, and reading takes a shared lock only.
const cacheShards = 32

// cache keeps compiled statements by a key of bytes. When a part is full, what has not been used since the last look goes.
type cache struct {
	seed     maphash.Seed
	perMax   int   // entries of one part
	bytesMax int64 // of one part; 0 is no bound
	memory   *memory.Budget
	shards   [cacheShards]cacheShard
}

type cacheShard struct {
	mu      sync.RWMutex
	entries map[string]*cacheEntry
	bytes   int64
	_       [64]byte // parts stand in cache lines of their own
}

type cacheEntry struct {
	value statement
	bytes int64
	used  atomic.Bool
}

// newCache makes a cache for about max entries, and an eighth of the memory.
func newCache(max int, memory *memory.Budget) *cache {
	c := &cache{seed: maphash.MakeSeed(), perMax: max/cacheShards + 1, memory: memory}
	if memory != nil {
		c.bytesMax = memory.Limit() / 8 / cacheShards
	}
	for i := range c.shards {
		c.shards[i].entries = map[string]*cacheEntry{}
	}
	return c
}

func (c *cache) shard(key []byte) *cacheShard {
	return &c.shards[maphash.Bytes(c.seed, key)%cacheShards]
}

// get returns what was put under the key; nil if that is gone.
func (c *cache) get(key []byte) statement {
	s := c.shard(key)
	s.mu.RLock()
	e := s.entries[string(key)]
	s.mu.RUnlock()
	if e == nil {
		return nil
	}
	if !e.used.Load() {
		e.used.Store(true)
	}
	return e.value
}

// put keeps a value under the key, which is copied, unless it is too large.
func (c *cache) put(key []byte, value statement) {
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	bytes := planBytes + costOf(key)
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
	e := &cacheEntry{value: value, bytes: bytes}
	e.used.Store(true)
	s.entries[string(key)] = e
}

// evict makes room: the entries that nobody has used since the last time go, or one of any kind.
func (c *cache) evict(s *cacheShard) {
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
func (c *cache) drop(s *cacheShard, key string) {
	if e := s.entries[key]; e != nil {
		s.bytes -= e.bytes
		c.memory.Give(e.bytes)
		delete(s.entries, key)
	}
}

// len counts the entries.
func (c *cache) len() int {
	n := 0
	for i := range c.shards {
		c.shards[i].mu.RLock()
		n += len(c.shards[i].entries)
		c.shards[i].mu.RUnlock()
	}
	return n
}
