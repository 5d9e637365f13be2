// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// locking is a database with a table of rows that transactions wait for.
type locking struct {
	*testing.T
	db     *database.DB
	engine *sql.Engine
}

// onEngines runs a test on each engine whose transactions can read later commits.
func onEngines(t *testing.T, run func(l *locking)) {
	for name, open := range map[string]func(testing.TB) *database.DB{"memory": testdb.Open,
		"pebble": testdb.OpenPebble} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			l := &locking{t, db, sql.New(sql.Options{DB: db})}
			must(t, l.session(), "CREATE TABLE t (id BIGINT PRIMARY KEY, kind VARCHAR, n BIGINT)",
				"CREATE INDEX by_kind ON t(kind) INCLUDE (n)",
				"INSERT INTO t VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 30), (4, 'b', 40)")
			run(l)
		})
	}
}

func (l *locking) session(texts ...string) *sql.Session {
	l.Helper()
	s, err := l.engine.Open(l.Context(), result.Login{User: "root", Database: "default"})
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(s.Close)
	must(l.T, s, texts...)
	return s
}

// later runs a statement that may wait, and returns what returns its error.
func (l *locking) later(s *sql.Session, texts ...string) (wait func() error) {
	done := make(chan error, 1)
	go func() { done <- statement(texts...)(l.Context(), nil, s) }()
	return func() error { return <-done }
}

func (l *locking) expect(s *sql.Session, query, want string) {
	l.Helper()
	if got := must(l.T, s, query); got != want {
		l.Errorf("%s: %q, want %q", query, got, want)
	}
}

func (l *locking) fails(s *sql.Session, want fault.Code, text string) {
	l.Helper()
	if err := statement(text)(l.Context(), nil, s); codeOf(err) != want {
		l.Errorf("%s: %v, want %d", text, err, want)
	}
}

// TestLockWaits: a statement that writes waits for the row's holder and goes on from what that one left, while snapshot
// reads wait for nobody.
func TestLockWaits(t *testing.T) {
	for _, write := range []string{
		"UPDATE t SET n = n + 1 WHERE id = 1", "UPDATE t SET n = n + 1 WHERE kind = 'a' AND n = 11",
		"UPDATE t SET n = n + 1 WHERE id < 2",
		"INSERT INTO t VALUES (1, 'a', 0) ON DUPLICATE KEY UPDATE n = n + 1",
		"UPDATE t SET n = n + 1 WHERE id = (SELECT 1)",
		"UPDATE t x JOIN t y ON x.id = y.id SET x.n = y.n + 1 WHERE x.id = 1",
		"INSERT INTO t (id, n) SELECT x.id, y.id FROM t x JOIN t y ON x.id = y.id WHERE x.id = 1 ON DUPLICATE KEY UPDATE n = t.n + y.id",
	} {
		t.Run(write, func(t *testing.T) {
			onEngines(t, func(l *locking) {
				a, b := l.session("BEGIN", "UPDATE t SET n = n + 1 WHERE id = 1"), l.session("BEGIN")
				l.expect(b, "SELECT n FROM t WHERE id = 1", "n\n10\n")
				if strings.Contains(write, "n = 11") { // it finds the row only once the other one has committed
					must(l.T, a, "COMMIT")
				}
				wait := l.later(b, write)
				must(l.T, a, "COMMIT")
				if err := wait(); err != nil {
					l.Fatal(err)
				}
				l.expect(b, "SELECT n FROM t WHERE id = 1", "n\n12\n")
				l.expect(b, "SELECT n FROM t WHERE id = 2", "n\n20\n")
				must(l.T, b, "COMMIT")
				l.expect(a, "SELECT n FROM t WHERE id = 1", "n\n12\n")
			})
		})
	}
}

