// SPDX-License-Identifier: Apache-2.0

package mem_test

import (
	"testing"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
	"github.com/weftdb/weft/kv/mem"
)

// TestHandles runs the suite on one of several handles of a store.
func TestHandles(t *testing.T) {
	stores := map[kv.Store]*mem.Store{}
	kvtest.Run(t, kvtest.Engine{
		Open: func(*testing.T) kv.Store {
			store := mem.Open(mem.Options{})
			handle := store.Share()
			stores[handle] = store
			return handle
		},
		Reopen: func(t *testing.T, s kv.Store) kv.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			handle := stores[s].Share()
			stores[handle] = stores[s]
			return handle
		},
		Admin: func(s kv.Store) kv.Admin { return stores[s] },
	})
}

func TestEngine(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{
		Open:  func(t *testing.T) kv.Store { return mem.Open(mem.Options{}) },
		Admin: func(s kv.Store) kv.Admin { return s.(*mem.Store) },
	})
}

func TestLimits(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Open: func(t *testing.T) kv.Store {
		return mem.Open(mem.Options{Limits: kv.Limits{KeyBytesMax: 4 << 10, ValueBytesMax: 400 << 10,
			TxnBytesMax: 1 << 20}})
	}})
}
