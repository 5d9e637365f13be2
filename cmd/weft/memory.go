// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// engineBytes is about what the engine takes beside its cache: four memtables, and buffers of compactions.
const engineBytes = 192 << 20

// How much garbage the process may hold.
const (
	// garbagePercent is the share of what the process uses, GOGC. Most of that is cached blocks, which cost the collector nothing: a
	// quarter of Go's usual share saves memory, and no measurable time is lost.
	garbagePercent = 25
	// garbageBusy is what the process may hold at least, bytes, while collections follow one another within garbageSoon: with a small cache a quarter of
	// what is used would be collected dozens of times a second, which takes a tenth of the processor and holds requests up.
	garbageBusy = 24 << 20
	garbageSoon = time.Second
)

// boundMemory makes the garbage collector work harder than usual, and harder still before the process takes more than the settings add up to, or than the
// system lets it have, unless GOGC and GOMEMLIMIT say otherwise.
func boundMemory(conf *config) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
		(&collector{percent: garbagePercent, last: time.Now(), set: func(percent int) { debug.SetGCPercent(percent) }}).watch()
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := (conf.RequestMemoryBytes + conf.SQLMemoryBytes + conf.BlockCacheBytes + engineBytes) * 6 / 5
	if allowed := cgroupBytes(os.ReadFile); allowed > 0 {
		limit = min(limit, allowed/5*4) // the rest is for stacks, the program itself, and what comes between two collections
	}
	debug.SetMemoryLimit(limit)
}

// collector sets the share of garbage after each collection.
type collector struct {
	percent int
	last    time.Time
	set     func(percent int)
}

// watch makes the next collection call adapt.
func (c *collector) watch() {
	runtime.SetFinalizer(&struct{ of *collector }{c}, func(any) {
		c.adapt(time.Now())
		c.watch()
	})
}

func (c *collector) adapt(now time.Time) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := shareOfGarbage(live[0].Value.Uint64(), now.Sub(c.last))
	c.last = now
	if percent < c.percent || percent > c.percent+c.percent/10 { // setting it stops the process for a moment
		c.percent = percent
		c.set(percent)
	}
}

// shareOfGarbage is how much garbage the process may hold, in hundredths of the bytes that it uses, when the last collection was some time ago.
func shareOfGarbage(live uint64, ago time.Duration) int {
	if ago > garbageSoon {
		return garbagePercent
	}
	return max(garbagePercent, int(100*garbageBusy/max(live, 1<<20)))
}

// sqlMemory is what the MySQL door may take of a control group's memory, 0 for one without a bound. Estimates are of what lives, beside which is garbage.
func sqlMemory(wanted, allowed int64) int64 {
	if allowed == 0 {
		return wanted
	}
	return min(wanted, max(allowed/4, 16<<20))
}

// cgroupBytes is how much memory the process's control group may use, of version 2 or 1; 0 where nothing says so.
func cgroupBytes(read func(name string) ([]byte, error)) int64 {
	groups, err := read("/proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := int64(0)
	for _, line := range strings.Split(strings.TrimSpace(string(groups)), "\n") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) < 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		if parts[1] == "memory" {
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		for _, folder := range []string{parts[2], "/"} { // in a container, the group's own folder is the root
			text, err := read(path.Join(root, folder, file))
			n, unread := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && unread == nil && (least == 0 || n < least) {
				least = n
			}
		}
	}
	return least
}
