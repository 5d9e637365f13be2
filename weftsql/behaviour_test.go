// SPDX-License-Identifier: Apache-2.0

package weftsql_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weftdb/weft/weftsql"
)

// TestClosedEarly: rows that nobody wants end their statement, and the connection goes on.
func TestClosedEarly(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 2000)
	db.SetMaxOpenConns(1)
	for range 20 {
		rows, err := db.Query("SELECT id FROM numbers")
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() || rows.Close() != nil || rows.Err() != nil {
			t.Fatalf("closed after a row: %v", rows.Err())
		}
	}
	var found int
	if err := db.QueryRow("SELECT id FROM numbers WHERE id = 7").Scan(new(int)); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow("SELECT FOUND_ROWS()").Scan(&found); err != nil || found != 1 {
		t.Errorf("a statement whose only row was read has not ended as usual: it found %d rows, %v", found, err)
	}
}

// TestStreams: rows come while the statement runs, so that the first of an endless answer is there.
func TestStreams(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 1000)
	rows, err := db.Query("SELECT a.id, b.id, c.id FROM numbers a, numbers b, numbers c")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for range 10 {
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
	}
}

// TestContext: the end of a context ends a statement, before and between its rows, with an error that says so.
func TestContext(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 1000)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	const endless = "SELECT COUNT(*) FROM numbers a, numbers b, numbers c WHERE a.word < b.word AND b.word < c.word"
	if err := db.QueryRowContext(ctx, endless).Scan(new(int)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline before the first row: %v", err)
	}
	if _, err := db.ExecContext(ctx, "SELECT 1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline before the statement: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	rows, err := db.QueryContext(ctx, "SELECT a.id FROM numbers a, numbers b, numbers c")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; rows.Next(); i++ {
		if i == 5 {
			cancel()
		}
	}
	cancel()
	if err := rows.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled between rows: %v", err)
	}
	if err := db.Ping(); err != nil {
		t.Error(err)
	}
}

