// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/weftdb/weft/kv"
)

func concurrentChecks() []check {
	return []check{
		{"many goroutines increment one counter with Update and lose nothing", func(h *harness) {
			const workers, each = 64, 4
			h.crowd(workers, func(int) error {
				for range each {
					if err := updateUntil(h.ctx, h.store,
						func(txn kv.Txn) error { return increment(h.ctx, txn, "counter", 1) }); err != nil {
						return err
					}
				}
				return nil
			})
			h.expect(h.store, "counter", strconv.Itoa(workers*each))
		}},
		{"many goroutines increment different counters and lose nothing", func(h *harness) {
			const workers, each = 16, 10
			h.crowd(workers, func(worker int) error {
				key := fmt.Sprintf("counter %02d", worker)
				for range each {
					if err := kv.Update(h.ctx, h.store,
						func(txn kv.Txn) error { return increment(h.ctx, txn, key, 1) }); err != nil {
						return err
					}
				}
				return nil
			})
			for _, e := range h.scan(h.read(), kv.Range{}, false) {
				if e.value != strconv.Itoa(each) {
					h.Errorf("%q is %q, want %d", e.key, e.value, each)
				}
			}
		}},
		{"transfers between accounts keep their sum in every snapshot", transfers},
		{"concurrent write skew on guarded keys cannot happen", guardedPairs},
		{"one of many transactions that insert the same key commits", func(h *harness) {
			const workers = 16
			txns := make([]kv.Txn, workers)
			for i := range txns {
				txns[i] = h.begin()
				h.set(txns[i], "once", strconv.Itoa(i))
			}
			var won atomic.Int64
			won.Store(-1)
			h.crowd(workers, func(worker int) error {
				err := txns[worker].Commit(h.ctx)
				if err == nil && !won.CompareAndSwap(-1, int64(worker)) {
					return errors.New("two transactions committed")
				}
				if err != nil && !errors.Is(err, kv.ErrConflict) {
					return err
				}
				return nil
			})
			h.expect(h.store, "once", strconv.FormatInt(won.Load(), 10))
		}},
	}
}

// crowd runs work in so many goroutines and fails the test with their errors.
func (h *harness) crowd(workers int, work func(worker int) error) {
	h.Helper()
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			if err := work(worker); err != nil {
				h.Errorf("worker %d: %v", worker, err)
			}
		})
	}
	wg.Wait()
	if h.Failed() {
		h.FailNow()
	}
}

// updateUntil is kv.Update for as long as it takes: in a crowd on one key its bounded attempts may all meet conflicts.
func updateUntil(ctx context.Context, store kv.Store, fn func(kv.Txn) error) error {
	for {
		if err := kv.Update(ctx, store, fn); !errors.Is(err, kv.ErrConflict) {
			return err
		}
	}
}

// increment adds to a counter kept as decimal text.
func increment(ctx context.Context, txn kv.Txn, key string, by int) error {
	n, err := counter(ctx, txn, key)
	if err != nil {
		return err
	}
	return txn.Set([]byte(key), []byte(strconv.Itoa(n+by)))
}

// counter reads a counter; an absent one is 0.
func counter(ctx context.Context, from getter, key string) (int, error) {
	value, ok, err := from.Get(ctx, []byte(key), nil)
	if err != nil || !ok {
		return 0, err
	}
	return strconv.Atoi(string(value))
}

const accounts, balance = 10, 100

func account(i int) string { return fmt.Sprintf("account %02d", i) }

// transfers moves money between accounts while readers add all of it up, forwards, backwards and inside transactions.
func transfers(h *harness) {
	seed := rand.Uint64()
	h.Logf("seed %d", seed)
	for i := range accounts {
		h.put(entry{account(i), strconv.Itoa(balance)})
	}
	const movers, auditors, each = 6, 3, 20
	h.crowd(movers+auditors, func(worker int) error {
		random := rand.New(rand.NewPCG(seed, uint64(worker)))
		for range each {
			var err error
			if worker < movers {
				err = transfer(h, random)
			} else {
				err = audit(h, worker)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	h.must(audit(h, 0))
}

// transfer moves a random amount between two random accounts.
func transfer(h *harness, random *rand.Rand) error {
	from, amount := random.IntN(accounts), random.IntN(balance)
	to := (from + 1 + random.IntN(accounts-1)) % accounts
	return updateUntil(h.ctx, h.store, func(txn kv.Txn) error {
		return errors.Join(increment(h.ctx, txn, account(from), -amount), increment(h.ctx, txn, account(to), amount))
	})
}

// audit adds up all accounts of one snapshot.
func audit(h *harness, worker int) error {
	var v view
	if worker%2 == 0 {
		r, err := h.store.Read(h.ctx)
		if err != nil {
			return err
		}
		defer r.Close()
		v = r
	} else {
		txn, err := h.store.Begin(h.ctx)
		if err != nil {
			return err
		}
		defer txn.Rollback()
		v = txn
	}
	sum := 0
	cursor := v.Scan(h.ctx, keyRange("account ", "account!"), worker%4 < 2)
	for _, e := range rest(cursor) {
		n, err := strconv.Atoi(e.value)
		if err != nil {
			return err
		}
		sum += n
	}
	if err := cursor.Close(); err != nil || sum != accounts*balance {
		return fmt.Errorf("a snapshot's accounts sum up to %d, want %d; error %w", sum, accounts*balance, err)
	}
	return nil
}

// guardedPairs switches either of two keys off if it finds both on, guarding the other one: never may both be off.
func guardedPairs(h *harness) {
	const pairs, workers = 25, 4
	for i := range pairs {
		h.put(entry{fmt.Sprintf("pair %d a", i), "on"}, entry{fmt.Sprintf("pair %d b", i), "on"})
	}
	h.crowd(workers, func(worker int) error {
		for i := range pairs {
			mine, other := fmt.Sprintf("pair %d a", i), fmt.Sprintf("pair %d b", i)
			if worker%2 == 1 {
				mine, other = other, mine
			}
			if err := updateUntil(h.ctx, h.store,
				func(txn kv.Txn) error { return switchOff(h.ctx, txn, mine, other) }); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range pairs {
		a, b := h.get(h.store, fmt.Sprintf("pair %d a", i)), h.get(h.store, fmt.Sprintf("pair %d b", i))
		if a == b {
			h.Errorf("pair %d is %s and %s, want one of them on", i, a, b)
		}
	}
}

// switchOff sets mine off if other is on.
func switchOff(ctx context.Context, txn kv.Txn, mine, other string) error {
	value, _, err := txn.Get(ctx, []byte(other), nil)
	if err != nil || string(value) == "off" {
		return err
	}
	return errors.Join(txn.Guard([]byte(other)), txn.Set([]byte(mine), []byte("off")))
}
