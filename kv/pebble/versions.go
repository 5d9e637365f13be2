// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// Pebble's iterators step through all versions of a key that memtables hold; only what is written into files loses the
// old ones. Where rows are rewritten often, that is most of a walk's time. Three things help. A cursor that meets many
// versions searches for the next key instead of stepping to it. Once one has met very many, such as those of a counter,
// which it can't foresee when it steps on, all search until there is a new memtable. And when walks have lost as much
// time as writing the memtable to a file costs, it is written: at worst the two cost twice the lesser.
const (
	versionsLookEvery = 8 // steps of a cursor between two looks at what the iterator did for them
	// versionsCrowded is the number of versions of a key from which on seeking the next key is cheaper than stepping.
	versionsCrowded = 16
	// versionsHot is the number of steps lost between two looks from which on all cursors search.
	versionsHot = 1024
	// versionsSearch is the cost of a search, in steps.
	versionsSearch = 24
	// versionsFlush is the cost, in steps, of writing an entry of the memtable to a file and merging it into others. A
	// file is worth it from flushEntriesMin entries on.
	versionsFlush   = 120
	flushEntriesMin = 4096
)

// versions counts the steps that walks have lost on old versions since the memtable in use was made.
type versions struct {
	written  atomic.Int64 // entries
	skipped  atomic.Int64 // steps
	hot      atomic.Bool  // some key has very many versions
	flushing atomic.Bool  // a flush was asked for and has not ended
	asked    atomic.Int64 // flushes that were asked for
}

// begin counts anew, for a new memtable.
func (v *versions) begin() {
	v.written.Store(0)
	v.skipped.Store(0)
	v.hot.Store(false)
}

// skip counts steps that a walk has lost, and reports whether the caller is to flush.
func (v *versions) skip(steps int64) bool {
	lost := v.skipped.Add(steps)
	return lost > versionsFlush*max(v.written.Load(), flushEntriesMin) && v.flushing.CompareAndSwap(false, true)
}

// flushEarly makes Pebble write the memtable to a file. The caller is inside the store.
func (s *Store) flushEarly() {
	if s.disk.readOnly.Load() {
		s.versions.flushing.Store(false)
		return
	}
	s.versions.asked.Add(1)
	s.gate.Hold()
	go func() {
		defer s.gate.Leave(0)
		var ok bool
		defer s.stopOnPanic(&ok)
		if _, err := s.db.AsyncFlush(); err != nil {
			s.versions.flushing.Store(false)
			s.options.Logger.Error("failed to flush a memtable early", "error", err.Error())
		}
	}()
}

// crowd is a cursor's record of the versions that it meets.
type crowd struct {
	steps     int // since the last look
	internal  int // the iterator's own, up to the last look
	lost      int64
	searching bool // instead of stepping
}

// next moves iter to the next key.
func (c *crowd) next(iter *pebble.Iterator, v *versions) bool {
	switch c.steps++; {
	case c.steps > versionsLookEvery:
		c.look(iter, v)
		c.steps = 1
	case c.steps == 1:
		c.searching = v.hot.Load()
	}
	if c.searching {
		return iter.NextPrefix()
	}
	return iter.Next()
}

// look counts what the iterator has done for the steps since the last look.
func (c *crowd) look(iter *pebble.Iterator, v *versions) {
	stats := iter.Stats()
	internal := stats.ForwardStepCount[pebble.InternalIterCall] + stats.ReverseStepCount[pebble.InternalIterCall]
	more := max(internal-c.internal-c.steps, 0)
	c.internal = internal
	switch {
	case !c.searching:
		c.lost += int64(more)
		c.searching = more > versionsCrowded*c.steps
		if more > versionsHot*max(c.steps/versionsLookEvery, 1) {
			v.hot.Store(true)
		}
	default: // each key with several versions takes one step and one search
		c.lost += int64(more * versionsSearch)
		c.searching = more > c.steps/4 || v.hot.Load()
	}
}