// TestTransactions: commit, rollback, the end of the context, and what a transaction sees.
func TestTransactions(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 3)
	count := func() (n int) {
		if err := db.QueryRow("SELECT COUNT(*) FROM numbers").Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("INSERT INTO numbers VALUES (?, 'new')", 100); err != nil {
		t.Fatal(err)
	}
	var own int
	if err := tx.QueryRow("SELECT COUNT(*) FROM numbers").Scan(&own); err != nil || own != 4 || count() != 3 {
		t.Errorf("the transaction sees %d, others %d, %v", own, count(), err)
	}
	if err := tx.Rollback(); err != nil || count() != 3 {
		t.Errorf("after the rollback: %d, %v", count(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if tx, err = db.BeginTx(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("DELETE FROM numbers WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := tx.Commit(); err == nil || count() != 3 {
		t.Errorf("a commit after the end of the context: %d, %v", count(), err)
	}
	if tx, err = db.Begin(); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("DELETE FROM numbers WHERE id = 1"); err != nil || tx.Commit() != nil || count() != 2 {
		t.Errorf("after the commit: %d, %v", count(), err)
	}
}

// TestLevels: a transaction has the level that was asked for, and one that there is none of is refused.
func TestLevels(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 1)
	for level := sql.LevelDefault; level <= sql.LevelLinearizable; level++ {
		tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
		if refused := level == sql.LevelWriteCommitted || level == sql.LevelSnapshot ||
			level == sql.LevelLinearizable; err != nil || refused {
			if (err != nil) != refused || errors.Is(err, driver.ErrBadConn) {
				t.Errorf("%s: %v", level, err)
			}
			continue
		}
		var before, after string
		err = tx.QueryRow("SELECT word FROM numbers WHERE id = 0").Scan(&before)
		if err != nil {
			t.Fatal(err)
		}
		exec(t, db, "UPDATE numbers SET word = ? WHERE id = 0", level.String())
		if err := tx.QueryRow("SELECT word FROM numbers WHERE id = 0").Scan(&after); err != nil {
			t.Fatal(err)
		}
		sees := level == sql.LevelReadUncommitted || level == sql.LevelReadCommitted
		if (after != before) != sees {
			t.Errorf("%s: read %s, then %s", level, before, after)
		}
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec("DELETE FROM numbers"); number(err) != 1792 {
		t.Errorf("a write in a transaction that only reads: %v", err)
	}
}

// TestConflict: of two transactions that want each other's rows one gets 1213, and can run again.
func TestConflict(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 2)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 5 {
				if err := increment(t.Context(), db); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	var word string
	if err := db.QueryRow("SELECT word FROM numbers WHERE id = 1").Scan(&word); err != nil || word != "40" {
		t.Errorf("%s, %v", word, err)
	}
}

// increment adds one to a row that it has read, as often as it takes.
func increment(ctx context.Context, db *sql.DB) error {
	for {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
		if err != nil {
			return err
		}
		var n int
		err = tx.QueryRow("SELECT CAST(REPLACE(word, 'word 1', '0') AS SIGNED) FROM numbers WHERE id = 1").Scan(&n)
		if err == nil {
			_, err = tx.Exec("UPDATE numbers SET word = ? WHERE id = 1", fmt.Sprint(n+1))
		}
		if err == nil {
			err = tx.Commit()
		} else {
			_ = tx.Rollback() // the error is the statement's
		}
		if code := number(err); code != 1213 && code != 1205 {
			return err
		}
	}
}

// TestBetweenRows: in a transaction a statement may run while the rows of another one are read.
func TestBetweenRows(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 1500)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	rows, err := tx.Query("SELECT id, word FROM numbers ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var id int
		var word string
		if err := rows.Scan(&id, &word); err != nil || id != n || word != fmt.Sprintf("word %d", n%7) {
			t.Fatalf("row %d is %d, %s, %v", n, id, word, err)
		}
		if n%400 == 0 {
			if _, err := tx.Exec("UPDATE numbers SET word = 'changed' WHERE id = ?", id); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != 1500 || rows.Err() != nil {
		t.Errorf("%d rows, %v", n, rows.Err())
	}
	big, err := tx.Query("SELECT REPEAT(a.word, 4000) FROM numbers a, numbers b LIMIT 10000")
	if err != nil {
		t.Fatal(err)
	}
	defer big.Close()
	if _, err := tx.Exec("SELECT 1"); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for big.Next() {
		kept++
	}
	if kept == 10_000 || number(big.Err()) != 8008 {
		t.Errorf("of rows too large to be kept %d were: %v", kept, big.Err())
	}
}

// TestPool: many goroutines use connections of one database, some of which give up.
func TestPool(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 500)
	db.SetMaxOpenConns(6)
	db.SetMaxIdleConns(2)
	var group sync.WaitGroup
	for worker := range 12 {
		group.Go(func() {
			for i := range 20 {
				if err := visit(t.Context(), db, worker, i); err != nil {
					t.Errorf("worker %d: %v", worker, err)
				}
			}
		})
	}
	group.Wait()
	if s := db.Stats(); s.InUse != 0 || s.OpenConnections > 6 {
		t.Errorf("%+v", s)
	}
}

func visit(ctx context.Context, db *sql.DB, worker, i int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, err := db.QueryContext(ctx, "SELECT id FROM numbers WHERE id >= ?", worker)
	if err != nil {
		return err
	}
	for n := 0; rows.Next(); n++ {
		if n == 10*worker {
			if i%3 == 0 {
				cancel()
			}
			break
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	_, err = db.Exec("UPDATE numbers SET word = ? WHERE id = ?", fmt.Sprint(worker, i), worker*20+i)
	return err
}

// TestKill: KILL ends statements and connections of the same Connector, and the pool replaces those.
func TestKill(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	ctx := t.Context()
	victim, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer victim.Close()
	var id int
	if err := victim.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	slept := make(chan error)
	go func() {
		fill(t, db, 1000)
		slept <- victim.QueryRowContext(ctx,
			"SELECT COUNT(*) FROM numbers a, numbers b, numbers c WHERE a.word < b.word AND b.word < c.word").Scan(
			new(int))
	}()
	for {
		var running int
		if err := db.QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE id = ? AND command = 'Query'",
			id).Scan(&running); err != nil {
			t.Fatal(err)
		}
		if running == 1 {
			break
		}
	}
	exec(t, db, fmt.Sprintf("KILL %d", id))
	if err := <-slept; number(err) != 1317 || errors.Is(err, driver.ErrBadConn) {
		t.Errorf("the statement that was killed: %v", err)
	}
	if err := victim.QueryRowContext(ctx, "SELECT 1").Scan(new(int)); !errors.Is(err, driver.ErrBadConn) {
		t.Errorf("a connection that was killed: %v", err)
	}
	if err := db.QueryRow("SELECT 1").Scan(new(int)); err != nil {
		t.Error(err)
	}
}

// TestClosedDatabase: statements of a database that is closed fail with a word of it, and never as those of a bad
// connection.
func TestClosedDatabase(t *testing.T) {
	db, pool := open(t, weftsql.Options{})
	fill(t, pool, 1)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := pool.Ping(); err == nil || errors.Is(err, driver.ErrBadConn) {
		t.Errorf("ping: %v", err)
	}
	if _, err := pool.Exec("INSERT INTO numbers VALUES (8, 'x')"); number(err) != 1053 {
		t.Errorf("a write: %v", err)
	}
}

// TestColumnTypes prints what is known of columns.
func TestColumnTypes(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	exec(t, db, "CREATE TABLE kinds (id INT NOT NULL, big BIGINT UNSIGNED, tiny TINYINT UNSIGNED NOT NULL, exact DECIMAL(12,3), word VARCHAR(20) NOT NULL, long_word TEXT, raw BLOB, doc JSON, "+
		"moment DATETIME(3), ok BOOLEAN, ratio DOUBLE, PRIMARY KEY (id))")
	rows, err := db.Query("SELECT kinds.*, COUNT(*) OVER () AS n, NULL AS nothing FROM kinds")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range types {
		length, ok := c.Length()
		precision, scale, sized := c.DecimalSize()
		nullable, _ := c.Nullable()
		line := fmt.Sprintf("%s: %s, %v", c.Name(), c.DatabaseTypeName(), c.ScanType())
		if ok && length < math.MaxInt64 {
			line += fmt.Sprintf(", %d long", length)
		}
		if sized {
			line += fmt.Sprintf(", %d digits, %d behind the point", precision, scale)
		}
		if !nullable {
			line += ", not null"
		}
		lines = append(lines, line)
	}
	want := `id: INT, int64, not null
big: UNSIGNED BIGINT, sql.Null[uint64]
tiny: UNSIGNED TINYINT, int64, not null
exact: DECIMAL, sql.NullString, 12 digits, 3 behind the point
word: VARCHAR, string, 20 long, not null
long_word: TEXT, sql.NullString, 65535 long
raw: BLOB, []uint8, 65535 long
doc: JSON, sql.NullString
moment: DATETIME, sql.NullTime, 3 digits, 3 behind the point
ok: TINYINT, sql.NullInt64
ratio: DOUBLE, sql.NullFloat64
n: BIGINT, sql.NullInt64
nothing: , interface {}`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestScanTypes: a value of a column's scan type takes what the column has.
func TestScanTypes(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	exec(t, db, "CREATE TABLE things (id INT NOT NULL, big BIGINT UNSIGNED, exact DECIMAL(12,3), word VARCHAR(20), raw BLOB, doc JSON, moment DATETIME(3), ok BOOLEAN, ratio FLOAT, PRIMARY KEY (id))")
	exec(t, db, "INSERT INTO things VALUES (1, 18446744073709551615, 1.5, 'a', 'b', '{}', '2026-01-01', TRUE, 0.5), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)")
	rows, err := db.Query("SELECT * FROM things")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	places := make([]any, len(types))
	for i, c := range types {
		places[i] = reflect.New(c.ScanType()).Interface()
	}
	n := 0
	for ; rows.Next(); n++ {
		if err := rows.Scan(places...); err != nil {
			t.Error(err)
		}
	}
	if n != 2 || rows.Err() != nil {
		t.Errorf("%d rows, %v", n, rows.Err())
	}
}

// TestSources: databases by their names are opened, shared and opened again.
func TestSources(t *testing.T) {
	folder := "file:" + filepath.Join(t.TempDir(), "data")
	for round := range 2 {
		db, err := sql.Open("weft", folder)
		if err != nil {
			t.Fatal(err)
		}
		other, err := sql.Open("weft", folder+"?parseTime=true&clientFoundRows=true")
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			fill(t, db, 3)
		}
		var n int
		if err := other.QueryRow("SELECT COUNT(*) FROM numbers").Scan(&n); err != nil || n != 3 {
			t.Errorf("round %d: %d rows, %v", round, n, err)
		}
		if err := errors.Join(db.Close(), other.QueryRow("SELECT 1").Scan(&n), other.Close()); err != nil {
			t.Error(err)
		}
	}
	tables := func(name string) (n int) {
		db, err := sql.Open("weft", name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		_, _ = db.Exec("CREATE TABLE shared (id INT, PRIMARY KEY (id))") // it may be there
		exec(t, db, "INSERT INTO shared SELECT COUNT(*) FROM shared")
		if err := db.QueryRow("SELECT COUNT(*) FROM shared").Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	if a, b, c, d := tables("mem:"), tables("mem:"), tables("mem:one"), tables("mem:one"); a != 1 || b != 1 || c != 1 ||
		d != 2 {
		t.Errorf("rows in databases in memory: %d, %d without a name, %d, %d with one", a, b, c, d)
	}
	for _, bad := range []string{"", "data", "file:", "tikv:x", "mem:?loc=Nowhere/Land", "mem:?charset=latin1",
		"mem:?multiStatements=perhaps", "mem:?parseTime=false", "mem:?%zz"} {
		if db, err := sql.Open("weft", bad); err == nil {
			t.Errorf("%q was taken", bad)
			_ = db.Close()
		}
	}
	db, err := sql.Open("weft", "mem:?database=nowhere")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Ping(); number(err) != 1049 {
		t.Errorf("a database that there is none of: %v", err)
	}
	one, err := db.Driver().Open("mem:")
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
}

// TestUser: statements of a user do what the user may do.
func TestUser(t *testing.T) {
	db, own := open(t, weftsql.Options{})
	fill(t, own, 2)
	ctx := t.Context()
	if err := errors.Join(db.AddUser(ctx, "owner", "secret"), db.AddUser(ctx, "ann", "secret")); err != nil {
		t.Fatal(err)
	}
	as := func(user string) *sql.DB {
		pool := sql.OpenDB(weftsql.Connector(db, weftsql.Options{User: user}))
		t.Cleanup(func() { _ = pool.Close() })
		return pool
	}
	if err := as("ann").QueryRow("SELECT word FROM numbers WHERE id = 1").Scan(new(string)); number(err) != 1142 {
		t.Errorf("a user without a right: %v", err)
	}
	exec(t, own, "GRANT SELECT ON numbers TO ann")
	ann := as("ann")
	var who string
	if err := ann.QueryRow("SELECT CURRENT_USER() FROM numbers WHERE id = 1").Scan(&who); err != nil ||
		!strings.HasPrefix(who, "ann@") {
		t.Errorf("a user with a right is %q, %v", who, err)
	}
	if _, err := ann.Exec("DELETE FROM numbers"); number(err) != 1142 {
		t.Errorf("a right that the user has not: %v", err)
	}
	if err := as("nobody").QueryRow("SELECT word FROM numbers").Err(); err == nil {
		t.Error("a user that there is none of may read")
	}
}

// TestThread: goroutines that are bound to a thread use connections that others have made, as those of programs with
// windows do.
func TestThread(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 1000)
	db.SetMaxOpenConns(1)
	read := func() {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		rows, err := db.QueryContext(ctx, "SELECT id FROM numbers")
		if err != nil {
			t.Error(err)
			return
		}
		for rows.Next() {
		}
		cancel()
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Error(err)
		}
	}
	read()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			read()
		})
	}
	group.Wait()
	read()
}

// TestRaw: a program that takes the driver's connection finds the interfaces of database/sql/driver that make a driver
// whole.
func TestRaw(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Raw(func(raw any) error {
		_ = raw.(driver.Pinger)
		_ = raw.(driver.ExecerContext)
		_ = raw.(driver.QueryerContext)
		_ = raw.(driver.ConnPrepareContext)
		_ = raw.(driver.ConnBeginTx)
		_ = raw.(driver.Validator)
		_ = raw.(driver.NamedValueChecker)
		return nil
	}); err != nil {
		t.Error(err)
	}
}
