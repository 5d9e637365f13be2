// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		factor string
		n      int
		want   int
	}{{"", 40, 40}, {"50", 40, 2000}, {"0.1", 40, 4}, {"0.001", 40, 1}} {
		t.Setenv(factorVariable, c.factor)
		want := c.want
		if Race {
			want = max(want/raceShare, 1)
		}
		if got := Of(t, c.n); got != want {
			t.Errorf("Of(%d) with %s=%s: %d, want %d", c.n, factorVariable, c.factor, got, want)
		}
	}
}

// TestSeed checks that a seed is taken from the environment, and that the command which repeats a failure names it, the
// test and the package.
func TestSeed(t *testing.T) {
	t.Setenv(seedVariable, "42")
	if got := Seed(t); got != 42 {
		t.Errorf("Seed: %d, want 42", got)
	}
	t.Setenv(seedVariable, "")
	if Random(t).Uint64() == Random(t).Uint64() {
		t.Error("two seeds are equal")
	}
	command := repeat("TestA/pebble", 7)
	for _, want := range []string{"WEFT_TEST_SEED=7 ", "-run '^TestA$/^pebble$'",
		"github.com/weftdb/weft/internal/testing/rounds"} {
		if !strings.Contains(command, want) {
			t.Errorf("%q lacks %q", command, want)
		}
	}
}
