// SPDX-License-Identifier: Apache-2.0

// Package testrace says whether tests run under the race detector, which makes them some ten times slower, and how much less they then do.
//
// Knows: the build tag race.
// Never: what the tests are about.
package testrace

import "testing"

// Fewer returns how often a test of n rounds goes round: n, or a tenth of it under the race detector, and once at least.
func Fewer(n int) int {
	if Enabled {
		n /= 10
	}
	return max(n, 1)
}

// Skip skips a test that takes minutes under the race detector, and has one goroutine or none that shorter tests don't have.
func Skip(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("it takes minutes under the race detector, and runs without it")
	}
}
