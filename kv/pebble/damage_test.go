// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
)

const (
	damageItems     = 11_000
	damageItemsLog  = 3_000 // of them in the log alone
	damagePerCommit = 50
)

// content is the files of a folder, by name.
type content map[string][]byte

func contentOf(t *testing.T, fs vfs.FS, dir string) content {
	t.Helper()
	names, err := fs.List(dir)
	must(t, err)
	files := content{}
	for _, name := range names {
		if info, err := fs.Stat(fs.PathJoin(dir, name)); err == nil && !info.IsDir() && name != "LOCK" {
			text, err := readWhole(fs, fs.PathJoin(dir, name))
			must(t, err)
			files[name] = text
		}
	}
	return files
}

// put makes a folder of the files.
func (c content) put(t *testing.T, dir string) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewMem()
	must(t, fs.MkdirAll(dir, 0o700))
	for name, text := range c {
		// the file system of tests may change what it writes
		must(t, writeFile(fs, fs.PathJoin(dir, name), bytes.Clone(text)))
	}
	return fs
}

func damageKey(i int) []byte   { return fmt.Appendf(nil, "key %06d", i) }
func damageValue(i int) []byte { return fmt.Appendf(nil, "value %d of %x", i, i*i) }

// damageOptions are those of a store whose log takes all that is not flushed.
func damageOptions(fs vfs.FS) Options {
	o := small(fs)
	o.MemTableBytes = 4 << 20
	return o
}

// fillForDamage makes the store, and returns its files after a stop in good order, and as a crash leaves them.
func fillForDamage(t *testing.T) (stopped, crashed content) {
	t.Helper()
	fs := vfs.NewMem()
	s := mustOpen(t, damageOptions(fs))
	for i := 0; i < damageItems; i += damagePerCommit {
		must(t, kv.Update(t.Context(), s, func(txn kv.Txn) error {
			var err error
			for j := i; j < i+damagePerCommit; j++ {
				err = errors.Join(err, txn.Set(damageKey(j), damageValue(j)))
			}
			return err
		}))
		if i+damagePerCommit == damageItems-damageItemsLog {
			must(t, s.db.Flush())
		}
	}
	crashed = contentOf(t, fs, "store")
	must(t, s.Close())
	return contentOf(t, fs, "store"), crashed
}

// outcome is what became of a damaged store.
type outcome struct {
	refused error // by Open
	failed  error // of a read
	items   int   // that were read right, in their order, up to the first that was not
	log     string
}

// openDamaged opens the files and reads all.
func openDamaged(t *testing.T, files content, readOnly bool) (o outcome) {
	t.Helper()
	fs := files.put(t, "store")
	var log bytes.Buffer
	options := damageOptions(fs)
	options.ReadOnly, options.Existing, options.Logger = readOnly, true, slog.New(slog.NewTextHandler(&log, nil))
	s, err := Open(options)
	defer func() { o.log = log.String() }()
	if err != nil || readOnly {
		defer func() {
			if now := contentOf(t, fs, "store"); !maps.EqualFunc(files, now, bytes.Equal) {
				t.Errorf("files were changed: there were %q, there are %q",
					slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(now)))
			}
		}()
	}
	if err != nil {
		return outcome{refused: err}
	}
	defer func() { must(t, s.Close()) }()
	r, err := s.Read(t.Context())
	must(t, err)
	defer r.Close()
	c := r.Scan(context.Background(), kv.Range{}, false)
	for c.Next() {
		if !bytes.Equal(c.Key(), damageKey(o.items)) || !bytes.Equal(c.Value(), damageValue(o.items)) {
			t.Errorf("after %d items comes %q = %q", o.items, c.Key(), c.Value())
			break
		}
		o.items++
	}
	o.failed = c.Close()
	return o
}

// judge fails the test if an outcome is wrong without a word.
func (o *outcome) judge(t *testing.T, what string, stopped bool) string {
	t.Helper()
	switch {
	case o.refused != nil:
		if !errors.Is(o.refused, kv.ErrDamaged) && !errors.Is(o.refused, kv.ErrFormat) {
			t.Errorf("%s: no word of damage: %v", what, o.refused)
		}
		if text := o.refused.Error(); !strings.Contains(text, "restore") && !strings.Contains(text, "remove it") {
			t.Errorf("%s: the error says nothing to do: %v", what, o.refused)
		}
		return "refused"
	case o.failed != nil:
		if text := o.failed.Error(); !strings.Contains(text, "restore it from a backup") {
			t.Errorf("%s: the error says nothing to do: %v", what, o.failed)
		}
		return "read error"
	case o.items == damageItems:
		return "right"
	case !stopped && strings.Contains(o.log, "droppedBytes"):
		return "cut short, and said"
	case !stopped:
		return "cut short" // at the end of a record: nobody can know
	}
	t.Errorf("%s: only %d items are there, without a word; log:\n%s", what, o.items, o.log)
	return "wrong"
}

// TestDamage removes, cuts and changes every file of a store that was stopped in good order, and of one that crashed.
// Each is served right, or refused with a text that says what to do.
func TestDamage(t *testing.T) {
	random, places := rounds.Random(t), max(rounds.Of(t, 60), 30)
	stopped, crashed := fillForDamage(t)
	counts := map[string]int{}
	try := func(what string, files content, good bool) {
		o := openDamaged(t, files, random.IntN(2) == 0)
		counts[o.judge(t, what, good)]++
	}
	for _, good := range []bool{true, false} {
		whole := map[bool]content{true: stopped, false: crashed}[good]
		if o := openDamaged(t, whole, false); o.items != damageItems {
			t.Fatalf("%+v", o)
		}
		for name := range whole {
			without := maps.Clone(whole)
			delete(without, name)
			try(fmt.Sprintf("stopped %t: without %s", good, name), without, good)
		}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(whole)),
			func(name string) bool { return len(whole[name]) == 0 })
		for range places {
			name := names[random.IntN(len(names))]
			hurt := maps.Clone(whole)
			what := ""
			hurt[name], what = damaged(hurt[name], random)
			try(fmt.Sprintf("stopped %t: %s %s", good, name, what), hurt, good)
		}
	}
	t.Log(counts)
	if counts["refused"] == 0 || counts["read error"] == 0 || counts["right"] == 0 {
		t.Errorf("the damage is of too few kinds: %v", counts)
	}
}

// damaged returns a text with one change.
func damaged(text []byte, random *rand.Rand) ([]byte, string) {
	at := random.IntN(len(text))
	text = bytes.Clone(text)
	some := text[at:min(len(text), at+1+random.IntN(200))]
	switch random.IntN(4) {
	case 0:
		return text[:at], fmt.Sprintf("cut at %d", at)
	case 1:
		text[at] ^= 1 << random.IntN(8)
		return text, fmt.Sprintf("one bit changed at %d", at)
	case 2:
		clear(some)
		return text, fmt.Sprintf("%d zeros at %d", len(some), at)
	}
	for i := range some {
		some[i] = byte(random.Uint32())
	}
	return text, fmt.Sprintf("%d other bytes at %d", len(some), at)
}
