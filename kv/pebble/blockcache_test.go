// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestCacheKeepsItsSize reads more than a cache holds: from a store that was just opened, whose memtable is small, and
// after writes.
func TestCacheKeepsItsSize(t *testing.T) {
	const (
		cacheBytes = 4 << 20
		most       = 8 << 20
	)
	fs := vfs.NewMem()
	for _, fresh := range []bool{false, true} {
		c := newBlockCache(cacheBytes, most)
		db, err := pebble.Open("store", &pebble.Options{FS: fs, Cache: c.cache, MemTableSize: most / 2,
			Logger: quiet{}})
		if err != nil {
			t.Fatal(err)
		}
		if !fresh {
			fill(t, db)
		}
		var looks atomic.Int64
		c.keep(time.Millisecond, func() int64 { looks.Add(1); return int64(db.Metrics().MemTable.Size) })
		for looks.Load() < 3 {
			time.Sleep(time.Millisecond)
		}
		readAll(t, db)
		if size := db.Metrics().BlockCache.Size; size > cacheBytes*5/4 || size < cacheBytes/2 {
			t.Errorf("fresh %t: the cache has %d bytes, memtables %d; want %d", fresh, size, db.Metrics().MemTable.Size,
				cacheBytes)
		}
		c.end()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// quiet is a logger of Pebble's that drops all.
type quiet struct{}

func (quiet) Infof(string, ...any)      {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

// fill writes 12 MB of noise.
func fill(t *testing.T, db *pebble.DB) {
	t.Helper()
	random, value := rand.NewChaCha8([32]byte{1}), make([]byte, 1000)
	for i := range 12_000 {
		_, _ = random.Read(value)
		if err := db.Set(fmt.Appendf(nil, "%06d", i), value, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Flush(); err != nil {
		t.Fatal(err)
	}
}

func readAll(t *testing.T, db *pebble.DB) {
	t.Helper()
	iter, err := db.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for iter.First(); iter.Valid(); iter.Next() {
	}
	if err := iter.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestUnusedCache gives up a cache that nobody has used.
func TestUnusedCache(t *testing.T) {
	newBlockCache(1<<20, 1<<20).end()
}
