// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/pebble"
)

// loadHook is an engine that calls before and after around each Load.
type loadHook struct {
	*pebble.Store
	before, after func() error
	loads         atomic.Int64
}

func (h *loadHook) Load(ctx context.Context, alone bool, next func() (key, value []byte, err error)) error {
	h.loads.Add(1)
	return errors.Join(h.before(), h.Store.Load(ctx, alone, next), h.after())
}

// openHooked opens a database in memory whose index builds call the hooks.
func openHooked(t *testing.T, disk vfs.FS, o database.Options) (*database.DB, *loadHook) {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: disk, ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return openHookedOn(t, store, o)
}

func openHookedOn(t *testing.T, store *pebble.Store, o database.Options) (*database.DB, *loadHook) {
	t.Helper()
	nothing := func() error { return nil }
	hook := &loadHook{Store: store, before: nothing, after: nothing}
	o.Admin, o.Logger = hook, slog.New(slog.DiscardHandler)
	db, err := database.Open(t.Context(), store, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(); store.Close() })
	return db, hook
}

// builtIndexes are indexes of each kind that is built.
func builtIndexes(t *testing.T) []database.IndexSpec {
	t.Helper()
	return []database.IndexSpec{
		{Name: "by-text", Key: parts(t, "text", "text"), KeepNulls: true},
		{Name: "some", Key: parts(t, "text", "text", "n", "int")},
		{Name: "find", Search: true, Key: []schema.KeyPart{mustWords(t, "standard", "text"), parts(t, "n", "int")[0]}},
		asyncIndex(t, "later", 4),
	}
}

// TestSortedBuildBesideWrites changes rows before and after the sorted entries are added: each index is whole.
func TestSortedBuildBesideWrites(t *testing.T) {
	db, hook := openHooked(t, vfs.NewMem(), database.Options{})
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: parts(t, "id", "int")})
	random := rounds.Random(t)
	put := func(id int, text string) error {
		return testdoc.Put(t.Context(), table, testdoc.Document{"id": id, "text": text, "n": random.IntN(100)})
	}
	const rows = 700
	for id := range rows {
		if err := put(id, fmt.Sprintf("the %d words %d", id%7, id)); err != nil {
			t.Fatal(err)
		}
	}
	changes := func() error {
		var errs []error
		for range 200 {
			id := random.IntN(rows + 50)
			switch random.IntN(4) {
			case 0:
				errs = append(errs, deleteID(t, table, id))
			case 1: // there and back
				item, ok, err := testdoc.Get(t.Context(), table, testdoc.Document{"id": id})
				errs = append(errs, err, put(id, "other"))
				if ok {
					errs = append(errs, testdoc.Put(t.Context(), table, testdoc.Of(item)))
				}
			default:
				errs = append(errs, put(id, fmt.Sprintf("the %d changed %d", id%7, random.IntN(5))))
			}
		}
		return errors.Join(errs...)
	}
	hook.before, hook.after = changes, changes
	for _, x := range builtIndexes(t) {
		if err := errors.Join(table.AddIndex(t.Context(), x), db.WaitJobs(t.Context())); err != nil {
			t.Fatal(err)
		}
		mustBeWhole(t, db, x.Name)
	}
	if n := hook.loads.Load(); n != int64(len(builtIndexes(t))) {
		t.Errorf("%d builds were sorted", n)
	}
}

func deleteID(t *testing.T, table *database.Table, id int) error {
	return testdoc.Delete(t.Context(), table, testdoc.Document{"id": id})
}

// mustBeWhole verifies the table and wants the index to be one of those that are used.
func mustBeWhole(t *testing.T, db *database.DB, index string) {
	t.Helper()
	table, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	report, err := table.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("%s: %s, %v", index, strings.Join(report.Faults, "\n"), err)
	}
	if !slices.ContainsFunc(indexesOf(t, table), func(x schema.Index) bool {
		return x.Name == index && x.State == schema.Active
	}) {
		t.Fatalf("index %s is not there", index)
	}
}

// indexesOf are all indexes of the table that are not being removed.
func indexesOf(t *testing.T, table *database.Table) (indexes []schema.Index) {
	t.Helper()
	p, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	for _, x := range p.Descriptor().Indexes {
		if x.State != schema.Retiring && x.State != schema.Dropping {
			indexes = append(indexes, x)
		}
	}
	return indexes
}

