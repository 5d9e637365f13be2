// SPDX-License-Identifier: Apache-2.0

package division

import (
	"runtime"
	"testing"
	"time"
)

// TestGarbageAllowed sees that a process that rests has no more garbage than the share of what it uses, and one under
// load as much as collections are worth.
func TestGarbageAllowed(t *testing.T) {
	var c collector
	for i, step := range []struct {
		times int
		ago   time.Duration
		much  bool
		want  uint64
	}{
		{1, 2 * time.Minute, true, 0},
		{100, 50 * time.Millisecond, false, garbageBusy},
		{39, 50 * time.Millisecond, true, garbageBusy},
		{1, 50 * time.Millisecond, true, garbageLoad},
		{100, 50 * time.Millisecond, false, garbageLoad},
		{100, 4 * time.Second, false, garbageLoad},
		{1, 6 * time.Second, true, 0},
		{39, 50 * time.Millisecond, true, garbageBusy},
		{1, 50 * time.Millisecond, false, garbageBusy},
		{39, 50 * time.Millisecond, true, garbageBusy},
		{1, 2 * time.Second, true, 0},
	} {
		for range step.times {
			c.allow(step.ago, step.much)
		}
		if c.least != step.want {
			t.Errorf("step %d: %d bytes, not %d", i, c.least, step.want)
		}
	}
}

// TestCollections sees that one collection after the other is noticed.
func TestCollections(t *testing.T) {
	const none = 1
	set := make(chan int, 3)
	c := &collector{percent: none, last: time.Now()}
	c.set = func(percent int) {
		c.percent = none // so that the next collection sets it, too
		select {
		case set <- percent:
		default: // the test has seen enough
		}
	}
	c.watch()
	for len(set) < cap(set) {
		runtime.GC()
	}
	if percent := <-set; percent < garbagePercent {
		t.Errorf("the share of garbage is %d %%", percent)
	}
}
