// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"sync/atomic"
	"time"
)

// gateSlots spreads the counters of a gate over cache lines. A power of two.
const gateSlots = 64

// Gate counts the calls that are inside the store, so that Close can wait for them: Pebble panics if it is used after
// its end.
type Gate struct {
	closed atomic.Bool
	slots  [gateSlots]struct {
		inside atomic.Int64
		_      [56]byte
	}
}

// Enter reports whether the store is open; if so, leave must follow with the same slot.
func (g *Gate) Enter(slot uint8) bool {
	inside := &g.slots[slot%gateSlots].inside
	inside.Add(1)
	if g.closed.Load() {
		inside.Add(-1)
		return false
	}
	return true
}

// Leave counts a call out.
func (g *Gate) Leave(slot uint8) { g.slots[slot%gateSlots].inside.Add(-1) }

// Shut lets nobody in any more.
func (g *Gate) Shut() { g.closed.Store(true) }

// Drained waits with growing pauses until nobody is inside. It reports whether that came before the deadline, and
// before the store stopped.
func (g *Gate) Drained(deadline, stopped <-chan struct{}) bool {
	for pause := 50 * time.Microsecond; g.inside() > 0; pause = min(2*pause, 10*time.Millisecond) {
		select {
		case <-deadline:
			return false
		case <-stopped:
			return false
		case <-time.After(pause):
		}
	}
	return true
}

func (g *Gate) inside() int64 {
	var n int64
	for i := range g.slots {
		n += g.slots[i].inside.Load()
	}
	return n
}

// Closed reports whether nobody is admitted any more.
func (g *Gate) Closed() bool { return g.closed.Load() }

// Hold counts one more call as inside, for work that an Enter has admitted and that outlives it. Leave must follow,
// with slot 0.
func (g *Gate) Hold() { g.slots[0].inside.Add(1) }

// SlotOf picks a slot for calls about key.
func SlotOf(key []byte) uint8 {
	if len(key) == 0 {
		return 0
	}
	return key[len(key)-1]
}
