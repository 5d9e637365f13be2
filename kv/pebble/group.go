// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weftdb/weft/kv"
)

// Commits are written in groups. A lane is a pair of goroutines: the first turns the commits that came in meanwhile
// into one batch of Pebble's and applies it, which makes them visible; the second waits for the sync of the log and
// then wakes the committers. While one group is being synced the next is formed, so that groups grow with the number of
// writers. Committers never call Pebble themselves: whatever happens to it, they can be known.
const (
	laneQueueBytesMax = 1 << 20 // a group is closed to further commits beyond this
	laneUnsynced      = 12      // applied groups that wait behind the one being synced
)

// group is a set of commits that become visible and durable at once.
type group struct {
	commits  []*commit
	bytes    int
	stamped  bool                      // a commit of it has keys with stamps
	fill     func(*pebble.Batch) error // instead of commits, for an administrator's batch
	batch    *pebble.Batch
	number   int64         // in the order of the log; set by flight.add
	version  atomic.Uint64 // of its commits, once they are visible; see commitTable.publish
	before   *picture      // what was there before it, until it is durable
	settle   func()        // tells a follower that the batch is durable; nil for none
	applying atomic.Bool   // it may be visible
	durable  atomic.Bool   // set before done is closed
	done     chan struct{} // closed when durable
}

func newGroup() *group { return &group{done: make(chan struct{})} }

// flight lists the groups that may be visible but are not durable yet.
type flight struct {
	count  atomic.Int64 // number of groups; read without the lock
	order  sync.Mutex   // held while a group is applied, so that they are listed in the order of the log
	mu     sync.Mutex
	groups []*group
	added  int64 // groups so far
	synced int64 // the highest number of a group that is durable; those before it are, too

	settled atomic.Uint64 // the highest version of a group that is durable; likewise
}

// add lists g before it is applied. The caller holds order.
func (f *flight) add(g *group) {
	f.mu.Lock()
	f.added++
	g.number = f.added
	f.groups = append(f.groups, g)
	f.count.Store(int64(len(f.groups)))
	f.mu.Unlock()
	g.applying.Store(true)
}

// remove drops g, which is durable.
func (f *flight) remove(g *group) {
	f.mu.Lock()
	f.synced = max(f.synced, g.number)
	f.settled.Store(max(f.settled.Load(), g.version.Load()))
	f.groups = slices.DeleteFunc(f.groups, func(other *group) bool { return other == g })
	f.count.Store(int64(len(f.groups)))
	f.mu.Unlock()
}

// unsettled returns the group whose commits have a version, if they are visible but not durable yet.
func (f *flight) unsettled(version uint64) *group {
	if version <= f.settled.Load() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.groups {
		if g.version.Load() == version && !g.durable.Load() {
			return g
		}
	}
	return nil
}

