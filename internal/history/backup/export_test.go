// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/weftdb/weft/storage"
)

// ReadManifest reads a text as a manifest: no file that it lists may be outside of a folder.
func ReadManifest(t *testing.T, text []byte) {
	s := storage.Folder(t.TempDir())
	id := "20260101T000000.000000Z-" + idOf(text)
	if _, err := s.Put(t.Context(), backupsPrefix+id, bytes.NewReader(text), int64(len(text))); err != nil {
		t.Fatal(err)
	}
	b, err := Read(t.Context(), s, id)
	if err != nil {
		return
	}
	for i := range b.Files {
		if name := filepath.Join("folder", b.Files[i].Name); filepath.Dir(name) != "folder" {
			t.Errorf("%q is outside", b.Files[i].Name)
		}
	}
}

// ReadSegment takes bytes apart as a segment, and puts them together again.
func ReadSegment(t *testing.T, text []byte) {
	for rest := text; len(rest) > 0; {
		key, value, next, err := cutEntry(rest)
		if err != nil {
			return
		}
		again := appendEntry(nil, key, value)
		k, v, left, err := cutEntry(again)
		if err != nil || len(left) > 0 || !bytes.Equal(k, key) || !bytes.Equal(v, value) {
			t.Fatalf("%x, %x became %x, %x, %v", key, value, k, v, err)
		}
		rest = next
	}
}
