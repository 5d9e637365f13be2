// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
)

// TestCopyAfterFailedStart: a start that ends before its log is made leaves a manifest and no log, which Pebble's next
// start writes nothing to. A copy is whole nevertheless.
func TestCopyAfterFailedStart(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, small(fs))
	must(t, put(s, []byte("a"), []byte("1")))
	must(t, s.db.Flush())
	must(t, s.Close())
	names, err := fs.List("store")
	must(t, err)
	for _, name := range append(logsOf(names), stateName) { // as a start removes it
		must(t, fs.Remove("store/"+name))
	}
	s = opened(t, small(fs))
	must(t, put(s, []byte("b"), []byte("2")))
	files, err := s.Copy(t.Context())
	must(t, err)
	defer files.Close()
	must(t, fs.MkdirAll("restored", 0o700))
	for _, name := range files.Names() {
		must(t, files.Check(t.Context(), name))
		file, size, err := files.Open(name)
		must(t, err)
		text, err := io.ReadAll(file)
		must(t, errors.Join(err, file.Close()))
		if int64(len(text)) != size || size == 0 && !strings.HasPrefix(name, "marker.") {
			t.Errorf("%s has %d bytes, not %d", name, len(text), size)
		}
		must(t, writeFile(fs, "restored/"+name, text))
	}
	o := small(fs)
	o.Dir = "restored"
	restored := opened(t, o)
	for key, value := range map[string]string{"a": "1", "b": "2"} {
		if got, _, err := restored.Get(t.Context(), []byte(key), nil); err != nil || string(got) != value {
			t.Errorf("%s is %q, %v", key, got, err)
		}
	}
}

// TestCopyOfDamage: a table that is damaged is not copied as if it were whole.
func TestCopyOfDamage(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, small(fs))
	for i := range 1000 {
		must(t, put(s, damageKey(i), damageValue(i)))
	}
	must(t, s.db.Flush())
	must(t, s.Close())
	files := contentOf(t, fs, "store")
	tables := 0
	for name, text := range files {
		if strings.HasSuffix(name, ".sst") {
			text[len(text)/3] ^= 1
			tables++
		}
	}
	s = opened(t, small(files.put(t, "store")))
	copied, err := s.Copy(t.Context())
	must(t, err)
	defer copied.Close()
	for _, name := range copied.Names() {
		err := copied.Check(t.Context(), name)
		if damaged := errors.Is(err, kv.ErrDamaged); damaged != strings.HasSuffix(name, ".sst") ||
			!damaged && err != nil {
			t.Errorf("Check of %s returns %v", name, err)
		}
	}
	if tables == 0 {
		t.Error("there is no table")
	}
}
