// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"sync/atomic"

	"github.com/weftdb/weft/kv"
)

// The commit table remembers, for each key that was written lately, the version of its last commit, which tells the
// group whose sync it waits for; and its present committer. Keys stand there as 64-bit hashes with a seed of this
// process: two keys with one hash can only conflict or wait without need.
const (
	// a power of two; picked by the hash's top bits, so that sorted hashes are sorted by shard
	tableShards     = 256
	tableShardShift = 56 // 64 - log2(tableShards)
	// beyond this the oldest entries are dropped and the transactions that would need them are refused
	tableEntriesMax = 1 << 20
)

type commitTable struct {
	seed    maphash.Seed
	version atomic.Uint64 // the last version given out
	floor   atomic.Uint64 // a transaction that began before this version can't be checked any more
	txns    *registry
	flight  *flight
	stopped <-chan struct{}
	oldest  atomic.Uint64 // lower bound of the starts of all transactions, present and future
	trimmed uint64        // the version up to which the last trim removed entries
	owners  owners
	shards  [tableShards]tableShard
}

// lockWait is a blind write that waits for its turn at a key.
type lockWait struct {
	by      *commit
	granted bool // by owns the key
	turn    chan struct{}
}

// commit is one transaction on its way into the store.
type commit struct {
	number uint32 // among the owners of locks
	locks  []lockRef
	group  atomic.Pointer[group] // set when it joins a group, before it is applied
	writes *writeSet
	start  uint64
	blind  bool // the transaction neither read nor guarded: it may be ordered after any other
}

// lockRef is one key of a transaction's conflict set.
type lockRef struct {
	hash    uint64
	key     span   // in the writeSet's bytes
	since   uint64 // the version from which others' commits of the key are conflicts
	shared  bool   // guarded or touched, not written
	touched bool   // counts as a commit of the key
}

func newCommitTable(txns *registry, f *flight, stopped <-chan struct{}, entriesMax int) *commitTable {
	t := &commitTable{seed: maphash.MakeSeed(), txns: txns, flight: f, stopped: stopped}
	for i := range t.shards {
		t.shards[i].sweepAt = tableSweepAtLeast
		t.shards[i].max = max(entriesMax/tableShards, 1)
	}
	return t
}

// hash returns the hash of a key, never 0.
func (t *commitTable) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) | 1 }

func (t *commitTable) shard(hash uint64) *tableShard { return &t.shards[hash>>tableShardShift] }

// pending returns the group of a commit that wrote hash and may already be visible to whoever read the key before this
// call, but is not durable yet.
func (t *commitTable) pending(hash uint64) *group {
	shard := t.shard(hash)
	shard.mu.Lock()
	e := shard.entry(hash)
	if e == nil {
		shard.mu.Unlock()
		return nil
	}
	written := e.written
	var g *group
	if e.owner != 0 {
		g = t.owners.get(e.owner).group.Load() // as long as the shard is locked it stays the owner
	}
	shard.mu.Unlock()
	if g != nil && g.applying.Load() && !g.durable.Load() {
		return g
	}
	return t.flight.unsettled(written)
}

// lock takes all locks of c or none. It refuses c if a key of it was committed after c's start, or is being committed;
// a blind c waits instead. Locks are taken in the order of their hashes and only blind commits wait, so there is no
// deadlock.
func (t *commitTable) lock(ctx context.Context, c *commit) error {
	c.sortLocks()
	c.number = t.owners.add(c)
	for i := range c.locks {
		if err := t.lockOne(ctx, c, &c.locks[i]); err != nil {
			t.unlock(c, i, 0)
			return err
		}
	}
	if !c.blind && c.start < t.floor.Load() {
		t.unlock(c, len(c.locks), 0)
		return kv.ErrConflict
	}
	return nil
}

