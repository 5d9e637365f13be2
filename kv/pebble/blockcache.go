// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// blockCache keeps Pebble's block cache at the size that was asked for. Pebble takes the memory of memtables out of the
// cache, which would leave nothing of a small one while there are writes. So the cache is made larger by the memtables
// that there may be, and what these do not take at the moment is held back from it.
type blockCache struct {
	cache   *pebble.Cache
	most    int64 // bytes that memtables may take
	held    int64 // bytes held back now
	release func()
	stop    chan struct{}
	kept    bool
}

// newBlockCache makes a cache of bytes, for an engine whose memtables take most bytes. Until keep, all of these are
// held back.
func newBlockCache(bytes, most int64) *blockCache {
	c := &blockCache{cache: pebble.NewCache(bytes + most), most: most, stop: make(chan struct{})}
	c.hold(most)
	return c
}

// keep looks at what memtables take, now and in intervals until end. inUse returns the bytes of those in use; Pebble
// keeps about as much for the next one. Where it doesn't return, nobody waits for it but the goroutine that looks.
func (c *blockCache) keep(interval time.Duration, inUse func() int64) {
	c.kept = true
	c.hold(c.most - 2*inUse())
	go func() {
		defer c.cache.Unref()
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				c.hold(c.most - 2*inUse())
			case <-c.stop:
				return
			}
		}
	}()
}

// hold holds back so many bytes.
func (c *blockCache) hold(bytes int64) {
	bytes = max(0, bytes)
	if bytes == c.held {
		return
	}
	if c.release != nil {
		c.release()
	}
	c.held, c.release = bytes, c.cache.Reserve(int(bytes))
}

// end stops looking and gives the cache up, of which Pebble has a share of its own. It waits for nothing.
func (c *blockCache) end() {
	close(c.stop)
	if !c.kept {
		c.cache.Unref()
	}
}
