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

// TestShared: several share a latch; one that wants it alone waits for all of them, and those who come later wait for
// it; of two that share it and want it alone the second one is told of the circle, and the first one has it when the
// others are gone.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		latches, key := NewLatches(), []byte("row")
		claims := make([]*Claim, 5)
		for i := range claims {
			claims[i] = latches.Claim(time.Minute)
		}
		var lock sync.Mutex
		got := map[int]error{}
		take := func(who int, shared bool) {
			_, err := claims[who].Take(t.Context(), key, shared, false)
			lock.Lock()
			got[who] = err
			lock.Unlock()
		}
		expect := func(what string, who ...int) {
			t.Helper()
			synctest.Wait()
			for _, at := range who {
				if err, done := got[at]; !done || err != nil {
					t.Fatalf("%s: %d of %v: %v", what, at, got, err)
				}
			}
			if len(got) != len(who) {
				t.Fatalf("%s: %v", what, got)
			}
			clear(got)
		}
		take(0, true)
		take(1, true)
		go take(2, false)
		synctest.Wait()
		go take(3, true)
		expect("two share, one writes, another shares", 0, 1)
		if _, err := claims[4].Take(t.Context(), key, true, true); !errors.Is(err, ErrLatchWait) {
			t.Fatalf("sharing before a writer that waits: %v", err)
		}
		go take(0, false)
		expect("an upgrade beside another holder")
		if _, err := claims[1].Take(t.Context(), key, false, false); !errors.Is(err, ErrDeadlock) {
			t.Fatalf("a second upgrade: %v", err)
		}
		claims[1].Release()
		expect("the only holder upgrades, before those who wait", 0)
		if !claims[0].Has(key, false) {
			t.Fatal("it does not hold the latch alone")
		}
		claims[0].Release()
		expect("the writer", 2)
		claims[2].Release()
		expect("the one that shares", 3)
		claims[4].SetWait(time.Second)
		go take(4, false)
		synctest.Wait()
		go take(1, true)
		synctest.Wait()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !errors.Is(got[4], ErrLatchWait) || got[1] != nil || len(got) != 2 {
			t.Fatalf("a writer that gave up, and one that shares behind it: %v", got)
		}
		claims[1].Release()
		claims[3].Release()
		expectFree(t, latches)
	})
}

// TestSharedAtRandom: of many goroutines that share latches, and hold them alone, in any order, no two hold one that
// one of them holds alone; circles are told and nobody waits for ever.
func TestSharedAtRandom(t *testing.T) {
	latches := NewLatches()
	var group sync.WaitGroup
	var held [6]sync.RWMutex
	for w := range 16 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 3))
			for range 300 {
				takeSome(t, latches, &held, rng)
			}
		})
	}
	group.Wait()
	expectFree(t, latches)
}

func takeSome(t *testing.T, latches *Latches, held *[6]sync.RWMutex, rng *rand.Rand) {
	claim := latches.Claim(time.Duration(rng.IntN(2)) * time.Millisecond)
	defer claim.Release()
	for range 1 + rng.IntN(5) {
		row, shared := rng.IntN(len(held)), rng.IntN(2) == 0
		if _, err := claim.Take(context.Background(), []byte{byte(row)}, shared, false); err != nil {
			if !errors.Is(err, ErrDeadlock) && !errors.Is(err, ErrLatchWait) {
				t.Error(err)
			}
			return
		}
		try, undo := held[row].TryRLock, held[row].RUnlock
		if !shared {
			try, undo = held[row].TryLock, held[row].Unlock
		}
		if !try() {
			t.Errorf("row %d is held by another one, shared %v", row, shared)
			return
		}
		undo()
	}
}

func expectFree(t *testing.T, latches *Latches) {
	t.Helper()
	for i := range latches.shards {
		if n := len(latches.shards[i].held); n != 0 {
			t.Errorf("%d latches are left", n)
		}
	}
}

// TestClaim: of many goroutines whose claims grow as they hold them, no two ever hold the same row, none waits for
// ever, and a cancelled one leaves nothing behind.
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
	expectFree(t, latches)
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
