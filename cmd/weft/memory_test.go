// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
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

// TestCgroupBytes finds what a control group allows, in both versions, in a container and outside.
func TestCgroupBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"none", nil, 0},
		{"version 2", map[string]string{"/proc/self/cgroup": "0::/a/b\n",
			"/sys/fs/cgroup/a/b/memory.max": "536870912\n"}, 512 << 20},
		{"version 2, no bound", map[string]string{"/proc/self/cgroup": "0::/a\n",
			"/sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		{"version 2 in a container", map[string]string{"/proc/self/cgroup": "0::/x\n",
			"/sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 20},
		{"version 1", map[string]string{"/proc/self/cgroup": "5:cpu:/c\n4:memory:/m\n",
			"/sys/fs/cgroup/memory/m/memory.limit_in_bytes": "1048576",
			"/sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712"}, 1 << 20},
	} {
		got := cgroupBytes(func(name string) ([]byte, error) {
			if text, ok := c.files[name]; ok {
				return []byte(text), nil
			}
			return nil, errors.New("no such file")
		})
		if got != c.want {
			t.Errorf("%s: %d, not %d", c.name, got, c.want)
		}
	}
}