// fillTexts makes a table of so many rows.
func fillTexts(t *testing.T, db *database.DB, rows int) *database.Table {
	t.Helper()
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: parts(t, "id", "int")})
	for id := range rows {
		if err := putText(t, table, id, fmt.Sprintf("the %d words %d", id%7, id)); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func putText(t *testing.T, table *database.Table, id int, text string) error {
	return testdoc.Put(t.Context(), table, testdoc.Document{"id": id, "text": text, "n": id % 10})
}

// TestSortedBuildCut ends a build after its entries were added, and changes rows before the next attempt: none of what
// it has added is left where no row makes it.
func TestSortedBuildCut(t *testing.T) {
	for _, x := range builtIndexes(t) {
		disk := vfs.NewMem()
		db, hook := openHooked(t, disk, database.Options{})
		table := fillTexts(t, db, 600)
		added := make(chan struct{})
		cut := sync.OnceFunc(func() { close(added) }) // the build may be tried again before the database is closed
		hook.before = func() error {                  // the entries of these rows are outdated when they are added
			return errors.Join(putText(t, table, 1, "moved"), deleteID(t, table, 2))
		}
		hook.after = func() error {
			cut()
			return errors.New("cut")
		}
		if err := table.AddIndex(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		<-added
		for id := range 600 {
			if err := errors.Join(deleteID(t, table, id), putText(t, table, id/2, fmt.Sprint("later ", id))); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(db.Close(), hook.Store.Close()); err != nil {
			t.Fatal(err)
		}
		db, _ = openHooked(t, disk, database.Options{})
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustBeWhole(t, db, x.Name)
	}
}

// linkDisk is a disk that calls before ahead of each link, by which tables of sorted entries become the engine's.
type linkDisk struct {
	vfs.FS
	before func()
}

func (d *linkDisk) Link(from, to string) error {
	d.before()
	return d.FS.Link(from, to)
}

// TestSortedBuildCutInLoad closes a database while the sorted entries of a build are being added, opens it again on the
// same store and changes rows: the entries don't come later, above what the next attempt makes.
func TestSortedBuildCutInLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var links atomic.Int64
		loading, held := make(chan struct{}), make(chan struct{})
		db, hook := openHooked(t, &linkDisk{vfs.NewMem(), func() {
			if links.Add(1) == 1 {
				close(loading)
				synctest.Wait() // until the test can't go on
				close(held)
			}
		}}, database.Options{})
		x := builtIndexes(t)[0]
		if err := fillTexts(t, db, 10).AddIndex(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		<-loading
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db, _ = openHookedOn(t, hook.Store, database.Options{})
		table, err := db.Table("t")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(putText(t, table, 1, "moved"), deleteID(t, table, 2), db.WaitJobs(t.Context())); err != nil {
			t.Fatal(err)
		}
		<-held
		synctest.Wait()
		mustBeWhole(t, db, x.Name)
	})
}

// TestSortedBuildSpills gives a build less memory than its entries take: it sorts them in files, or else builds the
// index in small transactions.
func TestSortedBuildSpills(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		disk  vfs.FS
		dir   string
		loads int64
	}{
		"files": {vfs.Default, dir, 1}, "no files": {vfs.NewMem(), "data", 0},
	} {
		t.Run(name, func(t *testing.T) {
			store, err := pebble.Open(pebble.Options{Dir: c.dir, FS: c.disk, ReadOnlyBelowBytes: -1})
			if err != nil {
				t.Fatal(err)
			}
			db, hook := openHookedOn(t, store, database.Options{BuildBytesMax: 8 << 10})
			table := fillTexts(t, db, 1000)
			x := builtIndexes(t)[2]
			if err := errors.Join(table.AddIndex(t.Context(), x), db.WaitJobs(t.Context())); err != nil {
				t.Fatal(err)
			}
			mustBeWhole(t, db, x.Name)
			if n := hook.loads.Load(); n != c.loads {
				t.Errorf("%d builds were sorted", n)
			}
			if _, err := os.Stat(filepath.Join(dir, "weft-ingest", "scratch")); !os.IsNotExist(err) {
				t.Errorf("temporary files are left: %v", err)
			}
		})
	}
}

