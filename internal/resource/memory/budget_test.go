// SPDX-License-Identifier: Apache-2.0

package memory_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestBudget: random holders at once never have more than there is, and give back all that they took.
func TestBudget(t *testing.T) {
	seed := rounds.Seed(t)
	const limit = 1 << 20
	r := memory.New(limit)
	var wait sync.WaitGroup
	for i := range uint64(8) {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(seed, i))
			s := memory.Share{Of: r}
			for range 2000 {
				switch random.IntN(4) {
				case 0:
					s.Hold(random.Int64N(limit / 4))
				case 1:
					s.Grow(random.Int64N(1000))
				case 2:
					s.Shrink(random.Int64N(limit / 4))
				case 3:
					s.Release()
				}
			}
			s.Release()
		})
	}
	wait.Wait()
	if r.Used() != 0 {
		t.Errorf("%d bytes were not given back", r.Used())
	}
	one := memory.Share{Of: r}
	if !one.Hold(limit) || r.Take(1) || one.Hold(limit+1) || r.Used() != limit || r.Refused() < 2 {
		t.Errorf("%d bytes of %d are used, %d refused", r.Used(), limit, r.Refused())
	}
	var none *memory.Budget
	if free := (memory.Share{}); !none.Take(1<<60) || !free.Hold(1<<60) || !free.Grow(1<<60) {
		t.Error("no bound refuses")
	}
}
