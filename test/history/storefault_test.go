// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/test/history/check"
)

// A faultyStore is a store below Weft with a planted fault, off until the tables are made.

// staleStore hands out snapshots that are some reads old.
type staleStore struct {
	kv.Store
	on   *atomic.Bool
	mu   sync.Mutex
	kept kv.Reader
	uses int
}

// sharedReader is a snapshot that the store closes, not its user.
type sharedReader struct{ kv.Reader }

func (sharedReader) Close() error { return nil }

func (s *staleStore) Read(ctx context.Context) (kv.Reader, error) {
	if !s.on.Load() {
		return s.Store.Read(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || s.uses == 0 {
		r, err := s.Store.Read(ctx)
		if err != nil {
			return nil, err
		}
		s.kept, s.uses = r, 20 // the one before is left open: others may still read from it
	}
	s.uses--
	return sharedReader{s.kept}, nil
}

// latestStore hands out snapshots that are none: each look-up shows what is newest.
type latestStore struct {
	kv.Store
	on *atomic.Bool
}

type latestReader struct {
	kv.Reader
	store kv.Store
}

func (s latestStore) Read(ctx context.Context) (kv.Reader, error) {
	r, err := s.Store.Read(ctx)
	if err != nil || !s.on.Load() {
		return r, err
	}
	return latestReader{r, s.Store}, nil
}

func (r latestReader) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return r.store.Get(ctx, key, dst)
}

func (r latestReader) GetMany(ctx context.Context, keys [][]byte,
	found func(i int, value []byte, ok bool) error) error {
	for i, key := range keys {
		yield()
		value, ok, err := r.store.Get(ctx, key, nil)
		if err != nil {
			return err
		}
		if err := found(i, value, ok); err != nil {
			return err
		}
	}
	return nil
}

// commitStore spoils commits: spoil stands in for some of them.
type commitStore struct {
	kv.Store
	on    *atomic.Bool
	spoil func(ctx context.Context, t *noted) error
}

// noted is a transaction that remembers its writes.
type noted struct {
	kv.Txn
	from   commitStore
	writes []noteWrite
}

type noteWrite struct {
	key, value []byte
	delete     bool
}

func (s commitStore) Begin(ctx context.Context) (kv.Txn, error) {
	txn, err := s.Store.Begin(ctx)
	if err != nil || !s.on.Load() {
		return txn, err
	}
	return &noted{Txn: txn, from: s}, nil
}

func (t *noted) UnwrapTxn() kv.Txn { return t.Txn }

func (t *noted) Set(key, value []byte) error {
	t.writes = append(t.writes, noteWrite{key: append([]byte(nil), key...), value: append([]byte(nil), value...)})
	return t.Txn.Set(key, value)
}

func (t *noted) Delete(key []byte) error {
	t.writes = append(t.writes, noteWrite{key: append([]byte(nil), key...), delete: true})
	return t.Txn.Delete(key)
}

func (t *noted) Commit(ctx context.Context) error {
	if rand.IntN(4) > 0 {
		return t.Txn.Commit(ctx)
	}
	return t.from.spoil(ctx, t)
}

// commitInTwo commits half of the writes after the other half.
func commitInTwo(ctx context.Context, t *noted) error {
	t.Rollback()
	for _, half := range [][]noteWrite{t.writes[:len(t.writes)/2], t.writes[len(t.writes)/2:]} {
		if err := commitSome(ctx, t.from.Store, half); err != nil {
			return err
		}
		for range 5 {
			yield()
		}
	}
	return nil
}

// commitSome commits writes by themselves.
func commitSome(ctx context.Context, store kv.Store, writes []noteWrite) error {
	txn, err := store.Begin(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	for _, w := range writes {
		if w.delete {
			err = txn.Delete(w.key)
		} else {
			err = txn.Set(w.key, w.value)
		}
		if err != nil {
			return err
		}
	}
	return txn.Commit(ctx)
}

// commitNever says that it has committed.
func commitNever(_ context.Context, t *noted) error {
	t.Rollback()
	return nil
}

// commitLastMissing loses the last write of a transaction.
func commitLastMissing(ctx context.Context, t *noted) error {
	t.Rollback()
	return commitSome(ctx, t.from.Store, t.writes[:max(0, len(t.writes)-1)])
}

// commitTwice commits and says that there was a conflict, so that the transaction is run again.
func commitTwice(ctx context.Context, t *noted) error {
	if err := t.Txn.Commit(ctx); err != nil {
		return err
	}
	return kv.ErrConflict
}

// storeFaults are the faults of stores, and the classes that must be found above them. // immutable
var storeFaults = []struct {
	name    string
	wrap    func(store kv.Store, on *atomic.Bool) kv.Store
	classes []check.Class
}{
	{"old snapshots", func(s kv.Store, on *atomic.Bool) kv.Store { return &staleStore{Store: s, on: on} },
		[]check.Class{check.RealTime}},
	{"no snapshots", func(s kv.Store, on *atomic.Bool) kv.Store { return latestStore{s, on} },
		[]check.Class{check.ReadSkew}},
	{"commits in two", func(s kv.Store, on *atomic.Bool) kv.Store { return commitStore{s, on, commitInTwo} },
		[]check.Class{check.ReadSkew}},
	{"commits that are none", func(s kv.Store, on *atomic.Bool) kv.Store { return commitStore{s, on, commitNever} },
		[]check.Class{check.LostElement}},
	{"commits without the last write", func(s kv.Store,
		on *atomic.Bool) kv.Store {
		return commitStore{s, on, commitLastMissing}
	}, []check.Class{check.LostElement}},
	{"commits that are called conflicts",
		func(s kv.Store, on *atomic.Bool) kv.Store { return commitStore{s, on, commitTwice} },
		[]check.Class{check.Duplicate}},
}

// TestPlantedInStore runs Weft on stores with faults.
func TestPlantedInStore(t *testing.T) {
	seed := rounds.Seed(t)
	for _, planted := range storeFaults {
		t.Run(planted.name, func(t *testing.T) {
			on := new(atomic.Bool)
			db := engines[0].openDB(t, func(store kv.Store) kv.Store { return jitter{planted.wrap(store, on)} })
			c := overAPI(db)
			makeLists(t, c)
			on.Store(true)
			rounds := int32(0)
			findPlanted(t, seed, planted.classes, func() (lists, func()) {
				rounds++
				return shifted{weftLists{c}, rounds * 100_000}, func() {}
			})
			on.Store(false)
		})
	}
}

// TestUnknownCalledAborted lets a store commit and call it an error, and clients take every error for an abort: the
// checker must see through that. It shows that outcomes which are not known must be kept apart.
func TestUnknownCalledAborted(t *testing.T) {
	seed := rounds.Seed(t)
	var faults *kvwrap.FaultyStore
	c := overAPI(engines[0].openDB(t, func(store kv.Store) kv.Store {
		faults = kvwrap.Faulty(store, kvwrap.FaultyOptions{})
		return jitter{faults}
	}))
	makeLists(t, c)
	rounds := int32(0)
	findPlanted(t, seed, []check.Class{check.AbortedRead}, func() (lists, func()) {
		for nth := range 20 {
			faults.Inject(kvwrap.Fault{Call: kvwrap.CallCommit, Nth: 1 + 20*nth, Err: kv.ErrUnknownOutcome,
				After: true})
		}
		rounds++
		return shifted{alwaysAborted{weftLists{c}}, rounds * 100_000}, func() { faults.Heal() }
	})
}

// alwaysAborted calls every error of a write an abort.
type alwaysAborted struct{ lists }

func (a alwaysAborted) write(ctx context.Context, w write) ([]int32, error) {
	before, err := a.lists.write(ctx, w)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", &refusal{Type: "#ConditionalCheckFailedException"}, err)
	}
	return before, nil
}
