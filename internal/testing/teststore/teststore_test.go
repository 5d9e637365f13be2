// SPDX-License-Identifier: Apache-2.0

package teststore

import (
	"testing"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
	"github.com/weftdb/weft/kv/tikv"
)

// TestCluster runs the suite on a real cluster. Stores that it closes or abandons are opened again under their prefix.
func TestCluster(t *testing.T) {
	SkipUnlessReal(t)
	prefixes := map[kv.Store]string{}
	open := func(t *testing.T, prefix string) kv.Store {
		store := OpenPrefix(t, prefix)
		prefixes[store] = prefix
		return store
	}
	again := func(t *testing.T, s kv.Store) kv.Store { return open(t, prefixes[s]) }
	kvtest.Run(t, kvtest.Engine{
		Open: func(t *testing.T) kv.Store { return open(t, "weft-test/"+t.Name()+"/") },
		Reopen: func(t *testing.T, s kv.Store) kv.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return again(t, s)
		},
		Crash: again,
		Admin: func(s kv.Store) kv.Admin { return s.(*tikv.Store) },
	})
}

func TestEngines(t *testing.T) {
	for _, e := range Engines() {
		t.Run(e.Name, func(t *testing.T) {
			t.Setenv("WEFT_TEST_ENGINE", e.Name)
			store := Store(t)
			err := kv.Update(t.Context(), store, func(txn kv.Txn) error { return txn.Set([]byte("a"), []byte("1")) })
			if err != nil {
				t.Fatal(err)
			}
			if value, ok, err := store.Get(t.Context(), []byte("a"), nil); string(value) != "1" || !ok || err != nil {
				t.Fatal(value, ok, err)
			}
		})
	}
}
