// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
)

// TestTableAgainstModel adds entries to a shard and removes them, beside a map. Hashes are near each other, so that
// many are searched for from one place.
func TestTableAgainstModel(t *testing.T) {
	random := rand.New(rand.NewPCG(rounds.Seed(t), 1))
	for range rounds.Of(t, 100) {
		var s tableShard
		model := map[uint64]uint64{}
		spread := 1 + random.IntN(300)
		for step := range 400 {
			hash := uint64(random.IntN(spread))<<random.IntN(8) | 1
			if e := s.entry(hash); (e != nil) != (model[hash] > 0) || (e != nil && e.version != model[hash]) {
				t.Fatalf("the entry of %x is %v, want version %d", hash, e, model[hash])
			} else if e == nil {
				model[hash] = uint64(1 + random.IntN(10))
				s.add(hash).version = model[hash]
			}
			if step%50 == 49 {
				removeBoth(t, &s, model, uint64(random.IntN(12)))
			}
		}
	}
}

// removeBoth removes what is not newer than a version, and compares what is left.
func removeBoth(t *testing.T, s *tableShard, model map[uint64]uint64, version uint64) {
	s.removeUpTo(version)
	s.fit(s.count)
	for hash, known := range model {
		if known <= version {
			delete(model, hash)
		}
	}
	if s.count != len(model) {
		t.Fatalf("the shard holds %d entries, want %d", s.count, len(model))
	}
}

// liveHeap returns the bytes and the objects on the heap that are in use.
func liveHeap() (bytes, objects int64) {
	runtime.GC()
	runtime.GC() // what had finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), int64(m.HeapObjects)
}

// TestTableMemory fills the table while a transaction is open that may conflict with all of it: the entries take little
// and the collector has nothing to walk. After the transaction the memory is given back.
func TestTableMemory(t *testing.T) {
	const keys, each = 240_000, 10_000
	txns, f := newRegistry(), new(flight)
	table := newCommitTable(txns, f, nil, tableEntriesMax)
	bytes, objects := liveHeap()
	var pin member
	txns.add(&pin, nil, &table.version)
	for from := uint64(0); from < keys; from += each {
		commitMany(t, table, from, each)
	}
	table.trim()
	fullBytes, fullObjects := liveHeap()
	if n := table.count(); n != keys {
		t.Errorf("the table holds %d entries of %d keys that may conflict", n, keys)
	}
	if most := int64(keys * 32 * 3); fullBytes-bytes > most {
		t.Errorf("%d entries take %d bytes", keys, fullBytes-bytes)
	}
	if most := int64(10 * tableShards); fullObjects-objects > most {
		t.Errorf("%d entries are %d objects", keys, fullObjects-objects)
	}
	txns.remove(&pin)
	table.trim()
	if bytesAfter, _ := liveHeap(); bytesAfter-bytes > tableShards*tablePlacesKept*32 {
		t.Errorf("afterwards %d entries keep %d bytes", table.count(), bytesAfter-bytes)
	}
	runtime.KeepAlive(table)
}

func commitMany(t *testing.T, table *commitTable, from, count uint64) {
	c := &commit{writes: &writeSet{}, blind: true}
	for i := range count {
		c.locks = append(c.locks, lockRef{hash: table.hash(binary.BigEndian.AppendUint64(nil, from+i))})
	}
	must(t, table.lock(context.Background(), c))
	g := &group{commits: []*commit{c}}
	table.flight.add(g)
	table.publish(g)
	table.flight.remove(g)
}

// TestMemoryAfterLoad loads rows in large transactions from several clients: afterwards there is little more on the
// heap for the collector to walk than before.
func TestMemoryAfterLoad(t *testing.T) {
	const rows, each, clients = 240_000, 10_000, 4
	options := small(vfs.NewMem())
	options.DiskCheckInterval = time.Hour // this test trims itself
	s := opened(t, options)
	must(t, putMany(s, 0, 1))
	_, before := liveHeap()
	var wg sync.WaitGroup
	for client := range uint64(clients) {
		wg.Go(func() {
			for from := client * rows / clients; from < (client+1)*rows/clients; from += each {
				if err := putMany(s, from, each); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s.commits.trim()
	if _, after := liveHeap(); after-before > rows/20 {
		t.Errorf("%d objects more are in use, after %d rows", after-before, rows)
	}
	if n := s.commits.count(); n > tableShards*tablePlacesKept {
		t.Errorf("the commit table holds %d entries", n)
	}
}

// putMany writes rows in one transaction.
func putMany(s *Store, from, count uint64) error {
	return kv.Update(context.Background(), s, func(txn kv.Txn) error {
		for i := from; i < from+count; i++ {
			if err := txn.Set(binary.BigEndian.AppendUint64([]byte("row"), i), []byte("v")); err != nil {
				return err
			}
		}
		return nil
	})
}
