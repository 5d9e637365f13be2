// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// must runs statements that can't fail.
func must(t testing.TB, s *sql.Session, texts ...string) string {
	t.Helper()
	out := &printer{}
	for _, text := range texts {
		if err := s.Query(t.Context(), []byte(text), out); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return out.String()
}

// codeOf is the number of an error; 0 for none.
func codeOf(err error) fault.Code {
	if f, ok := fault.Of(err); ok {
		return f.Code
	}
	return 0
}

// numbered makes a table of so many rows.
func numbered(t testing.TB, s *sql.Session, rows int) {
	t.Helper()
	must(t, s, "CREATE TABLE numbers (id BIGINT PRIMARY KEY, v VARCHAR)")
	for at := 0; at < rows; at += 1000 {
		var values []string
		for id := at; id < min(at+1000, rows); id++ {
			values = append(values, fmt.Sprintf("(%d, 'v%d')", id, id%7))
		}
		must(t, s, "INSERT INTO numbers VALUES "+strings.Join(values, ", "))
	}
}

// slow is a sink of a client that takes its time, or that ends the statement in the middle.
type slow struct {
	printer
	rows  int
	pause time.Duration
	at    func(row int)
}

func (s *slow) Row([]datum.Datum) error {
	s.rows++
	time.Sleep(s.pause)
	if s.at != nil {
		s.at(s.rows)
	}
	return nil
}

// TestStatementTimeout ends statements that take longer than the session, or a hint, allows.
func TestStatementTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, testdb.Open(t))
		s := h.session("main")
		numbered(t, s, 3000)
		must(t, s, "SET max_execution_time = 10000")
		for _, c := range []struct {
			text  string
			pause time.Duration
			want  fault.Code
		}{
			{"SELECT * FROM numbers", 100 * time.Millisecond, fault.StatementTimeout},
			{"SELECT * FROM numbers", time.Millisecond, 0},
			{"SELECT /*+ _l_operation_timeout_(1000) */ * FROM numbers", 5 * time.Millisecond, fault.StatementTimeout},
			{"SELECT /*+ _l_operation_timeout_(600000) */ * FROM numbers", 100 * time.Millisecond, 0},
		} {
			sink := &slow{pause: c.pause}
			if got := codeOf(s.Query(t.Context(), []byte(c.text), sink)); got != c.want {
				t.Errorf("%s with %v a row: %d after %d rows, not %d", c.text, c.pause, got, sink.rows, c.want)
			}
		}
		must(t, s, "SET max_execution_time = 0") // none
		if err := s.Query(t.Context(), []byte("SELECT * FROM numbers"), &slow{pause: time.Second}); err != nil {
			t.Error(err)
		}
	})
}

// TestInterrupted ends statements by their contexts, as KILL QUERY does; the session goes on.
func TestInterrupted(t *testing.T) {
	h := newHarness(t, testdb.Open(t))
	s := h.session("main")
	numbered(t, s, 3000)
	ctx, cancel := context.WithCancel(t.Context())
	sink := &slow{at: func(row int) {
		if row == 10 {
			cancel()
		}
	}}
	if got := codeOf(s.Query(ctx, []byte("SELECT * FROM numbers"), sink)); got != fault.Interrupted ||
		sink.rows > 1000 {
		t.Errorf("%d after %d rows", got, sink.rows)
	}
	for _, text := range []string{
		"UPDATE numbers SET v = 'x' WHERE id < 100", "DELETE FROM numbers WHERE id < 100",
		"INSERT INTO numbers VALUES (1, 'x')", "SELECT count(*) FROM numbers",
	} {
		if got := codeOf(s.Query(ctx, []byte(text), &printer{})); got != fault.Interrupted {
			t.Errorf("%s: %d", text, got)
		}
	}
	asleep := &printer{}
	if err := s.Query(ctx, []byte("SELECT SLEEP(100000)"), asleep); err == nil &&
		!strings.Contains(asleep.String(), "\n1\n") {
		t.Errorf("SLEEP slept on: %s", asleep.String())
	}
	if got := must(t, s, "CREATE DATABASE gone", "USE gone", "DROP DATABASE gone",
		"SELECT DATABASE() IS NULL"); !strings.HasSuffix(got, "\n1\n") {
		t.Errorf("the database that was dropped is still the current one: %s", got)
	}
	must(t, s, "USE `default`")
	if got := must(t, s, "SELECT count(*) FROM numbers WHERE v <> 'x' ALLOW FILTERING"); got != "count(*)\n3000\n" {
		t.Errorf("%s", got)
	}
}

// TestDeafSink ends a statement whose client has gone.
func TestDeafSink(t *testing.T) {
	h := newHarness(t, testdb.Open(t))
	s := h.session("main")
	numbered(t, s, 1000)
	gone := errors.New("gone")
	if err := s.Query(t.Context(), []byte("SELECT * FROM numbers"), deaf{gone}); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	must(t, s, "SELECT 1")
}

// deaf refuses rows.
type deaf struct{ err error }

func (deaf) Columns([]result.Column) error { return nil }
func (d deaf) Row([]datum.Datum) error     { return d.err }
func (deaf) Done(result.Done) error        { return nil }

