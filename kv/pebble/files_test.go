// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
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
	o := Options{Dir: filepath.Join(t.TempDir(), "parent", "store"), ReadOnlyBelowBytes: -1, Logger: slog.New(slog.NewTextHandler(&log, nil))}
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

// TestOutOfFileDescriptors: when no file can be opened the store waits, says so, and goes on when one can be. Nothing that was acknowledged is lost.
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
