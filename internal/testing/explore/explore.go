// SPDX-License-Identifier: Apache-2.0

// Package explore tries all orders in which the steps of several actors can happen, up to a bound, on the code that is
// tested: each order is played from the beginning, without goroutines and clocks, so a fault comes with the shortest
// way to it.
//
// Knows: worlds of steps.
// Never: what they are about.
package explore

import (
	"slices"
	"testing"
)

// Step is something that an actor can do next.
type Step struct {
	Name string
	Do   func()
}

// World is a state of the tested code. The same steps from its beginning must always lead to the same state.
type World interface {
	// Steps returns what can happen next, in an order that is always the same.
	Steps() []Step
	// State is the same text for two worlds only if they go on alike.
	State() string
	// Fault says what is wrong by now; "" is nothing.
	Fault() string
}

// Result is the result of a search.
type Result struct {
	States int      // that were seen
	Fault  string   // the first one that was found; "" if there is none
	Path   []string // the steps to it
}

// Search plays all orders of up to depth steps. Of those that lead to one state it goes on from the first alone.
func Search(begin func() World, depth int) Result {
	seen := map[string]bool{begin().State(): true}
	paths := [][]int{nil}
	for range depth {
		var longer [][]int
		for _, path := range paths {
			at, _ := play(begin, path)
			for i := range at.Steps() {
				next := append(slices.Clone(path), i)
				world, names := play(begin, next)
				if fault := world.Fault(); fault != "" {
					return Result{States: len(seen), Fault: fault, Path: names}
				}
				if state := world.State(); !seen[state] {
					seen[state] = true
					longer = append(longer, next)
				}
			}
		}
		paths = longer
	}
	return Result{States: len(seen)}
}

// play takes a new world along a path.
func play(begin func() World, path []int) (world World, names []string) {
	world = begin()
	for _, i := range path {
		step := world.Steps()[i]
		names = append(names, step.Name)
		step.Do()
	}
	return world, names
}

// Expect searches, and fails the test if there is a fault and none is planted, or none is found where one is. planted
// names it.
func Expect(t *testing.T, begin func() World, depth int, planted string) {
	t.Helper()
	result := Search(begin, depth)
	t.Logf("%d states, fault %q after %q", result.States, result.Fault, result.Path)
	switch {
	case planted == "" && result.Fault != "":
		t.Errorf("%s, after %q", result.Fault, result.Path)
	case planted != "" && result.Fault == "":
		t.Errorf("%s: nothing was found in %d states", planted, result.States)
	}
}
