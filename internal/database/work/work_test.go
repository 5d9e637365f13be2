// SPDX-License-Identifier: Apache-2.0

package work_test

import (
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/database/work"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/mem"
)

// put adds rows.
func put(t *testing.T, table *database.Table, rows int) {
	t.Helper()
	for i := range rows {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": fmt.Sprintf("k%05d", i), "v": "old"}); err != nil {
			t.Fatal(err)
		}
	}
}

// workOf lists what is shown, without what depends on time.
func workOf(t *testing.T, db *database.DB) (list []string) {
	t.Helper()
	found, err := work.Of(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range found {
		if w.BeganMS == 0 {
			t.Errorf("%+v has no beginning", w)
		}
		list = append(list, fmt.Sprintf("%s: %s.%s %s %s %s", w.Kind, w.Database, w.Table, w.Object, w.State, w.Fault))
	}
	return list
}

// TestWork: what goes on is shown with its table, whatever has become of that, and what has ended vanishes at once or
// after a while.
func TestWork(t *testing.T) {
	ctx, store := t.Context(), mem.Open(mem.Options{})
	defer store.Close()
	var ahead atomic.Int64 // of the clock
	now := func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	options := database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler), Now: now, BackfillPause: time.Hour}
	db, err := database.Open(ctx, store, options)
	if err != nil {
		t.Fatal(err)
	}
	table, err := db.CreateTable(ctx, database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
	if err != nil {
		t.Fatal(err)
	}
	put(t, table, 1500)
	gone, err := db.CreateTable(ctx, database.TableSpec{Name: "gone", Key: database.Columns("k", schema.String)})
	if err != nil {
		t.Fatal(err)
	}
	put(t, gone, 1)
	if _, err := db.Recovery().Backup(ctx, "", "t", "mine"); err != nil {
		t.Fatal(err)
	}
	if err := db.Tasks().Wait(ctx); err != nil {
		t.Fatal(err)
	}
	if err := table.AddIndex(ctx, database.IndexSpec{Name: "by_v",
		Key: database.Columns("v", schema.String)}); err != nil {
		t.Fatal(err)
	}
	var build work.Work
	for build.Done == 0 { // then it pauses
		list, err := work.Of(ctx, db)
		if err != nil {
			t.Fatal(err)
		}
		build = list[0]
	}
	if build.Done >= 1500 || build.Expected < build.Done || build.State != work.Running {
		t.Errorf("%+v", build)
	}
	if got, want := workOf(t, db), []string{"build an index: default.t by_v running ",
		"back up a table: default.t mine done "}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	options.Idle = true // so that the next removal is not done before it is seen
	if db, err = database.Open(ctx, store, options); err != nil {
		t.Fatal(err)
	}
	if err := db.DropTable(ctx, "", "gone"); err != nil {
		t.Fatal(err)
	}
	if got, want := workOf(t, db)[1:], []string{"delete the rows of a table: default.gone  waiting ",
		"back up a table: default.t mine done "}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	options.Idle, options.BackfillPause = false, 0
	if db, err = database.Open(ctx, store, options); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.WaitJobs(ctx); err != nil {
		t.Fatal(err)
	}
	ahead.Store(int64(work.ShownFor - time.Minute))
	if got := workOf(t, db); len(got) != 1 {
		t.Errorf("%q", got)
	}
	ahead.Store(int64(work.ShownFor + time.Minute))
	if got := workOf(t, db); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
