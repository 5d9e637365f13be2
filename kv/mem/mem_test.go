// SPDX-License-Identifier: Apache-2.0

package mem_test

import (
	"testing"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
	"github.com/weftdb/weft/kv/mem"
)

func TestEngine(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{
		Open:  func(t *testing.T) kv.Store { return mem.Open(mem.Options{}) },
		Admin: func(s kv.Store) kv.Admin { return s.(*mem.Store) },
	})
}

func TestLimits(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{Open: func(t *testing.T) kv.Store {
		return mem.Open(mem.Options{Limits: kv.Limits{KeyBytesMax: 4 << 10, ValueBytesMax: 400 << 10, TxnBytesMax: 1 << 20}})
	}})
}
