// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
)

// latchShards is how many independent maps hold the latches, so that writers of different keys do not meet on one lock.
const latchShards = 128

// Latches makes writers of the same row in this process wait for one another, first come, first served, so that they never fail from contention. There
// is one table of latches for all doors, and every commit holds those of all rows that it writes. The zero value is not usable; see NewLatches.
type Latches struct {
	seed   maphash.Seed
	shards [latchShards]latchShard
}

type latchShard struct {
	mu   sync.Mutex
	held map[uint64]*latch // by hash of the key: two keys with one hash only wait needlessly
	// spare is a latch that nobody knows any more, to be used again.
	spare *latch
}

type latch struct {
	waiting int           // holders and waiters
	free    chan struct{} // holds one token when nobody has the latch
}

// NewLatches returns a set of latches, all free.
func NewLatches() *Latches {
	l := &Latches{seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].held = map[uint64]*latch{}
	}
	return l
}

// Held is the set of latches that one writer holds.
type Held struct {
	latches *Latches
	one     uint64   // the hash of the only key
	hashes  []uint64 // of several keys; nil for one
}

// Lock takes the latches of all keys, in one global order, so that no two callers can wait for each other. It returns ctx's error if that
// ends first, holding nothing. The result must be unlocked.
func (l *Latches) Lock(ctx context.Context, keys ...[]byte) (Held, error) {
	if len(keys) == 1 {
		hash := maphash.Bytes(l.seed, keys[0])
		if err := l.lock(ctx, hash); err != nil {
			return Held{}, err
		}
		return Held{latches: l, one: hash}, nil
	}
	hashes := make([]uint64, len(keys))
	for i, key := range keys {
		hashes[i] = maphash.Bytes(l.seed, key)
	}
	hashes = ordered(hashes)
	if err := l.lockAll(ctx, hashes); err != nil {
		return Held{}, err
	}
	return Held{latches: l, hashes: hashes}, nil
}

// ordered brings hashes into the one order in which all callers take latches.
func ordered(hashes []uint64) []uint64 {
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// lockAll takes latches in order; after an error it holds none.
func (l *Latches) lockAll(ctx context.Context, hashes []uint64) error {
	for i, hash := range hashes {
		if err := l.lock(ctx, hash); err != nil {
			l.unlockAll(hashes[:i])
			return err
		}
	}
	return nil
}

func (l *Latches) unlockAll(hashes []uint64) {
	for _, hash := range hashes {
		l.unlock(hash)
	}
}

// Unlock gives the latches back.
func (h *Held) Unlock() {
	if h.latches == nil {
		return
	}
	if h.hashes == nil {
		h.latches.unlock(h.one)
		return
	}
	h.latches.unlockAll(h.hashes)
}

func (l *Latches) lock(ctx context.Context, hash uint64) error {
	shard := &l.shards[hash%latchShards]
	shard.mu.Lock()
	held, taken := shard.held[hash]
	if !taken {
		shard.held[hash] = shard.take()
		shard.mu.Unlock()
		return nil
	}
	if held.free == nil {
		held.free = make(chan struct{}, 1)
	}
	held.waiting++
	shard.mu.Unlock()
	select {
	case <-held.free:
		return nil
	case <-ctx.Done():
		l.leave(shard, hash, held)
		return ctx.Err()
	}
}

// take returns a latch with one holder.
func (s *latchShard) take() *latch {
	if taken := s.spare; taken != nil {
		s.spare = nil
		taken.waiting = 1
		return taken
	}
	return &latch{waiting: 1}
}

// leave gives up waiting. The token may have come just then, and must go on to the next.
func (l *Latches) leave(shard *latchShard, hash uint64, held *latch) {
	shard.mu.Lock()
	defer shard.mu.Unlock()
	held.waiting--
	if held.waiting == 0 {
		delete(shard.held, hash)
	}
}

func (l *Latches) unlock(hash uint64) {
	shard := &l.shards[hash%latchShards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	held := shard.held[hash]
	held.waiting--
	if held.waiting == 0 {
		delete(shard.held, hash)
		shard.spare = held // its channel is empty: a token is only sent to somebody who waits
		return
	}
	held.free <- struct{}{}
}
