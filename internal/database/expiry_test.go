// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/kvwrap"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
	"github.com/weftdb/weft/kv/pebble"
)

// clock is a clock that tests turn, in seconds since the Unix epoch.
type clock struct{ seconds atomic.Int64 }

func clockAt(seconds int64) *clock {
	c := &clock{}
	c.seconds.Store(seconds)
	return c
}

func (c *clock) now() time.Time { return time.Unix(c.seconds.Load(), 0) }

// openExpiring opens a database that looks for expired items only when it is told to.
func openExpiring(t testing.TB, store kv.Store, options database.Options) *database.DB {
	t.Helper()
	options.Logger = slog.New(slog.DiscardHandler)
	if options.ExpiryInterval == 0 {
		options.ExpiryInterval = -1
	}
	db, err := database.Open(t.Context(), store, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// expiringTable makes a table t with the key pk whose items expire by "at", and an index by "color".
func expiringTable(t testing.TB, db *database.DB) *database.Table {
	t.Helper()
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.String),
		Indexes: []database.IndexSpec{{Name: "color", Key: database.Columns("color", schema.String)}}})
	if err := errors.Join(table.SetExpiry(t.Context(), "at"), db.WaitJobs(t.Context())); err != nil {
		t.Fatal(err)
	}
	return table
}

func mustPut(t testing.TB, table *database.Table, documents ...testdoc.Document) {
	t.Helper()
	for _, d := range documents {
		if err := testdoc.Put(t.Context(), table, d); err != nil {
			t.Fatal(err)
		}
	}
}

// keysOf lists the keys of a table's items, in order.
func keysOf(t testing.TB, table *database.Table) string {
	t.Helper()
	var keys []string
	documents, err := walk(t.Context(), table, database.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		keys = append(keys, fmt.Sprint(d["pk"]))
	}
	return strings.Join(keys, " ")
}

func mustVerify(t testing.TB, table *database.Table) database.Report {
	t.Helper()
	report, err := table.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	return report
}

// TestExpiry runs testdata/expiry: tables, items, a clock, and which items are left.
func TestExpiry(t *testing.T) {
	for engine, open := range map[string]func() kv.Store{
		"mem":    func() kv.Store { return mem.Open(mem.Options{}) },
		"pebble": func() kv.Store { return memPebble(t, vfs.NewMem()) },
	} {
		t.Run(engine, func(t *testing.T) {
			store := open()
			t.Cleanup(func() { store.Close() })
			clock := clockAt(1_800_000_000)
			s := &expiryScript{t: t, clock: clock}
			s.db = openExpiring(t, store,
				database.Options{Now: clock.now,
					Expired: func(table string,
						items int64) {
						fmt.Fprintf(&s.told, "%s: %d expired\n", table, items)
					}})
			datadriven.RunTest(t, "testdata/expiry", s.run)
		})
	}
}

