// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// TestRivalries: after a commit that has lost to others a row rests for as long; after ones that have not it rests
// less and less, and is forgotten.
func TestRivalries(t *testing.T) {
	var r Rivalries
	key := []byte("k")
	if r.Note(key, 0); r.Has(key) {
		t.Error("a commit that has not lost makes a rival")
	}
	for _, lost := range []time.Duration{5 * time.Millisecond, time.Hour} {
		r.Note(key, lost)
		if want := min(lost, restMost); !r.Has(key) || r.rows["k"].pause != want {
			t.Errorf("after %v the pause is %v, want %v", lost, r.rows["k"].pause, want)
		}
	}
	r.Rest(t.Context(), key)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	r.Note(key, time.Hour)
	r.Rest(over, key)
	for pause := restMost; r.Has(key); {
		if r.Note(key, 0); r.rows["k"].pause >= pause {
			t.Fatalf("the pause stays %v", pause)
		}
		pause = r.rows["k"].pause
	}
	for i := range rivalriesMost + 1 {
		r.Note(fmt.Append(nil, i), time.Hour)
	}
	if n := r.count.Load(); n > rivalriesMost || int(n) != len(r.rows) {
		t.Errorf("%d rows are remembered, %d are there", n, len(r.rows))
	}
}
