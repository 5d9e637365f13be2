// SPDX-License-Identifier: Apache-2.0

package spill_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/resource/spill"
)

// TestFolder: all files have so many bytes together, and what a closed one had is free again.
func TestFolder(t *testing.T) {
	folder := &spill.Folder{Dir: t.TempDir(), Room: memory.New(100)}
	create := func() *spill.File {
		t.Helper()
		f, err := folder.Create()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	one, two := create(), create()
	write := func(f *spill.File, n int, want error) {
		t.Helper()
		if _, err := f.Write(make([]byte, n)); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, not %v", n, err, want)
		}
	}
	write(one, 60, nil)
	write(two, 40, nil)
	write(two, 1, spill.ErrFull)
	if _, err := one.Seek(0, io.SeekStart); err != nil {
		t.Error(err)
	}
	if b, err := io.ReadAll(one); err != nil || len(b) != 60 {
		t.Errorf("read %d bytes, %v", len(b), err)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	write(two, 60, nil)
	if err := two.Close(); err != nil || folder.Room.Used() != 0 {
		t.Errorf("%v, %d bytes are taken in the end", err, folder.Room.Used())
	}
	if left, err := os.ReadDir(folder.Dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestFree: writing ends before the disk is full.
func TestFree(t *testing.T) {
	free := int64(100 << 20)
	folder := &spill.Folder{Dir: t.TempDir(), Free: func() (int64, error) { return free, nil }}
	f, err := folder.Create()
	if err != nil {
		t.Fatal(err)
	}
	const chunk = 1 << 20
	for err == nil {
		var n int
		n, err = f.Write(make([]byte, chunk))
		if free -= int64(n); free < 0 {
			t.Fatal("the disk is full")
		}
	}
	if !errors.Is(err, spill.ErrFull) {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestOpen makes the folder, and bounds what is written by what is free.
func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for _, most := range []int64{0, 10} {
		folder, err := spill.Open(dir, most)
		if err != nil {
			t.Fatal(err)
		}
		if most > 0 && folder.Room.Limit() != most {
			t.Errorf("%d bytes are allowed", folder.Room.Limit())
		}
		if free, err := folder.Free(); err == nil && most == 0 && (folder.Room == nil || folder.Room.Limit() > free) {
			t.Errorf("of %d bytes, %+v is for files", free, folder.Room)
		}
	}
}

// TestErrors: no error tells where the folder is.
func TestErrors(t *testing.T) {
	folder := &spill.Folder{Dir: filepath.Join(t.TempDir(), "missing")}
	if _, err := folder.Create(); err == nil || strings.Contains(err.Error(), folder.Dir) || !errors.Is(err,
		os.ErrNotExist) {
		t.Error(err)
	}
}
