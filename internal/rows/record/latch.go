// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"time"
)

// latchShards is the number of independent maps that hold the latches, so that writers of different keys do not meet on
// one lock.
const latchShards = 128

// Why a latch was not taken. Nothing has changed; the latches that the caller held before are its still.
var (
	// ErrLatchWait: its holder kept it for longer than the caller waits.
	ErrLatchWait = errors.New("record: another transaction holds the row and did not end in time")
	// ErrDeadlock: its holder waits for the caller, itself or through others.
	ErrDeadlock = errors.New("record: transactions wait for one another's rows")
)

// Latches makes writers of the same row in this process wait for one another, first come, first served, so that they
// never fail from contention. There is one table of latches for all protocols, and every commit holds those of all rows
// that it writes. The zero value is not usable; see NewLatches.
type Latches struct {
	seed   maphash.Seed
	shards [latchShards]latchShard
	// graph guards the graph of waits: owner.waits, and the holders of latches with waiters. It is taken after a
	// shard's.
	graph   sync.Mutex
	search  uint64    // the number of the last search for a circle, guarded by graph
	waiters sync.Pool // *waiter
	watch   watch
}

type latchShard struct {
	mu   sync.Mutex
	held map[uint64]*latch // by hash of the key: two keys with one hash only wait needlessly
	// spare is a latch that nobody knows any more, to be used again.
	spare *latch
}

// latch is held by one, or shared by several, and waited for by others, in turn.
type latch struct {
	exclusive   bool
	holder      *owner   // of an exclusive latch; nil: one that holds nothing else and waits for nothing
	sharers     []*owner // of one that is not exclusive
	first, last *waiter
	search      uint64 // the last search for a circle that came by
}

// owner may hold several latches, and so may be part of a deadlock.
type owner struct {
	waits   *latch
	session uint32 // for people: see Waits
}

// waiter is a place in a latch's line.
type waiter struct {
	next    *waiter
	who     *owner
	shared  bool
	granted bool
	turn    chan struct{} // takes one token when granted
}

// NewLatches returns a set of latches, all free.
func NewLatches() *Latches {
	l := &Latches{seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].held = map[uint64]*latch{}
	}
	l.waiters.New = func() any { return &waiter{turn: make(chan struct{}, 1)} }
	return l
}

// Held is the set of latches that one writer holds.
type Held struct {
	latches *Latches
	one     uint64   // the hash of the only key
	hashes  []uint64 // of several keys; nil for one
}

// Lock is LockWithin without a limit.
func (l *Latches) Lock(ctx context.Context, keys ...[]byte) (Held, error) {
	return l.LockWithin(ctx, 0, keys...)
}

// LockWithin takes the latches of all keys, in one global order, so that no two of its callers can wait for each other.
// wait is the time it waits in all; 0: without a limit; negative: not at all, for one key. Errors: ctx's; ErrLatchWait.
// It then holds nothing. The result must be unlocked.
func (l *Latches) LockWithin(ctx context.Context, wait time.Duration, keys ...[]byte) (Held, error) {
	if len(keys) == 1 {
		hash := maphash.Bytes(l.seed, keys[0])
		if err := l.lock(ctx, hash, keys, nil, false, wait); err != nil {
			return Held{}, err
		}
		return Held{latches: l, one: hash}, nil
	}
	hashes := make([]uint64, len(keys))
	for i, key := range keys {
		hashes[i] = maphash.Bytes(l.seed, key)
	}
	hashes = ordered(hashes)
	if err := l.lockAll(ctx, hashes, keys, new(owner), wait); err != nil {
		return Held{}, err
	}
	return Held{latches: l, hashes: hashes}, nil
}

