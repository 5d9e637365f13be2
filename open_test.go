// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/kv/mem"
)

// TestOpen: a folder is made, opened again, opened to be read, and not twice at once.
func TestOpen(t *testing.T) {
	ctx, dir := t.Context(), filepath.Join(t.TempDir(), "new", "data")
	if _, err := weft.Open(ctx, dir, weft.Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there, to be read: %v", err)
	}
	if _, err := weft.Open(ctx, "", weft.Options{}); err == nil {
		t.Error("no folder is one")
	}
	db, err := weft.Open(ctx, dir, weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Ready(); err != nil {
		t.Error(err)
	}
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("k"))})
	check(table.Put(ctx, weft.Document{"k": "a"}))
	if _, err := weft.Open(ctx, dir, weft.Options{}); !errors.Is(err, weft.ErrLocked) ||
		weft.KindOf(err) != weft.KindUnavailable {
		t.Errorf("a folder that is opened twice: %v", err)
	}
	check(db.Close())
	check(db.Close())
	if err := table.Put(ctx, weft.Document{"k": "b"}); weft.KindOf(err) != weft.KindClosed {
		t.Errorf("a write after Close: %v", err)
	}
	if err := db.Ready(); weft.KindOf(err) != weft.KindClosed {
		t.Errorf("a closed database is ready: %v", err)
	}
	if db, err = weft.Open(ctx, dir, weft.Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, ok, err := db.Table("t").Get(ctx, weft.Document{"k": "a"}); !ok || err != nil {
		t.Error(ok, err)
	}
	if err := db.Table("t").Put(ctx, weft.Document{"k": "b"}); weft.KindOf(err) != weft.KindReadOnly {
		t.Errorf("a write to what is read alone: %v", err)
	}
}

// TestOpenStore: the caller's store stays open.
func TestOpenStore(t *testing.T) {
	ctx, store := t.Context(), mem.Open(mem.Options{})
	for range 2 {
		db, err := weft.OpenStore(ctx, store, weft.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.EnsureTable(ctx, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("k"))}); err != nil {
			t.Fatal(err)
		}
		check(db.Close())
	}
	check(store.Close())
}

// TestQuiet: a program that gives no Logger is not told what goes well.
func TestQuiet(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	for _, loud := range []bool{false, true} {
		var out lockedBuffer
		all := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		slog.SetDefault(all)
		options := weft.Options{}
		if loud {
			options.Logger = all
		}
		db, err := weft.OpenMemory(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("k"))})
		check(table.Put(t.Context(), weft.Document{"k": "a"}))
		check(table.AddIndex(t.Context(), weft.IndexSpec{Name: "x", Key: weft.Key(weft.Number("n"))}))
		check(table.WaitIndex(t.Context(), "x"))
		check(db.WaitJobs(t.Context()))
		check(db.Close())
		if got := out.String(); strings.Contains(got, "job done") != loud || !loud && got != "" {
			t.Errorf("with a Logger %t: %q", loud, got)
		}
	}
}

// lockedBuffer takes text from several goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestDatabases: name spaces, and tables in them.
func TestDatabases(t *testing.T) {
	db, ctx := open(t), t.Context()
	check(db.CreateDatabase(ctx, "shop"))
	if err := db.CreateDatabase(ctx, "shop"); weft.KindOf(err) != weft.KindExists {
		t.Error(err)
	}
	spec := weft.TableSpec{Database: "shop", Name: "orders", Key: weft.Key(weft.String("id"))}
	orders := makeTable(t, db, spec)
	check(orders.Put(ctx, weft.Document{"id": "o1"}))
	if _, _, err := db.Table("orders").Get(ctx, weft.Document{"id": "o1"}); weft.KindOf(err) != weft.KindNotFound ||
		orders.Name() != "orders" {
		t.Errorf("a table of another database: %v", err)
	}
	if _, ok, err := db.TableIn("shop", "orders").Get(ctx, weft.Document{"id": "o1"}); !ok || err != nil {
		t.Error(ok, err)
	}
	if got := strings.Join(append(db.Tables("shop"), db.Databases()...), " "); got != "orders default shop" ||
		len(db.Tables("")) != 0 {
		t.Error(got)
	}
	if err := db.DropDatabase(ctx, "shop", false); weft.KindOf(err) != weft.KindInvalid {
		t.Errorf("a database with tables: %v", err)
	}
	check(orders.Drop(ctx))
	check(db.DropDatabase(ctx, "shop", false))
	if err := orders.Drop(ctx); weft.KindOf(err) != weft.KindNotFound {
		t.Error(err)
	}
}

