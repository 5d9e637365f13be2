// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"testing"
	"time"
)

// TestPauseOf: so many units take as long as the rate wants, less what they took already.
func TestPauseOf(t *testing.T) {
	for _, c := range []struct {
		units, perSecond int64
		took, want       time.Duration
	}{
		{5000, 0, time.Second, 0},
		{0, 1024, 0, 0},
		{1024, 1024, 0, time.Second},
		{512, 1024, 100 * time.Millisecond, 400 * time.Millisecond},
		{1024, 4096, time.Second, 0},
	} {
		if got := pauseOf(c.units, c.perSecond, c.took); got != c.want {
			t.Errorf("%d units at %d a second after %v: %v, not %v", c.units, c.perSecond, c.took, got, c.want)
		}
	}
}
