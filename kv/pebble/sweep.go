// SPDX-License-Identifier: Apache-2.0

package pebble

import "slices"

// sweep removes the entries that no transaction can conflict with any more. If that leaves too many, because a
// transaction has been open for very long, the older half goes as well and the floor rises: transactions older than it
// will be refused, and memory stays bounded.
func (s *tableShard) sweep(t *commitTable) {
	s.removeUpTo(t.oldestStart())
	if len(s.entries) >= s.max {
		s.evict(t)
	}
	s.sweepAt = min(max(tableSweepAtLeast, 2*len(s.entries)), max(s.max, len(s.entries)+1))
}

// oldestStart looks at the registry only if many commits have passed since the last look.
func (t *commitTable) oldestStart() uint64 {
	known := t.oldest.Load()
	if t.version.Load()-known < 32 {
		return known
	}
	oldest := t.txns.oldest(&t.version)
	for known < oldest && !t.oldest.CompareAndSwap(known, oldest) {
		known = t.oldest.Load()
	}
	return oldest
}

func (s *tableShard) removeUpTo(version uint64) {
	for hash, e := range s.entries {
		if e.version <= version && e.isSettled() {
			s.remove(hash, e)
		}
	}
}

// isSettled says that nobody uses the entry and its last commit is durable.
func (e *tableEntry) isSettled() bool {
	return e.idle() && (e.group == nil || e.group.durable.Load())
}

func (s *tableShard) evict(t *commitTable) {
	versions := make([]uint64, 0, len(s.entries))
	for _, e := range s.entries {
		if e.isSettled() {
			versions = append(versions, e.version)
		}
	}
	if len(versions) == 0 {
		return
	}
	slices.Sort(versions)
	floor := versions[len(versions)/2]
	for known := t.floor.Load(); known < floor && !t.floor.CompareAndSwap(known, floor); {
		known = t.floor.Load()
	}
	s.removeUpTo(floor)
}

// count returns the number of entries.
func (t *commitTable) count() int {
	n := 0
	for i := range t.shards {
		t.shards[i].mu.Lock()
		n += len(t.shards[i].entries)
		t.shards[i].mu.Unlock()
	}
	return n
}
