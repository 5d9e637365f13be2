// SPDX-License-Identifier: Apache-2.0

package backup_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/order"
	"github.com/weftdb/weft/storage"
)

func openPebble(t testing.TB, dir string) *pebble.Store {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: dir, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func set(t testing.TB, store kv.Store, from, to int, value func(i int) string) {
	t.Helper()
	for at := from; at < to; at += 500 {
		err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
			for i := at; i < min(at+500, to); i++ {
				if err := txn.Set(key(i), []byte(value(i))); err != nil {
					return err
				}
			}
			return txn.Set(keyspace.AppendMeta(nil, "format"), order.AppendUvarint(nil, keyspace.FormatVersion))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func key(i int) []byte { return fmt.Appendf(keyspace.AppendRows(nil, 1, 0), "%08d", i) }

// noise is a value that no compression makes small.
func noise(i int) string {
	random := rand.New(rand.NewPCG(uint64(i), 7))
	b := make([]byte, 300)
	for j := range b {
		b[j] = byte(random.Uint32())
	}
	return string(b)
}

// dump is all entries of a store.
func dump(t testing.TB, store kv.Store) string {
	t.Helper()
	var text strings.Builder
	c := kv.Walk(t.Context(), store, kv.Range{}, false)
	for c.Next() {
		fmt.Fprintf(&text, "%x=%x\n", c.Key(), c.Value())
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// day is a clock that goes on by a day with each look.
func day() func() time.Time {
	var days atomic.Int64
	return func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(days.Add(1))) }
}

// TestFolder makes backups of a folder while it is written to, and restores each of them.
func TestFolder(t *testing.T) {
	store := openPebble(t, t.TempDir())
	defer store.Close()
	to := storage.Folder(t.TempDir())
	now, want := day(), map[string]string{}
	for round := range 3 {
		set(t, store, round*4000, (round+1)*4000, noise)
		before := dump(t, store)
		made, err := backup.Make(t.Context(), store, to, backup.Options{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		want[made.ID] = before
		if made.Bytes() < int64(round+1)*4000*300 {
			t.Errorf("a backup of %d bytes", made.Bytes())
		}
	}
	for id, entries := range want {
		dir := filepath.Join(t.TempDir(), "made")
		if _, err := backup.Restore(t.Context(), to, backup.RestoreOptions{ID: id, Dir: dir}); err != nil {
			t.Fatal(err)
		}
		restored := openPebble(t, dir)
		if got := dump(t, restored); got != entries {
			t.Errorf("%s: %d bytes of entries were restored, not the %d that there were", id, len(got), len(entries))
		}
		if err := restored.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOnlyWhatIsNew: a backup of what has not changed writes next to nothing.
func TestOnlyWhatIsNew(t *testing.T) {
	store := openPebble(t, t.TempDir())
	defer store.Close()
	to := storage.Folder(t.TempDir())
	set(t, store, 0, 10_000, noise)
	if err := store.Compact(t.Context(), kv.Range{}); err != nil {
		t.Fatal(err)
	}
	now := day()
	first, err := backup.Make(t.Context(), store, to, backup.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	second, err := backup.Make(t.Context(), store, to, backup.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if second.WrittenBytes > first.WrittenBytes/3 || second.Bytes() < first.Bytes()/2 {
		t.Errorf("the first backup wrote %d bytes, the second one %d of %d", first.WrittenBytes, second.WrittenBytes,
			second.Bytes())
	}
}

// TestEntries makes backups of a store without files, and restores them to both engines.
func TestEntries(t *testing.T) {
	rounds.SkipRace(t)
	store := mem.Open(mem.Options{})
	defer store.Close()
	to := storage.Folder(t.TempDir())
	set(t, store, 0, 30_000, noise)
	now := day()
	first, err := backup.Make(t.Context(), store, to, backup.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	set(t, store, 5, 6, func(int) string { return "changed" })
	second, err := backup.Make(t.Context(), store, to, backup.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	if first.Written < 2 || second.Written != 1 {
		t.Errorf("the first backup wrote %d segments, the second one %d; one had changed", first.Written,
			second.Written)
	}
	dir := t.TempDir()
	for name, open := range map[string]func(context.Context) (kv.Store, kv.Admin, error){
		"pebble": func(context.Context) (kv.Store, kv.Admin, error) { s := openPebble(t, dir); return s, s, nil },
		"mem": func(context.Context) (kv.Store, kv.Admin, error) {
			s := mem.Open(mem.Options{})
			return kept{s}, s, nil
		},
		"puts": func(context.Context) (kv.Store, kv.Admin, error) {
			s := mem.Open(mem.Options{})
			return kept{s}, nil, nil
		},
	} {
		var opened kv.Store
		_, err := backup.Restore(t.Context(), to,
			backup.RestoreOptions{Store: func(ctx context.Context) (kv.Store, kv.Admin, error) {
				s, admin, err := open(ctx)
				opened = s
				return s, admin, err
			}})
		if err != nil {
			t.Fatal(name, err)
		}
		if name == "pebble" {
			opened = openPebble(t, dir)
			defer opened.Close()
		}
		if dump(t, opened) != dump(t, store) {
			t.Errorf("%s: other entries were restored", name)
		}
	}
}

// kept is a store that outlives its Close.
type kept struct{ kv.Store }

func (kept) Close() error { return nil }

// TestRefused: a restore takes no other place than an empty one, and nothing that is damaged.
func TestRefused(t *testing.T) {
	store := openPebble(t, t.TempDir())
	defer store.Close()
	place := t.TempDir()
	to := storage.Folder(place)
	if _, err := backup.Restore(t.Context(), to, backup.RestoreOptions{Dir: t.TempDir()}); err == nil {
		t.Error("a backup was restored that was never made")
	}
	set(t, store, 0, 3000, noise)
	made, err := backup.Make(t.Context(), store, to, backup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(t.Context(), to, backup.RestoreOptions{Dir: full}); err == nil ||
		!strings.Contains(err.Error(), "is not empty") {
		t.Errorf("restored over other files: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	for i := range made.Files {
		name := filepath.Join(place, "files", made.Files[i].SHA256)
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) == 0 {
			continue
		}
		for _, damaged := range [][]byte{nil, append(bytes.Clone(whole), 0),
			append(bytes.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1)} {
			if err := os.WriteFile(name, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := backup.Restore(t.Context(), to, backup.RestoreOptions{Dir: dir}); err == nil {
				t.Errorf("%s was restored though it is damaged", made.Files[i].Name)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("a restore that failed left files: %v", err)
			}
		}
		if err := os.WriteFile(name, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unusable := func(_ context.Context, dir string) error {
		if _, err := os.Stat(filepath.Join(dir, "WEFT")); err != nil {
			t.Errorf("it is checked before it is whole: %v", err)
		}
		return errors.New("it can't be opened")
	}
	_, err = backup.Restore(t.Context(), to, backup.RestoreOptions{Dir: dir, Check: unusable})
	if err == nil || !strings.Contains(err.Error(), "it can't be opened") {
		t.Errorf("a backup that can't be opened is restored: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a restore that failed its check left files: %v", err)
	}
	manifest := filepath.Join(place, "backups", made.ID)
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, append(text, ' '), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(t.Context(), to, backup.RestoreOptions{Dir: dir}); err == nil ||
		!strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged manifest was taken: %v", err)
	}
}

// TestKeep removes old backups and what only they need, and nothing else.
func TestKeep(t *testing.T) {
	store := openPebble(t, t.TempDir())
	defer store.Close()
	place := t.TempDir()
	to := storage.Folder(place)
	base := time.Now()
	for round := range 4 {
		set(t, store, 0, 2000, func(i int) string { return noise(i + round*1e6) })
		if err := store.Compact(t.Context(), kv.Range{}); err != nil {
			t.Fatal(err)
		}
		later := func() time.Time { return base.AddDate(0, 0, 2+round) }
		if _, err := backup.Make(t.Context(), store, to, backup.Options{Keep: 2, Now: later}); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := backup.IDs(t.Context(), to)
	if err != nil || len(ids) != 2 {
		t.Fatalf("%q, %v", ids, err)
	}
	needed := map[string]bool{}
	for _, id := range ids {
		made, err := backup.Restore(t.Context(), to,
			backup.RestoreOptions{ID: id, Dir: filepath.Join(t.TempDir(), "new")})
		if err != nil {
			t.Error(err)
		}
		for i := range made.Files {
			needed[made.Files[i].SHA256] = true
		}
	}
	left, err := os.ReadDir(filepath.Join(place, "files"))
	if err != nil || len(left) != len(needed) {
		t.Errorf("%d files are left, %d are needed: %v", len(left), len(needed), err)
	}
}

// xor is no cipher, but turns bytes into others.
type xor struct {
	cipher.StreamWriter
}

func (x xor) Close() error { return nil }

func stream() cipher.Stream {
	block, err := aes.NewCipher(make([]byte, 16))
	if err != nil {
		panic(err)
	}
	return cipher.NewCTR(block, make([]byte, 16))
}

func TestSealed(t *testing.T) {
	store := openPebble(t, t.TempDir())
	defer store.Close()
	place := t.TempDir()
	to := storage.Folder(place)
	set(t, store, 0, 3000, func(int) string { return "secret" })
	sealed := backup.Options{Seal: func(w io.Writer) (io.WriteCloser, error) {
		return xor{cipher.StreamWriter{S: stream(), W: w}}, nil
	}}
	if _, err := backup.Make(t.Context(), store, to, sealed); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	if _, err := backup.Restore(t.Context(), to, backup.RestoreOptions{Dir: dir}); err == nil ||
		!strings.Contains(err.Error(), "encrypted") {
		t.Errorf("restored without a key: %v", err)
	}
	open := func(r io.Reader) (io.Reader, error) { return cipher.StreamReader{S: stream(), R: r}, nil }
	if _, err := backup.Restore(t.Context(), to, backup.RestoreOptions{Dir: dir, Open: open}); err != nil {
		t.Fatal(err)
	}
	restored := openPebble(t, dir)
	defer restored.Close()
	if dump(t, restored) != dump(t, store) {
		t.Error("other entries were restored")
	}
	err := filepath.WalkDir(filepath.Join(place, "files"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, err := os.ReadFile(path)
			if bytes.Contains(text, []byte("pebble")) || bytes.Contains(text, []byte("secret")) {
				t.Errorf("%s is in plain text", path)
			}
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWhileWriting: a backup shows all that was acknowledged before it began, and whole transactions.
func TestWhileWriting(t *testing.T) {
	store := openPebble(t, t.TempDir())
	defer store.Close()
	to := storage.Folder(t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	var acknowledged atomic.Int64
	done := make(chan error, 1)
	go func() {
		for n := 1; ctx.Err() == nil; n++ {
			err := kv.Update(context.WithoutCancel(ctx), store, func(txn kv.Txn) error {
				for i := range 10 {
					if err := txn.Set(key(i), fmt.Append(nil, n)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				done <- err
				return
			}
			acknowledged.Store(int64(n))
		}
		done <- nil
	}()
	for acknowledged.Load() == 0 && len(done) == 0 {
		time.Sleep(time.Millisecond)
	}
	for range 5 {
		before := acknowledged.Load()
		made, err := backup.Make(t.Context(), store, to, backup.Options{})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "new")
		if _, err := backup.Restore(t.Context(), to, backup.RestoreOptions{ID: made.ID, Dir: dir}); err != nil {
			t.Fatal(err)
		}
		restored := openPebble(t, dir)
		first, _, err := restored.Get(t.Context(), key(0), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if v, _, err := restored.Get(t.Context(), key(i), nil); err != nil || string(v) != string(first) {
				t.Errorf("a transaction was restored in part: %s and %s, %v", first, v, err)
			}
		}
		var n int64
		if _, err := fmt.Sscan(string(first), &n); err != nil || n < before {
			t.Errorf("transaction %d was acknowledged, the backup has %s, %v", before, first, err)
		}
		if err := restored.Close(); err != nil {
			t.Error(err)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"format":1,"kind":"files","made":"2026-01-01T00:00:00Z","files":[{"name":"a","size":1,"sha256":"aa"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) { backup.ReadManifest(t, text) })
}

func FuzzSegment(f *testing.F) {
	f.Add([]byte{1, 2, 'k', 'v', 'v', 0, 0})
	f.Fuzz(func(t *testing.T, text []byte) { backup.ReadSegment(t, text) })
}