// TestLockedCounter: no addition of transactions is lost, and none fails.
func TestLockedCounter(t *testing.T) {
	onEngines(t, func(l *locking) {
		var group sync.WaitGroup
		const writers, each = 8, 25
		for i := range writers {
			s := l.session()
			group.Go(func() {
				read := []string{"SELECT n FROM t WHERE id = 1", "SELECT n FROM t WHERE id = 1 FOR UPDATE",
					"SELECT n FROM t WHERE kind = 'a' ORDER BY id FOR UPDATE"}[i%3]
				for range each {
					if err := statement("BEGIN", read, "UPDATE t SET n = n + 1 WHERE id = 1",
						"UPDATE t SET n = n + 1 WHERE id > 1 AND id < 4", "COMMIT")(l.Context(), nil, s); err != nil {
						l.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
		l.expect(l.session(), "SELECT n FROM t ORDER BY id",
			fmt.Sprintf("n\n%d\n%d\n%d\n40\n", 10+writers*each, 20+writers*each, 30+writers*each))
	})
}

// TestDeadlock: of transactions that wait for one another in a circle, one fails and is rolled back as a whole; the
// others go on.
func TestDeadlock(t *testing.T) {
	onEngines(t, func(l *locking) {
		const circle = 4
		var sessions [circle]*sql.Session
		var waits [circle]func() error
		for i := range sessions {
			sessions[i] = l.session("BEGIN", fmt.Sprintf("UPDATE t SET n = n + 1 WHERE id = %d", i+1))
		}
		for i, s := range sessions {
			waits[i] = l.later(s, fmt.Sprintf("UPDATE t SET n = n + 1 WHERE id = %d", (i+1)%circle+1), "COMMIT")
		}
		victims := 0
		for _, wait := range waits {
			if err := wait(); codeOf(err) == fault.Deadlock {
				victims++
			} else if err != nil {
				l.Error(err)
			}
		}
		if victims != 1 {
			l.Errorf("%d victims, want 1", victims)
		}
		l.expect(l.session(), "SELECT sum(n) FROM t", fmt.Sprintf("sum(n)\n%d\n", 100+2*(circle-1)))
	})
}

// TestLockWaitTimeout: a statement that waits too long fails by itself; its transaction goes on. A savepoint that is
// taken back keeps its locks.
func TestLockWaitTimeout(t *testing.T) {
	onEngines(t, func(l *locking) {
		a := l.session("BEGIN", "SAVEPOINT s", "UPDATE t SET n = 0 WHERE id = 1", "ROLLBACK TO s")
		b := l.session("SET innodb_lock_wait_timeout = 1", "BEGIN", "UPDATE t SET n = 0 WHERE id = 2")
		l.fails(b, fault.LockWaitTimeout, "UPDATE t SET n = 1 WHERE id < 3")
		l.expect(b, "SELECT n FROM t WHERE id < 3", "n\n10\n0\n")
		l.fails(b, fault.NotAtOnce, "SELECT n FROM t WHERE id = 1 FOR UPDATE NOWAIT")
		l.fails(b, fault.NotAtOnce, "SELECT n FROM t WHERE id < 3 FOR UPDATE NOWAIT")
		l.fails(l.session("SET innodb_lock_wait_timeout = 1"), fault.LockWaitTimeout, "UPDATE t SET n = 1 WHERE id = 1")
		must(l.T, b, "COMMIT")
		must(l.T, a, "ROLLBACK")
		l.expect(b, "SELECT n FROM t WHERE id < 3", "n\n10\n0\n")
	})
}

// TestSkipLocked: workers that take jobs from a table never wait, and never take the same one.
func TestSkipLocked(t *testing.T) {
	onEngines(t, func(l *locking) {
		a, b, c := l.session("BEGIN"), l.session("BEGIN"), l.session("BEGIN")
		l.expect(a, "SELECT id FROM t WHERE id > 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", "id\n1\n")
		l.expect(b, "SELECT id FROM t WHERE id > 0 ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED", "id\n2\n3\n")
		l.expect(c, "SELECT id FROM t WHERE id > 0 ORDER BY id FOR UPDATE SKIP LOCKED", "id\n4\n")
		l.expect(c, "SELECT id FROM t WHERE id = 1 FOR UPDATE SKIP LOCKED", "id\n")
		must(l.T, a, "ROLLBACK")
		l.expect(c, "SELECT count(*) FROM t WHERE id > 0 FOR UPDATE SKIP LOCKED", "count(*)\n2\n")
	})
}

// TestLockedRowInIndex: what a transaction writes to a row that another one has changed since its snapshot shows once
// in each index, as it is now.
func TestLockedRowInIndex(t *testing.T) {
	for _, change := range []struct{ other, own, rows string }{
		{"UPDATE t SET kind = 'b', n = 11 WHERE id = 1", "UPDATE t SET kind = 'c' WHERE id = 1", "1 | c | 11\n"},
		{"UPDATE t SET kind = 'b' WHERE id = 1", "UPDATE t SET kind = 'a' WHERE id = 1", "1 | a | 10\n"},
		{"UPDATE t SET n = 11 WHERE id = 1", "UPDATE t SET kind = 'c' WHERE id = 1", "1 | c | 11\n"},
		{"UPDATE t SET kind = 'b' WHERE id = 1", "UPDATE t SET n = n + 1 WHERE id = 1", "1 | b | 11\n"},
		{"DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (1, 'd', 1)", "1 | d | 1\n"},
		{"UPDATE t SET kind = 'b' WHERE id = 1", "DELETE FROM t WHERE id = 1", ""},
		{"INSERT INTO t VALUES (0, 'a', 5)", "UPDATE t SET n = n + 1 WHERE id = 0", "0 | a | 6\n1 | a | 10\n"},
	} {
		t.Run(change.other+"; "+change.own, func(t *testing.T) {
			onEngines(t, func(l *locking) {
				a, b := l.session("BEGIN"), l.session()
				l.expect(a, "SELECT id FROM t WHERE kind = 'z'", "id\n")
				must(l.T, b, change.other)
				must(l.T, a, change.own)
				for range 2 {
					l.expect(a, "SELECT id, kind, n FROM t WHERE id < 2", "id | kind | n\n"+change.rows)
					l.expect(a, "SELECT /*+ _l_force_index_('by_kind') */ id, kind, n FROM t WHERE kind >= 'a' AND id < 2 ORDER BY id", "id | kind | n\n"+change.rows)
					must(l.T, a, "COMMIT")
				}
			})
		})
	}
}

// TestLocksAcrossProtocols: a writer of another protocol waits for a transaction of SQL, but not without a limit; and
// the other way round.
func TestLocksAcrossProtocols(t *testing.T) {
	db := testdb.OpenWith(t, database.Options{LockWait: time.Millisecond})
	l := &locking{t, db, sql.New(sql.Options{DB: db})}
	a := l.session("CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT)", "INSERT INTO t VALUES (1, 10), (2, 20)", "BEGIN",
		"UPDATE t SET n = n + 1 WHERE id = 1")
	table, err := db.Table("t")
	if err != nil {
		t.Fatal(err)
	}
	add := func() error {
		_, err := testdoc.Update(t.Context(), table, testdoc.Document{"id": 1}, govalue.Attribute("n").Add(1))
		return err
	}
	if err := add(); !errors.Is(err, database.ErrLockWait) || database.KindOf(err) != database.KindConflict {
		t.Errorf("a write returns %v", err)
	}
	if err := db.Update(t.Context(), func(tx *database.Tx) error {
		return testdoc.UpdateIn(t.Context(), tx, "t", testdoc.Document{"id": 1}, govalue.Attribute("n").Add(1))
	}); !errors.Is(err, database.ErrLockWait) {
		t.Errorf("a transaction returns %v", err)
	}
	must(t, a, "COMMIT")
	if err := add(); err != nil {
		t.Error(err)
	}
	l.expect(a, "SELECT n FROM t WHERE id = 1", "n\n12\n")
}

// TestLocksEnd: a statement that waits ends with its context, and what a session holds goes with it.
func TestLocksEnd(t *testing.T) {
	onEngines(t, func(l *locking) {
		a, b := l.session("BEGIN", "UPDATE t SET n = 0 WHERE id = 1"), l.session("BEGIN",
			"UPDATE t SET n = 0 WHERE id = 2")
		ctx, cancel := context.WithCancel(l.Context())
		done := make(chan error, 1)
		go func() { done <- statement("UPDATE t SET n = 1 WHERE id = 1")(ctx, nil, b) }()
		cancel()
		if err := <-done; codeOf(err) != fault.Interrupted {
			l.Errorf("the statement returns %v", err)
		}
		a.Close()
		must(l.T, b, "UPDATE t SET n = 2 WHERE id = 1", "COMMIT")
		l.expect(b, "SELECT n FROM t WHERE id < 3", "n\n2\n0\n")
	})
}

// TestLocksOfIdle: a transaction that is rolled back because it waits too long for its next statement gives back what
// it holds.
func TestLocksOfIdle(t *testing.T) {
	onEngines(t, func(l *locking) {
		a := l.session("SET idle_transaction_timeout = 1", "BEGIN", "UPDATE t SET n = 0 WHERE id = 1")
		must(l.T, l.session(), "UPDATE t SET n = n + 1 WHERE id = 1")
		l.fails(a, fault.Deadlock, "SELECT 1")
		l.expect(a, "SELECT n FROM t WHERE id = 1", "n\n11\n")
	})
}

// TestMixedDeadlocks: transactions of SQL that take rows in any order, and writers of several rows through other
// protocols, never wait for one another for ever.
func TestMixedDeadlocks(t *testing.T) {
	onEngines(t, func(l *locking) {
		var group sync.WaitGroup
		var done atomic.Int64
		for i := range 6 {
			s := l.session()
			group.Go(func() {
				for k := range 20 {
					first, second := (i+k)%4+1, (i*3+k*5+1)%4+1
					texts := []string{fmt.Sprintf("UPDATE t SET n = n + 1 WHERE id IN (%d, %d)", first, first)}
					if i%3 > 0 {
						texts = []string{"BEGIN", fmt.Sprintf("UPDATE t SET n = n + 1 WHERE id = %d", first),
							fmt.Sprintf("UPDATE t SET n = n + 0 WHERE id = %d", second),
							fmt.Sprintf("SELECT id FROM t WHERE id >= %d FOR UPDATE", second), "COMMIT"}
					}
					for {
						err := statement(texts...)(l.Context(), nil, s)
						if err == nil {
							done.Add(1)
							break
						}
						if codeOf(err) != fault.Deadlock {
							l.Error(err)
							return
						}
					}
				}
			})
		}
		group.Wait()
		l.expect(l.session(), "SELECT sum(n) FROM t", fmt.Sprintf("sum(n)\n%d\n", 100+done.Load()))
	})
}
