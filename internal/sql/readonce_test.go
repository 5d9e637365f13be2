// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// lookups is a store that counts what transactions look up.
type lookups struct {
	kv.Store
	count atomic.Int64
}

func (s *lookups) Unwrap() kv.Store { return s.Store }

func (s *lookups) Begin(ctx context.Context) (kv.Txn, error) {
	txn, err := s.Store.Begin(ctx)
	return &lookupTxn{txn, s}, err
}

type lookupTxn struct {
	kv.Txn
	store *lookups
}

func (t *lookupTxn) UnwrapTxn() kv.Txn { return t.Txn }

func (t *lookupTxn) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if _, ok := heat.ObjectOf(key); ok { // of a table
		t.store.count.Add(1)
	}
	return t.Txn.Get(ctx, key, dst)
}

// TestRowsAreReadOnce: a statement that writes rows reads each of them once, however many indexes must follow.
func TestRowsAreReadOnce(t *testing.T) {
	engine := mem.Open(mem.Options{})
	store := &lookups{Store: engine}
	db, err := database.Open(t.Context(), store, database.Options{Admin: engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	s := newHarness(t, db).session("main")
	must(t, s, "CREATE TABLE t (id BIGINT PRIMARY KEY, k INT, c VARCHAR(40))", "CREATE INDEX k_1 ON t (k)",
		"CREATE INDEX c_1 ON t (c)")
	for _, each := range []struct {
		text string
		rows int64
	}{
		{"INSERT INTO t VALUES (1, 1, 'one')", 1},
		{"INSERT INTO t VALUES (2, 2, 'two'), (3, 3, 'three')", 2},
		{"UPDATE t SET k = k + 1 WHERE id = 1", 1},
		{"UPDATE t SET c = 'two' WHERE id = 1", 1},
		{"INSERT INTO t VALUES (1, 9, 'nine') ON DUPLICATE KEY UPDATE k = 7", 1},
		{"REPLACE INTO t VALUES (1, 8, 'eight')", 1},
		{"DELETE FROM t WHERE id = 1", 1},
		{"INSERT INTO t VALUES (5, 1, 'a'), (5, 2, 'b') ON DUPLICATE KEY UPDATE k = k + 10", 1},
	} {
		for _, inside := range []bool{true, false} {
			if inside {
				must(t, s, "BEGIN")
			}
			before := store.count.Load()
			must(t, s, each.text)
			if got := store.count.Load() - before; got != each.rows {
				t.Errorf("%s, in a transaction: %v: %d lookups, not %d", each.text, inside, got, each.rows)
			}
			if inside {
				must(t, s, "ROLLBACK")
			}
		}
	}
}

// TestLookAtWrittenRowIsNoRead: that a statement looks at the row that it writes by its key counts as no read of it.
func TestLookAtWrittenRowIsNoRead(t *testing.T) {
	loads := heat.New(heat.Options{})
	tick := int64(60_000)
	loads.Tick(tick)
	engine := mem.Open(mem.Options{})
	store := heat.Wrap(engine, loads)
	db, err := database.Open(t.Context(), store, database.Options{Admin: engine, ExpiryInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	s := newHarness(t, db).session("main")
	must(t, s, "CREATE TABLE t (id BIGINT PRIMARY KEY, k INT)", "INSERT INTO t VALUES (1, 1), (2, 2)",
		"UPDATE t SET k = 5 WHERE id = 1", "DELETE FROM t WHERE id = 2")
	tick += 60_000
	loads.Tick(tick)
	for _, h := range loads.Histories() {
		for _, m := range h.Moments {
			if m.Counted[0] > 0 {
				t.Errorf("%v reads of %v", m.Counted[0], h.Object)
			}
		}
	}
}
