// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/storage"
)

// TestKinds: each kind has a name of its own, and errors from outside are internal.
func TestKinds(t *testing.T) {
	kinds := []weft.Kind{
		weft.KindInternal, weft.KindNotFound, weft.KindExists, weft.KindInvalid, weft.KindConditionFailed,
		weft.KindTooLarge, weft.KindConflict, weft.KindBusy, weft.KindReadOnly,
		weft.KindClosed, weft.KindCanceled, weft.KindUnknownOutcome, weft.KindUnavailable, weft.KindDenied,
	}
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.String())
	}
	want := "internal, not found, exists, invalid, condition failed, too large, conflict, busy, read-only, closed, canceled, " +
		"unknown outcome, unavailable, denied"
	if got := strings.Join(names, ", "); got != want || len(failure.Kinds()) != len(kinds) {
		t.Errorf("%s, want %s", got, want)
	}
	if kind := weft.KindOf(errors.New("other")); kind != weft.KindInternal {
		t.Error(kind)
	}
	wrapped := fmt.Errorf("mine: %w", &weft.Error{Kind: weft.KindBusy, Table: "t", Detail: "wait"})
	if weft.KindOf(wrapped) != weft.KindBusy || wrapped.Error() != "mine: weft: table t: wait" {
		t.Error(wrapped)
	}
}

