// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
)

// TestMain checks for leaked goroutines at the end. Tests that make stores stop leave goroutines behind on purpose (see
// guard.FS), so they run in another process: see inOtherProcess.
func TestMain(m *testing.M) {
	if os.Getenv(otherProcessEnv) != "" {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

// small are options for tests: little memory, no watermark.
func small(fs vfs.FS) Options {
	return Options{Dir: "store", FS: fs, Marks: true, CacheBytes: 1 << 20, MemTableBytes: 256 << 10, ReadOnlyBelowBytes: -1,
		DiskCheckInterval: time.Hour}
}

func mustOpen(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// opened opens a store that the test closes in the end.
func opened(t testing.TB, o Options) *Store {
	t.Helper()
	s := mustOpen(t, o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestEngine(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{
		Open: func(t *testing.T) kv.Store { return mustOpen(t, small(vfs.NewCrashableMem())) },
		Reopen: func(t *testing.T, s kv.Store) kv.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return mustOpen(t, small(s.(*Store).options.FS))
		},
		Crash: func(t *testing.T, s kv.Store) kv.Store {
			clone := s.(*Store).options.FS.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 30,
				RNG: rand.New(rand.NewPCG(1, 1))})
			return mustOpen(t, small(clone))
		},
		Admin: func(s kv.Store) kv.Admin { return s.(*Store) },
	})
}

// TestEngineOnDisk runs the suite on the operating system's file system, with the defaults.
func TestEngineOnDisk(t *testing.T) {
	kvtest.Run(t, kvtest.Engine{
		Open: func(t *testing.T) kv.Store {
			return mustOpen(t, Options{Dir: filepath.Join(t.TempDir(), "a", "store"), ReadOnlyBelowBytes: -1})
		},
		Reopen: func(t *testing.T, s kv.Store) kv.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return mustOpen(t, Options{Dir: s.(*Store).options.Dir, ReadOnlyBelowBytes: -1})
		},
		Admin: func(s kv.Store) kv.Admin { return s.(*Store) },
	})
}
