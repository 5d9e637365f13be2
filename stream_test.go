// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft"
)

// TestChanges: each change counts once, however often the reader is stopped, since its position is kept with what
// it has written.
func TestChanges(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	for begin := range 4 {
		db, err := weft.Open(ctx, dir, weft.Options{})
		check(err)
		events, err := db.EnsureTable(
			ctx,
			weft.TableSpec{Name: "events", Key: weft.Key(weft.Number("id")), Stream: weft.StreamNew},
		)
		check(err)
		totals, err := db.EnsureTable(ctx, weft.TableSpec{Name: "totals", Key: weft.Key(weft.String("of"))})
		check(err)
		for id := range 10 {
			check(events.Put(ctx, weft.Document{"id": 10*begin + id, "n": 1}))
		}
		total, _, err := totals.Get(ctx, weft.Document{"of": "events"})
		check(err)
		left := 7 + begin // the reader is stopped early
		for change, err := range events.Changes(ctx, total.Bytes("at")) {
			check(err)
			check(db.Update(ctx, func(ctx context.Context, tx *weft.Tx) error {
				n, _ := change.New.Int("n")
				_, err := tx.Table("totals").
					Update(ctx, weft.Document{"of": "events"},
						weft.Updates(weft.Attribute("sum").Add(n), weft.Attribute("at").Set([]byte(change.Position))))
				return err
			}))
			if left--; left == 0 {
				break
			}
		}
		total, _, err = totals.Get(ctx, weft.Document{"of": "events"})
		check(err)
		if sum, _ := total.Int("sum"); sum != []int64{7, 15, 24, 34}[begin] {
			t.Errorf("run %d: the sum is %d", begin, sum)
		}
		check(db.Close())
	}
}

// TestKindsOfChanges: what a change shows, and streams that are switched.
func TestKindsOfChanges(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.String("k"))})
	for _, err := range table.Changes(ctx, nil) {
		if weft.KindOf(err) != weft.KindInvalid || !strings.Contains(err.Error(), "no stream") {
			t.Error(err)
		}
	}
	if _, err := table.StreamEnd(ctx); weft.KindOf(err) != weft.KindInvalid {
		t.Error(err)
	}
	for _, stream := range []weft.Stream{weft.StreamOff, weft.StreamBoth, weft.StreamBoth} {
		check(table.SetStream(ctx, stream))
	}
	if err := table.SetStream(ctx, weft.StreamKeys); weft.KindOf(err) != weft.KindExists {
		t.Error(err)
	}
	key := weft.Document{"k": "a"}
	check(table.Put(ctx, weft.Document{"k": "a", "n": 1}))
	_, err := table.Update(ctx, key, weft.Attribute("n").Set(2))
	check(err)
	check(table.Delete(ctx, key))
	var got []string
	for change, err := range table.Changes(ctx, nil) {
		check(err)
		old, _ := change.Old.Int("n")
		n, _ := change.New.Int("n")
		if len(got) < 2 && change.Kind != []weft.ChangeKind{weft.Insert, weft.Modify, weft.Remove}[len(got)] {
			t.Error(change.Kind)
		}
		got = append(
			got,
			fmt.Sprintln(
				change.Kind,
				change.Key.Text("k"),
				old,
				n,
				change.New.Exists(),
				time.Since(change.At) < time.Hour,
				change.Expired,
			),
		)
	}
	if text := strings.Join(got, ""); text != "INSERT a 0 1 true true false\nMODIFY a 1 2 true true false\nREMOVE a 2 0 false true false\n" {
		t.Error(text)
	}
	check(table.SetStream(ctx, weft.StreamOff))
	check(table.SetStream(ctx, weft.StreamKeys))
	end, err := table.StreamEnd(ctx)
	check(err)
	following, stop := context.WithCancel(ctx)
	defer stop()
	go func() { check(table.Put(ctx, weft.Document{"k": "b", "n": 1})) }()
	for change, err := range table.Follow(following, end) {
		if err != nil {
			if weft.KindOf(err) != weft.KindCanceled || !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			return
		}
		if change.Key.Text("k") != "b" || change.New.Exists() {
			t.Errorf("%+v", change)
		}
		stop()
	}
	t.Error("Follow ended without an error")
}

// TestRestoreTable: a table as it was at a moment, in place and beside it, and backups of one.
func TestRestoreTable(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id"))})
	if _, _, ok, err := table.Restorable(); ok || err != nil {
		t.Error(ok, err)
	}
	check(table.SetRecovery(ctx, 7))
	check(table.PutAll(ctx, weft.Document{"id": 1}, weft.Document{"id": 2}))
	time.Sleep(3 * time.Millisecond) // moments are milliseconds
	before := time.Now()
	time.Sleep(3 * time.Millisecond)
	backup, err := table.Backup(ctx, "monday")
	check(err)
	check(table.Delete(ctx, weft.Document{"id": 1}))
	check(table.Put(ctx, weft.Document{"id": 3}))
	copied, err := table.CopyAt(ctx, before, "copied")
	check(err)
	restored, err := db.RestoreTable(ctx, backup.ID, "", "restored")
	check(err)
	if got := ids(copied, weft.Query{}) + ", " + ids(restored, weft.Query{}) + ", " +
		ids(table, weft.Query{}); got != "1 2, 1 2, 2 3" {
		t.Error(got)
	}
	if changes, err := table.RestoreAt(ctx, before); err != nil || changes != 2 || ids(table, weft.Query{}) != "1 2" {
		t.Error(changes, err)
	}
	if _, err := table.RestoreAt(ctx, before.Add(-time.Hour)); weft.KindOf(err) != weft.KindInvalid {
		t.Error(err)
	}
	if _, err := db.RestoreTable(ctx, backup.ID, "", "t"); weft.KindOf(err) != weft.KindExists {
		t.Error(err)
	}
	all, err := db.TableBackups(ctx)
	if err != nil || len(all) != 1 || all[0].Name != "monday" || all[0].Items != 2 || !all[0].Ready ||
		all[0].Table != "t" ||
		all[0].Database != "default" {
		t.Errorf("%+v, %v", all, err)
	}
	check(db.DropTableBackup(ctx, backup.ID))
	if err := db.DropTableBackup(ctx, backup.ID); weft.KindOf(err) != weft.KindNotFound {
		t.Error(err)
	}
}

// TestRegions: a table is cut, and shows it.
func TestRegions(t *testing.T) {
	db, ctx := open(t), t.Context()
	table := makeTable(t, db, weft.TableSpec{Name: "t", Key: weft.Key(weft.Number("id"))})
	for id := range 100 {
		check(table.Put(ctx, weft.Document{"id": id}))
	}
	if added, err := table.Split(ctx, "", 4); err != nil || added != 3 {
		t.Error(added, err)
	}
	regions, err := table.Regions(ctx, "")
	if err != nil || len(regions) != 4 || regions[0].Items < 10 ||
		fmt.Sprint(regions[0].End) != fmt.Sprint(regions[1].Start) ||
		len(regions[0].Start) != 0 {
		t.Errorf("%+v, %v", regions, err)
	}
	if _, err := table.Regions(ctx, "none"); weft.KindOf(err) != weft.KindNotFound {
		t.Error(err)
	}
}
