// SPDX-License-Identifier: Apache-2.0

package storage_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weftdb/weft/storage"
	"github.com/weftdb/weft/storage/storagetest"
)

func TestFolder(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Storage {
		return storage.Folder(filepath.Join(t.TempDir(), "not", "made"))
	})
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

// TestLinks: no link leads out of the folder, and no error tells where it is.
func TestLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("x"), 0o600), os.WriteFile(filepath.Join(dir, "own"),
		[]byte("y"), 0o600), os.Mkdir(filepath.Join(dir, "in"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"l.json": secret, "link": outside,
		"rel": "../" + filepath.Base(outside), "inner": "own", "folder": "in"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	s := storage.Folder(dir)
	for _, name := range []string{"l.json", "link/secret", "rel/secret"} {
		if body, err := s.Get(t.Context(), name, 0, -1); err == nil {
			t.Errorf("%s was read", name)
			_ = body.Close()
		} else if strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), outside) {
			t.Error(err)
		}
	}
	for _, name := range []string{"link/new", "rel/sub/new", "own/below"} {
		if _, err := s.Put(t.Context(), name, strings.NewReader("z"), 1); err == nil {
			t.Errorf("%s was written", name)
		} else if strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), outside) {
			t.Error(err)
		}
	}
	for _, name := range []string{"link/secret", "rel/secret"} {
		if err := s.Delete(t.Context(), name); err == nil {
			t.Errorf("%s was deleted", name)
		}
	}
	for o, err := range s.List(t.Context(), "", "") {
		if err != nil || strings.Contains(o.Name, "/") {
			t.Error(o, err)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside: %v, %v", left, err)
	}
	if _, err := storage.ReadAll(t.Context(), s, "inner", 10); err != nil {
		t.Error("a link within the folder:", err)
	}
	if _, err := s.Put(t.Context(), "folder/new", strings.NewReader("z"), 1); err != nil {
		t.Error("a link within the folder:", err)
	}
}