// ordered brings hashes into the one order in which callers take several latches.
func ordered(hashes []uint64) []uint64 {
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// patience is for how long latches are kept while another one is waited for: transactions may hold that one for long.
const patience = 100 * time.Millisecond

// lockAll takes latches in order; keys are the keys of known ones; after an error it holds none. Where it would
// wait for long, or for ever, while it holds some, it gives these back first.
func (l *Latches) lockAll(ctx context.Context, hashes []uint64, keys [][]byte, who *owner, wait time.Duration) error {
	var end time.Time
	for i := 0; i < len(hashes); i++ {
		limit := patience
		if i == 0 {
			limit = wait
		}
		err := l.lock(ctx, hashes[i], keys, who, false, limit)
		if err == nil {
			continue
		}
		l.unlockAll(hashes[:i], who)
		if i == 0 || !errors.Is(err, ErrLatchWait) && !errors.Is(err, ErrDeadlock) {
			return err
		}
		now := time.Now()
		if end.IsZero() {
			end = now.Add(wait)
		}
		if wait > 0 && !now.Before(end) {
			return ErrLatchWait
		}
		if err := l.pass(ctx, hashes[i], keys, end.Sub(now)); err != nil {
			return err
		}
		i = -1
	}
	return nil
}

// pass waits until it was the caller's turn at a latch.
func (l *Latches) pass(ctx context.Context, hash uint64, keys [][]byte, wait time.Duration) error {
	err := l.lock(ctx, hash, keys, nil, false, max(wait, 0))
	if err == nil {
		l.unlock(hash, nil)
	}
	return err
}

func (l *Latches) unlockAll(hashes []uint64, who *owner) {
	for _, hash := range hashes {
		l.unlock(hash, who)
	}
}

// Unlock gives the latches back.
func (h *Held) Unlock() {
	if h.latches == nil {
		return
	}
	if h.hashes == nil {
		h.latches.unlock(h.one, nil)
		return
	}
	h.latches.unlockAll(h.hashes, nil)
}

// lock takes a latch that who does not hold, or holds shared and wants exclusively. who is nil for one that holds
// nothing else meanwhile, and never shares. wait is for how long; 0: without a limit; negative: not at all. keys has
// the latch's, if that is known, for people to see.
func (l *Latches) lock(ctx context.Context, hash uint64, keys [][]byte, who *owner, shared bool,
	wait time.Duration) error {
	shard := &l.shards[hash%latchShards]
	shard.mu.Lock()
	held, taken := shard.held[hash]
	if !taken {
		held = shard.take()
		shard.held[hash] = held
		held.give(who, shared)
		shard.mu.Unlock()
		return nil
	}
	upgrade := !shared && held.isSharedBy(who)
	if (held.first == nil || upgrade) && held.admits(who, shared) {
		l.giveSeen(held, who, shared)
		shard.mu.Unlock()
		return nil
	}
	if wait < 0 || l.closesCircle(who, held) {
		shard.mu.Unlock()
		if wait < 0 {
			return ErrLatchWait
		}
		return ErrDeadlock
	}
	w := l.waiters.Get().(*waiter)
	w.who, w.shared = who, shared
	held.push(w, upgrade)
	holder := held.session()
	shard.mu.Unlock()
	seen := l.watch.begin(ctx, l.keyOf(hash, keys), holder)
	err := await(ctx, w, wait)
	if err != nil && l.leave(hash, held, w) {
		err = nil
	}
	l.watch.end(ctx, seen, hash, err == nil)
	w.next, w.who, w.granted = nil, nil, false
	l.waiters.Put(w)
	return err
}

// closesCircle notes that who waits for a latch, and reports whether somebody would wait for himself then; if so, it
// notes nothing. As each owner waits for one latch at a time, and as no circle ever comes to be, the search ends. The
// caller holds the latch's shard.
func (l *Latches) closesCircle(who *owner, wanted *latch) bool {
	if who == nil {
		return false
	}
	l.graph.Lock()
	defer l.graph.Unlock()
	l.search++
	if wanted.isHeldBy(func(holder *owner) bool { return holder != who && l.leads(holder, who) }) {
		return true
	}
	who.waits = wanted
	return false
}

// leads reports whether one owner waits for another one, itself or through others. It looks at each latch once in a
// search.
func (l *Latches) leads(from, to *owner) bool {
	at := from.waits
	if at == nil || at.search == l.search {
		return false
	}
	at.search = l.search
	return at.isHeldBy(func(holder *owner) bool { return holder == to || l.leads(holder, to) })
}

// isHeldBy reports whether test is true of a holder of the latch.
func (h *latch) isHeldBy(test func(*owner) bool) bool {
	if h.exclusive {
		return h.holder != nil && test(h.holder)
	}
	return slices.ContainsFunc(h.sharers, test)
}

func (h *latch) isSharedBy(who *owner) bool { return who != nil && slices.Contains(h.sharers, who) }

// admits reports whether who can share the latch with its holders.
func (h *latch) admits(who *owner, shared bool) bool {
	switch {
	case h.exclusive:
		return false
	case shared || len(h.sharers) == 0:
		return true
	}
	return len(h.sharers) == 1 && h.sharers[0] == who
}

// give makes who a holder of the latch.
func (h *latch) give(who *owner, shared bool) {
	if shared {
		h.sharers = append(h.sharers, who)
		return
	}
	h.exclusive, h.holder, h.sharers = true, who, h.sharers[:0]
}

// giveSeen is give for a latch that others may wait for.
func (l *Latches) giveSeen(h *latch, who *owner, shared bool) {
	if h.first == nil {
		h.give(who, shared)
		return
	}
	l.graph.Lock()
	h.give(who, shared)
	l.graph.Unlock()
}

// await waits for w's turn.
func await(ctx context.Context, w *waiter, wait time.Duration) error {
	var over <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-w.turn:
		return nil
	case <-over:
		return ErrLatchWait
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives up waiting, unless the turn has come just then.
func (l *Latches) leave(hash uint64, held *latch, w *waiter) (granted bool) {
	shard := &l.shards[hash%latchShards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if w.granted {
		<-w.turn
		return true
	}
	l.graph.Lock()
	defer l.graph.Unlock()
	held.remove(w)
	if w.who != nil {
		w.who.waits = nil
	}
	held.advance() // those behind may share what it waited for alone
	return false
}

// take returns a latch that nobody holds.
func (s *latchShard) take() *latch {
	taken := s.spare
	if taken == nil {
		taken = &latch{}
	}
	s.spare = nil
	return taken
}

// unlock gives back who's latch.
func (l *Latches) unlock(hash uint64, who *owner) {
	shard := &l.shards[hash%latchShards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	held := shard.held[hash]
	if held.first == nil {
		held.leave(who)
	} else {
		l.graph.Lock()
		held.leave(who)
		held.advance()
		l.graph.Unlock()
	}
	if !held.exclusive && len(held.sharers) == 0 {
		delete(shard.held, hash)
		shard.spare = held
	}
}

// leave takes who from the holders of the latch.
func (h *latch) leave(who *owner) {
	if h.exclusive {
		h.exclusive, h.holder = false, nil
		return
	}
	last := len(h.sharers) - 1
	h.sharers[slices.Index(h.sharers, who)] = h.sharers[last]
	h.sharers[last] = nil
	h.sharers = h.sharers[:last]
}

// advance gives a latch to the first in line, and to those behind who share it. The caller holds the shard and the
// graph.
func (h *latch) advance() {
	for next := h.first; next != nil && h.admits(next.who, next.shared); next = h.first {
		if h.first = next.next; h.first == nil {
			h.last = nil
		}
		h.give(next.who, next.shared)
		if next.who != nil {
			next.who.waits = nil
		}
		next.granted = true
		next.turn <- struct{}{}
	}
}

// push puts w into the line; at its head if it shares the latch already, which those before it wait for.
func (h *latch) push(w *waiter, head bool) {
	switch {
	case h.last == nil:
		h.first, h.last = w, w
	case head:
		w.next, h.first = h.first, w
	default:
		h.last.next, h.last = w, w
	}
}

func (h *latch) remove(w *waiter) {
	var before *waiter
	for at := h.first; at != w; at = at.next {
		before = at
	}
	if before == nil {
		h.first = w.next
	} else {
		before.next = w.next
	}
	if h.last == w {
		h.last = before
	}
}
