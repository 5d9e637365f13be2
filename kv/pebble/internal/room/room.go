// SPDX-License-Identifier: Apache-2.0

// Package room keeps Pebble's block cache at the size that was asked for. Pebble takes the memory of memtables out of the cache, which would leave nothing
// of a small one while there are writes. So the cache is made larger by the memtables that there may be, and what these do not take at the moment is held
// back from it.
//
// Knows: a cache, how much of it is held back.
// Never: keys, files, what the cache holds.
package room

import (
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Room is the memory that a cache shares with memtables.
type Room struct {
	cache   *pebble.Cache
	most    int64 // bytes that memtables may take
	held    int64 // bytes held back now
	release func()
	stop    chan struct{}
	kept    bool
}

// New makes a cache of bytes beside memtables of most bytes. Until Keep, all of these are held back.
func New(bytes, most int64) *Room {
	r := &Room{cache: pebble.NewCache(bytes + most), most: most, stop: make(chan struct{})}
	r.hold(most)
	return r
}

// Cache is the cache, for Pebble's options.
func (r *Room) Cache() *pebble.Cache { return r.cache }

// Keep looks at what memtables take, now and in intervals until End. inUse returns the bytes of those in use; Pebble keeps about as much for the next one.
// Where it doesn't return, nobody waits for it but the
// goroutine that looks.
func (r *Room) Keep(interval time.Duration, inUse func() int64) {
	r.kept = true
	r.hold(r.most - 2*inUse())
	go func() {
		defer r.cache.Unref()
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				r.hold(r.most - 2*inUse())
			case <-r.stop:
				return
			}
		}
	}()
}

// hold holds back so many bytes.
func (r *Room) hold(bytes int64) {
	bytes = max(0, bytes)
	if bytes == r.held {
		return
	}
	if r.release != nil {
		r.release()
	}
	r.held, r.release = bytes, r.cache.Reserve(int(bytes))
}

// End stops looking and gives the cache up, of which Pebble has a share of its own. It waits for nothing.
func (r *Room) End() {
	close(r.stop)
	if !r.kept {
		r.cache.Unref()
	}
}
