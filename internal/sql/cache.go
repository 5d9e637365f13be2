// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// cacheShards is how many parts the cache has: statements of different parts never wait for each other, and reading takes a shared lock only.
const cacheShards = 32

// cache keeps compiled statements by a key of bytes. When a part is full, what has not been used since the last look goes.
type cache struct {
	seed   maphash.Seed
	perMax int // entries of one part
	shards [cacheShards]cacheShard
}

type cacheShard struct {
	mu      sync.RWMutex
	entries map[string]*cacheEntry
	_       [64]byte // parts stand in cache lines of their own
}

type cacheEntry struct {
	value statement
	used  atomic.Bool
}

// newCache makes a cache for about max entries.
func newCache(max int) *cache {
	c := &cache{seed: maphash.MakeSeed(), perMax: max/cacheShards + 1}
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

// put keeps a value under the key, which is copied.
func (c *cache) put(key []byte, value statement) {
	s := c.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.entries[string(key)]; !there && len(s.entries) >= c.perMax {
		s.evict()
	}
	e := &cacheEntry{value: value}
	e.used.Store(true)
	s.entries[string(key)] = e
}

// evict makes room: the entries that nobody has used since the last time go, or one of any kind.
func (s *cacheShard) evict() {
	before := len(s.entries)
	for key, e := range s.entries {
		if !e.used.Swap(false) {
			delete(s.entries, key)
		}
	}
	if len(s.entries) < before {
		return
	}
	for key := range s.entries {
		delete(s.entries, key)
		return
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
