// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
)

// markable are the engines that go back to marks.
var markable = map[string]func(t *testing.T) (kv.Store, kv.Admin){
	"mem": func(*testing.T) (kv.Store, kv.Admin) {
		store := mem.Open(mem.Options{})
		return store, store
	},
	"pebble": func(t *testing.T) (kv.Store, kv.Admin) { return openMarkable(t, vfs.NewMem()) },
}

func openMarkable(t *testing.T, files vfs.FS) (kv.Store, kv.Admin) {
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: files, MemTableBytes: 1 << 20, ReadOnlyBelowBytes: -1,
		Marks: true})
	if err != nil {
		t.Fatal(err)
	}
	return store, store
}

// journey is a database that is changed at random.
type journey struct {
	*testing.T
	store  kv.Store
	admin  kv.Admin
	db     *database.DB
	random *rand.Rand
	in     string // the database whose tables are changed; "": DefaultDatabase
}

func newJourney(t *testing.T, store kv.Store, admin kv.Admin) *journey {
	j := &journey{T: t, store: store, admin: admin, random: rounds.Random(t)}
	j.db = j.open()
	t.Cleanup(func() { j.db.Close(); j.store.Close() })
	return j
}

// onMarkable runs a test on each engine that goes back to marks.
func onMarkable(t *testing.T, run func(t *testing.T, j *journey)) {
	for name, open := range markable {
		t.Run(name, func(t *testing.T) {
			store, admin := open(t)
			run(t, newJourney(t, store, admin))
		})
	}
}

func (j *journey) open() *database.DB {
	db, err := database.Open(j.Context(), j.store, database.Options{Admin: j.admin,
		Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1, RebuildInterval: -1})
	if err != nil {
		j.Fatal(err)
	}
	return db
}

func (j *journey) must(err error) {
	j.Helper()
	if err != nil {
		j.Fatal(err)
	}
}

// pick returns a table; nil if there is none.
func (j *journey) pick() *database.Table {
	in := cmp.Or(j.in, database.DefaultDatabase)
	names := j.db.Tables(in, "", 100)
	if len(names) == 0 {
		return nil
	}
	table, err := j.db.TableIn(in, names[j.random.IntN(len(names))])
	j.must(err)
	return table
}

// step does one thing: mostly a write, sometimes a change of the schema.
func (j *journey) step() {
	ctx, random := j.Context(), j.random
	name, table := fmt.Sprintf("t%d", random.IntN(6)), j.pick()
	what := random.IntN(40)
	if j.in != "" && what == 14 {
		what++ // Tx.Put is about the default database
	}
	if table == nil || what == 0 {
		spec := database.TableSpec{Database: j.in, Name: name, Key: database.Columns("id", schema.String),
			Indexes: []database.IndexSpec{{Name: "first", Key: database.Columns("a0", schema.String)}}}
		if _, err := j.db.CreateTable(ctx, spec); err != nil && database.KindOf(err) != database.KindExists {
			j.Fatal(err)
		}
		return
	}
	tolerate := func(err error, kinds ...database.Kind) {
		j.Helper()
		if err != nil && !slices.Contains(kinds, database.KindOf(err)) {
			j.Fatal(err)
		}
	}
	switch what {
	case 1:
		j.must(j.db.DropTable(ctx, j.in, table.Name()))
	case 2:
		j.must(j.db.TruncateTable(ctx, j.in, table.Name(), nil))
	case 3:
		tolerate(table.AddIndex(ctx, database.IndexSpec{Name: fmt.Sprint("x", random.IntN(3)),
			Key: database.Columns(fmt.Sprint("a", random.IntN(4)), schema.String)}),
			database.KindExists, database.KindInvalid, database.KindBusy)
	case 4:
		tolerate(table.DropIndex(ctx, fmt.Sprint("x", random.IntN(3))), database.KindNotFound, database.KindBusy)
	case 5:
		tolerate(table.Rename(ctx, j.in, name, func(*schema.Table) error { return nil }), database.KindExists)
	case 6:
		tolerate(j.db.CreateDatabase(ctx, fmt.Sprint("d", random.IntN(3))), database.KindExists)
	case 7:
		tolerate(j.db.DropDatabase(ctx, fmt.Sprint("d", random.IntN(3)), true), database.KindNotFound)
	case 8:
		p, err := table.Pin()
		j.must(err)
		_, err = p.TakeNumbers(ctx, database.Counter(1), uint64(1+random.IntN(50)))
		p.Release()
		j.must(err)
	case 9:
		tolerate(table.Edit(ctx, withStream(j.db, schema.NewImage)), database.KindExists, database.KindInvalid)
	case 10, 11, 12, 13:
		j.must(testdoc.Delete(ctx, table, testdoc.Document{"id": fmt.Sprint(random.IntN(60))}))
	case 14:
		j.must(j.db.Update(ctx, func(tx *database.Tx) error {
			for i := range 3 {
				if err := testdoc.PutIn(ctx, tx, table.Name(), j.document(i)); err != nil {
					return err
				}
			}
			return nil
		}))
	default:
		j.must(testdoc.Put(ctx, table, j.document(0)))
	}
}

