// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/kv"
)

// The commit table remembers, for each key that was written lately, the version of its last commit; who is committing
// it now; and the group whose sync it waits for. Keys stand there as 64-bit hashes with a seed of this process: two
// keys with one hash can only conflict or wait without need.
const (
	// a power of two; picked by the hash's top bits, so that sorted hashes are sorted by shard
	tableShards     = 256
	tableShardShift = 56 // 64 - log2(tableShards)
	// beyond this the oldest entries are dropped and the transactions that would need them are refused
	tableEntriesMax   = 1 << 20
	tableSweepAtLeast = 64 // entries of a shard before it is swept for the first time
)

type commitTable struct {
	seed    maphash.Seed
	version atomic.Uint64 // the last version given out
	floor   atomic.Uint64 // a transaction that began before this version can't be checked any more
	txns    *registry
	stopped <-chan struct{}
	oldest  atomic.Uint64 // lower bound of the starts of all transactions, present and future
	shards  [tableShards]tableShard
}

type tableShard struct {
	mu      sync.Mutex
	entries map[uint64]*tableEntry
	free    *tableEntry // entries to use again, linked by nextFree
	sweepAt int         // number of entries at which the shard is swept
	max     int         // number of entries above which the oldest ones are dropped
}

type tableEntry struct {
	version  uint64  // of the last commit that wrote the key; 0 = none known
	group    *group  // of that commit, as long as it may not be durable; else nil
	owner    *commit // the commit that is writing the key now
	guards   int     // commits that guard the key now
	waiting  []*lockWait
	nextFree *tableEntry
}

// lockWait is a blind write that waits for its turn at a key.
type lockWait struct {
	by      *commit
	granted bool // by owns the entry
	turn    chan struct{}
}

// commit is one transaction on its way into the store.
type commit struct {
	locks  []lockRef
	group  atomic.Pointer[group] // set when it joins a group, before it is applied
	writes *writeSet
	start  uint64
	blind  bool // the transaction neither read nor guarded: it may be ordered after any other
}

// lockRef is one key of a transaction's conflict set. entry is valid as long as the lock is held.
type lockRef struct {
	hash    uint64
	key     span   // in the writeSet's bytes
	since   uint64 // the version from which others' commits of the key are conflicts
	shared  bool   // guarded or touched, not written
	touched bool   // counts as a commit of the key
	entry   *tableEntry
}

func newCommitTable(txns *registry, stopped <-chan struct{}, entriesMax int) *commitTable {
	t := &commitTable{seed: maphash.MakeSeed(), txns: txns, stopped: stopped}
	for i := range t.shards {
		t.shards[i].entries = make(map[uint64]*tableEntry)
		t.shards[i].sweepAt = tableSweepAtLeast
		t.shards[i].max = max(entriesMax/tableShards, 1)
	}
	return t
}

func (t *commitTable) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) }

func (t *commitTable) shard(hash uint64) *tableShard { return &t.shards[hash>>tableShardShift] }

// pending returns the group of a commit that wrote hash and may already be visible to whoever read the key before this
// call, but is not durable yet.
func (t *commitTable) pending(hash uint64) *group {
	shard := t.shard(hash)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	e := shard.entries[hash]
	if e == nil {
		return nil
	}
	if e.owner != nil {
		if g := e.owner.group.Load(); g != nil && g.applying.Load() && !g.durable.Load() {
			return g
		}
	}
	if e.group != nil && e.group.durable.Load() {
		e.group = nil
	}
	return e.group
}

// lock takes all locks of c or none. It refuses c if a key of it was committed after c's start, or is being committed;
// a blind c waits instead. Locks are taken in the order of their hashes and only blind commits wait, so there is no
// deadlock.
func (t *commitTable) lock(ctx context.Context, c *commit) error {
	c.sortLocks()
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
	e := shard.entries[ref.hash]
	if e == nil {
		e = shard.newEntry(t, ref.hash)
	}
	ref.entry = e
	busy := e.owner != nil || len(e.waiting) > 0 || (e.guards > 0 && !ref.shared)
	switch {
	case !busy && (c.blind || e.version <= ref.since):
		e.take(c, ref.shared)
	case !c.blind:
		shard.mu.Unlock()
		return &kv.ConflictError{Key: bytes.Clone(c.writes.slice(ref.key))}
	default:
		wait := &lockWait{by: c, turn: make(chan struct{})}
		e.waiting = append(e.waiting, wait)
		shard.mu.Unlock()
		return t.await(ctx, shard, ref, wait)
	}
	shard.mu.Unlock()
	return nil
}

func (e *tableEntry) take(c *commit, shared bool) {
	if shared {
		e.guards++
		return
	}
	e.owner = c
}

// await waits for the turn of a blind write.
func (t *commitTable) await(ctx context.Context, shard *tableShard, ref *lockRef, wait *lockWait) error {
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
		ref.entry.drop(false)
	} else {
		ref.entry.waiting = slices.DeleteFunc(ref.entry.waiting, func(w *lockWait) bool { return w == wait })
	}
	shard.discard(ref.hash, ref.entry)
	return err
}

// unlock drops the first n locks of c. version is that of the commit, or 0 if it wrote nothing.
func (t *commitTable) unlock(c *commit, n int, version uint64) {
	for i := range c.locks[:n] {
		ref := &c.locks[i]
		shard := t.shard(ref.hash)
		shard.mu.Lock()
		switch {
		case version > 0 && !ref.shared:
			ref.entry.version, ref.entry.group = version, c.group.Load()
		case version > 0 && ref.touched:
			ref.entry.version = max(ref.entry.version, version)
		}
		ref.entry.drop(ref.shared)
		shard.discard(ref.hash, ref.entry)
		shard.mu.Unlock()
		ref.entry = nil
	}
}

// publish gives the commits of a group their version, after the engine made them visible, and drops their locks. The
// version comes after: whoever loads a start that reaches it sees the commit.
func (t *commitTable) publish(g *group) {
	version := t.version.Add(1)
	for _, c := range g.commits {
		t.unlock(c, len(c.locks), version)
	}
}

// drop gives one lock up, and the entry to the first who waits.
func (e *tableEntry) drop(shared bool) {
	if shared {
		e.guards--
	} else {
		e.owner = nil
	}
	if e.owner == nil && e.guards == 0 && len(e.waiting) > 0 {
		next := e.waiting[0]
		e.waiting = e.waiting[1:]
		e.owner, next.granted = next.by, true
		close(next.turn)
	}
}

func (e *tableEntry) idle() bool { return e.owner == nil && e.guards == 0 && len(e.waiting) == 0 }

// discard forgets an entry that remembers nothing.
func (s *tableShard) discard(hash uint64, e *tableEntry) {
	if e.version == 0 && e.idle() {
		s.remove(hash, e)
	}
}

func (s *tableShard) remove(hash uint64, e *tableEntry) {
	delete(s.entries, hash)
	*e = tableEntry{nextFree: s.free}
	s.free = e
}

func (s *tableShard) newEntry(t *commitTable, hash uint64) *tableEntry {
	if len(s.entries) >= s.sweepAt {
		s.sweep(t)
	}
	e := s.free
	if e == nil {
		e = &tableEntry{}
	} else {
		s.free, e.nextFree = e.nextFree, nil
	}
	s.entries[hash] = e
	return e
}
