// SPDX-License-Identifier: Apache-2.0

package tikv_test

import (
	"fmt"
	"testing"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// The mock cluster is in the process: these benchmarks show what the engine and the client cost, and nothing of a
// network or a disk.

const (
	benchKeys       = 20_000
	benchValueBytes = 200
)

func benchKey(i int) []byte { return fmt.Appendf(nil, "key %010d", i%benchKeys) }

// benchStore is a cluster of three stores with benchKeys keys, in four regions.
func benchStore(b *testing.B, options tikv.Options) *tikv.Store {
	b.Helper()
	cluster, err := tikvtest.Start()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cluster.Close() })
	store, err := cluster.Open(options)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	for at := 0; at < benchKeys; at += 1000 {
		if err := putRows(b, store, at, 1000); err != nil {
			b.Fatal(err)
		}
	}
	if err := store.Split(b.Context(), [][]byte{benchKey(benchKeys / 4), benchKey(benchKeys / 2),
		benchKey(3 * benchKeys / 4)}); err != nil {
		b.Fatal(err)
	}
	return store
}

func putRows(b *testing.B, store kv.Store, at, count int) error {
	return kv.Update(b.Context(), store, func(txn kv.Txn) error {
		for i := range count {
			if err := txn.Set(benchKey(at+i), make([]byte, benchValueBytes)); err != nil {
				return err
			}
		}
		return nil
	})
}

func BenchmarkGet(b *testing.B) {
	store, dst, i := benchStore(b, tikv.Options{}), make([]byte, 0, 256), 0
	for b.Loop() {
		i += 7919
		if _, ok, err := store.Get(b.Context(), benchKey(i), dst); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func BenchmarkGetMany100(b *testing.B) {
	store, i := benchStore(b, tikv.Options{}), 0
	reader, err := store.Read(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	keys := make([][]byte, 100)
	for b.Loop() {
		for k := range keys {
			i += 7919
			keys[k] = benchKey(i)
		}
		if err := reader.GetMany(b.Context(), keys, func(int, []byte, bool) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func benchScan(b *testing.B, reverse bool) {
	store, i := benchStore(b, tikv.Options{}), 0
	reader, err := store.Read(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		i = (i + 7919) % (benchKeys - 200)
		cursor := reader.Scan(b.Context(), kv.Range{Start: benchKey(i), End: benchKey(i + 100)}, reverse)
		n := 0
		for cursor.Next() {
			n++
		}
		if err := cursor.Close(); err != nil || n != 100 {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkScan100(b *testing.B)        { benchScan(b, false) }
func BenchmarkScan100Reverse(b *testing.B) { benchScan(b, true) }

// BenchmarkUpdate reads a row and writes it, on rows that nobody else writes.
func BenchmarkUpdate(b *testing.B) {
	for _, c := range []struct {
		name    string
		options tikv.Options
	}{{"one phase", tikv.Options{}}, {"two phases", tikv.Options{TwoPhases: true}}} {
		b.Run(c.name, func(b *testing.B) {
			store, i := benchStore(b, c.options), 0
			for b.Loop() {
				i += 7919
				err := kv.Update(b.Context(), store, func(txn kv.Txn) error {
					if _, _, err := txn.Get(b.Context(), benchKey(i), nil); err != nil {
						return err
					}
					return txn.Set(benchKey(i), make([]byte, benchValueBytes))
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWrite500 writes 500 rows in a transaction.
func BenchmarkWrite500(b *testing.B) {
	store, i := benchStore(b, tikv.Options{}), 0
	for b.Loop() {
		i = (i + 7919) % (benchKeys - 500)
		if err := putRows(b, store, i, 500); err != nil {
			b.Fatal(err)
		}
	}
}