func (j *journey) document(i int) testdoc.Document {
	d := testdoc.Document{"id": fmt.Sprint(j.random.IntN(60) + i)}
	for range 1 + j.random.IntN(4) {
		d[fmt.Sprint("a", j.random.IntN(12))] = fmt.Sprint(j.random.IntN(1000))
	}
	return d
}

// settle waits until nothing goes on in the background.
func (j *journey) settle() { j.must(j.db.WaitJobs(j.Context())) }

// content is all that the store has, but for what stays.
func content(t *testing.T, store kv.Store) map[string]string {
	all := map[string]string{}
	c := kv.Walk(t.Context(), store, kv.Range{}, false)
	for c.Next() {
		if !keyspace.Stays(c.Key()) {
			all[string(c.Key())] = string(bytes.Clone(c.Value()))
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// seen is all that clients see: databases, tables, their descriptors, items, numbers and whether they verify.
func seen(t *testing.T, db *database.DB) string {
	t.Helper()
	return fmt.Sprintln(db.Databases()) + seenIn(t, db, database.DefaultDatabase)
}

// seenIn is what clients see of one database.
func seenIn(t *testing.T, db *database.DB, in string) string {
	t.Helper()
	var b strings.Builder
	ctx := t.Context()
	for _, name := range db.Tables(in, "", 100) {
		table, err := db.TableIn(in, name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := table.Pin()
		if err != nil {
			t.Fatal(err)
		}
		next, err := p.NextNumber(ctx, database.Counter(1))
		p.Release()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, name, p.Descriptor().ID, p.Descriptor().Version, next, p.AttributeNames())
		report, err := table.Verify(ctx)
		if err != nil || len(report.Faults) > 0 {
			t.Errorf("table %s: %v, %v", name, report.Faults, err)
		}
		fmt.Fprintln(&b, report.Rows, report.Entries)
		if err := testdoc.Each(ctx, table, database.Query{}, func(d testdoc.Document) bool {
			for _, column := range slices.Sorted(maps.Keys(d)) {
				fmt.Fprint(&b, " ", column, "=", d[column])
			}
			fmt.Fprintln(&b)
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestReturn marks a database in the midst of random writes and changes of tables, goes on, and returns: what is stored
// and what clients see is what it was, again and again, and the next start sees the same.
func TestReturn(t *testing.T) {
	onMarkable(t, func(t *testing.T, j *journey) {
		steps := rounds.Of(t, 150)
		for range steps {
			j.step()
		}
		j.settle()
		mark, err := j.db.Mark(t.Context())
		j.must(err)
		stored, shown := content(t, j.store), seen(t, j.db)
		for round := range 8 {
			for range steps / 2 {
				j.step()
			}
			if round%2 == 0 { // else jobs are under way
				j.settle()
			}
			if round%3 == 0 { // what is written is whole
				seen(t, j.db)
			}
			j.must(mark.Return(t.Context()))
			j.settle()
			if got := content(t, j.store); !maps.Equal(got, stored) {
				t.Fatalf("round %d: the store has not what it had:\n%s", round, difference(got, stored))
			}
			if got := seen(t, j.db); got != shown {
				t.Fatalf("round %d: clients see\n%s\nand not\n%s", round, got, shown)
			}
		}
		j.must(j.db.Close())
		j.db = j.open()
		if got := seen(t, j.db); withoutNumbers(got) != withoutNumbers(shown) {
			t.Fatalf("after another start clients see\n%s\nand not\n%s", got, shown)
		}
		for range steps {
			j.step()
		}
		seen(t, j.db)
	})
}

func difference(got, want map[string]string) string {
	var lines []string
	for key, value := range got {
		if other, ok := want[key]; !ok || other != value {
			lines = append(lines, fmt.Sprintf("got  %s: %.60q", keyspace.Print([]byte(key)), value))
		}
	}
	for key, value := range want {
		if other, ok := got[key]; !ok || other != value {
			lines = append(lines, fmt.Sprintf("want %s: %.60q", keyspace.Print([]byte(key)), value))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestReturnAndCrash cuts the power around a return: the database is as it was before or after it, and whole.
func TestReturnAndCrash(t *testing.T) {
	disk := vfs.NewCrashableMem()
	store, admin := openMarkable(t, disk)
	j := newJourney(t, store, admin)
	for range 100 {
		j.step()
	}
	j.settle()
	mark, err := j.db.Mark(t.Context())
	j.must(err)
	atMark := seen(t, j.db)
	for range rounds.Of(t, 6) {
		for range 60 {
			j.step()
		}
		j.settle()
		later := seen(t, j.db)
		returned := make(chan error, 1)
		go func() { returned <- mark.Return(context.WithoutCancel(t.Context())) }()
		if j.random.IntN(2) == 0 {
			j.must(<-returned)
			returned <- nil
		}
		after := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: j.random.IntN(101), RNG: j.random})
		j.must(<-returned)
		store, admin := openMarkable(t, after)
		db, err := database.Open(t.Context(), store, database.Options{Admin: admin, ExpiryInterval: -1,
			Logger: slog.New(slog.DiscardHandler)})
		j.must(err)
		j.must(db.WaitJobs(t.Context()))
		if got := seen(t, db); withoutNumbers(got) != withoutNumbers(atMark) &&
			withoutNumbers(got) != withoutNumbers(later) {
			t.Fatalf("after the crash clients see\n%s\nneither the mark\n%s\nnor the state before the return\n%s", got,
				atMark, later)
		}
		j.must(errors.Join(db.Close(), store.Close()))
	}
}

// withoutNumbers drops the lines about tables: the rest of a block of numbers is lost with a process.
func withoutNumbers(shown string) string {
	var kept []string
	for line := range strings.Lines(shown) {
		if !strings.HasPrefix(line, "t") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestReturnWhileInUse: transactions, cursors and pins that were there before a return.
func TestReturnWhileInUse(t *testing.T) {
	onMarkable(t, func(t *testing.T, j *journey) {
		ctx := t.Context()
		spec := database.TableSpec{Name: "t", Key: database.Columns("id", schema.String)}
		table, err := j.db.CreateTable(ctx, spec)
		j.must(err)
		j.must(testdoc.Put(ctx, table, testdoc.Document{"id": "1", "a": "old"}))
		mark, err := j.db.Mark(ctx)
		j.must(err)
		j.must(testdoc.Put(ctx, table, testdoc.Document{"id": "2", "a": "new"}))

		same, err := j.db.Begin(ctx) // of a table that stays as it is
		j.must(err)
		j.must(testdoc.PutIn(ctx, same, "t", testdoc.Document{"id": "3", "a": "x"}))
		j.must(mark.Return(ctx))
		if err := same.Commit(ctx); database.KindOf(err) != database.KindConflict {
			t.Errorf("the commit of a transaction from before: %v", err)
		}

		other := testdoc.Document{"id": "4", "another": "name"} // which the table learns
		j.must(testdoc.Put(ctx, table, other))
		held, err := table.Pin()
		j.must(err)
		defer held.Release()
		cursor, err := table.Query(ctx, database.Query{})
		j.must(err)
		tx, err := j.db.BeginWith(ctx, database.TxOptions{Locks: true})
		j.must(err)
		j.must(testdoc.PutIn(ctx, tx, "t", testdoc.Document{"id": "5"}))
		j.must(mark.Return(ctx))
		if err := tx.Commit(ctx); database.KindOf(err) != database.KindConflict {
			t.Errorf("the commit of a transaction that holds items: %v", err)
		}
		for cursor.Next() {
			t.Error("a cursor shows rows of a table that is another one")
		}
		if err := cursor.Close(); database.KindOf(err) != database.KindUnavailable {
			t.Errorf("the cursor's error: %v", err)
		}
		row, err := other.AppendRow(nil, held.Names())
		j.must(err)
		for _, op := range []database.Op{database.OpPut, database.OpDelete, database.OpCheck} {
			err := held.Write(ctx, &database.Write{Op: op, Row: row}, new(database.WriteResult))
			if database.KindOf(err) != database.KindUnavailable {
				t.Errorf("a write by a pin from before: %v", err)
			}
		}
		if _, _, err := held.Get(ctx, row, nil); database.KindOf(err) != database.KindUnavailable {
			t.Errorf("a read by a pin from before: %v", err)
		}
		j.must(testdoc.Put(ctx, table, testdoc.Document{"id": "6", "fresh": "y"}))
		if shown := seen(t, j.db); strings.Contains(shown, "another") || !strings.Contains(shown, "fresh=y") {
			t.Errorf("clients see %s", shown)
		}
		j.must(mark.Forget())
		if err := mark.Return(ctx); database.KindOf(err) != database.KindNotFound {
			t.Errorf("the return to a mark that was forgotten: %v", err)
		}
	})
}

// TestReturnOfDroppedTable: a table with many rows that was dropped is there again, though its space was freed.
func TestReturnOfDroppedTable(t *testing.T) {
	onMarkable(t, func(t *testing.T, j *journey) {
		ctx := t.Context()
		_, err := j.db.CreateTable(ctx, database.TableSpec{Name: "t", Key: database.Columns("id", schema.String)})
		j.must(err)
		table, err := j.db.Table("t")
		j.must(err)
		for i := range 500 {
			j.must(testdoc.Put(ctx, table, testdoc.Document{"id": fmt.Sprint(i), "a": "b"}))
		}
		mark, err := j.db.Mark(ctx)
		j.must(err)
		shown := seen(t, j.db)
		for range 3 {
			j.must(j.db.DropTable(ctx, "", "t"))
			if j.random.IntN(2) == 0 {
				j.settle()
			}
			j.must(mark.Return(ctx))
			j.settle()
			if got := seen(t, j.db); got != shown {
				t.Fatalf("clients see\n%.200s\nand not\n%.200s", got, shown)
			}
		}
	})
}

// TestReturnWaits: a return waits for a change of the schema under way until its context ends, and leaves all as it is.
func TestReturnWaits(t *testing.T) {
	onMarkable(t, func(t *testing.T, j *journey) {
		ctx := t.Context()
		table, err := j.db.CreateTable(ctx, database.TableSpec{Name: "t", Key: database.Columns("id", schema.String)})
		j.must(err)
		mark, err := j.db.Mark(ctx)
		j.must(err)
		j.must(testdoc.Put(ctx, table, testdoc.Document{"id": "1"}))
		held, err := table.Pin()
		j.must(err)
		added := make(chan error)
		go func() {
			added <- table.AddIndex(ctx, database.IndexSpec{Name: "x", Key: database.Columns("a", schema.String)})
		}()
		for indexes := []schema.Index(nil); len(indexes) == 0; runtime.Gosched() {
			indexes, err = table.Indexes()
			j.must(err)
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := mark.Return(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("a return beside a change of the schema: %v", err)
		}
		held.Release()
		j.must(<-added)
		j.settle()
		if shown := seen(t, j.db); !strings.Contains(shown, "id=1") {
			t.Errorf("after a return that was given up, clients see\n%s", shown)
		}
		j.must(mark.Return(ctx))
	})
}

// TestReturnDatabase: the tables of one database are what they were, and those of another one stay as they are.
func TestReturnDatabase(t *testing.T) {
	onMarkable(t, func(t *testing.T, j *journey) {
		ctx, steps := t.Context(), rounds.Of(t, 100)
		j.must(j.db.CreateDatabase(ctx, "own"))
		own := *j
		own.in = "own"
		both := func() {
			for range steps {
				j.step()
				own.step()
			}
		}
		both()
		j.settle()
		mark, err := j.db.Mark(ctx)
		j.must(err)
		ownThen, allThen := seenIn(t, j.db, "own"), seen(t, j.db)
		for round := range 8 {
			both()
			if round%2 == 0 { // else jobs of both are under way
				j.settle()
			}
			others := seenIn(t, j.db, database.DefaultDatabase)
			j.must(mark.ReturnDatabase(ctx, "own", ""))
			j.settle()
			if got := seenIn(t, j.db, "own"); got != ownThen {
				t.Fatalf("round %d: clients see\n%s\nand not\n%s", round, got, ownThen)
			}
			if got := seenIn(t, j.db, database.DefaultDatabase); round%2 == 0 && got != others {
				t.Fatalf("round %d: of another database clients see\n%s\nand not\n%s", round, got, others)
			}
		}
		j.must(mark.Return(ctx))
		j.settle()
		if got := seen(t, j.db); got != allThen {
			t.Fatalf("clients see\n%s\nand not\n%s", got, allThen)
		}
		checkMoved(j, mark)
	})
}

// checkMoved moves a table to another database and back: only a return of all databases takes that back.
func checkMoved(j *journey, mark *database.Mark) {
	ctx := j.Context()
	table, err := j.db.CreateTable(ctx, database.TableSpec{Name: "moved", Key: database.Columns("id", schema.String)})
	j.must(err)
	here, err := j.db.Mark(ctx)
	j.must(err)
	j.must(table.Rename(ctx, "own", "moved", func(*schema.Table) error { return nil }))
	if err := here.ReturnDatabase(ctx, "own", ""); database.KindOf(err) != database.KindInvalid {
		j.Errorf("the return of a database into which a table was moved: %v", err)
	}
	j.must(mark.Return(ctx))
	j.must(here.Return(ctx)) // a later mark stands
	if _, err := j.db.Table("moved"); err != nil {
		j.Error(err)
	}
}

// TestNoMarks: what can't go back says so.
func TestNoMarks(t *testing.T) {
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: vfs.NewMem(), ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	shared := mem.Open(mem.Options{}).Share()
	for _, one := range []kv.Store{store, shared} {
		j := newJourney(t, one, nil)
		if _, err := j.db.Mark(t.Context()); database.KindOf(err) != database.KindInvalid {
			t.Errorf("a mark: %v", err)
		}
	}
}

// TestReturnBesideWriters returns again and again while others write items with new attributes, change tables and read:
// all go on, and what is left is whole and the state of the mark.
func TestReturnBesideWriters(t *testing.T) {
	onMarkable(t, func(t *testing.T, j *journey) {
		ctx := t.Context()
		for range 50 {
			j.step()
		}
		spec := database.TableSpec{Name: "t0", Key: database.Columns("id", schema.String)}
		if _, err := j.db.CreateTable(ctx, spec); err != nil && database.KindOf(err) != database.KindExists {
			t.Fatal(err)
		}
		j.settle()
		mark, err := j.db.Mark(ctx)
		j.must(err)
		shown := seen(t, j.db)
		var group sync.WaitGroup
		stop := make(chan struct{})
		for worker := range 4 {
			group.Go(func() { beside(t, j.db, worker, stop) })
		}
		for range rounds.Of(t, 60) {
			j.must(mark.Return(ctx))
		}
		close(stop)
		group.Wait()
		j.settle()
		seen(t, j.db)
		j.must(mark.Return(ctx))
		j.settle()
		if got := seen(t, j.db); got != shown {
			t.Fatalf("clients see\n%s\nand not\n%s", got, shown)
		}
	})
}

// beside uses table t0 until it is told to stop.
func beside(t *testing.T, db *database.DB, worker int, stop chan struct{}) {
	ctx, table := t.Context(), db.TableNamed("", "t0")
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		var err error
		switch {
		case worker == 0 && i%20 == 0:
			err = table.AddIndex(ctx, database.IndexSpec{Name: "z", Key: database.Columns("z", schema.String)})
		case worker == 0 && i%20 == 10:
			err = table.DropIndex(ctx, "z")
		case worker == 1:
			err = testdoc.Each(ctx, table, database.Query{}, func(testdoc.Document) bool { return true })
		case worker == 2:
			err = db.Update(ctx, func(tx *database.Tx) error {
				return testdoc.PutIn(ctx, tx, "t0", testdoc.Document{"id": fmt.Sprint(i % 9), "z": "tx"})
			})
		default:
			err = testdoc.Put(ctx, table, testdoc.Document{"id": fmt.Sprint(i % 9), fmt.Sprint("n", worker, i%200): "x", "z": "y"})
		}
		switch database.KindOf(err) {
		case database.KindUnavailable, database.KindConflict, database.KindExists, database.KindNotFound,
			database.KindBusy, database.KindInvalid:
		default:
			if err != nil {
				t.Error(err)
				return
			}
		}
	}
}
