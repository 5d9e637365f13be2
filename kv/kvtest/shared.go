// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"errors"
	"math"
	"sync"

	"github.com/weftdb/weft/kv"
)

// shared returns the store's kv.Shared. A store that has none belongs to one process and has nothing to show here.
func (h *harness) shared() kv.Shared {
	h.Helper()
	shared, ok := kv.SharedOf(h.store)
	if !ok {
		h.Skip("the store belongs to one process")
	}
	return shared
}

func (h *harness) now(shared kv.Shared) int64 {
	h.Helper()
	now, err := shared.NowMS(h.ctx)
	h.must(err)
	return now
}

func fixed(ms int64) func() int64 { return func() int64 { return ms } }

func sharedChecks() []check {
	return []check{
		{"NowMS never runs backwards, whoever asks", func(h *harness) {
			shared := h.shared()
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					var last int64
					for range 200 {
						now, err := shared.NowMS(h.ctx)
						if err != nil || now < last {
							h.Errorf("NowMS is %d after %d, error %v", now, last, err)
							return
						}
						last = now
					}
				})
			}
			group.Wait()
		}},
		{"NowMS follows other clocks: a wait passes on it", func(h *harness) {
			shared := h.shared()
			for start := h.now(shared); h.now(shared) < start+3; {
				h.must(h.ctx.Err())
			}
		}},
		{"NowMS after Close returns ErrClosed", func(h *harness) {
			shared := h.shared()
			h.must(h.store.Close())
			_, err := shared.NowMS(h.ctx)
			h.mustBe(err, kv.ErrClosed)
		}},
		{"a commit before the fence's time is made", func(h *harness) {
			shared := h.shared()
			for _, ahead := range []int64{1000, 60_000, math.MaxInt64 / 2} {
				shared.Fence(fixed(h.now(shared) + ahead))
				h.put(entry{"a", "1"}, entry{"b", "1"})
			}
			h.expectAll(h.read(), entry{"a", "1"}, entry{"b", "1"})
		}},
	}
}

// fenceChecks are about commits that come too late.
func fenceChecks() []check {
	return []check{
		{"a fenced commit fails with ErrFenced and writes nothing", func(h *harness) {
			shared := h.shared()
			h.put(entry{"a", "before"})
			for _, until := range []int64{0, -1, h.now(shared)} {
				shared.Fence(fixed(until))
				txn := h.begin()
				h.set(txn, "a", "after")
				h.set(txn, "b", "after")
				h.must(txn.Delete([]byte("c")))
				h.mustBe(txn.Commit(h.ctx), kv.ErrFenced)
				h.expectOver(txn)
				h.expectAll(h.read(), entry{"a", "before"})
			}
		}},
		{"Update doesn't repeat a fenced commit", func(h *harness) {
			h.shared().Fence(fixed(0))
			runs := 0
			err := kv.Update(h.ctx, h.store, func(txn kv.Txn) error {
				runs++
				return txn.Set([]byte("a"), nil)
			})
			if h.mustBe(err, kv.ErrFenced); runs != 1 {
				h.Fatalf("it ran %d times", runs)
			}
		}},
		{"a commit that only guards is fenced, one that only read isn't", func(h *harness) {
			h.shared().Fence(fixed(0))
			guards, reads := h.begin(), h.begin()
			h.must(guards.Guard([]byte("a")))
			h.mustBe(guards.Commit(h.ctx), kv.ErrFenced)
			h.commit(reads)
		}},
		{"the fence that holds is the one at Commit", func(h *harness) {
			shared := h.shared()
			before, after := h.begin(), h.begin()
			h.set(before, "a", "1")
			shared.Fence(fixed(0))
			h.mustBe(before.Commit(h.ctx), kv.ErrFenced)
			h.set(after, "b", "1")
			shared.Fence(nil)
			h.commit(after)
			h.expectAll(h.read(), entry{"b", "1"})
		}},
		{"commits under way all fail once the fence's time has come", func(h *harness) {
			shared := h.shared()
			until := h.now(shared) + 30
			shared.Fence(fixed(until))
			var group sync.WaitGroup
			for _, key := range []string{"a", "b", "c", "d"} {
				group.Go(func() { h.writeUntilFenced(shared, key, until) })
			}
			group.Wait()
		}},
	}
}

// writeUntilFenced commits again and again. A commit that begins once the clock has reached until must fail, and the
// last acknowledged value stays.
func (h *harness) writeUntilFenced(shared kv.Shared, key string, until int64) {
	acknowledged := ""
	for i := 0; ; i++ {
		now, err := shared.NowMS(h.ctx)
		if err != nil {
			h.Error(err)
			return
		}
		value := string(rune('a' + i%26))
		err = kv.Update(h.ctx, h.store, func(txn kv.Txn) error { return txn.Set([]byte(key), []byte(value)) })
		switch {
		case errors.Is(err, kv.ErrFenced):
			stored, ok, err := h.store.Get(h.ctx, []byte(key), nil)
			if err != nil || string(stored) != acknowledged || ok != (i > 0) {
				h.Errorf("after the fence %q is %q, want %q; error %v", key, stored, acknowledged, err)
			}
			return
		case err != nil || now >= until:
			h.Errorf("at %d, fenced at %d, Update returns %v", now, until, err)
			return
		}
		acknowledged = value
	}
}
