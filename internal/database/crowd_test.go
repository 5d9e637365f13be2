// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
)

// countedStore counts transactions.
type countedStore struct {
	kv.Store
	begun atomic.Int64
}

func (s *countedStore) Unwrap() kv.Store { return s.Store }

func (s *countedStore) Begin(ctx context.Context) (kv.Txn, error) {
	s.begun.Add(1)
	return s.Store.Begin(ctx)
}

// crowdTest is a table of which one item is held by a transaction.
type crowdTest struct {
	*testing.T
	store *countedStore
	db    *database.DB
	table *database.Table
	held  *database.Tx
	group sync.WaitGroup
}

func newCrowdTest(t *testing.T) *crowdTest {
	t.Helper()
	return newCrowdTestOn(t, teststore.Store(t), nil, nil)
}

// newCrowdTestOn is newCrowdTest on a store, with a table that may have a stream.
func newCrowdTestOn(t *testing.T, on kv.Store, admin kv.Admin, stream *schema.Images) *crowdTest {
	t.Helper()
	store := &countedStore{Store: on}
	db, err := database.Open(t.Context(), store,
		database.Options{Admin: admin, Idle: true, Logger: slog.New(slog.DiscardHandler), LockWait: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.String),
		Indexes: []database.IndexSpec{{Name: "by_n", Key: database.Columns("n", schema.Number)}}, Stream: stream})
	held, err := db.BeginWith(t.Context(), database.TxOptions{Locks: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := testdoc.PutIn(t.Context(), held, "t", testdoc.Document{"k": "x", "n": 0, "text": "words"}); err != nil {
		t.Fatal(err)
	}
	return &crowdTest{T: t, store: store, db: db, table: table, held: held}
}

// begin begins a write of the held item, and returns once it waits behind those before.
func (c *crowdTest) begin(ctx context.Context, update *expr.Update, done func(n int64, err error),
	conditions ...expr.Condition) {
	before, _ := c.db.Waits()
	c.group.Go(func() {
		item, err := testdoc.Update(ctx, c.table, testdoc.Document{"k": "x"}, update, conditions...)
		n := int64(0)
		if err == nil {
			n, _ = item.Int("n")
		}
		done(n, err)
	})
	for now, _ := c.db.Waits(); len(now) == len(before); now, _ = c.db.Waits() {
		runtime.Gosched()
	}
}

// TestCrowd lets writes of one item wait for a transaction: they are committed together, in the order of their coming,
// and each has an answer of its own.
func TestCrowd(t *testing.T) {
	c := newCrowdTest(t)
	got := make([]int64, 12)
	for i := range got {
		condition := govalue.Attribute("n").Equal(i - i/3)
		if i%3 == 2 {
			condition = govalue.Attribute("n").Equal(-1)
		}
		c.begin(t.Context(), govalue.Attribute("n").Add(1), func(n int64, err error) {
			if (err != nil) != (i%3 == 2) || err != nil && database.KindOf(err) != database.KindConditionFailed {
				t.Errorf("write %d: %v", i, err)
			}
			got[i] = n
		}, condition)
	}
	begun := c.store.begun.Load()
	if err := c.held.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.group.Wait()
	if want := []int64{1, 2, 0, 3, 4, 0, 5, 6, 0, 7, 8, 0}; !slices.Equal(got, want) {
		t.Errorf("n was %d, want %d", got, want)
	}
	if n := c.store.begun.Load() - begun; n != 1 {
		t.Errorf("%d transactions, want 1", n)
	}
	c.check(8)
}

// check compares the item and its index entry.
func (c *crowdTest) check(want int64) {
	c.Helper()
	items := itemsOf(c.T, c.table)
	item, _, err := testdoc.Get(c.Context(), c.table, testdoc.Document{"k": "x"})
	if n, _ := item.Int("n"); err != nil || n != want || len(items) != 1 {
		c.Errorf("n is %d, %v; want %d", n, err, want)
	}
}

// TestCrowdWithFault: a write that makes no sense fails alone.
func TestCrowdWithFault(t *testing.T) {
	c := newCrowdTest(t)
	for i := range 9 {
		update, kind := govalue.Attribute("n").Add(1), database.Kind(0)
		if i%4 == 1 {
			update, kind = govalue.Attribute("text").Add(1), database.KindInvalid
		}
		c.begin(t.Context(), update, func(_ int64, err error) {
			if (err != nil) != (kind != 0) || err != nil && database.KindOf(err) != kind {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	if err := c.held.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.group.Wait()
	c.check(7)
}

// TestCrowdWithoutFirst: writes of which the client wants nothing more leave their line, and the others go on.
func TestCrowdWithoutFirst(t *testing.T) {
	c := newCrowdTest(t)
	ctx, cancel := context.WithCancel(t.Context())
	var left sync.WaitGroup
	left.Add(4)
	for i := range 9 {
		if i < 2 || i == 5 || i == 8 {
			c.begin(ctx, govalue.Attribute("n").Add(1), func(_ int64, err error) {
				if left.Done(); !errors.Is(err, context.Canceled) {
					t.Errorf("write %d: %v", i, err)
				}
			})
			continue
		}
		c.begin(t.Context(), govalue.Attribute("n").Add(1), func(_ int64, err error) {
			if err != nil {
				t.Error(fmt.Errorf("write %d: %w", i, err))
			}
		})
	}
	cancel()
	left.Wait()
	if err := c.held.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.group.Wait()
	c.check(5)
}

// TestCrowdWithStream: where the journal gets its stamps later, changes of one commit are changes of their own in the
// stream, in their order.
func TestCrowdWithStream(t *testing.T) {
	for _, e := range teststore.Engines() {
		t.Run(e.Name, func(t *testing.T) {
			store, admin := e.Open(t)
			t.Cleanup(func() { store.Close() })
			both := schema.NewImage | schema.OldImage
			c := newCrowdTestOn(t, store, admin, &both)
			for i := range 9 {
				add := 1
				if i == 5 {
					add = 0 // no change
				}
				c.begin(t.Context(), govalue.Attribute("n").Add(add), func(_ int64, err error) {
					if err != nil {
						t.Errorf("write %d: %v", i, err)
					}
				})
			}
			begun := c.store.begun.Load()
			if err := c.held.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.group.Wait()
			if n := c.store.begun.Load() - begun; (n < 9) != (e.Name == "tikv") {
				t.Errorf("%d transactions", n)
			}
			c.check(8)
			if got, want := c.records(), []int64{0, 1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(got, want) {
				t.Errorf("the stream shows n as %d, want %d", got, want)
			}
		})
	}
}

// records are the values of n that the stream of the table tells of; each has the one before as its old value.
func (c *crowdTest) records() (list []int64) {
	c.Helper()
	if err := c.db.Changes().Trim(c.Context()); err != nil {
		c.Fatal(err)
	}
	p, err := c.table.Pin()
	if err != nil {
		c.Fatal(err)
	}
	defer p.Release()
	changes := p.Changes()
	stream := changes.Streams()[0]
	shards, err := changes.Shards(c.Context(), &stream)
	if err != nil {
		c.Fatal(err)
	}
	last := journal.Position{}
	for _, shard := range shards {
		_, _, err := changes.Read(c.Context(), &stream, shard, journal.Position{}, func(r *capture.Record) bool {
			old, _ := database.Item{Row: r.Old, Names: p.Names()}.Int("n")
			now, _ := database.Item{Row: r.New, Names: p.Names()}.Int("n")
			if len(list) > 0 && (old != list[len(list)-1] || last.Stamp >= r.At.Stamp) {
				c.Errorf("n goes from %d to %d at %d, after %d at %d", old, now, r.At.Stamp, list, last.Stamp)
			}
			list, last = append(list, now), r.At
			return true
		})
		if err != nil {
			c.Fatal(err)
		}
	}
	return list
}