func memPebble(t testing.TB, files vfs.FS) *pebble.Store {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: files, MemTableBytes: 1 << 20, ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

type expiryScript struct {
	t     *testing.T
	clock *clock
	db    *database.DB
	told  strings.Builder // what Options.Expired was told
}

// run does one command. The first argument is the table.
//
//	create t KEYS.. [hash]   makes a table with indexes by the columns in the input; KEYS are like pk:string
//	expiry t                 sets its expiry to the attribute in the input, or ends it
//	put t                    writes the documents of the input, in which now+5 stands for a time
//	after SECONDS            turns the clock on
//	expire                   deletes what has expired and lists what is left of all tables
func (s *expiryScript) run(t *testing.T, d *datadriven.TestData) string {
	s.t = t
	var out string
	var err error
	switch d.Cmd {
	case "create":
		err = s.create(d)
	case "expiry":
		out, err = s.expiry(d)
	case "put":
		err = s.put(d)
	case "after":
		var seconds int64
		_, err = fmt.Sscan(d.CmdArgs[0].Key, &seconds)
		s.clock.seconds.Add(seconds)
	case "expire":
		out, err = s.expire()
	default:
		d.Fatalf(t, "unknown command")
	}
	if err != nil {
		return fmt.Sprintf("%s%v: %v\n", out, database.KindOf(err), err)
	}
	return out
}

func (s *expiryScript) create(d *datadriven.TestData) error {
	spec := database.TableSpec{Name: d.CmdArgs[0].Key}
	for _, arg := range d.CmdArgs[1:] {
		name, kind, isPart := strings.Cut(arg.Key, ":")
		types := map[string]schema.Type{"string": schema.String, "number": schema.Number}
		if !isPart {
			spec.HashDistributed = true
			continue
		}
		spec.Key = append(spec.Key, mustPart(s.t, name, types[kind]))
	}
	for _, line := range strings.Fields(d.Input) {
		spec.Indexes = append(spec.Indexes, database.IndexSpec{Name: line, Key: database.Columns(line, schema.String)})
	}
	_, err := s.db.CreateTable(s.t.Context(), spec)
	return err
}

func (s *expiryScript) expiry(d *datadriven.TestData) (string, error) {
	table, err := s.db.Table(d.CmdArgs[0].Key)
	if err != nil {
		return "", err
	}
	attribute := strings.TrimSpace(d.Input)
	err = errors.Join(table.SetExpiry(s.t.Context(), attribute), s.db.WaitJobs(s.t.Context()))
	state := expiryOf(s.t, s.db, table.Name())
	return fmt.Sprintf("%s %q\n", state.State, state.Attribute), err
}

func expiryOf(t testing.TB, db *database.DB, table string) database.Expiry {
	t.Helper()
	pin, err := db.PinIn("", table)
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	return database.ExpiryOf(pin.Descriptor())
}

func (s *expiryScript) put(d *datadriven.TestData) error {
	table, err := s.db.Table(d.CmdArgs[0].Key)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(d.Input, "\n") {
		decoder := json.NewDecoder(strings.NewReader(s.times(line)))
		decoder.UseNumber()
		var document map[string]any
		if err := decoder.Decode(&document); err != nil {
			return err
		}
		if err := testdoc.Put(s.t.Context(), table, document); err != nil {
			return err
		}
	}
	return nil
}

// times writes times out: now, now+5 and now-5.
func (s *expiryScript) times(line string) string {
	return relativeTime.ReplaceAllStringFunc(line, func(found string) string {
		var seconds int64
		if offset := strings.TrimPrefix(found, ": now"); offset != "" {
			if _, err := fmt.Sscan(offset, &seconds); err != nil {
				s.t.Fatal(err)
			}
		}
		return fmt.Sprint(": ", s.clock.seconds.Load()+seconds)
	})
}

var relativeTime = regexp.MustCompile(`: now([+-]\d+)?`) // immutable

func (s *expiryScript) expire() (string, error) {
	var out strings.Builder
	s.told.Reset()
	deleted, err := s.db.Jobs().Expire(s.t.Context())
	fmt.Fprintf(&out, "%d deleted\n%s", deleted, s.told.String())
	for _, name := range s.db.Tables("", "", 100) {
		table, tableErr := s.db.Table(name)
		if tableErr != nil {
			return "", tableErr
		}
		report := mustVerify(s.t, table)
		fmt.Fprintf(&out, "%s holds [%s], %d index entries\n", name, keysOf(s.t, table), report.Entries)
	}
	return out.String(), err
}

// hooked is a store that calls a function before chosen calls.
type hooked struct {
	kv.Store
	afterRead, beforeCommit atomic.Pointer[func()] // background tasks read and commit too
}

func (h *hooked) Read(ctx context.Context) (kv.Reader, error) {
	reader, err := h.Store.Read(ctx)
	return &hookedReader{reader, h}, err
}

type hookedReader struct {
	kv.Reader
	store *hooked
}

func (r *hookedReader) Close() error {
	err := r.Reader.Close()
	if hook := r.store.afterRead.Swap(nil); hook != nil {
		(*hook)()
	}
	return err
}

func (h *hooked) Begin(ctx context.Context) (kv.Txn, error) {
	txn, err := h.Store.Begin(ctx)
	return &hookedTxn{txn, h}, err
}

type hookedTxn struct {
	kv.Txn
	store *hooked
}

func (t *hookedTxn) Commit(ctx context.Context) error {
	if hook := t.store.beforeCommit.Swap(nil); hook != nil {
		(*hook)()
	}
	return t.Txn.Commit(ctx)
}

// TestExpiryMovedMeanwhile moves an item's expiry on between the moments at which a sweep finds, reads and deletes it:
// the item lives. One that was written anew but is due all the same goes.
func TestExpiryMovedMeanwhile(t *testing.T) {
	for _, moment := range []string{"after the scan", "before the commit"} {
		t.Run(moment, func(t *testing.T) {
			inner := mem.Open(mem.Options{})
			defer inner.Close()
			clock := clockAt(1000)
			store := &hooked{Store: inner}
			db := openExpiring(t, store, database.Options{Now: clock.now})
			table := expiringTable(t, db)
			mustPut(t, table, testdoc.Document{"pk": "a", "at": 1001},
				testdoc.Document{"pk": "b", "at": 1001, "color": "red"}, testdoc.Document{"pk": "c", "at": 1002},
				testdoc.Document{"pk": "d", "at": 1001}, testdoc.Document{"pk": "e", "at": 1001})
			clock.seconds.Store(1010)
			// Another gateway: it has latches of its own.
			other, err := openExpiring(t, inner, database.Options{Now: clock.now}).Table("t")
			if err != nil {
				t.Fatal(err)
			}
			move := func() {
				mustPut(t, other, testdoc.Document{"pk": "b", "at": 1011, "color": "blue"},
					testdoc.Document{"pk": "c", "at": "later"}, testdoc.Document{"pk": "d", "at": 1003})
				if err := testdoc.Delete(t.Context(), other, testdoc.Document{"pk": "e"}); err != nil {
					t.Error(err)
				}
			}
			if moment == "after the scan" {
				store.afterRead.Store(&move)
			} else {
				store.beforeCommit.Store(&move)
			}
			deleted, err := db.Jobs().Expire(t.Context())
			if err != nil || deleted != 2 {
				t.Errorf("%d deleted, %v; want a and d", deleted, err)
			}
			if keys := keysOf(t, table); keys != "b c" {
				t.Errorf("left are %s", keys)
			}
			mustVerify(t, table)
		})
	}
}

// TestExpiryInSeveralGateways lets three gateways look at once, again and again, while writers put items: each goes
// once, and none before its time.
func TestExpiryInSeveralGateways(t *testing.T) {
	store := mem.Open(mem.Options{})
	defer store.Close()
	clock := clockAt(1000)
	var told, deleted atomic.Int64
	options := database.Options{Now: clock.now, Expired: func(_ string, items int64) { told.Add(items) }}
	gateways := []*database.DB{openExpiring(t, store, options)}
	table := expiringTable(t, gateways[0])
	// the others know the attributes' names
	mustPut(t, table, testdoc.Document{"pk": "first", "at": 5000, "color": "red"})
	gateways = append(gateways, openExpiring(t, store, options), openExpiring(t, store, options))
	const items = 900
	var writers, sweepers sync.WaitGroup
	ended := make(chan struct{})
	for i := range 3 {
		writers.Go(func() {
			for j := range items / 3 {
				key := j*3 + i
				mustPut(t, table, testdoc.Document{"pk": fmt.Sprintf("%04d", key), "at": 1000 + key%10,
					"color": "red"})
				clock.seconds.CompareAndSwap(1000+int64(j/100), 1001+int64(j/100))
			}
		})
	}
	for _, db := range gateways {
		sweepers.Go(func() {
			for more := true; more; {
				select {
				case <-ended:
					more = false
				default:
				}
				n, err := db.Jobs().Expire(t.Context())
				if err != nil {
					t.Error(err)
				}
				deleted.Add(n)
			}
		})
	}
	writers.Wait()
	clock.seconds.Store(1004)
	close(ended)
	sweepers.Wait()
	if deleted.Load() != items/2 || told.Load() != items/2 {
		t.Errorf("%d deleted, %d told, want %d", deleted.Load(), told.Load(), items/2)
	}
	if report := mustVerify(t, table); report.Rows != items/2+1 {
		t.Errorf("%d items are left", report.Rows)
	}
}

// TestExpiryOfUnreadableRows: a row with an attribute whose name a gateway does not know stays, because its entries
// could not be told; the others go.
func TestExpiryOfUnreadableRows(t *testing.T) {
	store := mem.Open(mem.Options{})
	defer store.Close()
	clock := clockAt(1000)
	db := openExpiring(t, store, database.Options{Now: clock.now})
	table := expiringTable(t, db)
	mustPut(t, table, testdoc.Document{"pk": "a", "at": 1001})
	late := openExpiring(t, store, database.Options{Now: clock.now})
	mustPut(t, table, testdoc.Document{"pk": "b", "at": 1001, "color": "red"},
		testdoc.Document{"pk": "c", "at": 1001})
	clock.seconds.Store(1001)
	if deleted, err := late.Jobs().Expire(t.Context()); deleted != 2 || err == nil {
		t.Errorf("%d deleted, %v", deleted, err)
	}
	if keys := keysOf(t, table); keys != "b" {
		t.Errorf("left are %s", keys)
	}
	mustVerify(t, table)
	if deleted, err := db.Jobs().Expire(t.Context()); deleted != 1 || err != nil {
		t.Errorf("then %d deleted, %v", deleted, err)
	}
}

// TestExpiryFaults makes every kind of call fail once in a sweep of two tables: nothing is half deleted, and the next
// look does the rest.
func TestExpiryFaults(t *testing.T) {
	broken := errors.New("broken")
	for _, call := range []kvwrap.Call{kvwrap.CallRead, kvwrap.CallScan, kvwrap.CallNext, kvwrap.CallBegin,
		kvwrap.CallGet, kvwrap.CallDelete, kvwrap.CallCommit} {
		t.Run(string(call), func(t *testing.T) {
			store := kvwrap.Faulty(mem.Open(mem.Options{}), kvwrap.FaultyOptions{})
			defer store.Close()
			clock := clockAt(1000)
			db := openExpiring(t, store, database.Options{Now: clock.now})
			first := expiringTable(t, db)
			second := mustTable(t, db, database.TableSpec{Name: "u", Key: database.Columns("pk", schema.String)})
			if err := errors.Join(second.SetExpiry(t.Context(), "at"), db.WaitJobs(t.Context())); err != nil {
				t.Fatal(err)
			}
			for i := range 150 {
				d := testdoc.Document{"pk": fmt.Sprintf("%03d", i), "at": 1001 + i%3, "color": "red"}
				mustPut(t, first, d)
				mustPut(t, second, d)
			}
			clock.seconds.Store(1002)
			store.Inject(kvwrap.Fault{Call: call, Nth: 1, Err: broken})
			deleted, err := db.Jobs().Expire(t.Context())
			if !errors.Is(err, broken) || deleted != 100 {
				t.Errorf("%d deleted, %v; want the 100 of the second table and the error of the first", deleted, err)
			}
			if report := mustVerify(t, first); report.Rows != 150 {
				t.Errorf("%d items are left in the first table", report.Rows)
			}
			if report := mustVerify(t, second); report.Rows != 50 {
				t.Errorf("%d items are left in the second table", report.Rows)
			}
			if deleted, err = db.Jobs().Expire(t.Context()); deleted != 100 || err != nil {
				t.Errorf("then %d deleted, %v", deleted, err)
			}
			if report := mustVerify(t, first); report.Rows != 50 {
				t.Errorf("then %d items are left in the first table", report.Rows)
			}
		})
	}
}

// TestExpiryAfterACrash cuts the power in the middle of a sweep, after each of its commits: an item is there with all
// its entries, or not at all, none goes before its time, and after the restart the rest goes by itself.
func TestExpiryAfterACrash(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	files := vfs.NewCrashableMem()
	store := memPebble(t, files)
	defer store.Close()
	clock := clockAt(1000)
	var crashed []*vfs.MemFS
	db := openExpiring(t, store, database.Options{Now: clock.now, Expired: func(string, int64) {
		crashed = append(crashed, files.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: random.IntN(101),
			RNG: random}))
	}})
	table := expiringTable(t, db)
	for i := range 600 {
		mustPut(t, table, testdoc.Document{"pk": fmt.Sprintf("%03d", i), "at": 1001 + i%4, "color": "red"})
	}
	clock.seconds.Store(1002)
	if deleted, err := db.Jobs().Expire(t.Context()); deleted != 300 || err != nil {
		t.Fatalf("%d deleted, %v", deleted, err)
	}
	if len(crashed) != 3 {
		t.Fatalf("%d commits", len(crashed))
	}
	for i, files := range crashed {
		afterCrash(t, files, clock, 600-100*int64(i+1))
	}
}

