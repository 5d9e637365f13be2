// SPDX-License-Identifier: Apache-2.0

package region

import (
	"cmp"
	"time"
)

// Settings say when regions are split and merged. The zero value works.
type Settings struct {
	BytesMax    int64   // a larger region is split. Default 8 GiB
	RequestsMax float64 // so are the keys among which more requests a second gather. Default 2,500
	RowsMin     int     // neither side of a split for load has fewer entries. Default 100
	// BytesMin is up to how many bytes two neighbours have together to be merged. Default: a quarter of BytesMax.
	BytesMin int64
	// Age is how old both must be, and PresetAge if one was made before there were rows. Default 1 hour and 1 day.
	Age, PresetAge time.Duration
	// Interval is the time between two looks at the regions. Negative: only when asked. Default 10 seconds.
	Interval time.Duration
}

func (s Settings) filled() Settings {
	s.BytesMax = cmp.Or(s.BytesMax, 8<<30)
	s.RequestsMax = cmp.Or(s.RequestsMax, 2500)
	s.RowsMin = cmp.Or(s.RowsMin, 100)
	s.BytesMin = cmp.Or(s.BytesMin, s.BytesMax/4)
	s.Age = cmp.Or(s.Age, time.Hour)
	s.PresetAge = cmp.Or(s.PresetAge, 24*time.Hour)
	s.Interval = cmp.Or(s.Interval, 10*time.Second)
	return s
}

// Observation is a region with what is known of it.
type Observation struct {
	Region
	Bytes int64
	Rate
}

// Rate is requests a second of late.
type Rate struct{ Reads, Writes float64 }

// requests is both.
func (r Rate) requests() float64 { return r.Reads + r.Writes }

// Step is something to do with a region.
type Step struct {
	Kind StepKind
	At   int // position of the region; Merge joins it to the one before
}

// StepKind says what.
type StepKind uint8

// The kinds of steps.
const (
	SplitBySize StepKind = iota
	SplitByLoad
	Merge
)

// String names the kind as logs do.
func (k StepKind) String() string {
	return [...]string{"split by size", "split by load", "merge"}[k]
}

// Steps returns the splits and merges of an index's regions, which are in key order. A region takes part in one step at
// most. The result of a merge is too small and too quiet to be split again at once.
func (s Settings) Steps(regions []Observation, nowMS int64) []Step {
	s = s.filled()
	var steps []Step
	busy := false // the region before takes part in a step
	for i := range regions {
		r := &regions[i]
		switch {
		case r.Bytes > s.BytesMax:
			steps, busy = append(steps, Step{SplitBySize, i}), true
		case r.requests() > s.RequestsMax:
			steps, busy = append(steps, Step{SplitByLoad, i}), true
		case i > 0 && !busy && s.joins(&regions[i-1], r, nowMS):
			steps, busy = append(steps, Step{Merge, i}), true
		default:
			busy = false
		}
	}
	return steps
}

// coldShare is the share of RequestsMax up to which neighbours are cold, together.
const coldShare = 0.1

// joins reports whether two neighbours are old, small and cold enough to be one region.
func (s *Settings) joins(a, b *Observation, nowMS int64) bool {
	age := s.Age
	if a.Preset || b.Preset {
		age = max(age, s.PresetAge)
	}
	youngest := max(a.CreatedAtMS, b.CreatedAtMS)
	return a.Bytes+b.Bytes <= s.BytesMin && a.requests()+b.requests() <= coldShare*s.RequestsMax &&
		nowMS-youngest >= age.Milliseconds()
}

// Patience keeps a region from being looked at again and again where that was in vain. The zero value is ready.
type Patience struct {
	of map[string]*pause
}

type pause struct {
	busyLooks int // in a row
	until     time.Time
	length    time.Duration
}

// The pause after a look in vain, which doubles up to the most; and how many looks in a row a region must be busy for.
const (
	pauseFirst = time.Minute
	pauseMost  = time.Hour
	busyLooks  = 2
)

// Busy notes that a region had too many requests at a look, and reports whether it is to be split.
func (p *Patience) Busy(id string, now time.Time) bool {
	if p.of == nil {
		p.of = map[string]*pause{}
	}
	one := p.of[id]
	if one == nil {
		one = &pause{}
		p.of[id] = one
	}
	one.busyLooks++
	return one.busyLooks >= busyLooks && !now.Before(one.until)
}

// Quiet notes that it had not.
func (p *Patience) Quiet(id string) {
	if one := p.of[id]; one != nil {
		one.busyLooks = 0
	}
}

// InVain notes that no key would have divided a region's requests.
func (p *Patience) InVain(id string, now time.Time) {
	one := p.of[id]
	if one == nil {
		return
	}
	one.length = min(max(2*one.length, pauseFirst), pauseMost)
	one.until = now.Add(one.length)
}

// Forget drops what is known of a region that was split or merged.
func (p *Patience) Forget(id string) { delete(p.of, id) }
