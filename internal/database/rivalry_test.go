// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// TestRivalries: after a commit that has lost to others an item rests for as long; after ones that have not it rests
// less and less, and is forgotten.
func TestRivalries(t *testing.T) {
	var r rivalries
	key := []byte("k")
	if r.note(key, 0); r.has(key) {
		t.Error("a commit that has not lost makes a rival")
	}
	for _, lost := range []time.Duration{5 * time.Millisecond, time.Hour} {
		r.note(key, lost)
		if want := min(lost, restMost); !r.has(key) || r.items["k"].pause != want {
			t.Errorf("after %v the pause is %v, want %v", lost, r.items["k"].pause, want)
		}
	}
	r.rest(t.Context(), key)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	r.note(key, time.Hour)
	r.rest(over, key)
	for pause := restMost; r.has(key); {
		if r.note(key, 0); r.items["k"].pause >= pause {
			t.Fatalf("the pause stays %v", pause)
		}
		pause = r.items["k"].pause
	}
	for i := range rivalriesMost + 1 {
		r.note(fmt.Append(nil, i), time.Hour)
	}
	if n := r.count.Load(); n > rivalriesMost || int(n) != len(r.items) {
		t.Errorf("%d items are remembered, %d are there", n, len(r.items))
	}
}
