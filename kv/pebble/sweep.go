// SPDX-License-Identifier: Apache-2.0

package pebble

import "slices"

// sweep removes the entries that no transaction can conflict with any more. If that leaves too many, because a
// transaction has been open for very long, the older half goes as well and the floor rises: transactions older than it
// will be refused, and memory stays bounded.
func (s *tableShard) sweep(t *commitTable) {
	s.removeUpTo(min(t.oldestStart(s.count > tableSweepAtLeast), t.flight.settled.Load()))
	if s.count >= s.max {
		s.evict(t)
	}
	s.sweepAt = min(max(tableSweepAtLeast, 2*s.count), max(s.max, s.count+1))
	s.fit(s.count)
}

// trim sweeps the shards that have grown, unless there is nothing new to remove. Only one goroutine calls it.
func (t *commitTable) trim() {
	upTo := min(t.oldestStart(true), t.flight.settled.Load())
	if upTo == t.trimmed {
		return
	}
	t.trimmed = upTo
	for i := range t.shards {
		shard := &t.shards[i]
		shard.mu.Lock()
		if len(shard.places) > tablePlacesKept {
			shard.sweep(t)
		}
		shard.mu.Unlock()
	}
}

// oldestStart looks at the registry only if many commits have passed since the last look, or now that the caller wants
// that.
func (t *commitTable) oldestStart(now bool) uint64 {
	known := t.oldest.Load()
	if !now && t.version.Load()-known < 32 {
		return known
	}
	oldest := t.txns.oldest(&t.version)
	for known < oldest && !t.oldest.CompareAndSwap(known, oldest) {
		known = t.oldest.Load()
	}
	return oldest
}

func (s *tableShard) removeUpTo(version uint64) {
	s.removeAll(func(e *tableEntry) bool { return e.version <= version && s.isIdle(e) })
}

// isIdle reports whether nobody uses the entry.
func (s *tableShard) isIdle(e *tableEntry) bool { return e.isFree() && len(s.waiting[e.hash]) == 0 }

// evict removes the older half of the durable entries, and raises the floor.
func (s *tableShard) evict(t *commitTable) {
	settled := t.flight.settled.Load()
	versions := make([]uint64, 0, s.count)
	for i := range s.places {
		if e := &s.places[i]; e.hash != 0 && e.version <= settled && s.isIdle(e) {
			versions = append(versions, e.version)
		}
	}
	if len(versions) == 0 {
		return
	}
	slices.Sort(versions)
	floor := versions[len(versions)/2]
	t.raiseFloor(floor)
	s.removeUpTo(floor)
}

// raiseFloor refuses transactions that began before a version from now on.
func (t *commitTable) raiseFloor(floor uint64) {
	for known := t.floor.Load(); known < floor && !t.floor.CompareAndSwap(known, floor); {
		known = t.floor.Load()
	}
}

// count returns the number of entries.
func (t *commitTable) count() int {
	n := 0
	for i := range t.shards {
		t.shards[i].mu.Lock()
		n += t.shards[i].count
		t.shards[i].mu.Unlock()
	}
	return n
}
