// SPDX-License-Identifier: Apache-2.0

package mem_test

import (
	"fmt"
	"testing"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

const benchKeys = 100_000

func benchStore(b *testing.B) *mem.Store {
	b.Helper()
	store := mem.Open(mem.Options{})
	err := kv.Update(b.Context(), store, func(txn kv.Txn) error {
		for i := range benchKeys {
			if err := txn.Set(benchKey(i), make([]byte, 200)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return store
}

func benchKey(i int) []byte { return fmt.Appendf(nil, "key %010d", i%benchKeys) }

func BenchmarkGet(b *testing.B) {
	store, dst, i := benchStore(b), make([]byte, 0, 256), 0
	for b.Loop() {
		i += 7919
		if _, ok, err := store.Get(b.Context(), benchKey(i), dst); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	store, i := benchStore(b), 0
	for b.Loop() {
		i += 7919
		if err := kv.Update(b.Context(), store,
			func(txn kv.Txn) error { return txn.Set(benchKey(i), []byte("v")) }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan100(b *testing.B) {
	store, i := benchStore(b), 0
	reader, err := store.Read(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		i += 7919
		cursor := reader.Scan(b.Context(), kv.Range{Start: benchKey(i % (benchKeys - 100))}, false)
		for range 100 {
			if !cursor.Next() {
				b.Fatal(cursor.Close())
			}
		}
		if err := cursor.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
