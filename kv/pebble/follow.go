// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv"
)

// followers holds the followers of the store's commits. Batches are applied under a read lock, so that Follow waits for
// those that nobody gathers.
type followers struct {
	mu  sync.RWMutex
	now *follower
}

// follower gathers the batches of a store in the order in which they are applied, which is that of the log. As long as
// there is one, batches are applied one after the other, whatever the number of lanes.
type follower struct {
	store    *Store
	bytesMax int64

	applying sync.Mutex // held while a batch is applied

	mu      sync.Mutex
	waiting []*followedBatch // in their order, not handed out yet
	bytes   int64            // of waiting
	begun   int64
	durable int64 // the first so many are
	given   int64 // were handed out
	gapMS   int64 // when changes began to be missing; 0: none are
	lastMS  int64 // of those that were handed out
}

type followedBatch struct {
	kv.Change // MS is 0 as long as it is not durable
	number    int64
}

// Follow implements kv.Followed.
func (s *Store) Follow(bytesMax int64) (kv.Follower, error) {
	if !s.gate.Enter(0) {
		return nil, s.failure.ClosedErr()
	}
	defer s.gate.Leave(0)
	s.following.mu.Lock()
	defer s.following.mu.Unlock()
	if s.following.now != nil {
		return nil, errors.New("pebble: the store is followed already")
	}
	f := &follower{store: s, bytesMax: bytesMax}
	s.following.now = f
	return f, nil
}

// Close implements kv.Follower.
func (f *follower) Close() {
	f.store.following.mu.Lock()
	defer f.store.following.mu.Unlock()
	if f.store.following.now == f {
		f.store.following.now = nil
	}
}

// Counts implements kv.Follower.
func (f *follower) Counts() (begun, durable int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.begun, f.durable
}

// Next implements kv.Follower.
func (f *follower) Next(size int) (changes []kv.Change, untilMS int64, more bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, given := 0, 0
	for n < len(f.waiting) && f.waiting[n].MS > 0 && given < size {
		f.lastMS = max(f.lastMS, f.waiting[n].MS)
		changes = append(changes, kv.Change{MS: f.lastMS, Bytes: f.waiting[n].Bytes})
		given += len(f.waiting[n].Bytes)
		n++
	}
	clear(f.waiting[:n])
	f.waiting, f.given, f.bytes = f.waiting[n:], f.given+int64(n), f.bytes-int64(given)
	switch { // one millisecond less, for others may be durable in this one
	case len(f.waiting) > 0 && f.waiting[0].MS > 0:
		return changes, f.lastMS - 1, true, nil
	case f.gapMS == 0:
		return changes, time.Now().UnixMilli() - 1, false, nil
	case len(f.waiting) > 0: // until it is durable
		return changes, min(f.gapMS, time.Now().UnixMilli()) - 1, false, nil
	case n == 0:
		return nil, f.gapMS - 1, false, kv.ErrGap
	}
	return changes, f.gapMS - 1, true, nil
}

// add notes a batch that is about to be applied.
func (f *follower) add(batch *pebble.Batch) *followedBatch {
	// before it is applied: large ones are empty afterwards
	b := &followedBatch{Change: kv.Change{Bytes: bytes.Clone(batch.Repr())}}
	f.mu.Lock()
	defer f.mu.Unlock()
	b.number = f.begun
	f.begun++
	if f.bytes+int64(len(b.Bytes)) > f.bytesMax {
		f.lose()
	}
	if f.gapMS == 0 {
		f.waiting = append(f.waiting, b)
		f.bytes += int64(len(b.Bytes))
	}
	return b
}

// lose takes no more. What waits is whole. mu is held.
func (f *follower) lose() {
	if f.gapMS == 0 {
		f.gapMS = time.Now().UnixMilli()
	}
}

// settle notes that a batch is durable, before its commits are acknowledged. All before it are, too: the log is written
// and synced in their order.
func (f *follower) settle(b *followedBatch) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now().UnixMilli()
	for i := max(f.durable, f.given); i <= b.number && i-f.given < int64(len(f.waiting)); i++ {
		f.waiting[i-f.given].MS = now
	}
	f.durable = max(f.durable, b.number+1)
}

// applyBatch makes a group's batch visible, and lets a follower have it.
func (s *Store) applyBatch(g *group) error {
	s.following.mu.RLock()
	defer s.following.mu.RUnlock()
	f := s.following.now
	if f == nil {
		return s.db.ApplyNoSyncWait(g.batch, pebble.Sync)
	}
	f.applying.Lock()
	defer f.applying.Unlock()
	followed := f.add(g.batch)
	if err := s.db.ApplyNoSyncWait(g.batch, pebble.Sync); err != nil {
		return err
	}
	g.settle = func() { f.settle(followed) }
	return nil
}

// ingestTables adds tables. Who follows learns that there was something else than a batch.
func (s *Store) ingestTables(ctx context.Context, paths []string) error {
	s.following.mu.RLock()
	defer s.following.mu.RUnlock()
	if f := s.following.now; f != nil {
		f.mu.Lock()
		f.lose()
		f.mu.Unlock()
	}
	return s.db.Ingest(ctx, paths)
}

// redoBytes is about what Redo writes at once.
const redoBytes = 4 << 20

// Redo implements kv.Followed.
func (s *Store) Redo(ctx context.Context, changes []kv.Change) error {
	for len(changes) > 0 {
		n, size := 0, 0
		for n < len(changes) && size < redoBytes {
			size += len(changes[n].Bytes)
			n++
		}
		if err := s.redo(ctx, changes[:n], size); err != nil {
			return err
		}
		changes = changes[n:]
	}
	return nil
}

func (s *Store) redo(ctx context.Context, changes []kv.Change, size int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.gate.Enter(0) {
		return s.failure.ClosedErr()
	}
	defer s.gate.Leave(0)
	if s.options.ReadOnly {
		return s.disk.mayWrite()
	}
	defer s.marks.enter()()
	g := newGroup()
	g.bytes = size
	g.fill = func(batch *pebble.Batch) error {
		for i := range changes {
			one := s.db.NewBatch()
			err := one.SetRepr(bytes.Clone(changes[i].Bytes)) // which becomes the batch's own
			if err == nil {
				err = batch.Apply(one, nil)
			}
			if err = errors.Join(err, one.Close()); err != nil {
				return err
			}
		}
		return nil
	}
	return s.writeAlone(ctx, g)
}
