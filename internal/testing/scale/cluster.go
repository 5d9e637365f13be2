// SPDX-License-Identifier: Apache-2.0

// Package scale simulates a cluster of many stores, regions and gateways, to find work that grows faster than the
// cluster. Gateways are the real code, databases that share a Cluster; each runs its background work. The Cluster keeps
// their data in memory and counts what a cluster of TiKV would be asked: requests by kind, by region and by store, keys
// that a scan returns, and those it steps over since they were deleted lately. A request takes no time: tests run in
// a bubble of testing/synctest, where hours pass in moments, and turn counts into time with the costs of this package.
//
// Knows: package kv, kv/mem, which requests an operation of package kv/tikv makes.
// Never: tables, gateways, what is measured.
package scale

import (
	"fmt"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// The CPU of a store that a request takes, as measured on three real ones (docs/tikv.md): so a core reads 10,000
// rows a second, or writes 1,500 in all their replicas.
const (
	ReadCost    = 100 * time.Microsecond
	WriteCost   = 650 * time.Microsecond
	KeyCost     = 40 * time.Microsecond // for each key of a write but the first
	EntryCost   = 4 * time.Microsecond  // of a scan
	SteppedCost = time.Microsecond      // for a deleted key that a scan steps over
)

const (
	// keepVersions is for how long deleted keys are stepped over: until the cluster collects its garbage.
	keepVersions = 10 * time.Minute
	// listed is the number of regions that the placement driver lists in one answer.
	listed = 128
	// The pages of a scan, as in package kv/tikv.
	pageFirst, pageGrowth, pageMax = 32, 4, 1024
)

// Options are the size of a Cluster. The zero value is three stores.
type Options struct {
	Stores int
}

// Cluster is the stores. It is safe for concurrent use.
type Cluster struct {
	options Options
	data    *mem.Store

	mu      sync.Mutex
	borders []string // the keys at which regions begin, apart from the first
	deleted btree.Map[string, struct{}]
	garbage []grave // deleted, in the order of their time
	usage   Usage
}

type grave struct {
	key string
	at  time.Time
}

// Usage is what a Cluster was asked.
type Usage struct {
	Reads, Writes, Scans int64 // requests to stores
	Driver               int64 // requests to the placement driver
	Entries, Stepped     int64 // keys that scans returned, and deleted ones that they stepped over
	Bytes                int64 // of the entries that scans and reads returned
	Commits, Conflicts   int64
	Work                 time.Duration // of stores, by the costs above
	regions              map[int]time.Duration
}

// Requests is the number of requests to stores.
func (u *Usage) Requests() int64 { return u.Reads + u.Writes + u.Scans }

// Hottest is the work of the region that had most.
func (u *Usage) Hottest() (most time.Duration) {
	for _, work := range u.regions {
		most = max(most, work)
	}
	return most
}

// New returns an empty cluster.
func New(o Options) *Cluster {
	o.Stores = max(o.Stores, 3)
	return &Cluster{options: o, data: mem.Open(mem.Options{}), usage: Usage{regions: map[int]time.Duration{}}}
}

// Take returns what the cluster was asked since the last Take.
func (c *Cluster) Take() Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.usage
	c.usage = Usage{regions: map[int]time.Duration{}}
	return u
}

// Regions is the number of regions.
func (c *Cluster) Regions() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.borders) + 1
}

// count notes requests.
func (c *Cluster) count(note func(u *Usage)) {
	c.mu.Lock()
	note(&c.usage)
	c.mu.Unlock()
	runtime.Gosched() // others have their turn while a request is under way
}

// at notes work for a region. The caller holds mu.
func (c *Cluster) at(region int, work time.Duration) {
	c.usage.Work += work
	c.usage.regions[region] += work
}

// regionOf is the number of the region that holds a key. The caller holds mu.
func (c *Cluster) regionOf(key string) int {
	return sort.Search(len(c.borders), func(i int) bool { return c.borders[i] > key })
}

// read notes look-ups of keys, a request for each region.
func (c *Cluster) read(keys ...[]byte) {
	c.count(func(u *Usage) {
		seen := map[int]bool{}
		for _, key := range keys {
			if at := c.regionOf(string(key)); !seen[at] {
				seen[at] = true
				u.Reads++
				c.at(at, ReadCost)
			}
		}
	})
}

// driver notes requests to the placement driver.
func (c *Cluster) driver(n int) { c.count(func(u *Usage) { u.Driver += int64(n) }) }

// bury notes deleted keys. The caller holds mu.
func (c *Cluster) bury(keys []string) {
	now := time.Now()
	for len(c.garbage) > 0 && now.Sub(c.garbage[0].at) > keepVersions {
		c.deleted.Delete(c.garbage[0].key)
		c.garbage = c.garbage[1:]
	}
	for _, key := range keys {
		c.deleted.Set(key, struct{}{})
		c.garbage = append(c.garbage, grave{key, now})
	}
}

// rank is the number of deleted keys before a key. The caller holds mu.
func (c *Cluster) rank(key string) int {
	return sort.Search(c.deleted.Len(), func(i int) bool {
		at, _, _ := c.deleted.GetAt(i)
		return at >= key
	})
}

// commit notes a commit of keys: one phase if they lie in one region, else a second round.
func (c *Cluster) commit(keys, deleted []string, err error) {
	c.count(func(u *Usage) {
		regions := map[int]time.Duration{}
		for _, key := range keys {
			regions[c.regionOf(key)] += KeyCost
		}
		for at, work := range regions {
			u.Writes++
			c.at(at, WriteCost-KeyCost+work)
		}
		if len(regions) > 1 {
			u.Writes += int64(len(regions))
		}
		u.Driver++
		if u.Commits++; err != nil {
			u.Conflicts++
			return
		}
		c.bury(deleted)
	})
}

// Split makes regions begin at keys.
func (c *Cluster) Split(keys ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.borders = append(c.borders, keys...)
	slices.Sort(c.borders)
	c.borders = slices.Compact(c.borders)
}

// list returns the regions that overlap a range, with their replicas.
func (c *Cluster) list(r kv.Range) []kv.Region {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, last := c.regionOf(string(r.Start)), len(c.borders)
	if r.End != nil {
		last = sort.SearchStrings(c.borders, string(r.End))
	}
	all := make([]kv.Region, 0, last-first+1)
	for at := first; at <= last; at++ {
		one := kv.Region{ID: uint64(at) + 1}
		if at > 0 {
			one.Range.Start = []byte(c.borders[at-1])
		}
		if at < len(c.borders) {
			one.Range.End = []byte(c.borders[at])
		}
		for replica := range 3 {
			one.Peers = append(one.Peers, fmt.Sprint("store", (at+replica)%c.options.Stores))
		}
		one.Leader = one.Peers[0]
		all = append(all, one)
	}
	c.usage.Driver += int64(len(all)+listed-1) / listed
	return all
}
