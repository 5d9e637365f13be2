// SPDX-License-Identifier: Apache-2.0

package design

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// LogOptions configure a Log. The zero value works.
type LogOptions struct {
	ShapesMax int           // shapes kept; 0 is 2,000
	HalfLife  time.Duration // after which a query counts half; 0 is a day
	// Random returns evenly distributed numbers; it decides which of the rare shapes are kept. It is called under the
	// Log's lock. nil is a generator with a fixed seed: the same queries at the same times leave the same log.
	Random func() uint64
}

// Log keeps the shapes of a table's queries, with rates that decay, in bounded memory. Shapes that are asked often are
// always in it; of those that are asked too seldom to keep them all it holds an even sample. Times are handed in. A Log
// is safe for concurrent use; make one with NewLog.
//
// A shape that is known costs a hash, a lock and a comparison, and allocates nothing. A shape that is new is copied.
type Log struct {
	mu       sync.Mutex
	random   func() uint64
	max      int
	halfLife float64 // seconds
	start    time.Time
	begun    bool
	landmark float64 // seconds after start that weights are relative to
	entries  []logEntry
	places   map[uint64]int32 // by hash: place of the newest entry with it, see logEntry.next
	total    float64          // weight of all that was observed, decayed
	lost     float64          // weight of what was observed and is not in entries, decayed
}

// logEntry is a shape with its decayed sums. Weights are relative to the log's landmark.
type logEntry struct {
	hash     uint64
	next     int32 // place of another entry with the same hash, or -1
	shape    Shape
	weight   float64
	returned float64 // weighted sum
	read     float64 // weighted sum
}

const (
	logShapesDefault = 2000
	logHalfLife      = 24 * time.Hour
	halvesMax        = 40 // half-lives after which weights are brought back to size
)

// NewLog makes an empty log.
func NewLog(o LogOptions) *Log {
	if o.ShapesMax <= 0 {
		o.ShapesMax = logShapesDefault
	}
	if o.HalfLife <= 0 {
		o.HalfLife = logHalfLife
	}
	if o.Random == nil {
		o.Random = fixedRandom()
	}
	return &Log{random: o.Random, max: o.ShapesMax, halfLife: o.HalfLife.Seconds(), places: map[uint64]int32{}}
}

// fixedRandom is SplitMix64 from a fixed seed.
func fixedRandom() func() uint64 {
	state := uint64(1)
	return func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}

// Observe counts a query at the time now, which stands for so many times. Queries are of the same shape if they bind
// the same attributes in the same way to the same values, in the same order, through the same index; the caller removes
// values that it doesn't want to tell apart. Returned and Read of the shape are those of this query; Name and Rate are
// not looked at. The shape belongs to the caller again when Observe returns. Times may go back a little; they count as
// the latest.
func (l *Log) Observe(now time.Time, shape *Shape, times float64) {
	hash := hashShape(shape)
	l.mu.Lock()
	defer l.mu.Unlock()
	weight := times * l.weigh(now)
	l.total += weight
	place := l.find(hash, shape)
	if place < 0 {
		place = l.admit(hash, shape, weight)
	}
	if place < 0 {
		l.lost += weight
		return
	}
	e := &l.entries[place]
	e.weight += weight
	e.returned += weight * shape.Returned
	e.read += weight * shape.Read
}

// weigh returns the weight of a query now: 2^(age of the landmark / half-life), so that old weights need not be
// touched.
func (l *Log) weigh(now time.Time) float64 {
	if !l.begun {
		l.start, l.begun = now, true
	}
	halves := (math.Max(0, now.Sub(l.start).Seconds()) - l.landmark) / l.halfLife
	if halves > halvesMax {
		l.rescale(halves)
		halves = 0
	}
	return math.Exp2(math.Max(0, halves))
}

// rescale moves the landmark, before weights grow out of float64.
func (l *Log) rescale(halves float64) {
	factor := math.Exp2(-halves)
	l.landmark += halves * l.halfLife
	l.total *= factor
	l.lost *= factor
	for i := range l.entries {
		e := &l.entries[i]
		e.weight *= factor
		e.returned *= factor
		e.read *= factor
	}
}

func (l *Log) find(hash uint64, shape *Shape) int32 {
	place, ok := l.places[hash]
	for ok && place >= 0 {
		if sameShape(&l.entries[place].shape, shape) {
			return place
		}
		place = l.entries[place].next
	}
	return -1
}

// admit makes room for a new shape, or refuses it: then it returns -1. When the log is full the lightest of a few
// random entries goes, with the odds of its weight against the newcomer's, so that a stream of shapes seen once doesn't
// wash out the others.
func (l *Log) admit(hash uint64, shape *Shape, weight float64) int32 {
	if len(l.entries) < l.max {
		l.entries = append(l.entries, logEntry{})
		return l.place(int32(len(l.entries)-1), hash, shape)
	}
	const tries = 8
	victim := int32(l.random() % uint64(len(l.entries)))
	for range tries - 1 {
		if other := int32(l.random() % uint64(len(l.entries))); l.entries[other].weight < l.entries[victim].weight {
			victim = other
		}
	}
	e := &l.entries[victim]
	if odds := weight / (weight + e.weight); float64(l.random()>>11)/(1<<53) >= odds {
		return -1
	}
	l.lost += e.weight
	l.unlink(victim)
	return l.place(victim, hash, shape)
}

