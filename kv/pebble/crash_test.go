// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
)

const (
	crashPairs     = 6  // writers; each counts up two keys and leaves a trail
	crashTrail     = 20 // trail keys a writer keeps
	crashPerStore  = 40 // clones of one store, before a new one is begun
	crashOpsAtMost = 60 // file operations between two clones
)

// crashClone is the file system after a loss of power, and what must be on it.
type crashClone struct {
	fs      *vfs.MemFS
	percent int
	known   [crashPairs]int64
}

// crashRun is one store under load whose file system is cloned at random file operations.
type crashRun struct {
	t      *testing.T
	mem    *vfs.MemFS
	store  *Store
	known  [crashPairs]atomic.Int64 // what was acknowledged or read, of each pair
	clones chan crashClone
	stop   atomic.Bool
	mu     sync.Mutex // guards random and due
	random *rand.Rand
	due    int // file operations until the next clone
}

// TestCrash loses power at random moments, again and again: what was acknowledged or read is there, transactions are
// whole.
func TestCrash(t *testing.T) {
	seed, wanted := rounds.Seed(t), max(rounds.Of(t, 120), 80)
	for done := 0; done < wanted && !t.Failed(); done += crashPerStore {
		crashOneStore(t, rand.New(rand.NewPCG(seed, uint64(done))), min(crashPerStore, wanted-done))
	}
}

func crashOneStore(t *testing.T, random *rand.Rand, clones int) {
	run := &crashRun{t: t, mem: vfs.NewCrashableMem(), random: random, due: 200, clones: make(chan crashClone, 2)}
	options := small(errorfs.Wrap(run.mem, errorfs.InjectorFunc(run.operation)))
	options.MemTableBytes = 64 << 10
	run.store = mustOpen(t, options)
	var wg sync.WaitGroup
	for i := range crashPairs {
		wg.Go(func() { run.write(i) })
	}
	wg.Go(run.read)
	for range clones {
		run.verify(<-run.clones)
	}
	run.stop.Store(true)
	wg.Wait()
	must(t, run.store.Close())
}

// operation is called before each file operation.
func (run *crashRun) operation(op errorfs.Op) error {
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.due--; run.due > 0 || len(run.clones) == cap(run.clones) || op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	run.due = 1 + run.random.IntN(crashOpsAtMost)
	clone := crashClone{percent: []int{0, 30, 100}[run.random.IntN(3)]}
	for i := range clone.known {
		clone.known[i] = run.known[i].Load()
	}
	clone.fs = run.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: clone.percent, RNG: run.random})
	run.clones <- clone
	return nil
}

func trailKey(i int, n int64) []byte { return fmt.Appendf(nil, "trail %d %020d", i, n) }

func pairKey(i int, side string) []byte { return fmt.Appendf(nil, "pair %d %s", i, side) }

func raise(known *atomic.Int64, to int64) {
	for was := known.Load(); was < to && !known.CompareAndSwap(was, to); {
		was = known.Load()
	}
}

// write counts pair i up: both keys, and a trail of one key for each count, with the oldest deleted.
func (run *crashRun) write(i int) {
	ctx := context.Background()
	filler := strings.Repeat("x", 300)
	for n := int64(1); !run.stop.Load(); n++ {
		err := kv.Update(ctx, run.store, func(txn kv.Txn) error {
			text := []byte(strconv.FormatInt(n, 10))
			for _, side := range []string{"a", "b"} {
				if err := txn.Set(pairKey(i, side), text); err != nil {
					return err
				}
			}
			if n > crashTrail {
				if err := txn.Delete(trailKey(i, n-crashTrail)); err != nil {
					return err
				}
			}
			return txn.Set(trailKey(i, n), []byte(filler))
		})
		if err != nil {
			run.t.Errorf("writing: %v", err)
			return
		}
		raise(&run.known[i], n)
	}
}

// read watches the pairs through Get, a snapshot's Get and a scan.
func (run *crashRun) read() {
	ctx := context.Background()
	for n := 0; !run.stop.Load(); n++ {
		i := n / 3 % crashPairs
		var seen []byte
		var err error
		switch n % 3 {
		case 0:
			seen, _, err = run.store.Get(ctx, pairKey(i, "a"), nil)
		case 1:
			seen, err = snapshotGet(run.store, pairKey(i, "b"))
		case 2:
			seen, err = snapshotScan(run.store, pairKey(i, "a"))
		}
		if err != nil {
			run.t.Errorf("reading: %v", err)
			return
		}
		if len(seen) > 0 {
			count, _ := strconv.ParseInt(string(seen), 10, 64)
			raise(&run.known[i], count)
		}
	}
}

func snapshotGet(s *Store, key []byte) ([]byte, error) {
	r, err := s.Read(context.Background())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	value, _, err := r.Get(context.Background(), key, nil)
	return value, err
}

func snapshotScan(s *Store, start []byte) (value []byte, err error) {
	r, err := s.Read(context.Background())
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cursor := r.Scan(context.Background(), kv.Range{Start: start, End: append(start, 0)}, false)
	for cursor.Next() {
		value = append(value, cursor.Value()...)
	}
	return value, cursor.Close()
}

// verify opens a clone and looks at every pair.
func (run *crashRun) verify(clone crashClone) {
	s, err := Open(small(clone.fs))
	if err != nil {
		run.t.Errorf("after a crash with %d %% of the unsynced data: %v", clone.percent, err)
		return
	}
	for i := range crashPairs {
		if err := verifyPair(s, i, clone.known[i]); err != nil {
			run.t.Errorf("after a crash with %d %% of the unsynced data: pair %d: %v", clone.percent, i, err)
		}
	}
	if err := put(s, []byte("after"), []byte("crash")); err != nil {
		run.t.Errorf("writing after a crash: %v", err)
	}
	must(run.t, s.Close())
}

func verifyPair(s *Store, i int, known int64) error {
	a, err := snapshotGet(s, pairKey(i, "a"))
	if err != nil {
		return err
	}
	b, err := snapshotGet(s, pairKey(i, "b"))
	if err != nil {
		return err
	}
	count, _ := strconv.ParseInt(string(a), 10, 64)
	if string(a) != string(b) || count < known {
		return fmt.Errorf("the keys are %q and %q, want them alike and at least %d", a, b, known)
	}
	return verifyTrail(s, i, count)
}

// verifyTrail expects exactly the trail of a pair that has been counted up to count.
func verifyTrail(s *Store, i int, count int64) error {
	r, err := s.Read(context.Background())
	if err != nil {
		return err
	}
	defer r.Close()
	cursor := r.Scan(context.Background(), kv.Range{Start: trailKey(i, 0), End: trailKey(i+1, 0)}, false)
	want := max(count-crashTrail+1, 1)
	for ; cursor.Next(); want++ {
		if string(cursor.Key()) != string(trailKey(i, want)) {
			return fmt.Errorf("count is %d, the trail has %q, want %q", count, cursor.Key(), trailKey(i, want))
		}
	}
	if want != count+1 {
		return fmt.Errorf("count is %d, the trail ends before %d", count, want)
	}
	return cursor.Close()
}