// appendAll appends the groups in flight to dst: all that a snapshot taken before can show without their being durable.
func (f *flight) appendAll(dst []*group) []*group {
	if f.count.Load() == 0 {
		return dst
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return append(dst, f.groups...)
}

// lane forms groups of small commits.
type lane struct {
	store    *Store
	mu       sync.Mutex
	queue    []*group
	ending   bool
	wake     chan struct{}
	unsynced chan *group
	ended    chan struct{}
}

func newLane(s *Store) *lane {
	l := &lane{store: s, wake: make(chan struct{}, 1), unsynced: make(chan *group, laneUnsynced),
		ended: make(chan struct{})}
	go l.applyGroups()
	go l.syncGroups()
	return l
}

// submit puts c into a group. The group's done channel tells when c is durable.
func (l *lane) submit(c *commit) *group {
	l.mu.Lock()
	last := len(l.queue) - 1
	if last < 0 || l.queue[last].bytes > laneQueueBytesMax {
		l.queue = append(l.queue, newGroup())
		last++
	}
	g := l.queue[last]
	g.commits = append(g.commits, c)
	g.bytes += c.writes.bytesTotal()
	g.stamped = g.stamped || c.writes.stamped > 0
	c.group.Store(g)
	first := last == 0 && len(g.commits) == 1
	l.mu.Unlock()
	if first {
		l.poke()
	}
	return g
}

func (l *lane) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// end lets the lane finish what was submitted and waits for that.
func (l *lane) end(deadline <-chan struct{}) bool {
	l.mu.Lock()
	l.ending = true
	l.mu.Unlock()
	l.poke()
	select {
	case <-l.ended:
		return true
	case <-l.store.failure.Stopped():
		return false
	case <-deadline:
		return false
	}
}

// next returns the oldest group, or nil when the lane ends.
func (l *lane) next() *group {
	for {
		l.mu.Lock()
		if len(l.queue) > 0 {
			g := l.queue[0]
			l.queue = slices.Delete(l.queue, 0, 1)
			l.mu.Unlock()
			return g
		}
		ending := l.ending
		l.mu.Unlock()
		if ending {
			return nil
		}
		select {
		case <-l.wake:
		case <-l.store.failure.Stopped():
			return nil
		}
	}
}

func (l *lane) applyGroups() {
	defer close(l.unsynced)
	for g := l.next(); g != nil; g = l.next() {
		if !l.store.apply(g) {
			return
		}
		select {
		case l.unsynced <- g:
		case <-l.store.failure.Stopped():
			return
		}
	}
}

func (l *lane) syncGroups() {
	defer close(l.ended)
	for g := range l.unsynced {
		if !l.store.sync(g) {
			return
		}
	}
}

// apply makes g visible and reports whether that went well; if not, the store has stopped.
func (s *Store) apply(g *group) (ok bool) {
	defer s.stopOnPanic(&ok)
	if !g.stamped && !s.build(g) {
		return false
	}
	s.flight.order.Lock()
	defer s.flight.order.Unlock()
	var err error
	if g.before, err = s.newPicture(); err != nil {
		s.failure.Fail(fmt.Errorf("reading the state before the commit: %w", err))
		return false
	}
	s.flight.add(g)
	if g.stamped {
		s.stamps.mu.Lock() // until the batch is visible, so that stamps become visible in their order
		defer s.stamps.mu.Unlock()
		s.stamps.give(g.commits)
		if !s.build(g) {
			return false
		}
	}
	if err := s.marks.note(s.db, g.batch); err != nil {
		s.failure.Fail(fmt.Errorf("noting what a batch changes: %w", err))
		return false
	}
	if err := s.applyBatch(g); err != nil {
		s.failure.Fail(fmt.Errorf("applying a batch: %w", err))
		return false
	}
	s.disk.wrote(g.bytes)
	s.versions.written.Add(int64(g.batch.Count()))
	s.commits.publish(g)
	g.commits = nil
	return true
}

// build makes the batch of g and reports whether that went well.
func (s *Store) build(g *group) bool {
	g.batch = s.db.NewBatchWithSize(g.bytes + 16*len(g.commits) + 64)
	if err := g.fillBatch(); err != nil {
		s.failure.Fail(fmt.Errorf("building a batch: %w", err))
		return false
	}
	return true
}

func (g *group) fillBatch() error {
	if g.fill != nil {
		return g.fill(g.batch)
	}
	for _, c := range g.commits {
		if err := c.writes.fill(g.batch); err != nil {
			return err
		}
	}
	return nil
}

// sync waits until g is durable and reports whether it is; if not, the store has stopped.
func (s *Store) sync(g *group) (ok bool) {
	defer s.stopOnPanic(&ok)
	if err := g.batch.SyncWait(); err != nil {
		s.failure.Fail(fmt.Errorf("syncing the write-ahead log: %w", err))
		return false
	}
	if g.settle != nil {
		g.settle()
	}
	g.durable.Store(true)
	s.flight.remove(g)
	close(g.done)
	if err := g.before.Close(); err != nil {
		s.options.Logger.Error("closing an iterator", "error", err.Error())
	}
	batch := g.batch
	g.batch = nil
	if err := batch.Close(); err != nil {
		s.options.Logger.Error("closing a batch", "error", err.Error())
	}
	return true
}

// stopOnPanic turns a panic of the engine's into the end of the store.
func (s *Store) stopOnPanic(ok *bool) {
	if r := recover(); r != nil {
		*ok = false
		s.failure.Fail(fmt.Errorf("engine panicked: %v", r))
	}
}

// submit sends c on its way: small commits by a lane, large ones on their own, so that they delay nobody.
func (s *Store) submit(c *commit) *group {
	if c.writes.bytesTotal() <= laneQueueBytesMax {
		lane := 0
		if len(c.locks) > 0 {
			lane = int(c.locks[0].hash % uint64(len(s.lanes)))
		}
		return s.lanes[lane].submit(c)
	}
	g := newGroup()
	g.commits, g.bytes, g.stamped = []*commit{c}, c.writes.bytesTotal(), c.writes.stamped > 0
	c.group.Store(g)
	s.submitAlone(g)
	return g
}

// submitAlone writes g on a goroutine of its own. The goroutine counts as inside the store.
func (s *Store) submitAlone(g *group) {
	s.gate.Hold()
	go func() {
		defer s.gate.Leave(0)
		if s.apply(g) {
			s.sync(g)
		}
	}()
}

// writeAlone writes g, an administrator's batch, and returns when it is durable. It doesn't give up when ctx ends: g
// could come after what the caller does next. After an error its outcome is unknown.
func (s *Store) writeAlone(ctx context.Context, g *group) error {
	s.submitAlone(g)
	return s.wait(context.WithoutCancel(ctx), g)
}

// wait returns when g is durable. After an error its outcome is unknown.
func (s *Store) wait(ctx context.Context, g *group) error {
	select {
	case <-g.done:
		return nil
	case <-s.failure.Stopped():
	case <-ctx.Done():
	case <-s.guard.Hungry():
		if err := s.waitHungry(ctx, g); err != nil || g.durable.Load() {
			return err
		}
	}
	if g.durable.Load() {
		return nil
	}
	if s.failure.Failed() {
		return s.failure.UnknownErr()
	}
	return fmt.Errorf("%w: gave up waiting: %w", kv.ErrUnknownOutcome, ctx.Err())
}

// waitHungry is wait while the log waits for space: for a while.
func (s *Store) waitHungry(ctx context.Context, g *group) error {
	patience := time.NewTimer(s.options.hungerMax)
	defer patience.Stop()
	select {
	case <-g.done:
	case <-s.failure.Stopped():
	case <-ctx.Done():
	case <-patience.C:
		return unknownHungry()
	}
	return nil
}

// settle waits until all groups are durable, so that what they wrote may be shown.
func (s *Store) settle(ctx context.Context, groups []*group) error {
	for _, g := range groups {
		if err := s.settleOne(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) settleOne(ctx context.Context, g *group) error {
	if g.durable.Load() {
		return nil
	}
	select {
	case <-g.done:
		return nil
	case <-s.failure.Stopped():
		return s.failure.ClosedErr()
	case <-ctx.Done():
		return ctx.Err()
	case <-s.guard.Hungry():
		if g.durable.Load() {
			return nil
		}
		return errHungry()
	}
}
