// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestSeen compares a set, used again and again, with a map.
func TestSeen(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	var s rowSet
	memory := memory.New(64 << 20)
	for round := range 40 {
		s.begin(memory, 32<<20, false)
		known := map[[2]string]bool{}
		for range random.IntN(3000) {
			row := [2]string{strings.Repeat("a", random.IntN(40)), strings.Repeat("b", random.IntN(40))}
			isNew := s.add([]datum.Datum{datum.Text([]byte(row[0])), datum.Text([]byte(row[1]))})
			if s.full || isNew == known[row] {
				t.Fatalf("round %d: %q is new: %v, full: %v", round, row, isNew, s.full)
			}
			known[row] = true
		}
		s.memory.Release()
	}
	s.begin(memory, 1000, false)
	for i := range int64(100) {
		if s.add([]datum.Datum{datum.Int(i)}); s.full {
			return
		}
	}
	t.Fatal("a set grows without bound")
}
