// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"cmp"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// HeatStats sums up the requests of the last minutes.
type HeatStats struct {
	Findings []HeatFinding
	Rates    []HeatRate
}

// HeatFinding is one diagnosis. No two of a list may agree in kind, table and index.
type HeatFinding struct {
	Kind, Table, Index string
	Weight             float64 // 1: it costs already; 0.5: it may; 0: all is well
}

// HeatRate is the rate of requests of a table or index.
type HeatRate struct {
	Table, Index  string
	Reads, Writes float64 // a second
}

// ObserveHeat makes the Set call stats whenever the Set is read.
func (s *Set) ObserveHeat(stats func() HeatStats) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		now := stats()
		for _, f := range now.Findings {
			send(metrics, heatFindings, f.Weight, f.Kind, f.Table, f.Index)
		}
		for _, r := range now.Rates {
			send(metrics, heatReads, r.Reads, r.Table, r.Index)
			send(metrics, heatWrites, r.Writes, r.Table, r.Index)
		}
	})
}

// RegionStats is the size of a region.
type RegionStats struct {
	Table, Index, Region string
	Bytes                int64
}

// regionsMax is the number of regions that are shown: each is a series for a collector.
const regionsMax = 500

// ObserveRegions makes the Set call sizes whenever the Set is read. No two regions may agree in all their names.
func (s *Set) ObserveRegions(sizes func() []RegionStats) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		list := sizes()
		slices.SortStableFunc(list, func(a, b RegionStats) int { return cmp.Compare(b.Bytes, a.Bytes) })
		for _, r := range list[:min(len(list), regionsMax)] {
			send(metrics, regionBytes, float64(r.Bytes), r.Table, r.Index, r.Region)
		}
	})
}

// Watch is one thing that an operator watches.
type Watch struct {
	What  string
	Ratio float64 // of what there is that is in use
	Level Level
}

// Level says how bad it is.
type Level int

// The levels.
const (
	Fine Level = iota
	Warn
	Critical
)

// String is the level's name.
func (l Level) String() string { return [...]string{"fine", "warning", "critical"}[l] }

// Shares from which people should look, and from which they must.
const (
	warnShare     = 0.75
	criticalShare = 0.95
)

// Share is a Watched by the usual limits, 75 and 95 per cent.
func Share(what string, ratio float64) Watch {
	w := Watch{What: what, Ratio: ratio}
	switch {
	case ratio >= criticalShare:
		w.Level = Critical
	case ratio >= warnShare:
		w.Level = Warn
	}
	return w
}

// Numbers of files of a region: reads slow down from the first on, and from the last on writes fail elsewhere; here
// they wait.
const (
	filesWarn     = 50
	filesCritical = 200
)

// Files is a Watched of the number of files that a read of a region may have to look into.
func Files(files int64) Watch {
	w := Watch{What: "files", Ratio: float64(files) / filesCritical}
	switch {
	case files >= filesCritical:
		w.Level = Critical
	case files >= filesWarn:
		w.Level = Warn
	}
	return w
}

// ObserveWatched makes the Set call stats whenever the Set is read. No two of its list may be of the same thing.
func (s *Set) ObserveWatched(stats func() []Watch) {
	s.watch(func(metrics chan<- prometheus.Metric) {
		for _, w := range stats() {
			send(metrics, watched, w.Ratio, w.What)
			send(metrics, watchLevel, float64(w.Level), w.What)
		}
	})
}

// Dead is the number of entries walks over a table or index have met: those that are shown, and those that were deleted
// or had ended.
type Dead struct {
	Table, Index string
	Live, Dead   int64
}

// PerLive is the dead entries for each live one.
func (d Dead) PerLive() float64 { return float64(d.Dead) / float64(max(1, d.Live)) }

// graves counts what Entries was given.
type graves struct {
	mu    sync.Mutex
	count map[[2]string]*Dead
}

func (g *graves) add(table, index string, live, dead int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.count == nil {
		g.count = map[[2]string]*Dead{}
	}
	d := g.count[[2]string{table, index}]
	if d == nil {
		d = &Dead{Table: table, Index: index}
		g.count[[2]string{table, index}] = d
	}
	d.Live, d.Dead = d.Live+live, d.Dead+dead
}

// Dead lists the tables and indexes that walks met dead entries of.
func (s *Set) Dead() []Dead {
	s.graves.mu.Lock()
	defer s.graves.mu.Unlock()
	var list []Dead
	for _, d := range s.graves.count {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b Dead) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table),
			cmp.Compare(a.Index, b.Index))
	})
	return list
}

func (s *Set) collectDead(metrics chan<- prometheus.Metric) {
	for _, d := range s.Dead() {
		send(metrics, deadPerLive, d.PerLive(), d.Table, d.Index)
	}
}
