// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestLatchesInTurn: who waits for a latch gets it in the order of coming, be it by Lock or by a claim.
func TestLatchesInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		latches, key := NewLatches(), []byte("hot")
		held, err := latches.Lock(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		var served []int
		for at := range 100 {
			go func() {
				claim := latches.Claim(0)
				if claim.Add(key); at%2 == 0 {
					claim.Add([]byte{byte(at)})
				}
				if err := claim.Hold(t.Context()); err != nil {
					t.Error(err)
				}
				served = append(served, at)
				claim.Release()
			}()
			synctest.Wait() // it has got in line
		}
		held.Unlock()
		synctest.Wait()
		if len(served) != 100 || !slices.IsSorted(served) {
			t.Errorf("served in the order %v", served)
		}
	})
}

// TestClaim: of many goroutines whose claims grow as they hold them, no two ever hold the same row, none waits for ever, and a cancelled one leaves
// nothing behind.
func TestClaim(t *testing.T) {
	latches := NewLatches()
	var group sync.WaitGroup
	var held [8]sync.Mutex
	for w := range 16 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 2))
			for range 300 {
				growSome(t, latches, &held, rng)
			}
		})
	}
	group.Wait()
	for i := range latches.shards {
		if n := len(latches.shards[i].held); n != 0 {
			t.Errorf("%d latches are left", n)
		}
	}
}

func growSome(t *testing.T, latches *Latches, held *[8]sync.Mutex, rng *rand.Rand) {
	ctx, cancel := context.Background(), func() {}
	if rng.IntN(3) == 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rng.IntN(50))*time.Microsecond)
	}
	defer cancel()
	claim := latches.Claim(0)
	defer claim.Release()
	var rows []int
	for _, i := range rng.Perm(len(held))[:1+rng.IntN(4)] {
		rows = append(rows, i)
		claim.Add([]byte{byte(i)})
		if rng.IntN(2) == 0 {
			claim.Add([]byte{byte(rows[0])}) // once more
		}
		if err := claim.Hold(ctx); err != nil {
			if !errors.Is(err, context.DeadlineExceeded) || claim.held != 0 {
				t.Errorf("%v, and %d are held", err, claim.held)
			}
			return
		}
		for _, row := range rows {
			if !held[row].TryLock() {
				t.Errorf("two hold row %d", row)
				return
			}
		}
		for _, row := range rows {
			held[row].Unlock()
		}
	}
}