// TestSortedBuildUnique builds a unique index beside writes: a key that a row has given up is free at once, though the
// entries that are added tell of it, and one that a row has is nobody else's, whenever the other began.
func TestSortedBuildUnique(t *testing.T) {
	db, hook := openHooked(t, vfs.NewMem(), database.Options{})
	table := fillTexts(t, db, 300)
	mustTable(t, db, database.TableSpec{Name: "other", Key: parts(t, "id", "int")})
	old, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer old.Rollback()
	if _, _, err := testdoc.GetIn(t.Context(), old, "other", testdoc.Document{"id": 1}); err != nil {
		t.Fatal(err)
	}
	hook.before = func() error { return putText(t, table, 1, "moved") }
	hook.after = func() error { // an error would let the build be tried again
		if err := putText(t, table, 1001, "the 1 words 1"); err != nil {
			t.Errorf("what the row 1 had: %v", err)
		}
		if taken := putText(t, table, 1002, "the 2 words 2"); !isDuplicate(taken, "one") {
			t.Errorf("what the row 2 has is given away: %v", taken)
		}
		twin := testdoc.PutIn(t.Context(), old, "t", testdoc.Document{"id": 1003, "text": "the 3 words 3"})
		if twin = errors.Join(twin, old.Commit(t.Context())); twin == nil {
			t.Error("a transaction that saw no entries takes what the row 3 has")
		}
		return nil
	}
	x := database.IndexSpec{Name: "one", Key: parts(t, "text", "text"), KeepNulls: true, Unique: true}
	if err := errors.Join(table.AddIndex(t.Context(), x), db.WaitJobs(t.Context())); err != nil {
		t.Fatal(err)
	}
	mustBeWhole(t, db, "one")
}

// TestSortedBuildFindsDuplicates builds unique indexes on rows of which two have the same key: from the beginning, and
// since a write that saw no entry of the other.
func TestSortedBuildFindsDuplicates(t *testing.T) {
	for name, before := range map[string]bool{"before": true, "meanwhile": false} {
		t.Run(name, func(t *testing.T) {
			db, hook := openHooked(t, vfs.NewMem(), database.Options{})
			table := fillTexts(t, db, 300)
			twin := func() error { return putText(t, table, 1001, "the 1 words 1") }
			if before {
				if err := twin(); err != nil {
					t.Fatal(err)
				}
			} else {
				hook.before = twin
			}
			x := database.IndexSpec{Name: "one", Key: parts(t, "text", "text"), KeepNulls: true, Unique: true}
			if err := table.AddIndex(t.Context(), x); err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool {
				jobs := db.Jobs().List()
				return len(jobs) == 0 || jobs[0].Duplicate != nil
			})
			if len(db.Jobs().List()) == 0 {
				t.Fatal("the index was built")
			}
			hook.before = func() error { return nil }
			if err := errors.Join(deleteID(t, table, 1001), db.WaitJobs(t.Context())); err != nil {
				t.Fatal(err)
			}
			mustBeWhole(t, db, "one")
		})
	}
}

// TestBuildPowerLoss loses power while indexes are built beside writes, again and again: the build goes on, and the
// index is whole.
func TestBuildPowerLoss(t *testing.T) {
	seed, losses := powerLosses(t)
	random := rand.New(rand.NewPCG(seed, 2))
	disk := vfs.NewCrashableMem()
	var built, cut int
	for round := range losses {
		store, db := openPowered(t, disk, database.Options{})
		var table *database.Table
		if round == 0 {
			table = fillTexts(t, db, 800)
		} else {
			table = builtAgain(t, db, &built, &cut)
		}
		x := builtIndexes(t)[round%4]
		stop := make(chan struct{})
		var group sync.WaitGroup
		group.Go(func() {
			ids := rand.New(rand.NewPCG(seed, uint64(round)))
			for isOpen(stop) { // the store may have lost its power
				_ = putText(t, table, ids.IntN(900), fmt.Sprint("round ", round, ids.IntN(50)))
				_ = deleteID(t, table, ids.IntN(900))
			}
		})
		if err := table.AddIndex(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(25)) * time.Millisecond)
		after := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 30, 100}[random.IntN(3)], RNG: random})
		close(stop)
		group.Wait()
		_ = db.Close()
		_ = store.Close()
		disk = after
	}
	t.Logf("seed %d: %d power losses, %d builds were over before, %d went on after", seed, losses, built, cut)
}

func isOpen(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

// builtAgain waits for what the loss of power has cut, verifies the table, and drops its indexes.
func builtAgain(t *testing.T, db *database.DB, built, cut *int) *database.Table {
	t.Helper()
	if len(db.Jobs().List()) > 0 {
		*cut++
	} else {
		*built++
	}
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	table, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range indexesOf(t, table) {
		mustBeWhole(t, db, x.Name)
		if err := table.DropIndex(t.Context(), x.Name); err != nil {
			t.Fatal(err)
		}
	}
	return table
}
