// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/weftdb/weft/kv"
)

// TestMarker opens folders that hold the given files. The input is the marker's text; the arguments are other files.
// For reopen the store is made before.
func TestMarker(t *testing.T) {
	datadriven.RunTest(t, "testdata/marker", func(t *testing.T, d *datadriven.TestData) string {
		fs := vfs.NewMem()
		must(t, fs.MkdirAll("store", 0o755))
		if d.Cmd == "reopen" {
			must(t, mustOpen(t, small(fs)).Close())
		}
		for _, arg := range d.CmdArgs {
			must(t, writeFile(fs, "store/"+arg.Key, nil))
		}
		if d.Input != "" {
			must(t, writeFile(fs, "store/WEFT", []byte(d.Input)))
		}
		s, err := Open(small(fs))
		if err != nil {
			if !errors.Is(err, kv.ErrFormat) && !errors.Is(err, kv.ErrDamaged) {
				t.Errorf("%s: neither ErrFormat nor ErrDamaged", d.Pos)
			}
			return err.Error()
		}
		must(t, s.Close())
		text, err := readMarker(fs, "store")
		must(t, err)
		return "opened; marker:\n" + text
	})
}

func TestFolderInUse(t *testing.T) {
	o := Options{Dir: t.TempDir(), ReadOnlyBelowBytes: -1}
	s := mustOpen(t, o)
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("opening a folder twice returns %v", err)
	}
	must(t, s.Close())
	must(t, opened(t, o).Close())
}

func TestOpenWithoutDir(t *testing.T) {
	if _, err := Open(Options{}); err == nil {
		t.Error("Open without Dir succeeds")
	}
}

// TestOpenAfterCrashWhileCreating loses power after each file operation of the first Open.
func TestOpenAfterCrashWhileCreating(t *testing.T) {
	for percent := 0; percent <= 100; percent += 50 {
		mem := vfs.NewCrashableMem()
		var clones []*vfs.MemFS
		s := mustOpen(t, small(errorfs.Wrap(mem, errorfs.InjectorFunc(func(errorfs.Op) error {
			clones = append(clones, mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent,
				RNG: newRandom(uint64(len(clones)))}))
			return nil
		}))))
		opening := len(clones)
		must(t, s.Close())
		for i, clone := range clones[:opening] {
			again, err := Open(small(clone))
			if err != nil {
				t.Fatalf("after %d operations, %d %%: %v", i, percent, err)
			}
			must(t, put(again, []byte("a"), []byte("1")))
			must(t, again.Close())
		}
	}
}

// TestCheckpointOpens opens a checkpoint as a store.
func TestCheckpointOpens(t *testing.T) {
	ctx := context.Background()
	fs := vfs.NewMem()
	s := opened(t, small(fs))
	must(t, put(s, []byte("a"), []byte("1")))
	must(t, s.Checkpoint(ctx, "backups/monday"))
	if err := s.Checkpoint(ctx, "backups/monday"); err == nil {
		t.Error("a second checkpoint into one folder succeeds")
	}
	must(t, put(s, []byte("a"), []byte("2")))
	options := small(fs)
	options.Dir = "backups/monday"
	copied := opened(t, options)
	if value, _, err := copied.Get(ctx, []byte("a"), nil); err != nil || string(value) != "1" {
		t.Errorf("the checkpoint holds %q, %v", value, err)
	}
}

// TestEngineFormat is the alarm for a change of what is on the disk.
func TestEngineFormat(t *testing.T) {
	s := openMem(t)
	if got := s.db.FormatMajorVersion(); got != 24 || engineFormat != pebble.FormatValueSeparation {
		t.Errorf("the engine's format is %d: raise markerFormat when it changes", got)
	}
	if name := s.engine.Comparer.Name; name != "leveldb.BytewiseComparator" {
		t.Errorf("the comparer is %q: folders written before can't be opened", name)
	}
}

func TestMetrics(t *testing.T) {
	ctx := context.Background()
	s := openMem(t)
	for i := range 10 {
		must(t, put(s, []byte{'a', byte(i)}, make([]byte, 100)))
	}
	must(t, s.Compact(ctx, kv.Range{}))
	_, _, err := s.Get(ctx, []byte{'a', 1}, nil)
	must(t, err)
	m := s.Metrics()
	if m.LogSyncs.Count == 0 || m.Flushes == 0 || m.CommitVersion != 10 || m.ConflictEntries != 10 || m.ReadAmp == 0 ||
		m.CacheMisses == 0 || len(m.Levels) != 7 {
		t.Errorf("%+v", m)
	}
	buckets := int64(0)
	for _, n := range m.LogSyncs.Buckets {
		buckets += n
	}
	if buckets != m.LogSyncs.Count {
		t.Errorf("%d syncs in buckets, %d counted", buckets, m.LogSyncs.Count)
	}
	size, err := s.ApproximateSize(ctx, kv.Range{})
	if err != nil || size == 0 {
		t.Errorf("the size is %d, %v", size, err)
	}
	if size, err := s.ApproximateSize(ctx, kv.Range{Start: []byte("b")}); err != nil || size != 0 {
		t.Errorf("the size of an empty range is %d, %v", size, err)
	}
}

// TestIngestRefuses: keys out of order, and keys that are there.
func TestIngestRefuses(t *testing.T) {
	ctx := context.Background()
	s := openMem(t)
	must(t, put(s, []byte("m"), []byte("1")))
	for _, keys := range []string{"ba", "aa", "lmn", "mn"} {
		if err := s.Ingest(ctx, feedOf(keys)); err == nil || !strings.Contains(err.Error(), "ingest: key") {
			t.Errorf("ingesting %q returns %v", keys, err)
		}
	}
	must(t, s.Ingest(ctx, feedOf("nop")))
	if names, err := s.options.FS.List(ingestDir(s.options.FS, s.options.Dir)); err != nil || len(names) > 0 {
		t.Errorf("Ingest leaves %q, %v", names, err)
	}
}

func feedOf(keys string) func() ([]byte, []byte, error) {
	return func() ([]byte, []byte, error) {
		if keys == "" {
			return nil, nil, io.EOF
		}
		key := []byte(keys[:1])
		keys = keys[1:]
		return key, []byte("v"), nil
	}
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// TestSizeCountsMemory: what is only in memory is on its way to a file once a size that leaves out much of it is asked
// for; a little stays where it is.
func TestSizeCountsMemory(t *testing.T) {
	ctx := context.Background()
	options := small(vfs.NewMem())
	options.MemTableBytes = 16 << 20
	s := opened(t, options)
	size := func() int64 {
		n, err := s.ApproximateSize(ctx, kv.Range{})
		must(t, err)
		return n
	}
	must(t, put(s, []byte("a"), make([]byte, uncountedLeast/2)))
	if size(); s.Metrics().Flushes != 0 {
		t.Error("half of what may stay in the log went to a file")
	}
	s.uncountedAt.Store(0) // as if a second had gone by
	must(t, put(s, []byte("b"), make([]byte, uncountedLeast)))
	for size(); s.Metrics().Flushes == 0; {
		runtime.Gosched()
	}
	if size() == 0 {
		t.Error("the file counts for nothing")
	}
}
