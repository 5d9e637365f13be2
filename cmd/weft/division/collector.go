// SPDX-License-Identifier: Apache-2.0

package division

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much garbage the process may hold.
const (
	// garbagePercent is the share of what the process uses, GOGC. Most of that is cached blocks, which cost the
	// collector nothing: a quarter of Go's usual share saves memory, and no measurable time is lost.
	garbagePercent = 25
	// garbageBusy is the memory, in bytes, that the process may hold at least while collections follow one another
	// within garbageSoon: with a small cache a quarter of what is used would be collected dozens of times a second,
	// which takes a tenth of the processor and holds requests up.
	garbageBusy = 24 << 20
	garbageSoon = time.Second
	// garbageLoad is the same from when collections have taken over garbageShare of the time for garbageLong, until one
	// comes later than garbageCalm after the one before: each marks everything that is used anew, which makes writes
	// cost a tenth more.
	garbageLoad  = 96 << 20
	garbageShare = 0.03
	garbageLong  = 2 * time.Second
	garbageCalm  = 5 * time.Second
)

// Bound makes the garbage collector work harder than usual, and harder still before the process takes more than the
// parts of its memory add up to, or than the system lets it have, unless GOGC and GOMEMLIMIT say otherwise.
func Bound(d Division) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
		(&collector{percent: garbagePercent, last: time.Now(),
			set: func(percent int) { debug.SetGCPercent(percent) }}).watch()
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := d.total()
	if d.group > 0 {
		// the rest is for stacks, the program itself, and what comes between two collections
		limit = min(limit, d.group/5*4)
	}
	debug.SetMemoryLimit(limit)
}

// collector sets the share of garbage after each collection.
type collector struct {
	percent int
	last    time.Time
	set     func(percent int)
	spent   [2]float64    // seconds that collections and the program had taken by then
	busy    time.Duration // for how long collections have taken much
	least   uint64        // bytes of garbage that the process may hold at least
}

// watch makes the next collection call adapt.
func (c *collector) watch() {
	runtime.SetFinalizer(&struct{ of *collector }{c}, func(any) {
		c.adapt(time.Now())
		c.watch()
	})
}

func (c *collector) adapt(now time.Time) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(samples)
	spent := [2]float64{samples[1].Value.Float64(), samples[2].Value.Float64()}
	collecting, working := spent[0]-c.spent[0], spent[1]-c.spent[1]
	c.allow(now.Sub(c.last), collecting > garbageShare*(collecting+working))
	c.last, c.spent = now, spent
	percent := max(garbagePercent, int(100*c.least/max(samples[0].Value.Uint64(), 1<<20)))
	if percent < c.percent || percent > c.percent+c.percent/10 { // setting it stops the process for a moment
		c.percent = percent
		c.set(percent)
	}
}

// allow says how much garbage there may be at least, when the last collection was some time ago. much says that this
// one took a great share of that time.
func (c *collector) allow(ago time.Duration, much bool) {
	switch {
	case ago > garbageCalm, ago > garbageSoon && c.least < garbageLoad:
		c.least, c.busy = 0, 0
		return
	case c.least == garbageLoad:
		return
	case much:
		c.busy += ago
	default:
		c.busy = 0
	}
	if c.least = garbageBusy; c.busy >= garbageLong {
		c.least = garbageLoad
	}
}
