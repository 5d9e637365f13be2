// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
)

// The benchmarks run the same work on the store ("weft") and on Pebble alone with the same options ("raw"), on a real
// disk.

const (
	benchRows    = 200_000
	benchWriters = 64
)

func benchKey(dst []byte, i uint64) []byte {
	dst = append(dst, "table/0001/"...)
	return binary.BigEndian.AppendUint64(dst, i*0x9e3779b97f4a7c15)
}

func benchValue(i uint64) []byte {
	value := make([]byte, 200)
	random := rand.NewPCG(i, 1)
	for at := 0; at < len(value)/2; at += 8 {
		binary.LittleEndian.PutUint64(value[at:], random.Uint64())
	}
	return value
}

func benchOptions(b *testing.B) Options {
	return Options{Dir: b.TempDir(), CacheBytes: 256 << 20, ReadOnlyBelowBytes: -1}
}

// benchStore is a store with benchRows rows in its tables.
func benchStore(b *testing.B) *Store {
	s := opened(b, benchOptions(b))
	loadRows(b, s.db)
	return s
}

func benchRaw(b *testing.B) *pebble.DB {
	o := benchOptions(b).withDefaults()
	cache := pebble.NewCache(o.CacheBytes)
	defer cache.Unref()
	db, err := pebble.Open(o.Dir, o.engineOptions(vfs.Default, quietLogger{}, cache))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	loadRows(b, db)
	return db
}