// sortLocks sorts by hash and leaves one lock for each hash, exclusive if any was, from the earliest moment.
func (c *commit) sortLocks() {
	if len(c.locks) < 2 {
		return
	}
	slices.SortFunc(c.locks, func(a, b lockRef) int {
		if a.hash == b.hash && a.shared != b.shared {
			if a.shared {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.hash, b.hash)
	})
	kept := c.locks[:1]
	for _, ref := range c.locks[1:] {
		if last := &kept[len(kept)-1]; last.hash == ref.hash {
			last.since = min(last.since, ref.since)
			last.touched = last.touched || ref.touched
		} else {
			kept = append(kept, ref)
		}
	}
	c.locks = kept
}

func (t *commitTable) lockOne(ctx context.Context, c *commit, ref *lockRef) error {
	shard := t.shard(ref.hash)
	shard.mu.Lock()
	e := t.entryOf(shard, ref.hash)
	waited := len(shard.waiting[ref.hash]) > 0
	busy := e.owner != 0 || waited || (e.guards > 0 && !ref.shared)
	switch {
	case !busy && (c.blind || e.version <= ref.since):
		e.take(c, ref.shared)
	case !c.blind:
		shard.mu.Unlock()
		return &kv.ConflictError{Key: bytes.Clone(c.writes.slice(ref.key))}
	default:
		wait := &lockWait{by: c, turn: make(chan struct{})}
		if shard.waiting == nil {
			shard.waiting = make(map[uint64][]*lockWait)
		}
		shard.waiting[ref.hash] = append(shard.waiting[ref.hash], wait)
		shard.mu.Unlock()
		return t.await(ctx, shard, ref.hash, wait)
	}
	shard.mu.Unlock()
	return nil
}

// entryOf returns the entry of a hash, a new one if there is none.
func (t *commitTable) entryOf(shard *tableShard, hash uint64) *tableEntry {
	if e := shard.entry(hash); e != nil {
		return e
	}
	if shard.count >= shard.sweepAt {
		shard.sweep(t)
	}
	return shard.add(hash)
}

func (e *tableEntry) take(c *commit, shared bool) {
	if shared {
		e.guards++
		return
	}
	e.owner = c.number
}

// await waits for the turn of a blind write.
func (t *commitTable) await(ctx context.Context, shard *tableShard, hash uint64, wait *lockWait) error {
	var err error
	select {
	case <-wait.turn:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-t.stopped:
		err = kv.ErrClosed
	}
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if wait.granted {
		shard.drop(hash, false)
	} else {
		shard.setWaiting(hash, slices.DeleteFunc(shard.waiting[hash], func(w *lockWait) bool { return w == wait }))
	}
	return err
}

// unlock drops the first n locks of c, all that it has. version is the commit's, or 0 if it wrote nothing.
func (t *commitTable) unlock(c *commit, n int, version uint64) {
	for i := range c.locks[:n] {
		ref := &c.locks[i]
		shard := t.shard(ref.hash)
		shard.mu.Lock()
		e := shard.entry(ref.hash)
		switch {
		case version > 0 && !ref.shared:
			e.version, e.written = version, version
		case version > 0 && ref.touched:
			e.version = max(e.version, version)
		}
		shard.drop(ref.hash, ref.shared)
		shard.mu.Unlock()
	}
	t.owners.remove(c.number)
}

// publish gives the commits of a group their version, after the engine made them visible, and drops their locks. The
// version comes after: whoever loads a start that reaches it sees the commit.
func (t *commitTable) publish(g *group) {
	version := t.version.Add(1)
	g.version.Store(version)
	for _, c := range g.commits {
		t.unlock(c, len(c.locks), version)
	}
}

// drop gives one lock up, and the key to the first waiter.
func (s *tableShard) drop(hash uint64, shared bool) {
	e := s.entry(hash)
	if shared {
		e.guards--
	} else {
		e.owner = 0
	}
	if waiting := s.waiting[hash]; e.isFree() && len(waiting) > 0 {
		next := waiting[0]
		s.setWaiting(hash, waiting[1:])
		e.owner, next.granted = next.by.number, true
		close(next.turn)
	}
}

func (e *tableEntry) isFree() bool { return e.owner == 0 && e.guards == 0 }

// setWaiting lists the waiters for a key.
func (s *tableShard) setWaiting(hash uint64, waiting []*lockWait) {
	if len(waiting) > 0 {
		s.waiting[hash] = waiting
		return
	}
	if delete(s.waiting, hash); len(s.waiting) == 0 {
		s.waiting = nil
	}
}
