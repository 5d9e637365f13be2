// SPDX-License-Identifier: Apache-2.0

package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/storage"
	"github.com/weftdb/weft/storage/storagetest"
)

func TestFolder(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Storage { return storage.Folder(filepath.Join(t.TempDir(), "not", "made")) })
}

// TestNothingIsLeft: what could not be written leaves no file.
func TestNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	if _, err := storage.Folder(dir).Put(t.Context(), "a", strings.NewReader("123"), 2); err == nil {
		t.Fatal("a body that ends too late was taken")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestReadAll(t *testing.T) {
	s := storage.Folder(t.TempDir())
	if _, err := s.Put(t.Context(), "a", strings.NewReader("123"), 3); err != nil {
		t.Fatal(err)
	}
	if got, err := storage.ReadAll(t.Context(), s, "a", 3); string(got) != "123" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := storage.ReadAll(t.Context(), s, "a", 2); err == nil {
		t.Error("a longer object was read")
	}
}
