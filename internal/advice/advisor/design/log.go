// SPDX-License-Identifier: Apache-2.0

package design

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
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
// A shape that is known costs a lock and a look into a map, and allocates nothing. A shape that is new is copied.
type Log struct {
	mu       sync.Mutex
	random   func() uint64
	max      int
	halfLife float64 // seconds
	start    time.Time
	begun    bool
	landmark float64 // seconds after start that weights are relative to
	entries  []logEntry
	places   map[string]int // of entries, by key
	lost     float64        // weight of what was observed and is not in entries, decayed
}

// logEntry is a shape with its decayed sums. Weights are relative to the log's landmark.
type logEntry struct {
	key      string // what tells the shape apart; see appendShape
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
		seed := random(1)
		o.Random = seed.next
	}
	return &Log{random: o.Random, max: o.ShapesMax, halfLife: o.HalfLife.Seconds(), places: map[string]int{}}
}

// Observe counts a query at the time now, which stands for so many times. Queries are of the same shape if they bind
// the same attributes in the same way to the same values, in the same order, through the same index; the caller removes
// values that it doesn't want to tell apart. Returned and Read of the shape are those of this query; Name and Rate are
// not looked at. The shape belongs to the caller again when Observe returns. Times may go back a little; they count as
// the latest.
func (l *Log) Observe(now time.Time, shape *Shape, times float64) {
	var room [512]byte // for most keys
	key := appendShape(room[:0], shape)
	l.mu.Lock()
	defer l.mu.Unlock()
	weight := times * l.weigh(now)
	place, ok := l.places[string(key)]
	if !ok {
		if place = l.admit(string(key), shape, weight); place < 0 {
			l.lost += weight
			return
		}
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
	l.lost *= factor
	for i := range l.entries {
		e := &l.entries[i]
		e.weight *= factor
		e.returned *= factor
		e.read *= factor
	}
}

// admit makes room for a new shape, or refuses it: then it returns -1. When the log is full the lightest of a few
// random entries goes, with the odds of its weight against the newcomer's, so that a stream of shapes seen once doesn't
// wash out the others.
func (l *Log) admit(key string, shape *Shape, weight float64) int {
	if len(l.entries) < l.max {
		l.entries = append(l.entries, logEntry{})
		return l.place(len(l.entries)-1, key, shape)
	}
	const tries = 8
	victim := int(l.random() % uint64(len(l.entries)))
	for range tries - 1 {
		if other := int(l.random() % uint64(len(l.entries))); l.entries[other].weight < l.entries[victim].weight {
			victim = other
		}
	}
	e := &l.entries[victim]
	if odds := weight / (weight + e.weight); float64(l.random()>>11)/(1<<53) >= odds {
		return -1
	}
	l.lost += e.weight
	delete(l.places, e.key)
	return l.place(victim, key, shape)
}

func (l *Log) place(at int, key string, shape *Shape) int {
	kept := *shape
	kept.Bounds = slices.Clone(shape.Bounds)
	kept.Any = slices.Clone(shape.Any)
	kept.Wanted = slices.Clone(shape.Wanted)
	for i, name := range kept.Wanted {
		kept.Wanted[i] = strings.Clone(name)
	}
	l.entries[at] = logEntry{key: key, shape: kept}
	l.places[key] = at
	return at
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

// appendShape appends what tells shapes apart, unlike for unlike ones: each text and each list has its length in front.
func appendShape(dst []byte, s *Shape) []byte {
	dst = appendTexts(dst, s.Index, s.OrderBy)
	dst = binary.AppendUvarint(dst, math.Float64bits(s.Limit))
	dst = strconv.AppendBool(dst, s.Descending)
	dst = strconv.AppendBool(dst, s.Wanted == nil)
	dst = appendTexts(binary.AppendUvarint(dst, uint64(len(s.Wanted))), s.Wanted...)
	for _, bounds := range [...][]Bound{s.Bounds, s.Any} {
		dst = binary.AppendUvarint(dst, uint64(len(bounds)))
		for i := range bounds {
			b := &bounds[i]
			dst = appendTexts(dst, b.Attribute, string(b.Operator), b.Low.Type, b.Low.Text, b.High.Type, b.High.Text)
		}
	}
	return dst
}

func appendTexts(dst []byte, texts ...string) []byte {
	for _, text := range texts {
		dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	}
	return dst
}
