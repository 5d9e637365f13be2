// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// texts writes items with texts.
type texts struct {
	table  *database.Table
	random *rand.Rand
}

func (w *texts) write(ctx context.Context) error {
	id := value.Value(value.AppendInt(nil, int64(w.random.IntN(60))))
	if w.random.IntN(4) == 0 {
		return testdoc.Delete(ctx, w.table, testdoc.Document{"id": id})
	}
	words := make([]string, w.random.IntN(12))
	for i := range words {
		words[i] = fmt.Sprintf("w%d", w.random.IntN(15))
	}
	return testdoc.Put(ctx, w.table, testdoc.Document{"id": id, "text": strings.Join(words, " ")})
}

func asyncIndex(t *testing.T, name string, entriesMax int) database.IndexSpec {
	return database.IndexSpec{Name: name, Search: true, Async: &schema.Async{EntriesMax: entriesMax},
		Key: []schema.KeyPart{mustWords(t, "standard", "text"), parts(t, "text", "text")[0]}}
}

// found are the ids of the items that a search finds, in order.
func found(t *testing.T, p database.Pinned, index, text string, wait bool) (ids []string) {
	t.Helper()
	c, err := p.Query(t.Context(), database.Query{Index: index,
		Search: &database.SearchText{Columns: []string{"text"}, Text: text, Boolean: true}, Wait: wait})
	if err != nil {
		t.Fatal(err)
	}
	for c.Next() {
		item := c.Item()
		if words := strings.Fields(item.Text("text")); !slices.Contains(words, text) {
			t.Errorf("%s finds an item with the text %q for %s", index, item.Text("text"), text)
		}
		id, _ := c.Row().Get(p.Names(), []byte("id"))
		ids = append(ids, id.String())
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return ids
}

// TestAsyncSearch: asynchronous search indexes that are made before, while and after items are written by several
// writers find, once they were waited for, what a synchronous one finds; searches that do not wait find no item that
// does not match, and verification is content at any time.
func TestAsyncSearch(t *testing.T) {
	t.Parallel() // it mostly waits
	testdb.Each(t, func(t *testing.T, db *database.DB) {
		seed := rounds.Seed(t)
		plain := asyncIndex(t, "plain", 0)
		plain.Async = nil
		table := mustTable(t, db, database.TableSpec{Name: "t", Key: parts(t, "id", "int"),
			Indexes: []database.IndexSpec{plain, asyncIndex(t, "all", 0), asyncIndex(t, "few", 5)}})
		var writers sync.WaitGroup
		for i := range uint64(3) {
			w := &texts{table: table, random: rand.New(rand.NewPCG(seed, i))}
			writers.Go(func() {
				for range max(rounds.Of(t, 150), 40) {
					if err := w.write(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		if err := table.AddIndex(t.Context(), asyncIndex(t, "later", 0)); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			p := mustPin(t, table)
			for _, index := range []string{"all", "few"} {
				found(t, p, index, "w3", false)
				found(t, p, index, "w4", true)
			}
			p.Release()
			mustVerify(t, table)
		}
		writers.Wait()
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := table.SetFields(t.Context(), "few", asyncIndex(t, "few", 0).Key[:1]); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if err := (&texts{table: table, random: rand.New(rand.NewPCG(seed, 9))}).write(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.WaitJobs(t.Context()); err != nil {
			t.Fatal(err)
		}
		p := mustPin(t, table)
		defer p.Release()
		for word := range 15 {
			text := fmt.Sprintf("w%d", word)
			want := found(t, p, "plain", text, false)
			for _, index := range []string{"all", "few", "later"} {
				if got := found(t, p, index, text, true); !slices.Equal(got, want) {
					t.Errorf("%s finds %v for %s, want %v", index, got, text, want)
				}
			}
		}
		lag, ok, err := p.Lag(t.Context())
		if err != nil || !ok || lag.Changes != 0 {
			t.Errorf("the lag is %v, %v, %v; want none", lag, ok, err)
		}
		if report := mustVerify(t, table); report.Entries < 4*report.Rows {
			t.Errorf("%d rows have %d entries", report.Rows, report.Entries)
		}
	})
}

func mustPin(t *testing.T, table *database.Table) database.Pinned {
	t.Helper()
	p, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAsyncSearchIdle: without anybody who follows, changes wait; what they were left to does not know them, says so,
// and is right again after a restart. Journals that nobody needs any more go.
func TestAsyncSearchIdle(t *testing.T) {
	store := mem.Open(mem.Options{})
	defer store.Close()
	open := func(idle bool) *database.DB {
		db, err := database.Open(t.Context(), store,
			database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler), Idle: idle})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open(true)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: parts(t, "id", "int"),
		Indexes: []database.IndexSpec{asyncIndex(t, "all", 0)}})
	put := func(id int64, text string) {
		t.Helper()
		if err := testdoc.Put(t.Context(), table,
			testdoc.Document{"id": value.Value(value.AppendInt(nil, id)), "text": text}); err != nil {
			t.Fatal(err)
		}
	}
	put(1, "red")
	put(2, "red")
	p := mustPin(t, table)
	if ids := found(t, p, "all", "red", false); len(ids) != 0 {
		t.Errorf("an index that has followed nothing finds %v", ids)
	}
	if lag, _, err := p.Lag(t.Context()); err != nil || lag.Changes != 2 {
		t.Errorf("the lag is %v, %v; want 2 changes", lag, err)
	}
	mustVerify(t, table)
	if ids := found(t, p, "all", "red", true); len(ids) != 2 {
		t.Errorf("after a wait it finds %v", ids)
	}
	put(1, "blue")
	if err := testdoc.Delete(t.Context(), table, testdoc.Document{"id": value.Value(value.AppendInt(nil, 2))}); err != nil {
		t.Fatal(err)
	}
	if ids := found(t, p, "all", "red", false); len(ids) != 0 {
		t.Errorf("rows that do not match any more are found: %v", ids)
	}
	p.Release()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(false)
	defer db.Close()
	table, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	p = mustPin(t, table)
	if ids := found(t, p, "all", "blue", true); len(ids) != 1 {
		t.Errorf("after a restart it finds %v", ids)
	}
	p.Release()
	if err := errors.Join(table.DropIndex(t.Context(), "all"), db.WaitJobs(t.Context()),
		db.Changes().Trim(t.Context())); err != nil {
		t.Fatal(err)
	}
	if left := sections(t, store, "journal", "followed"); len(left) > 0 {
		t.Errorf("the index is gone, and %v are left", left)
	}
}

// TestAsyncSearchLargeRow: a row whose words are too many for one commit is followed in several, and so is what
// replaces it; rows before and behind it are not held up. A commit that would have to write them all is refused.
func TestAsyncSearchLargeRow(t *testing.T) {
	store := mem.Open(mem.Options{Limits: kv.Limits{TxnBytesMax: 48 << 10}})
	defer store.Close()
	db, err := database.Open(t.Context(), store,
		database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler), Idle: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	words := mustWords(t, "standard", "text")
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: parts(t, "id", "int"), Indexes: []database.IndexSpec{
		{Name: "all", Search: true, Key: []schema.KeyPart{words}, Async: &schema.Async{}},
		{Name: "few", Search: true, Key: []schema.KeyPart{words}, Async: &schema.Async{EntriesMax: 10}},
	}})
	large := func(first int) string {
		text := "red"
		for i := range 2500 {
			text += fmt.Sprintf(" w%d", first+i)
		}
		return text
	}
	put := func(id int64, text string) error {
		return testdoc.Put(t.Context(), table, testdoc.Document{"id": value.Value(value.AppendInt(nil, id)), "text": text})
	}
	p := mustPin(t, table)
	defer p.Release()
	for round, text := range []string{large(0), large(500), "red"} {
		if err := errors.Join(put(1, "red"), put(2, text), put(3, "red")); err != nil {
			t.Fatal(err)
		}
		for _, index := range []string{"all", "few"} {
			if ids := found(t, p, index, "red", true); len(ids) != 3 {
				t.Errorf("round %d: %s finds %v", round, index, ids)
			}
		}
		mustVerify(t, table)
		if lag, _, err := p.Lag(t.Context()); err != nil || lag.Changes != 0 {
			t.Errorf("round %d: the lag is %v, %v", round, lag, err)
		}
	}
	table = mustTable(t, db, database.TableSpec{Name: "u", Key: parts(t, "id", "int"),
		Indexes: []database.IndexSpec{{Name: "sync", Search: true, Key: []schema.KeyPart{words}}}})
	if err := put(4, large(0)); !errors.Is(err, kv.ErrTooLarge) {
		t.Errorf("a commit with too many entries: %v", err)
	}
}

// sections lists the keys of a store that lie in some sections of the key space.
func sections(t *testing.T, store kv.Store, names ...string) (keys []string) {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cursor := reader.Scan(t.Context(), kv.Range{}, false)
	for cursor.Next() {
		if section, _, err := keyspace.Parse(cursor.Key()); err == nil && slices.Contains(names, section.Name) {
			keys = append(keys, keyspace.Print(cursor.Key()))
		}
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
	return keys
}
