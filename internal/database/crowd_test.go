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
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
)

// countedStore counts transactions.
type countedStore struct {
	kv.Store
	begun atomic.Int64
}

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
	store := &countedStore{Store: teststore.Store(t)}
	db, err := database.Open(t.Context(), store,
		database.Options{Idle: true, Logger: slog.New(slog.DiscardHandler), LockWait: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: database.Columns("k", schema.String),
		Indexes: []database.IndexSpec{{Name: "by_n", Key: database.Columns("n", schema.Number)}}})
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
