// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// contested is a store that counts the commits that failed because of others, in the counter that the context holds,
// and lets others in before each.
type contested struct{ kv.Store }

type contestedTxn struct {
	kv.Txn
	lost *atomic.Int64
}

type lostKey struct{}

func (s contested) Begin(ctx context.Context) (kv.Txn, error) {
	txn, err := s.Store.Begin(ctx)
	if lost, ok := ctx.Value(lostKey{}).(*atomic.Int64); ok && err == nil {
		return contestedTxn{txn, lost}, nil
	}
	return txn, err
}

func (t contestedTxn) UnwrapTxn() kv.Txn { return t.Txn }

func (t contestedTxn) Commit(ctx context.Context) error {
	runtime.Gosched()
	err := t.Txn.Commit(ctx)
	if errors.Is(err, kv.ErrConflict) {
		t.lost.Add(1)
	}
	return err
}

// hotWriter is one way to add 1 to the row 'hot'.
type hotWriter struct {
	name string
	add  func(ctx context.Context, h *hotRow, s *sql.Session) error
	// retries is the number of commits an addition may lose: 0 where all rows are known beforehand, 1 where a first try
	// finds them; -1: it is the client that tries again.
	retries int64
}

type hotRow struct {
	db    *database.DB
	table *database.Table
	pin   database.Pinned
}

func statement(texts ...string) func(context.Context, *hotRow, *sql.Session) error {
	return func(ctx context.Context, _ *hotRow, s *sql.Session) error {
		for _, text := range texts {
			if err := s.Query(ctx, []byte(text), &printer{}); err != nil {
				return err
			}
		}
		return nil
	}
}

// hotWriters are those of all protocols. Each of them changes rows beside the hot one, in another order than the rest.
var hotWriters = []hotWriter{ // immutable
	{"DynamoDB's UpdateItem", func(ctx context.Context, h *hotRow, _ *sql.Session) error {
		_, err := testdoc.Update(ctx, h.table, testdoc.Document{"id": "hot"}, govalue.Attribute("n").Add(1))
		return err
	}, 0},
	{"DynamoDB's TransactWriteItems", func(ctx context.Context, h *hotRow, _ *sql.Session) error {
		var writes []database.TableWrite
		for _, id := range []string{"z", "hot", "a"} {
			key, err := testdoc.Document{"id": id}.AppendRow(nil, h.pin.Names())
			if err != nil {
				return err
			}
			update := govalue.Attribute("n").Add(1)
			writes = append(writes, database.TableWrite{Table: h.pin,
				Write: database.Write{Op: database.OpUpdate, Row: key, Update: update}})
		}
		_, err := h.db.Transact(ctx, writes, nil)
		return err
	}, 0},
	{"UPDATE of one row", statement("UPDATE t SET n = n + 1 WHERE id = 'hot'"), 0},
	{"INSERT of several rows", statement(
		"INSERT INTO t (id, n) VALUES ('z', 1), ('hot', 1), ('b', 1), ('a', 1) ON DUPLICATE KEY UPDATE n = n + 1"), 0},
	{"UPDATE of a range", statement("UPDATE /*+ _l_allow_filter_ */ t SET n = n + 1 WHERE id >= 'b'"), 1},
	{"an embedded transaction", func(ctx context.Context, h *hotRow, _ *sql.Session) error {
		return h.db.Update(ctx, func(tx *database.Tx) error {
			for _, id := range []string{"z", "a", "hot"} {
				if err := testdoc.UpdateIn(ctx, tx, "t", testdoc.Document{"id": id}, govalue.Attribute("n").Add(1)); err != nil {
					return err
				}
			}
			return nil
		})
	}, 1},
	{"a transaction of SQL", func(ctx context.Context, _ *hotRow, s *sql.Session) error {
		for {
			err := statement("BEGIN", "UPDATE t SET n = n + 1 WHERE id = 'z'",
				"UPDATE t SET n = n + 1 WHERE id = 'hot'", "COMMIT")(ctx, nil, s)
			if codeOf(err) != fault.Deadlock {
				return err
			}
		}
	}, -1},
}

// TestHotRow: writers of one row through all protocols wait for each other. No addition is lost, none fails, none waits
// for ever, and who knows his rows beforehand never even tries again: nobody commits past the latches that he holds.
func TestHotRow(t *testing.T) {
	store := mem.Open(mem.Options{})
	db, err := database.Open(t.Context(), contested{store}, database.Options{Admin: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	engine := sql.New(sql.Options{DB: db})
	session := func() *sql.Session {
		s, err := engine.Open(t.Context(), result.Login{User: "root"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	main := session()
	must(t, main, "CREATE TABLE t (id VARCHAR PRIMARY KEY, n BIGINT)",
		"INSERT INTO t (id, n) VALUES ('hot', 0), ('z', 0), ('a', 0), ('b', 0)")
	h := &hotRow{db: db}
	if h.table, err = db.Table("t"); err != nil {
		t.Fatal(err)
	}
	if h.pin, err = db.PinIn("", "t"); err != nil {
		t.Fatal(err)
	}
	defer h.pin.Release()
	const sessions, each = 3, 40
	var group sync.WaitGroup
	for i := range hotWriters {
		w := &hotWriters[i]
		for range sessions {
			s := session()
			group.Go(func() { addHot(t, h, s, w, each) })
		}
	}
	group.Wait()
	want := fmt.Sprintf("n\n%d\n", len(hotWriters)*sessions*each)
	if got := must(t, main, "SELECT n FROM t WHERE id = 'hot'"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func addHot(t *testing.T, h *hotRow, s *sql.Session, w *hotWriter, times int) {
	for range times {
		var lost atomic.Int64
		if err := w.add(context.WithValue(t.Context(), lostKey{}, &lost), h, s); err != nil {
			t.Errorf("%s: %v", w.name, err)
			return
		}
		if n := lost.Load(); w.retries >= 0 && n > w.retries {
			t.Errorf("%s lost %d commits to others, at most %d are allowed", w.name, n, w.retries)
			return
		}
	}
}
