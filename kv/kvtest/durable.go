// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/kv"
)

func durableChecks() []check {
	return []check{
		{"reopening keeps everything acknowledged", func(h *harness) {
			if h.engine.Reopen == nil {
				h.Skip("the engine keeps nothing")
			}
			entries := everyOther()
			h.put(entry{"\xfe\xff", "older"}, entry{"to be deleted", "x"})
			h.put(entries...)
			h.delete("to be deleted")
			open := h.begin()
			h.set(open, "never committed", "x")
			open.Rollback()
			for range 2 {
				h.use(h.engine.Reopen(h.T, h.store))
				r, err := h.store.Read(h.ctx)
				h.must(err)
				h.expectAll(r, entries...)
				h.must(r.Close())
			}
			h.put(entry{"a", "after"})
			h.expect(h.store, "a", "after")
		}},
		{"conflicts are found after reopening", func(h *harness) {
			if h.engine.Reopen == nil {
				h.Skip("the engine keeps nothing")
			}
			h.put(entry{"a", "1"})
			h.use(h.engine.Reopen(h.T, h.store))
			txn := h.begin()
			h.set(txn, "a", "2")
			h.put(entry{"a", "other"})
			h.mustConflict(txn)
		}},
		{"what Commit acknowledged is there after a crash", func(h *harness) {
			h.needsCrash()
			h.put(everyOther()...)
			for i := range 3 {
				txn := h.beginBlind()
				h.set(txn, "never committed", "x")
				h.use(h.engine.Crash(h.T, h.store))
				h.expect(h.store, "never committed", absent)
				h.expectAll(h.read(), everyOther()...)
				h.put(entry{everyOther()[0].key, "crashed"})
				h.put(entry{everyOther()[0].key, everyOther()[0].value})
				h.Logf("crash %d survived", i+1)
			}
		}},
		{"what was acknowledged or read is there after a crash amid writes, and every transaction is whole",
			crashAmidWrites},
	}
}

func (h *harness) needsCrash() {
	if h.engine.Crash == nil {
		h.Skip("the engine can't be crashed")
	}
}

// crashWriters is the number of goroutines write when the store crashes, each its own pair of keys.
const crashWriters = 8

// witness records the commits that one writer, and its readers, know to be durable.
type witness struct {
	acknowledged, read atomic.Int64
}

// crashAmidWrites crashes the store while writers count up two keys each in one transaction and readers watch them.
func crashAmidWrites(h *harness) {
	h.needsCrash()
	var witnesses [crashWriters]witness
	var stop atomic.Bool
	var busy, wg sync.WaitGroup
	busy.Add(2 * crashWriters)
	store := h.store
	for i := range crashWriters {
		w := &witnesses[i]
		wg.Go(func() {
			untilCrash(h, &stop, &busy, func(n int) error { return writePair(h, store, i, n, w) })
		})
		wg.Go(func() {
			untilCrash(h, &stop, &busy, func(n int) error { return readPair(h, store, i, n, w) })
		})
	}
	busy.Wait()
	var known [crashWriters]int64
	for i := range witnesses {
		known[i] = max(witnesses[i].acknowledged.Load(), witnesses[i].read.Load())
	}
	h.use(h.engine.Crash(h.T, store))
	stop.Store(true)
	wg.Wait()
	for i := range crashWriters {
		a, err := counter(h.ctx, h.store, pairKey(i, "a"))
		h.must(err)
		b, err := counter(h.ctx, h.store, pairKey(i, "b"))
		h.must(err)
		if a != b || int64(a) < known[i] {
			h.Errorf("after the crash writer %d's keys are %d and %d, want both alike and at least %d", i, a, b,
				known[i])
		}
	}
}

func pairKey(i int, side string) string { return fmt.Sprintf("writer %02d %s", i, side) }

// writesBeforeCrash is the number of commits or reads each goroutine makes before the crash may come.
const writesBeforeCrash = 10

// untilCrash takes step after step, until it has to stop or meets an error, which it may only after the crash.
func untilCrash(h *harness, stop *atomic.Bool, busy *sync.WaitGroup, step func(n int) error) {
	for n := 1; !stop.Load(); n++ {
		err := step(n)
		if n <= writesBeforeCrash && err != nil {
			h.Errorf("before the crash: %v", err)
			busy.Done()
		}
		if err != nil {
			return
		}
		if n == writesBeforeCrash {
			busy.Done()
		}
	}
}

// writePair commits n to both keys of pair i.
func writePair(h *harness, store kv.Store, i, n int, w *witness) error {
	text := strconv.Itoa(n)
	err := kv.Update(h.ctx, store, func(txn kv.Txn) error {
		return setAll(txn, []entry{{pairKey(i, "a"), text}, {pairKey(i, "b"), text}})
	})
	if err == nil {
		w.acknowledged.Store(int64(n))
	}
	return err
}

// readPair notes what it reads of pair i by Get or by a scan.
func readPair(h *harness, store kv.Store, i, n int, w *witness) (err error) {
	var seen int
	if n%2 == 0 {
		seen, err = scanPair(h, store, i)
	} else {
		seen, err = counter(h.ctx, store, pairKey(i, "a"))
	}
	w.read.Store(max(w.read.Load(), int64(seen)))
	return err
}

// scanPair reads pair i by a scan of a snapshot; both keys must be alike.
func scanPair(h *harness, store kv.Store, i int) (int, error) {
	r, err := store.Read(h.ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	cursor := r.Scan(h.ctx, keyRange(pairKey(i, "a"), pairKey(i, "c")), false)
	all := rest(cursor)
	if err := cursor.Close(); err != nil || len(all) == 0 {
		return 0, err
	}
	if len(all) != 2 || all[0].value != all[1].value {
		return 0, fmt.Errorf("a scan shows half a transaction:\n%s", entriesText(all))
	}
	return strconv.Atoi(all[0].value)
}