func (l *Log) place(at int32, hash uint64, shape *Shape) int32 {
	next := int32(-1)
	if other, ok := l.places[hash]; ok {
		next = other
	}
	kept := *shape
	kept.Bounds = slices.Clone(shape.Bounds)
	kept.Any = slices.Clone(shape.Any)
	kept.Wanted = slices.Clone(shape.Wanted)
	for i, name := range kept.Wanted {
		kept.Wanted[i] = strings.Clone(name)
	}
	l.entries[at] = logEntry{hash: hash, next: next, shape: kept}
	l.places[hash] = at
	return at
}

func (l *Log) unlink(at int32) {
	hash, next := l.entries[at].hash, l.entries[at].next
	if l.places[hash] == at {
		if next < 0 {
			delete(l.places, hash)
		} else {
			l.places[hash] = next
		}
		return
	}
	for place := l.places[hash]; place >= 0; place = l.entries[place].next {
		if l.entries[place].next == at {
			l.entries[place].next = next
			return
		}
	}
}

// Snapshot returns the shapes with their rates as of now, the most frequent first, and the rate of the queries whose
// shapes were not kept. Rates are averages over the half-life, or over the log's age where that is less. The caller
// owns the result.
func (l *Log) Snapshot(now time.Time) (shapes []Shape, otherRate float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	weight := l.weigh(now)
	age := math.Max(1, now.Sub(l.start).Seconds())
	// A steady rate r has the decayed sum r × halfLife/ln2 × (1 - 2^(-age/halfLife)).
	span := l.halfLife / math.Ln2 * (1 - math.Exp2(-age/l.halfLife)) * weight
	for i := range l.entries {
		e := &l.entries[i]
		s := e.shape
		s.Bounds = slices.Clone(e.shape.Bounds)
		s.Any = slices.Clone(e.shape.Any)
		s.Rate = e.weight / span
		s.Returned = e.returned / e.weight
		s.Read = e.read / e.weight
		shapes = append(shapes, s)
	}
	slices.SortStableFunc(shapes, func(a, b Shape) int { return cmp.Compare(b.Rate, a.Rate) })
	return shapes, l.lost / span
}

// hashShape is FNV-1a over what tells shapes apart.
func hashShape(s *Shape) uint64 {
	h := uint64(14695981039346656037)
	h = hashText(h, s.Index)
	h = hashText(h, s.OrderBy)
	h = hashNumber(h, math.Float64bits(s.Limit))
	if s.Descending {
		h = hashNumber(h, 1)
	}
	if s.Wanted != nil {
		h = hashNumber(h, uint64(len(s.Wanted))+2)
	}
	for _, name := range s.Wanted {
		h = hashText(h, name)
	}
	h = hashBounds(h, s.Bounds)
	return hashBounds(hashNumber(h, uint64(len(s.Any))), s.Any)
}

func hashBounds(h uint64, bounds []Bound) uint64 {
	for i := range bounds {
		b := &bounds[i]
		h = hashText(h, b.Attribute)
		h = hashText(h, string(b.Operator))
		h = hashText(h, b.Low.Type)
		h = hashText(h, b.Low.Text)
		h = hashText(h, b.High.Type)
		h = hashText(h, b.High.Text)
	}
	return h
}

const fnvPrime = 1099511628211

func hashText(h uint64, text string) uint64 {
	for i := 0; i < len(text); i++ {
		h = (h ^ uint64(text[i])) * fnvPrime
	}
	return (h ^ 0xff) * fnvPrime
}

func hashNumber(h, n uint64) uint64 {
	for range 8 {
		h = (h ^ n&0xff) * fnvPrime
		n >>= 8
	}
	return h
}

// sameShape compares what hashShape hashes.
func sameShape(a, b *Shape) bool {
	if a.Index != b.Index || a.OrderBy != b.OrderBy || a.Descending != b.Descending || a.Limit != b.Limit ||
		(a.Wanted == nil) != (b.Wanted == nil) || !slices.Equal(a.Wanted, b.Wanted) {
		return false
	}
	return slices.EqualFunc(a.Bounds, b.Bounds, sameBound) && slices.EqualFunc(a.Any, b.Any, sameBound)
}

func sameBound(x, y Bound) bool {
	return x.Attribute == y.Attribute && x.Operator == y.Operator && x.Low.Type == y.Low.Type &&
		x.Low.Text == y.Low.Text &&
		x.High.Type == y.High.Type && x.High.Text == y.High.Text
}
