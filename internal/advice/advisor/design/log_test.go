// SPDX-License-Identifier: Apache-2.0

package design

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"
)

// begin is when the tests' logs begin.
var begin = time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)

func shapeOf(names ...string) *Shape {
	s := &Shape{}
	for _, name := range names {
		s.Bounds = append(s.Bounds, Bound{Attribute: name, Operator: Equal})
	}
	return s
}

func TestLogRates(t *testing.T) {
	l := NewLog(LogOptions{HalfLife: time.Hour})
	for second := range 1000 {
		now := begin.Add(time.Duration(second) * time.Second)
		a := shapeOf("a")
		a.Returned, a.Read = float64(second%2*2), 10
		l.Observe(now, a, 1)
		l.Observe(now, a, 1)
		l.Observe(now, shapeOf("a", "b"), 1)
	}
	shapes, other := l.Snapshot(begin.Add(1000 * time.Second))
	if len(shapes) != 2 || other != 0 {
		t.Fatalf("%d shapes, %v others", len(shapes), other)
	}
	if math.Abs(shapes[0].Rate-2) > 0.01 || math.Abs(shapes[1].Rate-1) > 0.01 {
		t.Errorf("rates are %v and %v, wanted 2 and 1", shapes[0].Rate, shapes[1].Rate)
	}
	if math.Abs(shapes[0].Returned-1) > 0.01 || math.Abs(shapes[0].Read-10) > 1e-6 {
		t.Errorf("returned %v and read %v, wanted 1 and 10", shapes[0].Returned, shapes[0].Read)
	}
}

func TestLogForgets(t *testing.T) {
	l := NewLog(LogOptions{HalfLife: time.Minute})
	now := begin
	for range 600 {
		now = now.Add(time.Second)
		l.Observe(now, shapeOf("old"), 1)
	}
	for range 600 {
		now = now.Add(time.Second)
		l.Observe(now, shapeOf("new"), 1)
	}
	shapes, _ := l.Snapshot(now)
	if len(shapes) != 2 || shapes[0].Bounds[0].Attribute != "new" || math.Abs(shapes[0].Rate-1) > 0.02 ||
		shapes[1].Rate > 0.002 {
		t.Errorf("after ten half-lives: %+v", shapes)
	}
	// A pause of many half-lives, in which weights are brought back to size.
	now = now.Add(1000 * time.Minute)
	l.Observe(now, shapeOf("late"), 1)
	shapes, _ = l.Snapshot(now)
	if shapes[0].Bounds[0].Attribute != "late" || math.IsInf(shapes[0].Rate, 0) || math.IsNaN(shapes[2].Rate) {
		t.Errorf("after a pause: %+v", shapes)
	}
}

// TestLogKeepsWhatIsFrequent floods a full log with shapes seen once.
func TestLogKeepsWhatIsFrequent(t *testing.T) {
	l := NewLog(LogOptions{ShapesMax: 100})
	for i := range 20_000 {
		now := begin.Add(time.Duration(i) * 10 * time.Millisecond)
		l.Observe(now, shapeOf(fmt.Sprint("once", i)), 1)
		l.Observe(now, shapeOf(fmt.Sprint("often", i%20)), 1)
	}
	shapes, other := l.Snapshot(begin.Add(200 * time.Second))
	if len(shapes) != 100 {
		t.Fatalf("%d shapes, wanted 100", len(shapes))
	}
	total := other
	for i, s := range shapes {
		total += s.Rate
		if name := s.Bounds[0].Attribute; i < 20 && (name[:5] != "often" || math.Abs(s.Rate-5) > 0.5) {
			t.Errorf("shape %d is %s with rate %v, wanted an often one with 5", i, name, s.Rate)
		}
	}
	if math.Abs(total-200) > 1 {
		t.Errorf("all rates together are %v, wanted 200", total)
	}
	if len(l.places) > 100 {
		t.Errorf("%d places for 100 shapes", len(l.places))
	}
}

// TestLogIsDeterministic wants the same log from the same queries.
func TestLogIsDeterministic(t *testing.T) {
	fill := func() string {
		l := NewLog(LogOptions{ShapesMax: 10})
		for i := range 1000 {
			l.Observe(begin.Add(time.Duration(i)*time.Second), shapeOf(fmt.Sprint(i*i%97)), 1)
		}
		shapes, other := l.Snapshot(begin.Add(1000 * time.Second))
		return fmt.Sprint(shapes, other)
	}
	if a, b := fill(), fill(); a != b {
		t.Errorf("two logs of the same queries differ:\n%s\n%s", a, b)
	}
}

// TestShapesApart wants another key for each shape that differs in one thing, however its texts are divided.
func TestShapesApart(t *testing.T) {
	seen := map[string]int{}
	for i, s := range []Shape{{}, {Index: "a"}, {OrderBy: "a"}, {Limit: 1}, {Descending: true}, {Wanted: []string{}},
		{Wanted: []string{"ab"}}, {Wanted: []string{"a", "b"}}, {Bounds: []Bound{{Attribute: "ab"}}},
		{Bounds: []Bound{{Attribute: "a", Operator: "b"}}}, {Any: []Bound{{Attribute: "ab"}}},
		{Bounds: []Bound{{Low: Text("a")}}}, {Bounds: []Bound{{High: Text("a")}}}, {Bounds: []Bound{{}, {}}},
		{Bounds: []Bound{{}}, Any: []Bound{{}}}} {
		key := string(appendShape(nil, &s))
		if other, ok := seen[key]; ok {
			t.Errorf("shapes %d and %d have one key", other, i)
		}
		seen[key] = i
	}
}

// TestLogOwnsItsShapes changes a shape after it was observed, and a snapshot after it was taken.
func TestLogOwnsItsShapes(t *testing.T) {
	l := NewLog(LogOptions{})
	s := shapeOf("a")
	l.Observe(begin, s, 1)
	s.Bounds[0].Attribute = "changed"
	first, _ := l.Snapshot(begin)
	first[0].Bounds[0].Attribute = "changed too"
	if again, _ := l.Snapshot(begin); again[0].Bounds[0].Attribute != "a" {
		t.Errorf("the log holds %+v", again)
	}
}

func TestLogAllocatesNothingForKnownShapes(t *testing.T) {
	l := NewLog(LogOptions{})
	s := shapeOf("a", "b", "c")
	l.Observe(begin, s, 1)
	now := begin
	if n := testing.AllocsPerRun(1000, func() {
		now = now.Add(time.Millisecond)
		l.Observe(now, s, 1)
	}); n != 0 {
		t.Errorf("%v allocations per query, wanted none", n)
	}
}

func TestLogIsSafeForConcurrentUse(t *testing.T) {
	l := NewLog(LogOptions{ShapesMax: 20})
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for i := range 500 {
				l.Observe(begin.Add(time.Duration(i)*time.Millisecond), shapeOf(fmt.Sprint((g*31+i)%50)), 1)
				if i%100 == 0 {
					l.Snapshot(begin.Add(time.Second))
				}
			}
		})
	}
	wait.Wait()
	shapes, _ := l.Snapshot(begin.Add(time.Second))
	if len(shapes) != 20 {
		t.Errorf("%d shapes, wanted 20", len(shapes))
	}
}

func BenchmarkLogObserve(b *testing.B) {
	l := NewLog(LogOptions{})
	s := shapeOf("a", "b", "c")
	b.ReportAllocs()
	now := begin
	for b.Loop() {
		now = now.Add(time.Microsecond)
		l.Observe(now, s, 1)
	}
}
