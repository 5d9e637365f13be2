// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/recovery"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/internal/testing/teststore"
)

// rescued is a table with the history that a model holds of it.
type rescued struct {
	db      *database.DB
	table   *database.Table
	random  *rand.Rand
	now     map[string]string // the items as they are, printed, by key
	moments []rescuedMoment
	indexed bool // the index that comes and goes is there
}

type rescuedMoment struct {
	at    time.Time
	items map[string]string
}

const rescuedKeys = 24

func newRescued(t *testing.T, engine teststore.Engine, seed uint64) *rescued {
	t.Helper()
	store, admin := engine.Open(t)
	db, err := database.Open(t.Context(), store,
		database.Options{Admin: admin, Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1,
			Gateway: database.GatewayOptions{Lease: time.Minute, Poll: 5 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	both := schema.NewImage | schema.OldImage
	table, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: "t", Key: database.Columns("k", schema.String), Stream: &both,
			Indexes: []database.IndexSpec{
				{Name: "by_v", Key: database.Columns("v", schema.Number)},
				{Name: "alone", Key: database.Columns("u", schema.Number), Unique: true},
				{Name: "words", Key: database.Columns("text", schema.String), Search: true}}})
	if err == nil {
		err = errors.Join(table.SetExpiry(t.Context(), "at"), db.WaitJobs(t.Context()),
			table.Edit(t.Context(), withRecovery(db, 2)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return &rescued{db: db, table: table, random: rand.New(rand.NewPCG(seed, 0)), now: map[string]string{}}
}

func (r *rescued) key() string { return fmt.Sprintf("k%02d", r.random.IntN(rescuedKeys)) }

// put puts an item with a value of u in tx.
func (r *rescued) put(ctx context.Context, tx *database.Tx, key string, u int, model map[string]string) error {
	d := testdoc.Document{"k": key, "v": r.random.IntN(5), "text": fmt.Sprint("some words ", r.random.IntN(3)), "u": u}
	if r.random.IntN(4) == 0 {
		d["at"] = time.Now().Unix() - 100
	}
	model[key] = fmt.Sprint(d)
	return testdoc.PutIn(ctx, tx, "t", d)
}

// change does one transaction: the values of u, which no two items share, are exchanged by all that are put.
func (r *rescued) change(ctx context.Context, t *testing.T, values map[string]int) {
	t.Helper()
	model, given := maps.Clone(r.now), maps.Clone(values)
	keys := map[string]bool{}
	for range 1 + r.random.IntN(5) {
		keys[r.key()] = true
	}
	err := r.db.Update(ctx, func(tx *database.Tx) error {
		for key := range keys { // so that the values are free
			if err := testdoc.DeleteIn(ctx, tx, "t", testdoc.Document{"k": key}); err != nil {
				return err
			}
			delete(model, key)
			delete(given, key)
		}
		for key := range keys {
			if r.random.IntN(4) == 0 {
				continue
			}
			u := r.random.IntN(2 * rescuedKeys)
			for taken := true; taken; {
				taken = false
				for _, other := range given {
					if other == u {
						taken, u = true, r.random.IntN(2*rescuedKeys)
						break
					}
				}
			}
			given[key] = u
			if err := r.put(ctx, tx, key, u, model); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	clear(values)
	maps.Copy(values, given)
	r.now = model
}

// expire lets items go whose time has come.
func (r *rescued) expire(ctx context.Context, t *testing.T, values map[string]int) {
	t.Helper()
	if _, err := r.db.Jobs().Expire(ctx); err != nil {
		t.Fatal(err)
	}
	r.now = printed(t, r.table)
	for key := range values {
		if _, ok := r.now[key]; !ok {
			delete(values, key)
		}
	}
	for key := range r.now {
		if _, ok := values[key]; !ok {
			t.Fatalf("an item %s came from nowhere", key)
		}
	}
}

// printed is what a table holds. Its indexes are checked.
func printed(t *testing.T, table *database.Table) map[string]string {
	t.Helper()
	if report, err := table.Verify(t.Context()); err != nil || len(report.Faults) > 0 {
		t.Fatalf("%s: %v, %v", table.Name(), report.Faults, err)
	}
	items := map[string]string{}
	err := testdoc.Each(t.Context(), table, database.Query{}, func(d testdoc.Document) bool {
		items[d["k"].(string)] = fmt.Sprint(d)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// live writes a history, and notes what the model holds between its transactions.
func (r *rescued) live(t *testing.T, moments int) {
	t.Helper()
	ctx, values := t.Context(), map[string]int{}
	for i := range moments {
		<-time.After(2 * time.Millisecond) // so that the next commit is of a later millisecond
		r.moments = append(r.moments, rescuedMoment{time.Now(), r.now})
		<-time.After(2 * time.Millisecond)
		for range 1 + r.random.IntN(6) {
			r.change(ctx, t, values)
		}
		switch {
		case i%8 == 5:
			r.expire(ctx, t, values)
		case i%10 == 7 && !r.indexed:
			r.indexed = true
			r.must(t, r.table.AddIndex(ctx,
				database.IndexSpec{Name: "late", Key: database.Columns("v", schema.Number, "text", schema.String)}))
		case i%10 == 2 && r.indexed:
			r.indexed = false
			r.must(t, r.table.DropIndex(ctx, "late"))
		}
	}
	if got := printed(t, r.table); !maps.Equal(got, r.now) {
		t.Fatalf("the table has %d items, the model %d", len(got), len(r.now))
	}
}

func (r *rescued) must(t *testing.T, err error) {
	t.Helper()
	if err = errors.Join(err, r.db.WaitJobs(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// TestRestoreAt restores a table at random moments of its history, in place and beside, on each engine, and checks that
// it is what a model holds for the moment, and that its indexes agree: with transactions that exchange keys of a unique
// index, expiry, a stream, and an index that comes and goes.
func TestRestoreAt(t *testing.T) {
	// it mostly waits
	t.Parallel()
	// the mock takes a second for each
	restores := map[string]int{"mem": rounds.Of(t, 16), "pebble": rounds.Of(t, 16), "tikv": rounds.Of(t, 4)}
	seed := rounds.Seed(t)
	for _, engine := range teststore.Engines() {
		t.Run(engine.Name, func(t *testing.T) {
			t.Logf("WEFT_TEST_SEED=%d", seed)
			r := newRescued(t, engine, seed)
			r.live(t, min(restores[engine.Name], 60))
			for i := range restores[engine.Name] {
				m := r.moments[r.random.IntN(len(r.moments))]
				if i%2 == 0 {
					r.beside(t, m, fmt.Sprint("beside", i))
					continue
				}
				if _, err := r.db.Recovery().Rewind(t.Context(), "", r.table.Name(), m.at); err != nil {
					t.Fatal(err)
				}
				if got := printed(t, r.table); !maps.Equal(got, m.items) {
					t.Fatalf("restored as of %s: %v, want %v", m.at, got, m.items)
				}
			}
		})
	}
}

func (r *rescued) beside(t *testing.T, m rescuedMoment, name string) {
	t.Helper()
	if _, err := r.db.Recovery().RestoreAt(t.Context(), "", "t", m.at, name,
		func(*schema.Table) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := r.db.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	beside, err := r.db.Table(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := printed(t, beside); !maps.Equal(got, m.items) {
		t.Fatalf("restored beside as of %s: %v, want %v", m.at, got, m.items)
	}
	if err := r.db.DropTable(t.Context(), "", name); err != nil {
		t.Fatal(err)
	}
}

// TestRestorable: moments are out of reach that changes are not kept of, whatever was changed about that: the number of
// days, off and on again, an emptied table.
func TestRestorable(t *testing.T) {
	ctx, offset := t.Context(), new(atomic.Int64)
	now := func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	db := testdb.OpenWith(t, database.Options{Now: now, ExpiryInterval: -1, Idle: true})
	table, err := db.CreateTable(ctx, database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(at time.Time, why string) {
		t.Helper()
		if _, err := db.Recovery().Rewind(ctx, "", table.Name(), at); !errors.Is(err, recovery.ErrNotRestorable) ||
			database.KindOf(err) != database.KindInvalid {
			t.Errorf("%s: %v", why, err)
		}
	}
	begun := now()
	refused(begun, "a table without recovery")
	set := func(days int) {
		t.Helper()
		if err := table.Edit(ctx, withRecovery(db, days)); err != nil {
			t.Fatal(err)
		}
	}
	set(1)
	refused(begun.Add(-time.Hour), "a moment before changes were kept")
	refused(now().Add(time.Hour), "a moment to come")
	offset.Add(-int64(time.Hour)) // the clock goes back
	pin := mustPin(t, table)
	if from, to, ok := pin.Changes().Restorable(); !ok || to.Before(from) {
		t.Errorf("the last moment is %s, the first one %s", to, from)
	}
	pin.Release()
	offset.Add(int64(time.Hour))
	offset.Add(int64(5 * 24 * time.Hour))
	if err := db.Changes().Trim(ctx); err != nil {
		t.Fatal(err)
	}
	refused(now().Add(-25*time.Hour), "a moment whose changes were dropped")
	set(35)
	refused(now().Add(-25*time.Hour), "a moment whose changes were dropped before they were to be kept for longer")
	if _, err := db.Recovery().Rewind(ctx, "", table.Name(), now().Add(-22*time.Hour)); err != nil {
		t.Errorf("a moment whose changes are there: %v", err)
	}
	offset.Add(int64(5 * 24 * time.Hour))
	if _, err := db.Recovery().Rewind(ctx, "", table.Name(), now().Add(-6*24*time.Hour+2*time.Hour)); err != nil {
		t.Errorf("a moment of some days ago: %v", err)
	}
	before := now()
	offset.Add(int64(time.Second))
	set(0)
	set(35)
	refused(before, "a moment before recovery was off and on again")
	before = now()
	offset.Add(int64(time.Second))
	if err := db.TruncateTable(ctx, "", "t", nil); err != nil {
		t.Fatal(err)
	}
	refused(before, "a moment before the table was emptied")
	offset.Add(int64(time.Second))
	if _, err := db.Recovery().Rewind(ctx, "", table.Name(), now()); err != nil {
		t.Errorf("a moment after the table was emptied: %v", err)
	}
}

// TestArrivalIsAlwaysSeen: a table that is being made as another one was is an arrival until it is a table, without a
// moment in which it is neither.
func TestArrivalIsAlwaysSeen(t *testing.T) {
	store, admin := teststore.Open(t)
	db, err := database.Open(t.Context(), store, database.Options{Admin: admin, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
	if err == nil {
		err = table.Edit(t.Context(), withRecovery(db, 1))
	}
	if err != nil {
		t.Fatal(err)
	}
	put(t, table, 0, 10, "old")
	for i := range 30 {
		name := fmt.Sprintf("copy%d", i)
		arrival, err := db.Recovery().RestoreAt(t.Context(), "", "t", time.Now(), name,
			func(*schema.Table) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for arrived := false; !arrived; {
			if _, err := db.Table(name); err == nil {
				arrived = true
				continue
			}
			all, err := db.Recovery().Arrivals(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(all, func(a recovery.Arrival) bool { return a.ID == arrival.ID }) {
				continue
			}
			if _, err := db.Table(name); err != nil {
				t.Fatalf("%s is neither an arrival nor a table: %v", name, err)
			}
		}
	}
}

// TestRestoreLosesItsChanges: a table that is to be made as another one was is given up if the changes are gone before
// it is made, and its name is free again.
func TestRestoreLosesItsChanges(t *testing.T) {
	store, admin := teststore.Open(t)
	open := func(idle bool) *database.DB {
		db, err := database.Open(context.WithoutCancel(t.Context()), store,
			database.Options{Admin: admin, Idle: idle, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open(true)
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
	if err == nil {
		err = table.Edit(t.Context(), withRecovery(db, 1))
	}
	if err != nil {
		t.Fatal(err)
	}
	put(t, table, 0, 10, "old")
	at := time.Now()
	<-time.After(2 * time.Millisecond)
	put(t, table, 0, 10, "new")
	if _, err := db.Recovery().RestoreAt(t.Context(), "", "t", at, "copy",
		func(*schema.Table) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(table.Edit(t.Context(), withRecovery(db, 0)), db.Close()); err != nil {
		t.Fatal(err)
	}
	db = open(false)
	defer db.Close()
	if err := db.Tasks().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	arrivals, err := db.Recovery().Arrivals(t.Context())
	if err != nil || len(arrivals) != 1 || arrivals[0].Failed == "" {
		t.Errorf("%+v, %v", arrivals, err)
	}
	if _, err := db.Table("copy"); database.KindOf(err) != database.KindNotFound {
		t.Errorf("a table was made without its changes: %v", err)
	}
	if _, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: "copy", Key: database.Columns("k", schema.String)}); err != nil {
		t.Errorf("the name is taken: %v", err)
	}
}