// TestEnsureTable: what is missing is made, also expiry and streams, and what differs is refused.
func TestEnsureTable(t *testing.T) {
	db, ctx := open(t), t.Context()
	spec := weft.TableSpec{Name: "t", Key: weft.Key(weft.String("a"), weft.Number("b").Desc())}
	makeTable(t, db, spec)
	spec.Indexes = []weft.IndexSpec{
		{Name: "place", Key: weft.Key(weft.ZOrder("lat lat, lon lon"))},
		{Name: "words", Search: true, Key: weft.Key(weft.Words("english", "text"), weft.Number("b"))},
	}
	spec.Expiry, spec.Stream, spec.RecoveryDays = "until", weft.StreamNew, 1
	var table *weft.Table
	for range 2 {
		var err error
		if table, err = db.EnsureTable(ctx, spec); err != nil {
			t.Fatal(err)
		}
	}
	indexes, err := table.Indexes()
	if err != nil || len(indexes) != 2 || !indexes[0].Active || !indexes[1].Active || !indexes[1].Search ||
		indexes[0].Key[0].String() != "zorder(lat lat, lon lon)" {
		t.Errorf("%+v, %v", indexes, err)
	}
	for range table.Changes(ctx, nil) {
		t.Error("a change")
	}
	if _, _, ok, err := table.Restorable(); !ok || err != nil {
		t.Error(ok, err)
	}
	for _, other := range []weft.TableSpec{
		{Name: "t", Key: weft.Key(weft.String("a"))}, {Name: "t", Key: spec.Key, Stream: weft.StreamOld},
		{Name: "t", Key: spec.Key, Indexes: []weft.IndexSpec{{Name: "place", Key: spec.Key}}},
	} {
		if _, err := db.EnsureTable(ctx, other); weft.KindOf(err) != weft.KindExists ||
			!strings.Contains(err.Error(), "the table is there, but") {
			t.Error(err)
		}
	}
	if _, err := db.EnsureTable(ctx, weft.TableSpec{Name: "t", Key: spec.Key, Expiry: "other"}); weft.KindOf(
		err,
	) != weft.KindInvalid {
		t.Errorf("another expiry: %v", err)
	}
	check(table.SetExpiry(ctx, ""))
}

// TestKeyFaults: a key part that can't be made makes the call that uses it fail.
func TestKeyFaults(t *testing.T) {
	db, ctx := open(t), t.Context()
	for _, part := range []weft.KeyPart{weft.ZOrder("lat unknown"), weft.Words("klingon", "text"),
		weft.ZOrder("").Desc(), {}} {
		if _, err := db.CreateTable(ctx, weft.TableSpec{Name: "t", Key: weft.Key(part)}); weft.KindOf(
			err,
		) != weft.KindInvalid {
			t.Errorf("%v: %v", part, err)
		}
	}
	table := makeTable(
		t,
		db,
		weft.TableSpec{
			Name: "t",
			Key: weft.Key(
				weft.String("s"),
				weft.Binary("b"),
				weft.Bool("o"),
				weft.Int("i"),
				weft.Float("f"),
				weft.Timestamp("t"),
			),
		},
	)
	if err := table.AddIndex(ctx, weft.IndexSpec{Name: "x", Key: weft.Key(weft.ZOrder("x"))}); weft.KindOf(
		err,
	) != weft.KindInvalid {
		t.Error(err)
	}
}
