// SPDX-License-Identifier: Apache-2.0

// Package testdb opens databases for tests, on each engine.
//
// Knows: package teststore, kv/pebble, and how to open a database over its stores.
// Never: what the tests are about.
package testdb

import (
	"log/slog"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

// Open returns an empty database, on kv/mem unless WEFT_TEST_ENGINE names another engine (see package teststore), that
// is closed when the test ends.
func Open(t testing.TB) *database.DB {
	t.Helper()
	return OpenWith(t, database.Options{})
}

// OpenWith is Open with options, such as a clock of the test's own. Their Admin and Logger are set here.
func OpenWith(t testing.TB, options database.Options) *database.DB {
	t.Helper()
	store, admin := teststore.Open(t)
	return open(t, store, admin, options)
}

// OpenPebble returns an empty database on kv/pebble over a file system in memory.
func OpenPebble(t testing.TB) *database.DB {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: vfs.NewMem(), ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return open(t, store, store, database.Options{})
}

// OpenPebbleDir returns the database on kv/pebble in a folder of the disk.
func OpenPebbleDir(t testing.TB, dir string) *database.DB {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: dir, ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return open(t, store, store, database.Options{})
}

// poll is short, so that changes of the schema don't wait where the engine is shared.
const poll = 5 * time.Millisecond

func open(t testing.TB, store kv.Store, admin kv.Admin, options database.Options) *database.DB {
	t.Helper()
	options.Admin, options.Logger = admin, slog.New(slog.DiscardHandler)
	if options.Gateway.Poll == 0 {
		options.Gateway.Poll = poll
	}
	if options.Gateway.Lease == 0 {
		options.Gateway.Lease = time.Minute // not lost on a machine that is busy for seconds
	}
	db, err := database.Open(t.Context(), store, options)
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

// Each runs a test once on an empty database of each engine: mem, pebble, and the mock of TiKV.
func Each(t *testing.T, run func(t *testing.T, db *database.DB)) {
	t.Helper()
	for _, e := range teststore.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			store, admin := e.Open(t)
			run(t, open(t, store, admin, database.Options{}))
		})
	}
}
