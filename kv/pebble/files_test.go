// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// TestOtherUsers: no other user of the machine can open the folder or a file in it, and an older folder is warned of.
func TestOtherUsers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it has other permissions")
	}
	var log bytes.Buffer
	o := Options{Dir: filepath.Join(t.TempDir(), "parent", "store"), ReadOnlyBelowBytes: -1,
		Logger: slog.New(slog.NewTextHandler(&log, nil))}
	for range 3 { // from the second time on, log files are used again
		s := mustOpen(t, o)
		must(t, put(s, []byte("a"), []byte("1")))
		must(t, s.db.Flush())
		must(t, s.Ingest(t.Context(), feedOf("")))
		must(t, s.Close())
	}
	files := 0
	must(t, filepath.WalkDir(filepath.Dir(o.Dir), func(path string, entry fs.DirEntry, err error) error {
		must(t, err)
		info, err := entry.Info()
		must(t, err)
		want := fs.FileMode(0o600)
		if files++; entry.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the permissions %s, want %s", path, info.Mode().Perm(), want)
		}
		return nil
	}))
	if files < 7 {
		t.Errorf("%d files and folders were found", files)
	}
	if strings.Contains(log.String(), "other users") {
		t.Errorf("a folder that is private is warned of:\n%s", &log)
	}
	must(t, os.Chmod(o.Dir, 0o755))
	must(t, os.Chmod(filepath.Join(o.Dir, markerName), 0o644))
	must(t, opened(t, o).Close())
	if !strings.Contains(log.String(), "other users") {
		t.Errorf("a folder that others can read is not warned of:\n%s", &log)
	}
}

// TestOutOfFileDescriptors: when no file can be opened the store waits, says so, and goes on when one can be. Nothing
// that was acknowledged is lost.
func TestOutOfFileDescriptors(t *testing.T) {
	for _, cause := range []error{syscall.EMFILE, syscall.ENFILE} {
		files := newFaultFS(vfs.NewMem())
		var log bytes.Buffer
		options := small(files)
		options.Logger = slog.New(slog.NewTextHandler(&log, nil))
		options.Fatal = func(err error) { t.Errorf("the store stops: %v", err) }
		options.tableRetries = 2
		s := mustOpen(t, options)
		must(t, put(s, []byte("a"), []byte("1")))
		var logs, tables, manifests atomic.Int32
		files.set(func(op errorfs.Op) error {
			if op.Kind != errorfs.OpCreate && op.Kind != errorfs.OpReuseForWrite {
				return nil
			}
			counter := &manifests
			switch {
			case strings.HasSuffix(op.Path, ".log"):
				counter = &logs
			case strings.HasSuffix(op.Path, ".sst"):
				counter = &tables
			}
			if counter.Add(1) <= 5 {
				return cause
			}
			return nil
		})
		must(t, s.db.Flush()) // begins another log and writes a table
		must(t, put(s, []byte("b"), []byte("1")))
		if logs.Load() < 5 || tables.Load() < 5 {
			t.Errorf("%d logs and %d tables failed", logs.Load(), tables.Load())
		}
		must(t, s.Close())
		if !strings.Contains(log.String(), "file descriptors") {
			t.Errorf("nothing was said:\n%s", &log)
		}
		files.heal()
		again := opened(t, small(files))
		for _, key := range []string{"a", "b"} {
			if _, ok, err := again.Get(t.Context(), []byte(key), nil); !ok || err != nil {
				t.Errorf("%s is there: %t, %v", key, ok, err)
			}
		}
	}
}

// TestLogSpace: the log is as long as the space it has, so that syncs needn't write its length. What is behind its last
// record are zeros, or the half of a record; both end it, after each of several crashes.
func TestLogSpace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the log grows with what is written")
	}
	dir := t.TempDir()
	for crash := range 6 {
		s := mustOpen(t, Options{Dir: dir, ReadOnlyBelowBytes: -1})
		for i := range crash * 50 {
			if _, ok, err := s.Get(t.Context(), fmt.Appendf(nil, "key %d", i), nil); !ok || err != nil {
				t.Fatalf("after %d crashes key %d was found: %t, %v", crash, i, ok, err)
			}
		}
		for i := crash * 50; i < (crash+1)*50; i++ {
			must(t, put(s, fmt.Appendf(nil, "key %d", i), []byte("value")))
		}
		copied := copyStill(t, dir)
		if crash%2 == 1 {
			must(t, put(s, []byte("torn"), bytes.Repeat([]byte("x"), 1000)))
			tearLog(t, dir, copied)
		}
		must(t, s.Close())
		dir = copied
	}
}

// copyStill copies a store's folder as a crash at that moment would leave it: while no file came or went.
func copyStill(t *testing.T, dir string) string {
	t.Helper()
	names := func() (names []string) {
		entries, err := os.ReadDir(dir)
		must(t, err)
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil {
				names = append(names, fmt.Sprint(entry.Name(), info.Size()))
			}
		}
		return names
	}
	for {
		before, copied := names(), t.TempDir()
		if err := os.CopyFS(copied, os.DirFS(dir)); err == nil && slices.Equal(before, names()) {
			return copied
		}
	}
}

// tearLog copies half of what the newest log in from has got since it was copied to the folder to.
func tearLog(t *testing.T, from, to string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(from, "*.log"))
	must(t, err)
	name := filepath.Base(slices.Max(logs))
	now, err := os.ReadFile(filepath.Join(from, name))
	must(t, err)
	before, err := os.ReadFile(filepath.Join(to, name))
	must(t, err)
	if len(now) != len(before) || len(now) < 1<<20 {
		t.Fatalf("the log grew from %d to %d bytes", len(before), len(now))
	}
	first := 0
	for first < len(now) && now[first] == before[first] {
		first++
	}
	copy(before[first:first+500], now[first:])
	must(t, os.WriteFile(filepath.Join(to, name), before, 0o600))
}