func afterCrash(t *testing.T, files vfs.FS, clock *clock, rowsMax int64) {
	t.Helper()
	store := memPebble(t, files)
	defer store.Close()
	expired := make(chan int64, 10)
	db := openExpiring(t, store, database.Options{Now: clock.now})
	table, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	before := mustVerify(t, table).Rows
	if before > rowsMax || before < 300 {
		t.Errorf("%d items after a restart, want 300 to %d", before, rowsMax)
	}
	db.Close()
	db = openExpiring(t, store, database.Options{Now: clock.now, ExpiryInterval: time.Millisecond,
		Expired: func(_ string, items int64) { expired <- items }})
	for left := before - 300; left > 0; {
		left -= <-expired
	}
	if table, err = db.Table("t"); err != nil {
		t.Fatal(err)
	}
	if rows := mustVerify(t, table).Rows; rows != 300 {
		t.Errorf("%d items in the end", rows)
	}
	db.Close()
}

// TestExpiryIsHidden: nobody sees the index by which expired items are found, and nobody can take its name.
func TestExpiryIsHidden(t *testing.T) {
	db := embedded(t)
	table := expiringTable(t, db)
	const name = "weft:expiry"
	if _, err := table.Query(t.Context(), database.Query{Index: name}); database.KindOf(err) != database.KindNotFound {
		t.Errorf("a query of it gives %v", err)
	}
	if err := table.DropIndex(t.Context(), name); database.KindOf(err) != database.KindNotFound {
		t.Errorf("dropping it gives %v", err)
	}
	if err := table.AddIndex(t.Context(),
		database.IndexSpec{Name: name, Key: database.Columns("at", schema.Number)}); database.KindOf(
		err) != database.KindInvalid {
		t.Errorf("adding one of that name gives %v", err)
	}
	_, err := db.CreateTable(t.Context(),
		database.TableSpec{Name: "u", Key: database.Columns("pk", schema.String),
			Indexes: []database.IndexSpec{{Name: name, Key: database.Columns("at", schema.Number)}}})
	if database.KindOf(err) != database.KindInvalid {
		t.Errorf("a table with one of that name gives %v", err)
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	row, err := testdoc.Document{"pk": "a", "at": 5, "color": "red"}.AppendRow(nil, pin.Names())
	if err != nil {
		t.Fatal(err)
	}
	var result database.WriteResult
	if err := pin.Write(t.Context(), &database.Write{Row: row, NeedSizes: true}, &result); err != nil {
		t.Fatal(err)
	}
	if changed := result.Change.Indexes; len(changed) != 1 || changed[0].Index.Name != "color" {
		t.Errorf("a write tells of %+v", changed)
	}
	cursor, err := pin.Query(t.Context(), database.Query{AnyIndex: true, Where: govalue.Attribute("at").Equal(5)})
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	if plan := cursor.Explain(); strings.Contains(plan, "weft:") {
		t.Errorf("a query reads %s", plan)
	}
}

// TestExpiryStates sees all states, and what can't be done in them. A transaction that has the table pinned holds up
// each change in turn.
func TestExpiryStates(t *testing.T) {
	db := embedded(t)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.String)})
	seen := map[database.ExpiryState]bool{}
	observe := func() database.ExpiryState {
		state := expiryOf(t, db, "t").State
		seen[state] = true
		return state
	}
	for _, attribute := range []string{"at", ""} {
		before := observe()
		pin, err := table.Pin()
		if err != nil {
			t.Fatal(err)
		}
		var change sync.WaitGroup
		change.Go(func() {
			if err := table.SetExpiry(t.Context(), attribute); err != nil {
				t.Errorf("expiry %q: %v", attribute, err)
			}
		})
		for observe() == before {
			time.Sleep(time.Millisecond)
		}
		pin.Release()
		change.Wait()
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		observe()
	}
	for _, state := range []database.ExpiryState{database.ExpiryOff, database.ExpiryBuilding, database.ExpiryActive,
		database.ExpiryRemoving} {
		if !seen[state] {
			t.Errorf("the expiry was never %s", state)
		}
	}
}