// TestBroken has statements that the store refuses in their middle: alone they write nothing, and in a transaction they
// roll all of it back.
func TestBroken(t *testing.T) {
	store := mem.Open(mem.Options{Limits: kv.Limits{KeyBytesMax: 4 << 10, ValueBytesMax: 1 << 20,
		TxnBytesMax: 64 << 10}})
	db, err := database.Open(t.Context(), store, database.Options{Admin: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	s := newHarness(t, db).session("main")
	must(t, s, "CREATE TABLE t (id BIGINT PRIMARY KEY, v VARCHAR)")
	var rows []string
	for id := range 20 {
		rows = append(rows, fmt.Sprintf("(%d, REPEAT('x', 10000))", id))
	}
	large := []byte("INSERT INTO t VALUES " + strings.Join(rows, ", "))
	if err := s.Query(t.Context(), large, &printer{}); codeOf(err) != fault.TransactionTooLarge {
		t.Errorf("alone: %v", err)
	}
	must(t, s, "BEGIN", "INSERT INTO t VALUES (100, 'before')")
	if !s.State().InTransaction {
		t.Error("no transaction has begun")
	}
	if err := s.Query(t.Context(), large, &printer{}); codeOf(err) != fault.TransactionTooLarge ||
		!strings.Contains(err.Error(), "rolled back as a whole") {
		t.Errorf("in a transaction: %v", err)
	}
	if s.State().InTransaction {
		t.Error("the transaction goes on")
	}
	if got := must(t, s, "COMMIT", "SELECT count(*) FROM t"); got != "ok 0\ncount(*)\n0\n" {
		t.Errorf("%s", got)
	}
}

// TestPlansMax keeps the number of compiled statements bounded, whatever texts come.
func TestPlansMax(t *testing.T) {
	db := testdb.Open(t)
	engine := sql.New(sql.Options{DB: db, PlansMax: 64})
	s, err := engine.Open(t.Context(), result.Login{Database: "default"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	must(t, s, "CREATE TABLE t (a BIGINT PRIMARY KEY, n BIGINT)")
	for i := range 500 {
		must(t, s, fmt.Sprintf("SELECT n AS column_%d FROM t WHERE a = 1", i))
	}
	var cached, made int
	if _, err := fmt.Sscanf(must(t, s, "SHOW STATUS LIKE 'Plans%'"),
		"Variable_name | Value\nPlans_cached | %d\nPlans_made | %d", &cached, &made); err != nil {
		t.Fatal(err)
	}
	if cached == 0 || cached > 2*64 || made < 500 {
		t.Errorf("%d of %d plans are kept", cached, made)
	}
}

// TestSessionBounds bounds what a session keeps.
func TestSessionBounds(t *testing.T) {
	s := newHarness(t, testdb.Open(t)).session("main")
	last := error(nil)
	for i := range 1100 {
		last = s.Query(t.Context(), fmt.Appendf(nil, "SET @v%d = 1", i), &printer{})
	}
	if codeOf(last) != fault.Refused {
		t.Errorf("1,100 variables: %v", last)
	}
	if err := s.Query(t.Context(), []byte("SET @v1 = REPEAT('x', 2000000)"), &printer{}); codeOf(err) != fault.Refused {
		t.Errorf("a variable of 2 MB: %v", err)
	}
	for i := range 1100 {
		last = s.Query(t.Context(), fmt.Appendf(nil, "PREPARE p%d FROM 'SELECT 1'", i), &printer{})
	}
	if codeOf(last) != fault.Refused {
		t.Errorf("1,100 prepared statements: %v", last)
	}
}

// TestManyRows is about statements that write more rows than a dump puts into one: only their bytes bound them, unless
// statement_rows_max says otherwise.
func TestManyRows(t *testing.T) {
	s := newHarness(t, testdb.Open(t)).session("main")
	must(t, s, "CREATE TABLE many (id BIGINT PRIMARY KEY, v VARCHAR)", "SET statement_bytes_advised = 67108864")
	const rows = 5000
	values := strings.Repeat("(%d, 'v'), ", rows-1) + "(%d, 'v')"
	ids := make([]any, rows)
	for i := range ids {
		ids[i] = i
	}
	for _, text := range []string{"INSERT INTO many VALUES " + fmt.Sprintf(values, ids...),
		"UPDATE many SET v = 'w' WHERE id >= 0", "DELETE FROM many WHERE id >= 0"} {
		if got := must(t, s, text); !strings.HasPrefix(got, "ok 5000") {
			t.Errorf("%.30s..: %s", text, got)
		}
	}
	must(t, s, "INSERT INTO many VALUES "+fmt.Sprintf(values, ids...), "SET statement_bytes_max = 50000")
	for _, text := range []string{"UPDATE many SET v = 'w' WHERE id >= 0", "DELETE FROM many WHERE id >= 0"} {
		if err := s.Query(t.Context(), []byte(text), &printer{}); codeOf(err) != fault.Refused {
			t.Errorf("%.30s.. beyond statement_bytes_max: %v", text, err)
		}
	}
}
