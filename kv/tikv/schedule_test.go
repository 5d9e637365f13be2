// SPDX-License-Identifier: Apache-2.0

package tikv_test

import (
	"fmt"
	"hash/fnv"
	"sync/atomic"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
	"github.com/weftdb/weft/kv/tikv"
)

// requestsBetweenFaults bounds the pause between two faults of a schedule.
const requestsBetweenFaults = 12

// disturbed is an engine whose clusters each have a schedule of faults, which follows from seed and the name of the
// test. Half of them commit in two phases and suffer all faults, half in one phase where they can and lose nothing.
func disturbed(seed uint64, faults *atomic.Int64) kvtest.Engine {
	all := &clusters{}
	e := all.engine()
	e.Open = func(t *testing.T) kv.Store {
		name := fnv.New64a()
		fmt.Fprint(name, t.Name())
		mixed := seed ^ name.Sum64()
		store, cluster := all.open(t, tikv.Options{TwoPhases: mixed%2 == 0})
		schedule := cluster.Disturb(mixed, requestsBetweenFaults, mixed%2 != 0)
		t.Cleanup(func() {
			schedule.Stop()
			faults.Add(int64(schedule.Faults()))
			if t.Failed() {
				t.Logf("faults: %v", schedule)
			}
		})
		return store
	}
	return e
}

// TestEngineUnderFaults runs the suite while regions split and merge, leaders move, stores stop and answers get lost.
// Every sentence of the suite has a schedule of its own, and a change runs one in scheduleShare of them.
func TestEngineUnderFaults(t *testing.T) {
	seed := rounds.Seed(t)
	var faults, asked, schedules atomic.Int64
	wanted := int64(rounds.Of(t, sentences/scheduleShare))
	suites := (uint64(wanted) + sentences - 1) / sentences
	every := max(sentences*int64(suites)/wanted, 1)
	t.Run("suites", func(t *testing.T) {
		for round := range suites {
			t.Run(fmt.Sprint(round), func(t *testing.T) {
				t.Parallel()
				e := disturbed(seed+round, &faults)
				open := e.Open
				e.Open = func(t *testing.T) kv.Store {
					if n := asked.Add(1); (uint64(n)+seed)%uint64(every) != 0 {
						t.Skip("this run has another share of the schedules: WEFT_ROUNDS=50 runs them all")
					}
					schedules.Add(1)
					return open(t)
				}
				kvtest.Run(t, e)
			})
		}
	})
	t.Logf("%d schedules, %d faults", schedules.Load(), faults.Load())
	// a few schedules may all be of sentences with few requests
	if schedules.Load() < wanted || schedules.Load() >= 10 && faults.Load() < schedules.Load() {
		t.Errorf("%d schedules of %d faults, want at least %d and as many faults", schedules.Load(), faults.Load(),
			wanted)
	}
}

// scheduleShare is the number of schedules of which one runs for a change.
const scheduleShare = 4

// sentences is the number of schedules one run of the suite has, at least.
const sentences = 100
