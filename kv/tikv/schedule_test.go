// SPDX-License-Identifier: Apache-2.0

package tikv_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/weftdb/weft/internal/testrace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
	"github.com/weftdb/weft/kv/tikv"
)

// requestsBetweenFaults bounds the pause between two faults of a schedule.
const requestsBetweenFaults = 12

// disturbed is an engine whose clusters each have a schedule of faults, which follows from seed and the name of the test. Half of them commit in two
// phases and suffer all faults, half in one phase where they can and lose nothing.
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

// environmentNumber reads a number from the environment, or gives the preset.
func environmentNumber(name string, preset uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return preset
}

// TestEngineUnderFaults runs the suite while regions split and merge, leaders move, stores stop and answers get lost. Every sentence of the suite has a
// schedule of its own, so that one run of the suite is more than 100 of them; WEFT_TEST_SCHEDULES asks for at least so many.
func TestEngineUnderFaults(t *testing.T) {
	seed := environmentNumber("WEFT_SEED", rand.Uint64())
	t.Logf("WEFT_SEED=%d", seed)
	var faults, asked, schedules atomic.Int64
	least := int64(sentences)
	if testrace.Enabled {
		least /= raceShare
	}
	t.Run("suites", func(t *testing.T) {
		rounds := (environmentNumber("WEFT_TEST_SCHEDULES", 100) + sentences - 1) / sentences
		for round := range rounds {
			t.Run(fmt.Sprint(round), func(t *testing.T) {
				t.Parallel()
				e := disturbed(seed+round, &faults)
				open := e.Open
				e.Open = func(t *testing.T) kv.Store {
					if n := asked.Add(1); testrace.Enabled && n%raceShare != 0 {
						t.Skip("under the race detector one schedule in so many runs: this takes ten minutes, and all run without it")
					}
					schedules.Add(1)
					return open(t)
				}
				kvtest.Run(t, e)
			})
		}
	})
	t.Logf("%d schedules, %d faults", schedules.Load(), faults.Load())
	if schedules.Load() < least || faults.Load() < schedules.Load() {
		t.Errorf("%d schedules of %d faults, want at least %d and as many faults", schedules.Load(), faults.Load(), least)
	}
}

// raceShare is of how many schedules one runs under the race detector.
const raceShare = 5

// sentences is how many schedules one run of the suite has, at least.
const sentences = 100
