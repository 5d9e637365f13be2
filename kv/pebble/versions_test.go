// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
)

// rewrite writes some of 200 keys in each of so many commits, or deletes them, and returns what is left.
func rewrite(t *testing.T, s *Store, random *rand.Rand, commits int, model map[string]string) {
	t.Helper()
	for n := range commits {
		txn, err := s.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			key := fmt.Sprintf("key%03d", 60+random.IntN(40))
			if random.IntN(20) == 0 {
				key = fmt.Sprintf("key%03d", random.IntN(200))
			}
			if random.IntN(5) == 0 {
				err = txn.Delete([]byte(key))
				delete(model, key)
			} else {
				model[key] = fmt.Sprint(n)
				err = txn.Set([]byte(key), []byte(model[key]))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := txn.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// expect walks a range and compares it with the model.
func expect(t *testing.T, s *Store, from, to int, reverse bool, model map[string]string) {
	t.Helper()
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	c := r.Scan(t.Context(), kv.Range{Start: fmt.Appendf(nil, "key%03d", from), End: fmt.Appendf(nil, "key%03d", to)},
		reverse)
	for i := range to - from {
		key := fmt.Sprintf("key%03d", from+i)
		if reverse {
			key = fmt.Sprintf("key%03d", to-1-i)
		}
		value, ok := model[key]
		if ok && (!c.Next() || string(c.Key()) != key || string(c.Value()) != value) {
			t.Fatalf("%s=%s, not %s=%s (%v)", c.Key(), c.Value(), key, value, c.Close())
		}
	}
	if c.Next() {
		t.Fatalf("%s is one too many", c.Key())
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWalkOverVersions walks over keys of which memtables hold up to hundreds of versions, and others of which they
// hold one.
func TestWalkOverVersions(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	o := small(vfs.NewMem())
	o.MemTableBytes = 32 << 20
	s := opened(t, o)
	model := map[string]string{}
	for range 40 {
		rewrite(t, s, random, 20, model)
		if random.IntN(4) == 0 {
			key := fmt.Sprintf("key%03d", random.IntN(200))
			model[key] = count(t, s, key, 2*versionsHot)
		}
		from := random.IntN(150)
		to := from + 1 + random.IntN(199-from)
		expect(t, s, from, to, random.IntN(3) == 0, model)
	}
}

// TestCrowdedSteps holds a walk to a few of the iterator's steps for a key with many versions.
func TestCrowdedSteps(t *testing.T) {
	o := small(vfs.NewMem())
	o.MemTableBytes = 32 << 20
	s := opened(t, o)
	const keys, versions = 200, 300
	for n := range versions {
		txn, err := s.Begin(t.Context())
		for i := range keys {
			if err == nil {
				err = txn.Set(fmt.Appendf(nil, "key%03d", i), fmt.Append(nil, n))
			}
		}
		if err == nil {
			err = txn.Commit(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	c := r.Scan(t.Context(), kv.Range{}, false).(*cursor)
	for i := range keys {
		if !c.Next() || string(c.Key()) != fmt.Sprintf("key%03d", i) {
			t.Fatalf("%d: %s", i, c.Key())
		}
	}
	stats := c.iter.Stats()
	if steps := stats.ForwardStepCount[pebble.InternalIterCall]; steps > 2*versionsLookEvery*versions+4*keys {
		t.Errorf("%d steps for %d keys", steps, keys)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// count writes a key so many times and returns its last value.
func count(t *testing.T, s *Store, key string, versions int) (value string) {
	t.Helper()
	for n := range versions {
		value = fmt.Sprint("count ", n)
		if err := put(s, []byte(key), []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	return value
}

// TestWalkOverCounter holds walks over a counter to a few steps, but for the first one, until there is a new memtable.
func TestWalkOverCounter(t *testing.T) {
	o := small(vfs.NewMem())
	o.MemTableBytes = 32 << 20
	s := opened(t, o)
	const keys = 100
	model := map[string]string{}
	for i := range keys {
		key := fmt.Sprintf("key%03d", i)
		model[key] = count(t, s, key, 1)
	}
	model["key050"] = count(t, s, "key050", 5*versionsHot)
	expect(t, s, 0, keys, false, model)
	if !s.versions.hot.Load() {
		t.Fatal("a walk over a key with very many versions went unnoticed")
	}
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	c := r.Scan(t.Context(), kv.Range{}, false).(*cursor)
	for c.Next() {
	}
	stats := c.iter.Stats()
	if steps := stats.ForwardStepCount[pebble.InternalIterCall]; steps > 3*keys {
		t.Errorf("%d steps for %d keys", steps, keys)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.db.Flush(); err != nil {
		t.Fatal(err)
	}
	if s.versions.hot.Load() {
		t.Error("what was true of a memtable is held of the next")
	}
	expect(t, s, 0, keys, false, model)
}

// TestFlushEarly lets walks lose more time to old versions than a flush costs, and waits for it.
func TestFlushEarly(t *testing.T) {
	o := small(vfs.NewMem())
	o.MemTableBytes = 32 << 20
	s := opened(t, o)
	random := rand.New(rand.NewPCG(1, 1))
	model := map[string]string{}
	rewrite(t, s, random, 300, model)
	if n := s.versions.asked.Load(); n != 0 {
		t.Fatalf("%d flushes, and nobody has walked", n)
	}
	walks := 0
	for ; s.versions.asked.Load() == 0; walks++ {
		if walks > 100_000 {
			t.Fatal("no flush")
		}
		expect(t, s, 60, 100, false, model)
	}
	if lost := int64(walks) * 40 * versionsSearch * 300; lost < versionsFlush*flushEntriesMin {
		t.Errorf("flushed after %d walks", walks)
	}
	for s.Metrics().Flushes == 0 {
		time.Sleep(time.Millisecond)
	}
	expect(t, s, 0, 200, false, model)
}

// BenchmarkHotRow reads a row of which the memtable holds 100,000 versions, alone and in the middle of 100 rows: the
// newest one, and the oldest one at a snapshot that was taken before the others. There is no early flush.
func BenchmarkHotRow(b *testing.B) {
	s := opened(b, benchOptions(b))
	s.versions.flushing.Store(true)
	key := func(i int) []byte { return fmt.Appendf(nil, "row%03d", i) }
	value := benchValue(1)
	for i := range 100 {
		must(b, put(s, key(i), value))
	}
	oldest, err := s.Read(b.Context())
	must(b, err)
	_, _, err = oldest.Get(b.Context(), key(50), nil) // takes the snapshot
	must(b, err)
	for range 100_000 {
		must(b, s.db.Set(key(50), value[:50], pebble.NoSync))
	}
	newest, err := s.Read(b.Context())
	must(b, err)
	for name, at := range map[string]kv.Reader{"newest": newest, "oldest": oldest} {
		b.Run("get/"+name, func(b *testing.B) {
			for b.Loop() {
				_, _, err := at.Get(b.Context(), key(50), nil)
				must(b, err)
			}
		})
		for _, reverse := range []bool{false, true} {
			b.Run(fmt.Sprintf("scan/%s/reverse=%v", name, reverse), func(b *testing.B) {
				for b.Loop() {
					c := at.Scan(b.Context(), kv.Range{}, reverse)
					for c.Next() {
					}
					must(b, c.Close())
				}
			})
		}
		must(b, at.Close())
	}
}