// TestTooLarge: a commit above the engine's limit is refused as a whole.
func TestTooLarge(t *testing.T) {
	ctx := t.Context()
	db, err := weft.OpenStore(
		ctx,
		mem.Open(mem.Options{Limits: kv.Limits{KeyBytesMax: 1 << 10, ValueBytesMax: 1 << 16, TxnBytesMax: 1 << 17}}),
		weft.Options{},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id"))})
	if err := table.Put(ctx, weft.Document{"id": 1, "x": make([]byte, 1<<17)}); weft.KindOf(err) != weft.KindTooLarge {
		t.Error(err)
	}
	if got := ids(table, weft.Query{}); got != "" {
		t.Error(got)
	}
}

// TestColumns: declared columns take values of their types alone.
func TestColumns(t *testing.T) {
	db, ctx := open(t), t.Context()
	columns := []weft.Column{
		{"s", weft.TypeString},
		{"n", weft.TypeNumber},
		{"b", weft.TypeBinary},
		{"i", weft.TypeInt},
		{"f", weft.TypeFloat},
		{"t", weft.TypeTimestamp},
		{"o", weft.TypeBool},
	}
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id")), Columns: columns})
	good := weft.Document{
		"id": 1,
		"s":  "x",
		"n":  1.5,
		"b":  []byte{1},
		"i":  5,
		"f":  0.1,
		"t":  time.UnixMilli(1),
		"o":  true,
	}
	check(table.Put(ctx, good))
	for _, c := range columns {
		bad := weft.Document{"id": 2, c.Name: []any{}}
		if err := table.Put(ctx, bad); weft.KindOf(err) != weft.KindInvalid {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// TestSegments: pages of a parallel walk by hand, and items that are kept by copies.
func TestSegments(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(
		t,
		db,
		weft.TableSpec{
			Name:    "t",
			Key:     weft.Key(weft.Number("id")),
			Indexes: []weft.IndexSpec{{Name: "x", Key: weft.Key(weft.Number("x"))}},
		},
	)
	for id := range 500 {
		check(table.Put(ctx, weft.Document{"id": id, "s": weft.Set{"a", "b"}}))
	}
	var kept []weft.Item
	for segment := range 3 {
		q := weft.Query{Segment: segment, Segments: 3, Limit: 40}
		for more := true; more; {
			c, err := table.Cursor(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			for c.Next() {
				kept = append(kept, c.Item().Clone())
			}
			q.Boundaries, more = c.Boundaries(), c.More()
			q.After, err = c.LastKey()
			if err = errors.Join(err, c.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	sum := int64(0)
	for _, item := range kept {
		id, _ := item.Int("id")
		sum += id
	}
	if len(kept) != 500 || sum != 499*250 {
		t.Errorf("%d items, %d", len(kept), sum)
	}
	if s, _ := kept[0].Value("s"); len(s.(weft.Set).Members()) != 2 {
		t.Errorf("%v", s)
	}
	check(table.DropIndex(ctx, "x"))
	if indexes, err := table.Indexes(); err != nil || len(indexes) != 0 {
		t.Error(indexes, err)
	}
	check(table.Compact(ctx))
}

// TestScore: the best match comes first, with its score.
func TestScore(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(
		t,
		db,
		weft.TableSpec{
			Name:    "t",
			Key:     weft.Key(weft.Number("id")),
			Indexes: []weft.IndexSpec{{Name: "w", Search: true, Key: weft.Key(weft.Words("english", "text"))}},
		},
	)
	check(
		table.PutAll(
			ctx,
			weft.Document{"id": 1, "text": "whales and ships and many other things"},
			weft.Document{"id": 2, "text": "whales, whales"},
		),
	)
	c, err := table.Cursor(ctx, weft.Query{Search: &weft.Search{Attributes: []string{"text"}, Text: "whale"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	last := 1e9
	for _, want := range []int64{2, 1} {
		if id, _ := c.Item(), c.Next(); id.Exists() && c.Score() > last {
			t.Error("scores grow")
		}
		if id, _ := c.Item().Int("id"); id != want || c.Score() <= 0 {
			t.Errorf("item %d, score %v", id, c.Score())
		}
		last = c.Score()
	}
}

// TestChangesGone: a reader who was away for too long is told so.
func TestChangesGone(t *testing.T) {
	ctx := t.Context()
	var now atomic.Int64
	now.Store(time.Now().UnixMilli())
	db, err := weft.OpenMemory(ctx, weft.Options{Now: func() time.Time { return time.UnixMilli(now.Load()) }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id")), Stream: weft.StreamKeys})
	end, err := table.StreamEnd(ctx)
	if err != nil {
		t.Fatal(err)
	}
	now.Add((26 * time.Hour).Milliseconds())
	for _, err := range table.Changes(ctx, end) {
		if !errors.Is(err, weft.ErrChangesGone) || weft.KindOf(err) != weft.KindInvalid {
			t.Error(err)
		}
	}
}

// TestBackups: backups of a store are listed, and the older ones removed.
func TestBackups(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	db, err := weft.Open(ctx, filepath.Join(dir, "data"), weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	to := storage.Folder(filepath.Join(dir, "backups"))
	var told weft.BackupProgress
	for range 3 {
		made, err := db.Backup(
			ctx,
			to,
			weft.BackupOptions{Keep: 2, Program: "a test", Progress: func(p weft.BackupProgress) { told = p }},
		)
		if err != nil || made.Bytes == 0 || made.Program != "a test" {
			t.Fatalf("%+v, %v", made, err)
		}
	}
	if list, err := weft.Backups(ctx, to); err != nil || len(list) != 2 || told.Files == 0 {
		t.Error(list, told, err)
	}
	if _, err := weft.Restore(ctx, to, filepath.Join(dir, "data"), weft.RestoreOptions{}); err == nil {
		t.Error("a folder that is not empty was restored to")
	}
}

// TestShip: what can't be shipped is refused.
func TestShip(t *testing.T) {
	ctx, to := t.Context(), storage.Folder(t.TempDir())
	if err := open(t).Ship(ctx, to, weft.ShipOptions{}); weft.KindOf(err) != weft.KindInvalid {
		t.Errorf("a database in memory: %v", err)
	}
	db, err := weft.Open(ctx, t.TempDir(), weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, ok := db.Shipped(); ok {
		t.Error("something is shipped")
	}
	check(db.Ship(ctx, to, weft.ShipOptions{}))
	if err := db.Ship(ctx, to, weft.ShipOptions{}); weft.KindOf(err) != weft.KindExists {
		t.Errorf("shipped twice: %v", err)
	}
	if _, err := weft.RestoreShipped(ctx, storage.Folder(t.TempDir()), t.TempDir(), time.Time{},
		weft.RestoreOptions{}); err == nil {
		t.Error("an empty storage was restored")
	}
}

// TestBackupOfMemory: a backup of a database in memory becomes a folder.
func TestBackupOfMemory(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	db, to := open(t), storage.Folder(filepath.Join(dir, "backups"))
	check(
		makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id"))}).Put(ctx, weft.Document{"id": 7}),
	)
	if _, err := db.Backup(ctx, to, weft.BackupOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := weft.Restore(ctx, to, filepath.Join(dir, "data"), weft.RestoreOptions{}); err != nil {
		t.Fatal(err)
	}
	restored, err := weft.Open(ctx, filepath.Join(dir, "data"), weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	if got := ids(restored.Table("t"), weft.Query{}); got != "7" {
		t.Error(got)
	}
}
