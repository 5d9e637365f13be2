// SPDX-License-Identifier: Apache-2.0

// Package workload makes up requests of the kinds that a diagnosis tells apart: an even load, one by Zipf's law,
// growing keys, one row, a job that comes and goes. Tests of diagnoses use them, and people can watch them.
//
// Knows: keys as numbers and texts, times in minutes.
// Never: stores, tables, what is found.
package workload

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// Load is one kind of requests, for a table of its own.
type Load struct {
	Name    string
	Says    string   // what it is, for people
	Finding string   // the kind of the diagnosis that it must get, and no other
	Columns []Column // the key
	minute  func(s *state, minute int) []Request
}

// Column is a part of the key: whole numbers, or texts.
type Column struct {
	Name string
	Text bool
}

// Request reads or writes one key, which has a part for each of the load's columns.
type Request struct {
	Write bool
	Key   []Part
}

// Part is a number or a text, as its column has it.
type Part struct {
	Number int64
	Text   string
}

// String is the part for people.
func (p Part) String() string { return cmp.Or(p.Text, fmt.Sprint(p.Number)) }

// requestsMinute is the number of requests a minute has.
const requestsMinute = 1200

// keys is the number of rows loads choose from.
const keys = 10_000

// state is a load under way.
type state struct {
	random  *rand.Rand
	written int64
	zipf    []float64 // cumulated shares
}

// Run makes a load's requests, minute by minute. Equal seeds make equal ones.
type Run struct {
	Load
	state state
}

// Start begins a load.
func (l Load) Start(seed uint64) *Run {
	return &Run{l, state{random: rand.New(rand.NewPCG(seed, 1))}}
}

// Minute returns the requests of the next minute.
func (r *Run) Minute(minute int) []Request { return r.minute(&r.state, minute) }

// All lists the loads.
func All() []Load {
	id := []Column{{Name: "id"}}
	return []Load{
		{"uniform", "reads and writes of random rows", "even", id, uniform},
		{"zipf", "rows drawn by Zipf's law (0.99), the frequent ones next to each other", "hot-range", id,
			(*state).byZipf},
		{"single-row", "every second request is for one row", "hot-row", id, (*state).oneRow},
		{"increasing", "new rows with ids that count up", "increasing-key", id, (*state).increasing},
		{"increasing-prefixes", "new readings of twelve devices, by device and time", "increasing-prefixes",
			[]Column{{"device", true}, {"ts", false}}, (*state).devices},
		{"suffixes", "new rows under the day with a suffix from 0 to 9", "suffix-sharding",
			[]Column{{"day", true}, {"ts", false}}, (*state).suffixes},
		{"periodic", "an even load that is twenty times higher in every fifth minute", "periodic", id,
			(*state).periodic},
	}
}

// Find returns the load of a name.
func Find(name string) (l Load, ok bool) {
	all := All()
	i := slices.IndexFunc(all, func(l Load) bool { return l.Name == name })
	if i < 0 {
		return l, false
	}
	return all[i], true
}

func uniform(s *state, _ int) []Request { return s.evenly(requestsMinute) }

func (s *state) evenly(n int) []Request {
	return times(n, func() Request { return Request{s.random.IntN(2) == 0, number(s.random.Int64N(keys))} })
}

// times calls next so many times.
func times(n int, next func() Request) []Request {
	list := make([]Request, n)
	for i := range list {
		list[i] = next()
	}
	return list
}

func number(n int64) []Part { return []Part{{Number: n}} }

func (s *state) byZipf(int) []Request {
	if s.zipf == nil {
		sum := 0.0
		for i := range keys {
			sum += math.Pow(float64(i+1), -0.99)
			s.zipf = append(s.zipf, sum)
		}
	}
	return times(requestsMinute, func() Request {
		x := s.random.Float64() * s.zipf[keys-1]
		return Request{s.random.IntN(2) == 0, number(int64(sort.SearchFloat64s(s.zipf, x)))}
	})
}

func (s *state) oneRow(int) []Request {
	list := s.evenly(requestsMinute)
	for i := range list {
		if s.random.IntN(2) == 0 {
			list[i] = Request{true, number(4711)}
		}
	}
	return list
}

func (s *state) increasing(int) []Request {
	list := make([]Request, requestsMinute)
	for i := range list {
		s.written++
		list[i] = Request{true, number(s.written)}
		if s.random.IntN(10) == 0 { // some are read again
			list[i] = Request{false, number(1 + s.random.Int64N(s.written))}
		}
	}
	return list
}

func (s *state) devices(int) []Request { return s.readings("device-%02d", 12) }

func (s *state) suffixes(int) []Request { return s.readings("2026-03-01#%d", 10) }

// readings writes rows of so many sources, each under the name that format makes and the time.
func (s *state) readings(format string, sources int) []Request {
	return times(requestsMinute, func() Request {
		s.written++
		return Request{true, []Part{{Text: fmt.Sprintf(format, s.random.IntN(sources))},
			{Number: 1_700_000_000_000 + 50*s.written}}}
	})
}

func (s *state) periodic(minute int) []Request {
	if minute%5 == 0 {
		return s.evenly(2 * requestsMinute)
	}
	return s.evenly(requestsMinute / 10)
}
