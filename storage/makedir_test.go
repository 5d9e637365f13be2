// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestMakeDir: the name of each folder that is made is synced in its parent, after it is made.
func TestMakeDir(t *testing.T) {
	root := t.TempDir()
	in := func(names ...string) string { return filepath.Join(append([]string{root}, names...)...) }
	var synced []string
	sync := func(dir string) error {
		if _, err := os.Stat(in("a", "b", "c")); err != nil {
			t.Errorf("%s is synced before the folder is made: %v", dir, err)
		}
		synced = append(synced, dir)
		return SyncDir(dir)
	}
	for _, want := range [][]string{{in("a", "b"), in("a"), root}, {in("a", "b")}} {
		synced = nil
		if err := makeDir(in("a", "b", "c"), sync); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(synced, want) {
			t.Errorf("synced %q, want %q", synced, want)
		}
	}
	if info, err := os.Stat(in("a")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := makeDir(string(filepath.Separator), func(string) error { return nil }); err != nil {
		t.Error(err)
	}
}
