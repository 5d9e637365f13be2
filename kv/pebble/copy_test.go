// SPDX-License-Identifier: Apache-2.0

package pebble_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

// TestCopy: a copy is a store of its own that shows the moment at which it was made, and leaves nothing behind.
func TestCopy(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	store, err := pebble.Open(pebble.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	put := func(text string) {
		if err := kv.Update(t.Context(), store,
			func(txn kv.Txn) error { return txn.Set([]byte("key"), []byte(text)) }); err != nil {
			t.Fatal(err)
		}
	}
	put("before")
	files, err := store.Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put("after")
	for _, name := range files.Names() {
		file, size, err := files.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		if err != nil || int64(len(text)) != size {
			t.Fatalf("%s: %d bytes of %d, %v", name, len(text), size, err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "weft-copy")); err != nil || len(left) > 0 {
		t.Errorf("a copy left %v, %v", left, err)
	}
	if _, err := store.Copy(t.Context()); err != nil { // it is given up by the end of the process
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{dir: "after", to: "before"} {
		opened, err := pebble.Open(pebble.Options{Dir: folder, Existing: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := opened.Get(t.Context(), []byte("key"), nil); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v; want %q", folder, got, err, want)
		}
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(folder, "weft-copy")); !os.IsNotExist(err) {
			t.Errorf("Open left the copies of an earlier process: %v", err)
		}
	}
}
