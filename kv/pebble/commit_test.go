// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
)

func openMem(t testing.TB) *Store { return opened(t, small(vfs.NewMem())) }

func increment(ctx context.Context, txn kv.Txn, key []byte) error {
	value, _, err := txn.Get(ctx, key, nil)
	if err != nil {
		return err
	}
	count := uint64(0)
	if len(value) == 8 {
		count = binary.BigEndian.Uint64(value)
	}
	return txn.Set(key, binary.BigEndian.AppendUint64(nil, count+1))
}

// TestHotKey counts one key up from many goroutines: no count is lost.
func TestHotKey(t *testing.T) {
	const goroutines, each = 64, 20
	s := openMem(t)
	ctx := context.Background()
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range each {
				for {
					err := kv.Update(ctx, s, func(txn kv.Txn) error { return increment(ctx, txn, []byte("hot")) })
					if err == nil {
						break
					}
					if !errors.Is(err, kv.ErrConflict) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	value, _, err := s.Get(ctx, []byte("hot"), nil)
	must(t, err)
	if count := binary.BigEndian.Uint64(value); count != goroutines*each {
		t.Errorf("the count is %d, want %d", count, goroutines*each)
	}
}

// TestBlindWritesOfOneKey: they never conflict; each waits for its turn and the last one stands.
func TestBlindWritesOfOneKey(t *testing.T) {
	s := openMem(t)
	ctx := context.Background()
	var wg sync.WaitGroup
	for g := range 32 {
		wg.Go(func() {
			for n := range 20 {
				txn, err := s.Begin(ctx)
				must(t, err)
				for _, key := range rand.Perm(4) {
					must(t, txn.Set(fmt.Appendf(nil, "key %d", key), fmt.Appendf(nil, "%d.%d", g, n)))
				}
				if err := txn.Commit(ctx); err != nil {
					t.Errorf("a blind write returns %v", err)
				}
			}
		})
	}
	wg.Wait()
	first, _, err := s.Get(ctx, []byte("key 0"), nil)
	must(t, err)
	for i := range 4 {
		if value, _, err := s.Get(ctx, fmt.Appendf(nil, "key %d", i), nil); err != nil ||
			string(value) != string(first) {
			t.Errorf("key %d is %q and key 0 %q (%v)", i, value, first, err)
		}
	}
	if s.commits.count() == 0 {
		t.Error("the commit table is empty")
	}
}

// TestGivingUpALock: a blind write whose context ends while it waits for its turn writes nothing and leaves the key to
// the others.
func TestGivingUpALock(t *testing.T) {
	s := openMem(t)
	ctx, cancel := context.WithCancel(context.Background())
	key := []byte("key")
	holder := &commit{locks: []lockRef{{hash: s.commits.hash(key)}}, writes: &writeSet{}, blind: true}
	must(t, s.commits.lock(ctx, holder))
	txn, err := s.Begin(ctx)
	must(t, err)
	must(t, txn.Set(key, []byte("1")))
	gaveUp := make(chan error, 1)
	go func() { gaveUp <- txn.Commit(&lateContext{Context: ctx}) }()
	cancel()
	mustBe(t, <-gaveUp, context.Canceled)
	waiting := make(chan error, 1)
	go func() { waiting <- put(s, key, []byte("2")) }()
	s.commits.unlock(holder, 1, 0)
	must(t, <-waiting)
	if value, _, err := s.Get(context.Background(), key, nil); err != nil || string(value) != "2" {
		t.Errorf("the key is %q, %v", value, err)
	}
}

// TestPending: a key may show a commit from the moment that it is applied, before its version is known, until it is
// durable.
func TestPending(t *testing.T) {
	s := openMem(t)
	table, hash := s.commits, uint64(7)
	expect := func(when string, want *group) {
		t.Helper()
		if got := table.pending(hash); got != want {
			t.Errorf("%s: %p is pending, want %p", when, got, want)
		}
	}
	expect("at first", nil)
	var before *group // visible, not durable
	for round := range 3 {
		g := newGroup()
		c := &commit{writes: &writeSet{}, blind: true, locks: []lockRef{{hash: hash}}}
		g.commits = []*commit{c}
		must(t, table.lock(context.Background(), c))
		expect("locked", before)
		c.group.Store(g)
		expect("queued", before)
		s.flight.add(g)
		expect("being applied", g)
		table.publish(g)
		expect("applied", g)
		if before != nil {
			s.flight.remove(before)
		}
		before = g
		if round == 1 {
			s.flight.remove(g)
			expect("durable", nil)
			before = nil
		}
	}
	s.flight.remove(before)
}

// TestPruning: the commit table forgets what no transaction can conflict with.
func TestPruning(t *testing.T) {
	s := openMem(t)
	for i := range 60_000 {
		put64(t, s, uint64(i))
	}
	if n := s.commits.count(); n > 2*tableShards*tableSweepAtLeast {
		t.Errorf("the commit table holds %d entries", n)
	}
}

// put64 commits key i without the engine.
func put64(t *testing.T, s *Store, i uint64) {
	t.Helper()
	key := binary.BigEndian.AppendUint64(nil, i)
	c := &commit{writes: &writeSet{}, blind: true, locks: []lockRef{{hash: s.commits.hash(key)}}}
	must(t, s.commits.lock(context.Background(), c))
	g := &group{commits: []*commit{c}}
	s.flight.add(g)
	s.commits.publish(g)
	s.flight.remove(g)
}

// TestLongTransaction: while a transaction is open the table keeps what it may conflict with, up to a bound; beyond,
// the transaction is refused.
func TestLongTransaction(t *testing.T) {
	ctx := context.Background()
	s := openMem(t)
	s.commits = newCommitTable(s.txns, &s.flight, s.failure.Stopped(), 64*tableShards)
	begin := func(key uint64) kv.Txn {
		txn, err := s.Begin(ctx)
		must(t, err)
		_, _, err = txn.Get(ctx, binary.BigEndian.AppendUint64(nil, key), nil)
		must(t, err)
		must(t, txn.Set(binary.BigEndian.AppendUint64(nil, key), []byte("1")))
		return txn
	}
	pinned := begin(1 << 40)
	conflicting := begin(7)
	for i := range uint64(2000) {
		put64(t, s, i)
	}
	mustBe(t, conflicting.Commit(ctx), kv.ErrConflict)
	free := begin(1 << 41)
	must(t, free.Commit(ctx))
	for i := range uint64(100_000) {
		put64(t, s, 1<<20+i)
	}
	if n := s.commits.count(); n > 64*tableShards {
		t.Errorf("the commit table holds %d entries, at most %d are allowed", n, 64*tableShards)
	}
	mustBe(t, pinned.Commit(ctx), kv.ErrConflict)
	fresh := begin(1 << 42)
	must(t, fresh.Commit(ctx))
}

// TestLocksAgainstModel runs random commits one after the other against a map of versions.
func TestLocksAgainstModel(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	s := openMem(t)
	table := s.commits
	last := map[uint64]uint64{}
	for range rounds.Of(t, 5000) {
		c := &commit{writes: &writeSet{}, blind: random.IntN(4) == 0,
			start: uint64(max(0, int(table.version.Load())-random.IntN(5)))}
		want := true
		for range 1 + random.IntN(4) {
			ref := lockRef{hash: uint64(random.IntN(50))<<56 | 1,
				since: c.start - uint64(random.IntN(2))*min(c.start, 1), shared: !c.blind && random.IntN(3) == 0}
			want = want && (c.blind || last[ref.hash] <= ref.since)
			c.locks = append(c.locks, ref)
		}
		err := table.lock(context.Background(), c)
		if (err == nil) != want {
			t.Fatalf("lock returns %v, want success: %t", err, want)
		}
		if err != nil {
			continue
		}
		table.publish(&group{commits: []*commit{c}})
		for _, ref := range c.locks {
			if !ref.shared {
				last[ref.hash] = table.version.Load()
			}
		}
	}
	for i := range table.shards {
		for j := range table.shards[i].places {
			if e := &table.shards[i].places[j]; e.hash != 0 && !table.shards[i].isIdle(e) {
				t.Errorf("hash %x is still locked", e.hash)
			}
		}
	}
	if open := len(table.owners.commits) - len(table.owners.free); open != 0 {
		t.Errorf("%d commits still own locks", open)
	}
}
