// SPDX-License-Identifier: Apache-2.0

// Package rounds sets the length and the seed of random tests. Each test states the number of rounds that a change
// needs; WEFT_ROUNDS multiplies them all (50 for a night), and WEFT_TEST_SEED repeats a run. A test that fails prints
// the command that repeats it.
//
// Knows: the two variables, the build tag race.
// Never: what the tests are about.
package rounds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// The variables of the environment. Package testing notes their values, so that a cached result is only used for the
// same ones.
const (
	factorVariable = "WEFT_ROUNDS"
	seedVariable   = "WEFT_TEST_SEED"
)

// raceShare is the part of its rounds that a test makes under the race detector, which slows code down some ten times.
const raceShare = 10

// Of returns the number of rounds of a test that makes n for a change: n times WEFT_ROUNDS, a tenth of that under the
// race detector, and at least one.
func Of(t testing.TB, n int) int {
	t.Helper()
	count := float64(n) * factor(t)
	if Race {
		count /= raceShare
	}
	return max(int(math.Round(count)), 1)
}

// factor is WEFT_ROUNDS, or 1.
func factor(t testing.TB) float64 {
	t.Helper()
	text := os.Getenv(factorVariable)
	if text == "" {
		return 1
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f > 0 && f <= 1e6) {
		t.Fatalf("%s=%q: use a number such as 50 or 0.1", factorVariable, text)
	}
	return f
}

// Long reports whether WEFT_ROUNDS asks for more than a change needs.
func Long() bool {
	f, err := strconv.ParseFloat(os.Getenv(factorVariable), 64)
	return err == nil && f > 1
}

// Seed returns the seed of a random test: WEFT_TEST_SEED, or another one in each run. It logs the seed, and a test that
// fails also logs the command that repeats it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s=%q: %v", seedVariable, text, err)
		}
	}
	t.Logf("%s=%d", seedVariable, seed)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("repeat with: " + repeat(t.Name(), seed))
		}
	})
	return seed
}

// Share returns every nth element of a list, from a random one of the first n on; in a long run it returns the whole
// list.
func Share[T any](t testing.TB, n int, list []T) (share []T) {
	t.Helper()
	if Long() {
		return list
	}
	for i := Random(t).IntN(n); i < len(list); i += n {
		share = append(share, list[i])
	}
	return share
}

// Random returns a generator that begins at Seed.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}

// repeat returns the command that runs a test again with a seed.
func repeat(test string, seed uint64) string {
	parts := strings.Split(test, "/")
	for i := range parts {
		parts[i] = "^" + parts[i] + "$"
	}
	command := fmt.Sprintf("%s=%d ", seedVariable, seed)
	if f := os.Getenv(factorVariable); f != "" {
		command += factorVariable + "=" + f + " "
	}
	command += "go test "
	if Race {
		command += "-race "
	}
	return command + "-count=1 -run '" + strings.Join(parts, "/") + "' " + tested()
}

// tested returns the import path of the package under test.
func tested() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "."
	}
	return strings.TrimSuffix(info.Path, ".test")
}

// SkipUnlessLong skips a test that a change does not need, such as a trial run of a benchmark.
func SkipUnlessLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skipf("it runs when %s is above 1", factorVariable)
	}
}

// SkipRace skips a test that takes minutes under the race detector and has no goroutines that shorter tests lack.
func SkipRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("it takes minutes under the race detector, and runs without it")
	}
}