// stalledLog holds up whoever says that a job is done, once it is armed.
type stalledLog struct {
	slog.Handler
	armed           *atomic.Bool
	reached, resume chan struct{}
}

// Enabled is slog.Handler's.
func (l stalledLog) Enabled(context.Context, slog.Level) bool { return true }

// Handle is slog.Handler's.
func (l stalledLog) Handle(_ context.Context, record slog.Record) error {
	if record.Message == "job done" && l.armed.CompareAndSwap(true, false) {
		close(l.reached)
		<-l.resume
	}
	return nil
}

// TestExpiryBusy: while one attribute is being switched off, there is no place for another.
func TestExpiryBusy(t *testing.T) {
	store := mem.Open(mem.Options{})
	defer store.Close()
	log := stalledLog{slog.DiscardHandler, new(atomic.Bool), make(chan struct{}), make(chan struct{})}
	db, err := database.Open(t.Context(), store, database.Options{Logger: slog.New(log), ExpiryInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer close(log.resume)
	table := expiringTable(t, db)
	other := mustTable(t, db, database.TableSpec{Name: "u", Key: database.Columns("pk", schema.Number),
		Indexes: []database.IndexSpec{{Name: "x", Key: database.Columns("x", schema.Number)}}})
	// Removals are done one after another: that of the expiry waits for this one.
	log.armed.Store(true)
	if err := other.DropIndex(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	<-log.reached
	if err := table.SetExpiry(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if expiry := expiryOf(t, db, "t"); expiry != (database.Expiry{Attribute: "at", State: database.ExpiryRemoving}) {
		t.Errorf("%+v", expiry)
	}
	for _, attribute := range []string{"at", "other"} {
		if err := table.SetExpiry(t.Context(), attribute); database.KindOf(err) != database.KindBusy {
			t.Errorf("expiry by %s: %v", attribute, err)
		}
	}
	if err := table.SetExpiry(t.Context(), ""); err != nil {
		t.Errorf("switching off again: %v", err)
	}
}

// TestExpiryClosed: a closed database deletes nothing, and closing waits for a sweep.
func TestExpiryClosed(t *testing.T) {
	store := mem.Open(mem.Options{})
	defer store.Close()
	clock := clockAt(1000)
	db := openExpiring(t, store, database.Options{Now: clock.now, ExpiryInterval: time.Microsecond})
	table := expiringTable(t, db)
	for i := range 1000 {
		mustPut(t, table, testdoc.Document{"pk": fmt.Sprintf("%03d", i), "at": 1001})
	}
	clock.seconds.Store(1001)
	if err := errors.Join(db.Close(), db.Close()); err != nil {
		t.Error(err)
	}
	left := countKeys(t, store)
	if _, err := db.Jobs().Expire(t.Context()); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("a closed database gives %v", err)
	}
	if now := countKeys(t, store); now != left {
		t.Errorf("%d keys became %d", left, now)
	}
}

func countKeys(t *testing.T, store kv.Store) (n int) {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	walk := reader.Scan(t.Context(), kv.Range{}, false)
	for walk.Next() {
		n++
	}
	if err := walk.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestExpiryReadsLittle: where nothing has expired, a look is one step, however many items wait; where something has,
// it is little more than one for each.
func TestExpiryReadsLittle(t *testing.T) {
	recording := kvwrap.Faulty(mem.Open(mem.Options{}), kvwrap.FaultyOptions{})
	defer recording.Close()
	clock := clockAt(1000)
	db := openExpiring(t, recording, database.Options{Now: clock.now})
	table := expiringTable(t, db)
	for i := range 500 {
		mustPut(t, table, testdoc.Document{"pk": fmt.Sprintf("%03d", i), "at": 2000 + i})
	}
	before := recording.Calls(kvwrap.CallNext)
	if deleted, err := db.Jobs().Expire(t.Context()); deleted != 0 || err != nil {
		t.Fatal(deleted, err)
	}
	if steps := recording.Calls(kvwrap.CallNext) - before; steps != 1 {
		t.Errorf("a look with nothing to do made %d steps", steps)
	}
	clock.seconds.Store(2099)
	before = recording.Calls(kvwrap.CallNext)
	if deleted, err := db.Jobs().Expire(t.Context()); deleted != 100 || err != nil {
		t.Fatal(deleted, err)
	}
	if steps := recording.Calls(kvwrap.CallNext) - before; steps > 102 {
		t.Errorf("deleting 100 items made %d steps", steps)
	}
}

// TestBuildProgress follows the build of an index on a table with known contents.
func TestBuildProgress(t *testing.T) {
	store := mem.Open(mem.Options{})
	defer store.Close()
	db, err := database.Open(t.Context(), store,
		database.Options{Logger: slog.New(slog.DiscardHandler), BackfillPause: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.Number)})
	for i := range 1000 {
		mustPut(t, table, testdoc.Document{"pk": i, "color": "red"})
	}
	if err := table.AddIndex(t.Context(),
		database.IndexSpec{Name: "color", Key: database.Columns("color", schema.String)}); err != nil {
		t.Fatal(err)
	}
	for db.Jobs().List()[0].Done == 0 { // the first batch comes at once, the second in an hour
		time.Sleep(time.Millisecond)
	}
	progress, building := progressOf(t, table, "color")
	if want := (database.Progress{Done: 256, Expected: 1000}); !building || progress != want ||
		progress.Percent() != 25 {
		t.Errorf("%+v, building %v", progress, building)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openExpiring(t, store, database.Options{})
	if err := db.WaitJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if table, err = db.Table("t"); err != nil {
		t.Fatal(err)
	}
	if progress, building := progressOf(t, table, "color"); building {
		t.Errorf("after the build: %+v", progress)
	}
}

func progressOf(t *testing.T, table *database.Table, index string) (database.Progress, bool) {
	t.Helper()
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	progress, building, err := pin.BuildProgress(t.Context(), index)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := pin.BuildProgress(t.Context(), "none"); database.KindOf(err) != database.KindNotFound {
		t.Errorf("the progress of no index: %v", err)
	}
	return progress, building
}

// BenchmarkPutExpiring shows what the expiry of items costs each put: one of a new item, and one in place of another.
func BenchmarkPutExpiring(b *testing.B) {
	for _, engine := range []string{"mem", "pebble"} {
		for _, expires := range []bool{false, true} {
			for _, fresh := range []bool{true, false} {
				b.Run(fmt.Sprintf("%s/expires=%v/new=%v", engine, expires, fresh),
					func(b *testing.B) { benchmarkPut(b, engine, expires, fresh) })
			}
		}
	}
}

func benchmarkPut(b *testing.B, engine string, expires, fresh bool) {
	table := openBench(b, engine)
	if expires {
		if err := errors.Join(table.table.SetExpiry(b.Context(), "expires"),
			table.db.WaitJobs(b.Context())); err != nil {
			b.Fatal(err)
		}
	}
	p := table.pin(b)
	defer p.Release()
	far := time.Now().Unix() + 1_000_000
	var turn atomic.Int64
	b.SetParallelism(benchWriters)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := turn.Add(1)
			item := benchItem(int(i)%(benchPartitions*benchItems), int(i))
			item["expires"] = far + i
			if fresh {
				item["sk"] = fmt.Sprint("new-", i)
			}
			row, err := item.AppendRow(nil, p.Names())
			if err != nil {
				b.Fatal(err)
			}
			var result database.WriteResult
			if err := p.Write(b.Context(), &database.Write{Row: row}, &result); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkExpireNothing shows that a look at a table in which nothing has expired takes the same time however many
// items wait.
func BenchmarkExpireNothing(b *testing.B) {
	for _, engine := range []string{"mem", "pebble"} {
		for _, items := range []int{100, 10_000, 300_000} {
			b.Run(fmt.Sprintf("%s/items=%d", engine, items), func(b *testing.B) {
				db, _ := openWaiting(b, engine, items)
				b.ReportAllocs()
				for b.Loop() {
					if deleted, err := db.Jobs().Expire(b.Context()); deleted != 0 || err != nil {
						b.Fatal(deleted, err)
					}
				}
			})
		}
	}
}

// BenchmarkExpire shows how long an item takes that has expired, among others of many indexes, and how long a look
// takes right after so many have gone.
func BenchmarkExpire(b *testing.B) {
	for _, engine := range []string{"mem", "pebble"} {
		b.Run(engine, func(b *testing.B) {
			const items = 100_000
			for b.Loop() {
				b.StopTimer()
				db, clock := openWaiting(b, engine, items)
				clock.seconds.Add(items)
				b.StartTimer()
				began := time.Now()
				if deleted, err := db.Jobs().Expire(b.Context()); deleted != items || err != nil {
					b.Fatal(deleted, err)
				}
				b.ReportMetric(float64(time.Since(began).Nanoseconds())/items, "ns/item")
				began = time.Now()
				if deleted, err := db.Jobs().Expire(b.Context()); deleted != 0 || err != nil {
					b.Fatal(deleted, err)
				}
				b.ReportMetric(float64(time.Since(began).Nanoseconds()), "ns/look-after")
			}
		})
	}
}

// openWaiting opens a table of items that expire one second after the other, from the clock's next.
func openWaiting(b *testing.B, engine string, items int) (*database.DB, *clock) {
	b.Helper()
	var store kv.Store = mem.Open(mem.Options{})
	if engine == "pebble" {
		var err error
		if store, err = pebble.Open(pebble.Options{Dir: b.TempDir(), ReadOnlyBelowBytes: -1}); err != nil {
			b.Fatal(err)
		}
	}
	clock := clockAt(1_800_000_000)
	db := openExpiring(b, store, database.Options{Now: clock.now})
	b.Cleanup(func() { db.Close(); store.Close() })
	table := mustTable(b, db, database.TableSpec{Name: "t", Key: database.Columns("pk", schema.Number)})
	if err := errors.Join(table.SetExpiry(b.Context(), "at"), db.WaitJobs(b.Context())); err != nil {
		b.Fatal(err)
	}
	p, err := table.Pin()
	if err != nil {
		b.Fatal(err)
	}
	defer p.Release()
	for first := 0; first < items; first += 1000 {
		writes := make([]database.TableWrite, min(1000, items-first))
		for i := range writes {
			row, err := testdoc.Document{"pk": first + i, "at": clock.seconds.Load() + int64(first+i) + 1,
				"note": "something to remember until then"}.AppendRow(nil, p.Names())
			if err != nil {
				b.Fatal(err)
			}
			writes[i] = database.TableWrite{Table: p, Write: database.Write{Row: row}}
		}
		if _, err := db.WriteAll(b.Context(), writes); err != nil {
			b.Fatal(err)
		}
	}
	return db, clock
}
