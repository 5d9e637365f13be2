// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
)

// folderState is all that can be seen of a folder: names, contents, and when they were changed.
func folderState(t *testing.T, dir string) map[string]string {
	t.Helper()
	state := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		must(t, err)
		info, err := entry.Info()
		must(t, err)
		text := []byte{}
		if !entry.IsDir() {
			text, err = os.ReadFile(path)
		}
		state[path] = info.ModTime().String() + info.Mode().String() + string(text)
		return err
	}))
	return state
}

// TestReadOnly opens a store that was stopped, one that crashed and copies without their locks: all is read, and
// nothing is written.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, Options{Dir: dir, ReadOnlyBelowBytes: -1})
	must(t, put(s, []byte("a"), []byte("1")))
	must(t, s.db.Flush())
	must(t, put(s, []byte("b"), []byte("2")))
	crashed := copyStill(t, dir)
	must(t, s.Close())
	locked := copyStill(t, dir)
	must(t, os.Remove(filepath.Join(crashed, "LOCK")))
	for _, folder := range []string{dir, crashed, locked} {
		before := folderState(t, folder)
		s := mustOpen(t, Options{Dir: folder, ReadOnly: true})
		for key, value := range map[string]string{"a": "1", "b": "2"} {
			if got, _, err := s.Get(t.Context(), []byte(key), nil); err != nil || string(got) != value {
				t.Errorf("%s is %q, %v", key, got, err)
			}
		}
		for what, err := range map[string]error{
			"a write":                 put(s, []byte("c"), []byte("3")),
			"a deletion of a range":   s.DeleteRange(t.Context(), kv.Range{}),
			"Ingest":                  s.Ingest(t.Context(), feedOf("x")),
			"changes that are redone": s.Redo(t.Context(), []kv.Change{{Bytes: bytes.Repeat([]byte{0}, 12)}}),
		} {
			if !errors.Is(err, kv.ErrReadOnly) {
				t.Errorf("%s returns %v", what, err)
			}
		}
		for what, err := range map[string]error{
			"Compact":    s.Compact(t.Context(), kv.Range{}),
			"Checkpoint": s.Checkpoint(t.Context(), filepath.Join(folder, "copy")),
		} {
			if err == nil {
				t.Errorf("%s succeeds", what)
			}
		}
		must(t, s.Close())
		if after := folderState(t, folder); !maps.Equal(before, after) {
			t.Errorf("the folder was changed: it had %q, it has %q",
				slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
		}
	}
	empty := t.TempDir()
	if _, err := Open(Options{Dir: empty, ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder returns %v", err)
	}
	if _, err := Open(Options{Dir: filepath.Join(empty, "none"), ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder returns %v", err)
	}
}

// TestReadOnlyBesideWriter: a store that is in use is not read beside it.
func TestReadOnlyBesideWriter(t *testing.T) {
	mem := vfs.NewMem()
	s := opened(t, small(mem))
	must(t, put(s, []byte("a"), []byte("1")))
	o := small(mem)
	o.ReadOnly = true
	if _, err := Open(o); err == nil {
		t.Error("it is read while it is written")
	}
}
