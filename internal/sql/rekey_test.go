// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/teststore"
)

// openOn opens a session of an engine over a database.
func openOn(t *testing.T, db *database.DB) func() *sql.Session {
	engine := sql.New(sql.Options{DB: db})
	return func() *sql.Session {
		s, err := engine.Open(t.Context(), result.Login{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func query(s *sql.Session, format string, a ...any) (string, error) {
	p := &printer{}
	err := s.Query(context.Background(), fmt.Appendf(nil, format, a...), p)
	return p.String(), err
}

// insertPair inserts two rows, in a transaction or without. It returns how many are there in the end.
func insertPair(t *testing.T, s *sql.Session, id int, together bool) (rows int64) {
	if together {
		if _, err := query(s, "BEGIN"); err != nil {
			t.Error(err)
		}
	}
	for i := range 2 {
		_, err := query(s, "INSERT INTO t VALUES (%d, %d, 'x')", id+i, -id-i)
		switch f, ok := fault.Of(err); {
		case err == nil:
			rows++
		case together && ok && f.Code == fault.TableChanged:
			if _, err := query(s, "ROLLBACK"); err != nil {
				t.Error(err)
			}
			return 0
		default:
			t.Errorf("row %d: %v", id+i, err)
		}
	}
	if _, err := query(s, "COMMIT"); err != nil {
		t.Error(err)
	}
	return rows
}

// rekeyUnderWrites gives a table other keys while sessions insert rows. None that was acknowledged may be lost.
func rekeyUnderWrites(t *testing.T, own *sql.Session, writers []*sql.Session, alters int) {
	must := func(format string, a ...any) string {
		said, err := query(own, format, a...)
		if err != nil {
			t.Fatal(format, err)
		}
		return said
	}
	must("CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, s VARCHAR(5), KEY by_s (s))")
	var rows atomic.Int64
	var group sync.WaitGroup
	stop := make(chan struct{})
	for w, s := range writers {
		group.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
				}
				rows.Add(insertPair(t, s, 1+w*1_000_000+k*2, w%2 == 0))
			}
		})
	}
	keys := []string{"ADD PRIMARY KEY (a)", "DROP PRIMARY KEY, ADD PRIMARY KEY (b)", "MODIFY b BIGINT", "DROP PRIMARY KEY"}
	for i := range alters {
		for before := rows.Load(); rows.Load() < before+20; {
			runtime.Gosched() // others write
		}
		must("ALTER TABLE t %s", keys[i%len(keys)])
	}
	close(stop)
	group.Wait()
	want := fmt.Sprintf("COUNT(*) | COUNT(DISTINCT a)\n%d | %[1]d\n", rows.Load())
	for _, hint := range []string{"", "FORCE INDEX (by_s) WHERE s = 'x'"} {
		if got := must("SELECT COUNT(*), COUNT(DISTINCT a) FROM t %s", hint); got != want {
			t.Errorf("%s: got %s, want %s", hint, got, want)
		}
	}
}

func TestRekeyUnderWrites(t *testing.T) {
	open := openOn(t, testdb.OpenPebble(t))
	rekeyUnderWrites(t, open(), []*sql.Session{open(), open(), open()}, 12)
}

// TestRekeyOfGateways lets other gateways write meanwhile.
func TestRekeyOfGateways(t *testing.T) {
	engines := teststore.Engines()
	store, _ := engines[len(engines)-1].Open(t)
	t.Cleanup(func() { store.Close() })
	var sessions []*sql.Session
	for range 3 {
		db, err := database.Open(t.Context(), store, database.Options{Logger: slog.New(slog.DiscardHandler),
			Gateway: database.GatewayOptions{Lease: time.Minute, Poll: 5 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		sessions = append(sessions, openOn(t, db)())
	}
	rekeyUnderWrites(t, sessions[0], sessions[1:], 4)
}

// TestRekeyOfLostProcess lets a process end that has held a table: the next one writes it.
func TestRekeyOfLostProcess(t *testing.T) {
	store, _ := teststore.Open(t)
	t.Cleanup(func() { store.Close() })
	open := func() *database.DB {
		db, err := database.Open(t.Context(), store, database.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open()
	s := openOn(t, db)()
	if _, err := query(s, "CREATE TABLE t (a INT)"); err != nil {
		t.Fatal(err)
	}
	table, err := db.Table("t")
	if err == nil {
		err = table.Hold(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"SET innodb_lock_wait_timeout = 1", "SELECT * FROM t"} {
		if _, err := query(s, "%s", statement); err != nil {
			t.Error(statement, err)
		}
	}
	_, err = query(s, "INSERT INTO t VALUES (1)")
	if f, ok := fault.Of(err); !ok || f.Code != fault.LockWaitTimeout {
		t.Errorf("a write of the table that is held: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open()
	defer db.Close()
	s = openOn(t, db)()
	for _, statement := range []string{"INSERT INTO t VALUES (1)", "ALTER TABLE t ADD PRIMARY KEY (a)"} {
		if _, err := query(s, "%s", statement); err != nil {
			t.Error(statement, err)
		}
	}
}
