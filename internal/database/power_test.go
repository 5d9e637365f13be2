// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/pebble"
)

// powerLosses returns the seed of a random test and its number of power losses.
func powerLosses(t *testing.T) (seed uint64, losses int) {
	return rounds.Seed(t), max(rounds.Of(t, 12), 12)
}

// TestPowerLoss: whatever part of what was not synced a power loss keeps, in the middle of writes, the rows agree with
// all their indexes, one for searches among them, and no acknowledged write is lost.
func TestPowerLoss(t *testing.T) {
	seed, losses := powerLosses(t)
	random := rand.New(rand.NewPCG(seed, 0))
	disk := vfs.NewCrashableMem()
	w := &poweredWriter{random: rand.New(rand.NewPCG(seed, 1)), known: map[int64]string{}}
	rows := int64(0)
	for round := range losses {
		store, db := openPowered(t, disk, database.Options{})
		table := poweredTable(t, db, round == 0)
		rows += w.check(t, table)
		stop := make(chan struct{})
		var group sync.WaitGroup
		group.Go(func() { w.run(t, table, stop) })
		time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
		w.mu.Lock() // what is acknowledged by now, and the disk, belong together
		percent := []int{0, 30, 100}[random.IntN(3)]
		after := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: random})
		w.freeze()
		w.mu.Unlock()
		close(stop)
		group.Wait()
		_ = db.Close()
		_ = store.Close()
		disk = after
		if t.Failed() {
			t.Fatalf("after loss %d, which kept %d %% of what was not synced", round, percent)
		}
	}
	t.Logf("%d power losses, %d rows verified", losses, rows)
}

func openPowered(t *testing.T, disk vfs.FS, o database.Options) (*pebble.Store, *database.DB) {
	t.Helper()
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: disk, ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	o.Admin, o.Logger = store, slog.New(slog.DiscardHandler)
	db, err := database.Open(t.Context(), store, o)
	if err != nil {
		t.Fatal(err)
	}
	return store, db
}

func poweredTable(t *testing.T, db *database.DB, first bool) *database.Table {
	t.Helper()
	if !first {
		table, err := db.Table("t")
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	return mustTable(t, db, database.TableSpec{Name: "t", Key: parts(t, "id", "int"), Indexes: []database.IndexSpec{
		{Name: "by_text", Key: parts(t, "text", "text"), KeepNulls: true},
		{Name: "find", Search: true, Key: []schema.KeyPart{mustWords(t, "standard", "text"),
			parts(t, "text", "text")[0]}},
		asyncIndex(t, "later", 4),
	}})
}

// poweredWriter writes items, and remembers what was acknowledged.
type poweredWriter struct {
	mu     sync.Mutex
	random *rand.Rand
	known  map[int64]string // the text of each item; "" for none
	doing  int64            // the item whose write has no answer yet; -1: none
	frozen map[int64]string
	unsure int64
}

// freeze remembers what must be there after the power loss. The caller holds mu.
func (w *poweredWriter) freeze() {
	w.frozen, w.unsure = map[int64]string{}, w.doing
	for id, text := range w.known {
		w.frozen[id] = text
	}
}

// run writes until it is told to stop.
func (w *poweredWriter) run(t *testing.T, table *database.Table, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		id := int64(w.random.IntN(200))
		words := make([]string, w.random.IntN(8))
		for i := range words {
			words[i] = fmt.Sprintf("w%d", w.random.IntN(30))
		}
		text := strings.Join(words, " ")
		key := value.Value(value.AppendInt(nil, id))
		w.mu.Lock()
		w.doing = id
		w.mu.Unlock()
		var err error
		if text == "" {
			err = testdoc.Delete(t.Context(), table, testdoc.Document{"id": key})
		} else {
			err = testdoc.Put(t.Context(), table, testdoc.Document{"id": key, "text": text})
		}
		if err != nil {
			t.Error(err)
			return
		}
		w.mu.Lock()
		w.known[id], w.doing = text, -1
		w.mu.Unlock()
	}
}

// check verifies the table and compares it with what was acknowledged; it returns how many rows there are.
func (w *poweredWriter) check(t *testing.T, table *database.Table) int64 {
	t.Helper()
	report, err := table.Verify(t.Context())
	if err != nil || len(report.Faults) > 0 {
		t.Fatalf("verification: %v %v", err, report.Faults)
	}
	w.known, w.doing = map[int64]string{}, -1
	for id, want := range w.frozen {
		item, ok, err := testdoc.Get(t.Context(), table, testdoc.Document{"id": value.Value(value.AppendInt(nil, id))})
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			w.known[id] = item.Text("text")
		}
		if got := w.known[id]; got != want && id != w.unsure {
			t.Fatalf("item %d has the text %q, acknowledged was %q", id, got, want)
		}
	}
	return report.Rows
}
