// SPDX-License-Identifier: Apache-2.0

package feed_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/feed"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// streamed makes a table with a stream.
func streamed(t *testing.T, db *database.DB) *database.Table {
	t.Helper()
	both := schema.NewImage | schema.OldImage
	table, err := db.CreateTable(
		t.Context(),
		database.TableSpec{Name: "t", Key: database.Columns("k", schema.String), Stream: &both},
	)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// replay is what the records of a feed say that the table holds.
type replay struct {
	items   map[string]string
	records int
}

// take checks that a record fits the ones before, so that none is missing, doubled or out of order.
func (r *replay) take(t *testing.T, one *feed.Record) {
	t.Helper()
	r.records++
	text := func(item database.Item) string {
		if item.Row == nil {
			return ""
		}
		return fmt.Sprint(testdoc.Of(item))
	}
	key := database.Item{Row: one.Key, Names: one.Names}.Text("k")
	if was := text(database.Item{Row: one.Old, Names: one.Names}); was != r.items[key] {
		t.Errorf("record %d: %s was %q, not %q", r.records, key, r.items[key], was)
	}
	if r.items[key] = text(database.Item{Row: one.New, Names: one.Names}); !one.IsThere {
		delete(r.items, key)
	}
}

func read(t *testing.T, table *database.Table, from []byte, limit int) ([]feed.Record, []byte, error) {
	t.Helper()
	p, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	return feed.Read(t.Context(), p.Changes(), from, limit)
}

// TestReadTellsAll reads a feed in pages of any size while several goroutines write and shards end, and goes on
// after any change as if the process had begun anew.
func TestReadTellsAll(t *testing.T) {
	t.Run("mem", func(t *testing.T) { readTellsAll(t, testdb.Open(t)) })
	t.Run("pebble", func(t *testing.T) { readTellsAll(t, testdb.OpenPebble(t)) })
}

func readTellsAll(t *testing.T, db *database.DB) {
	table, seed := streamed(t, db), rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 99))
	var writing sync.WaitGroup
	for w := range 4 {
		writing.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			for range 100 {
				key := testdoc.Document{"k": fmt.Sprint(random.IntN(20))}
				err := testdoc.Delete(t.Context(), table, key)
				if random.IntN(3) > 0 {
					key["v"] = random.IntN(5)
					err = testdoc.Put(t.Context(), table, key)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	r, at := replay{items: map[string]string{}}, []byte(nil)
	page := func() int {
		records, next, err := read(t, table, at, 1+random.IntN(9))
		if err != nil {
			t.Fatal(err)
		}
		at = next
		for i := range records {
			if r.take(t, &records[i]); random.IntN(10) == 0 {
				at = records[i].After
				return i + 1
			}
		}
		return len(records)
	}
	ending := make(chan struct{})
	go func() { // shards end at any moment, also between two steps of a reader
		defer close(ending)
		for {
			select {
			case <-done:
				return
			default:
			}
			err := db.Changes().EndShards(t.Context(), "", "t")
			// on a cluster its turn is not there at once
			if err != nil && database.KindOf(err) != database.KindUnavailable {
				t.Error(err)
			}
		}
	}()
	for open := true; open; {
		select {
		case <-ending:
			open = false
		default:
		}
		page()
	}
	want := map[string]string{}
	if err := testdoc.Each(t.Context(), table, database.Query{}, func(d testdoc.Document) bool {
		want[d["k"].(string)] = fmt.Sprint(d)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	soon(t, func() bool { page(); return maps.Equal(r.items, want) })
	fromEnd(t, table)
}

// fromEnd reads what is committed behind the end of a feed.
func fromEnd(t *testing.T, table *database.Table) {
	p, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	end, err := feed.End(t.Context(), p.Changes())
	p.Release()
	if err != nil {
		t.Fatal(err)
	}
	if records, _, err := read(t, table, end, 5); err != nil || len(records) != 0 {
		t.Errorf("%d records behind the end, %v", len(records), err)
	}
	if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": "new"}); err != nil {
		t.Fatal(err)
	}
	soon(t, func() bool {
		records, _, err := read(t, table, end, 5)
		if err != nil || len(records) > 1 || len(records) == 1 && records[0].EventName() != "INSERT" {
			t.Fatal(records, err)
		}
		return len(records) == 1
	})
}

// soon waits for what must happen: on a cluster changes come into the journal after their commits.
func soon(t *testing.T, happens func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !happens(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
	}
}

// TestAway: a reader who was away for longer than changes are kept is told so, and one of a quiet table is not.
func TestAway(t *testing.T) {
	var now atomic.Int64
	now.Store(time.Now().UnixMilli())
	db := testdb.OpenWith(t, database.Options{Now: func() time.Time { return time.UnixMilli(now.Load()) }})
	table, ctx := streamed(t, db), t.Context()
	if err := testdoc.Put(ctx, table, testdoc.Document{"k": "a"}); err != nil {
		t.Fatal(err)
	}
	first, _, err := read(t, table, nil, 9)
	if err != nil || len(first) != 1 {
		t.Fatal(first, err)
	}
	now.Add((26 * time.Hour).Milliseconds())
	if err := db.Changes().Trim(ctx); err != nil {
		t.Fatal(err)
	}
	if _, _, err := read(t, table, first[0].After, 9); !errors.Is(err, feed.ErrGone) ||
		database.KindOf(err) != database.KindInvalid {
		t.Errorf("a reader who was away: %v", err)
	}
	quiet := []byte(nil)
	for range 3 {
		if _, quiet, err = read(t, table, quiet, 9); err != nil {
			t.Fatal(err)
		}
		now.Add((20 * time.Hour).Milliseconds())
	}
	if err := testdoc.Put(ctx, table, testdoc.Document{"k": "b"}); err != nil {
		t.Fatal(err)
	}
	if records, _, err := read(t, table, quiet, 9); err != nil || len(records) != 1 {
		t.Errorf("%v, %v", records, err)
	}
	for _, bad := range []string{"\x09\x01", "\x00", "\x00\xc8\x01", "\x00\x02\x00\x00", "nonsense"} {
		if _, _, err := read(t, table, []byte(bad), 9); database.KindOf(err) != database.KindInvalid ||
			!strings.Contains(err.Error(), "none of a stream") {
			t.Errorf("%x: %v", bad, err)
		}
	}
}
