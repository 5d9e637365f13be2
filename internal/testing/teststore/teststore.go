// SPDX-License-Identifier: Apache-2.0

// Package teststore opens stores for tests, on each engine.
//
// WEFT_TEST_ENGINE says which engine Open takes, so that every test that leaves the choice to it can be run on any: mem
// (the default), pebble (over a file system in memory) or tikv. That one is client-go's mock cluster with three stores,
// whose regions split and merge and change their leaders all the time, by a seed that is printed; or, if
// WEFT_TEST_TIKV_PD holds addresses of placement drivers, host:port with commas, a real cluster, where each store has a
// prefix of its own that is cleared in the end.
//
// Knows: the engines.
// Never: what the tests are about.
package teststore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// Engine is a way to keep bytes.
type Engine struct {
	Name string
	// Open returns an empty store, which the caller closes, and its operator's side.
	Open func(t testing.TB) (kv.Store, kv.Admin)
}

// Engines are all: mem, pebble, tikv.
func Engines() []Engine {
	return []Engine{{"mem", openMem}, {"pebble", openPebble}, {"tikv", openTiKV}}
}

// Open returns an empty store of the engine that WEFT_TEST_ENGINE names. The caller closes it.
func Open(t testing.TB) (kv.Store, kv.Admin) {
	t.Helper()
	wanted := os.Getenv("WEFT_TEST_ENGINE")
	if wanted == "" {
		return openMem(t)
	}
	for _, e := range Engines() {
		if e.Name == wanted {
			return e.Open(t)
		}
	}
	t.Fatalf("WEFT_TEST_ENGINE is %q: use mem, pebble or tikv", wanted)
	return nil, nil
}

// Store is Open for tests that want nothing of the operator and leave the closing to it.
func Store(t testing.TB) kv.Store {
	t.Helper()
	store, _ := Open(t)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func openMem(testing.TB) (kv.Store, kv.Admin) {
	store := mem.Open(mem.Options{})
	return store, store
}

func openPebble(t testing.TB) (kv.Store, kv.Admin) {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: vfs.NewMem(), ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return store, store
}

// requestsBetweenFaults bounds the pause between two faults of the mock cluster.
const requestsBetweenFaults = 100

func openTiKV(t testing.TB) (kv.Store, kv.Admin) {
	t.Helper()
	tikvtest.Quiet()
	if Real() {
		return openReal(t)
	}
	cluster, err := tikvtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Close(); err != nil {
			t.Error(err)
		}
	})
	store, err := cluster.Open(tikv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seed := rounds.Seed(t)
	t.Cleanup(cluster.Disturb(seed, requestsBetweenFaults, true).Stop)
	return store, store
}

// drivers is the variable with the addresses of a real cluster.
const drivers = "WEFT_TEST_TIKV_PD"

// Real reports whether the engine tikv is a real cluster.
func Real() bool { return os.Getenv(drivers) != "" }

// SkipUnlessReal skips a test that is only about a real cluster.
func SkipUnlessReal(t testing.TB) {
	t.Helper()
	if !Real() {
		t.Skip(drivers + " names no placement driver of a real TiKV cluster: the mock cluster only")
	}
}

// connectTimeout bounds the connecting to a real cluster.
const connectTimeout = 30 * time.Second

func openReal(t testing.TB) (kv.Store, kv.Admin) {
	t.Helper()
	store := OpenPrefix(t, fmt.Sprintf("weft-test/%d/%016x/", time.Now().Unix(), rand.Uint64()))
	return store, store
}

// OpenPrefix opens a store on the real cluster. The prefix is cleared when the test ends. The caller closes the store.
func OpenPrefix(t testing.TB, prefix string) *tikv.Store {
	t.Helper()
	options := tikv.Options{PD: strings.Split(os.Getenv(drivers), ","), Prefix: []byte(prefix)}
	open := func() (*tikv.Store, error) {
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		defer cancel()
		return tikv.Open(ctx, options)
	}
	store, err := open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the test has closed its own
		cleaner, err := open()
		if err != nil {
			t.Error(err)
			return
		}
		if err := cleaner.DeleteRange(context.Background(), kv.Range{}); err != nil {
			t.Error(err)
		}
		if err := cleaner.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}