func loadRows(b *testing.B, db *pebble.DB) {
	b.Helper()
	for from := uint64(0); from < benchRows; from += 1000 {
		batch := db.NewBatch()
		for i := from; i < from+1000; i++ {
			must(b, batch.Set(benchKey(nil, i), benchValue(i), nil))
		}
		must(b, batch.Commit(pebble.NoSync))
	}
	must(b, db.Flush())
	must(b, db.Compact(context.Background(), []byte("a"), []byte("z"), false))
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// spent is what the process has used: nanoseconds of CPU, steadier than the wall clock on a machine that others use
// too, and context switches.
func spent(b *testing.B) (cpu, switches int64) {
	var usage syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano(), usage.Nvcsw + usage.Nivcsw
}

// parallel runs op in about goroutines goroutines, each with its own random numbers.
func parallel(b *testing.B, goroutines int, op func(random *rand.PCG)) {
	procs := max(goroutines/2, 1) // RunParallel multiplies by GOMAXPROCS
	b.SetParallelism(procs)
	var seed atomic.Uint64
	b.ResetTimer()
	b.ReportAllocs()
	cpuBefore, switchesBefore := spent(b)
	defer func() {
		cpu, switches := spent(b)
		b.ReportMetric(float64(cpu-cpuBefore)/float64(b.N), "cpu-ns/op")
		b.ReportMetric(float64(switches-switchesBefore)/float64(b.N), "switches/op")
	}()
	b.RunParallel(func(pb *testing.PB) {
		random := rand.NewPCG(seed.Add(1), 7)
		for pb.Next() {
			op(random)
		}
	})
}

func BenchmarkGet(b *testing.B) {
	ctx := context.Background()
	b.Run("raw", func(b *testing.B) {
		db := benchRaw(b)
		parallel(b, 2, func(random *rand.PCG) {
			var buf [32]byte
			var dst [256]byte
			value, closer, err := db.Get(benchKey(buf[:0], random.Uint64()%benchRows))
			must(b, err)
			copy(dst[:], value)
			must(b, closer.Close())
		})
	})
	b.Run("weft", func(b *testing.B) {
		s := benchStore(b)
		parallel(b, 2, func(random *rand.PCG) {
			var buf [32]byte
			var dst [256]byte
			_, ok, err := s.Get(ctx, benchKey(buf[:0], random.Uint64()%benchRows), dst[:0])
			if must(b, err); !ok {
				b.Error("missing")
			}
		})
	})
}

func put(s *Store, key, value []byte) error {
	txn, err := s.Begin(context.Background())
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if err := txn.Set(key, value); err != nil {
		return err
	}
	return txn.Commit(context.Background())
}

func rawPut(db *pebble.DB, key, value []byte) error {
	batch := db.NewBatch()
	if err := batch.Set(key, value, nil); err != nil {
		return err
	}
	if err := batch.Commit(pebble.Sync); err != nil {
		return err
	}
	return batch.Close()
}

func BenchmarkPut(b *testing.B) {
	value := benchValue(1)
	for _, writers := range []int{1, 8, 32, benchWriters} {
		b.Run(fmt.Sprintf("writers=%d/raw", writers), func(b *testing.B) {
			db := benchRaw(b)
			parallel(b, writers, func(random *rand.PCG) {
				var buf [32]byte
				must(b, rawPut(db, benchKey(buf[:0], random.Uint64()), value))
			})
		})
		b.Run(fmt.Sprintf("writers=%d/weft", writers), func(b *testing.B) {
			s := benchStore(b)
			parallel(b, writers, func(random *rand.PCG) {
				var buf [32]byte
				must(b, put(s, benchKey(buf[:0], random.Uint64()), value))
			})
		})
	}
}

func BenchmarkReadModifyWrite(b *testing.B) {
	ctx := context.Background()
	b.Run("raw", func(b *testing.B) { // without any isolation
		db := benchRaw(b)
		parallel(b, benchWriters, func(random *rand.PCG) {
			var buf [32]byte
			var dst [256]byte
			key := benchKey(buf[:0], random.Uint64()%benchRows)
			value, closer, err := db.Get(key)
			must(b, err)
			n := copy(dst[:], value)
			must(b, closer.Close())
			dst[0]++
			must(b, rawPut(db, key, dst[:n]))
		})
	})
	b.Run("weft", func(b *testing.B) {
		s := benchStore(b)
		parallel(b, benchWriters, func(random *rand.PCG) {
			var buf [32]byte
			var dst [256]byte
			key := benchKey(buf[:0], random.Uint64()%benchRows)
			must(b, kv.Update(ctx, s, func(txn kv.Txn) error {
				value, _, err := txn.Get(ctx, key, dst[:0])
				if err != nil {
					return err
				}
				value[0]++
				return txn.Set(key, value)
			}))
		})
	})
}

func BenchmarkScan100(b *testing.B) {
	ctx := context.Background()
	for _, reverse := range []bool{false, true} {
		b.Run(fmt.Sprintf("reverse=%t/raw", reverse), func(b *testing.B) {
			db := benchRaw(b)
			parallel(b, 2, func(random *rand.PCG) { rawScan(b, db, random.Uint64()%benchRows, reverse) })
		})
		b.Run(fmt.Sprintf("reverse=%t/weft", reverse), func(b *testing.B) {
			s := benchStore(b)
			parallel(b, 2, func(random *rand.PCG) {
				r, err := s.Read(ctx)
				must(b, err)
				var buf [32]byte
				key := benchKey(buf[:0], random.Uint64()%benchRows)
				bounds := kv.Range{Start: key}
				if reverse {
					bounds = kv.Range{End: key}
				}
				cursor := r.Scan(ctx, bounds, reverse)
				sum := 0
				for n := 0; n < 100 && cursor.Next(); n++ {
					sum += len(cursor.Key()) + len(cursor.Value())
				}
				must(b, cursor.Close())
				must(b, r.Close())
			})
		})
	}
}

func rawScan(b *testing.B, db *pebble.DB, from uint64, reverse bool) {
	var buf [32]byte
	key := benchKey(buf[:0], from)
	bounds := &pebble.IterOptions{LowerBound: key}
	if reverse {
		bounds = &pebble.IterOptions{UpperBound: key}
	}
	iter, err := db.NewIter(bounds)
	must(b, err)
	move, ok := iter.Next, false
	if ok = !reverse && iter.First(); reverse {
		move, ok = iter.Prev, iter.Last()
	}
	sum := 0
	for n := 0; n < 100 && ok; n++ {
		sum += len(iter.Key()) + len(iter.Value())
		ok = move()
	}
	must(b, iter.Close())
}

// BenchmarkMixed is nine reads to one durable write.
func BenchmarkMixed(b *testing.B) {
	ctx := context.Background()
	value := benchValue(1)
	b.Run("raw", func(b *testing.B) {
		db := benchRaw(b)
		parallel(b, benchWriters, func(random *rand.PCG) {
			var buf [32]byte
			key := benchKey(buf[:0], random.Uint64()%benchRows)
			if random.Uint64()%10 == 0 {
				must(b, rawPut(db, key, value))
				return
			}
			_, closer, err := db.Get(key)
			must(b, err)
			must(b, closer.Close())
		})
	})
	b.Run("weft", func(b *testing.B) {
		s := benchStore(b)
		parallel(b, benchWriters, func(random *rand.PCG) {
			var buf [32]byte
			var dst [256]byte
			key := benchKey(buf[:0], random.Uint64()%benchRows)
			if random.Uint64()%10 == 0 {
				must(b, put(s, key, value))
				return
			}
			_, _, err := s.Get(ctx, key, dst[:0])
			must(b, err)
		})
	})
}

type quietLogger struct{}

func (quietLogger) Infof(string, ...any)  {}
func (quietLogger) Errorf(string, ...any) {}
func (quietLogger) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}
