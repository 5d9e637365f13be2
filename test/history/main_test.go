// SPDX-License-Identifier: Apache-2.0

// Package history tests how well Weft keeps transactions apart. Many clients do random requests at once; what they saw,
// with the times of their requests and answers, is a history, and a checker reports whether the same could have been
// seen had one thing been done after the other.
//
//   - Histories of lists (append_test.go) are checked for strict serializability by package check.
//   - Histories of items (item_test.go), with the reads of an index and transactions among them, are checked for
//     linearizability.
//   - A bank (bank_test.go) whose money must not become more or less.
//   - The real binary is killed in the middle of a history of lists (kill_test.go).
//
// Before a checker is trusted, databases with planted faults are shown to it (fault_test.go, storefault_test.go).
//
// Most requests call the dialect in process, on kv/mem, on kv/pebble over a file system in memory and on the mock of
// TiKV, with a store that lets goroutines take turns; the rest goes over HTTP to `weft serve`. The names of tests say
// which. Random tests print WEFT_TEST_SEED.
//
// Knows: the DynamoDB API, in process and over HTTP; the engines; the checkers.
// Never: how Weft keeps transactions apart.
package history

import (
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/test/harness"
)

// binary is the real one, built once for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "weft-history")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		binary, err = harness.Compile(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// engine is a way to keep bytes.
type engine struct {
	name string
	open func(t testing.TB) (kv.Store, kv.Admin)
}

// engines are mem, pebble, and the mock of TiKV, whose regions split and merge and change their leaders all the time.
// // immutable
var engines = allEngines()

func allEngines() (all []engine) {
	for _, e := range teststore.Engines() {
		all = append(all, engine{e.Name, e.Open})
	}
	return all
}

// open opens a database in process on an engine. wrap stands between the two.
func (e engine) openDB(t testing.TB, wrap func(kv.Store) kv.Store) *database.DB {
	t.Helper()
	store, admin := e.open(t)
	db, err := database.Open(t.Context(), wrap(store),
		database.Options{Admin: admin, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// withJitter lets goroutines take turns.
func withJitter(store kv.Store) kv.Store { return jitter{store} }
