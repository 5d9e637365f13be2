// SPDX-License-Identifier: Apache-2.0

package weftsql_test

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/weftsql"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a database in memory, and database/sql over it.
func open(t testing.TB, o weftsql.Options) (*weft.DB, *sql.DB) {
	t.Helper()
	db, err := weft.OpenMemory(t.Context(), weft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pool := sql.OpenDB(weftsql.Connector(db, o))
	t.Cleanup(func() {
		if err := errors.Join(pool.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	return db, pool
}

func exec(t testing.TB, db *sql.DB, text string, arguments ...any) sql.Result {
	t.Helper()
	r, err := db.ExecContext(t.Context(), text, arguments...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// fill makes a table with rows.
func fill(t testing.TB, db *sql.DB, rows int) {
	t.Helper()
	exec(t, db, "CREATE TABLE numbers (id BIGINT, word VARCHAR(20), PRIMARY KEY (id))")
	for first := 0; first < rows; first += 500 {
		var values []string
		for i := first; i < min(first+500, rows); i++ {
			values = append(values, fmt.Sprintf("(%d, 'word %d')", i, i%7))
		}
		exec(t, db, "INSERT INTO numbers VALUES "+strings.Join(values, ", "))
	}
}

// number is MySQL's number of an error, 0 if it has none.
func number(err error) uint16 {
	if e, ok := errors.AsType[*weftsql.Error](err); ok {
		return e.Number
	}
	return 0
}

// TestShared: SQL and the API of package weft see one database.
func TestShared(t *testing.T) {
	db, pool := open(t, weftsql.Options{})
	exec(t, pool, "CREATE TABLE cities (name VARCHAR(40), people BIGINT, PRIMARY KEY (name))")
	exec(t, pool, "INSERT INTO cities VALUES (?, ?)", "Porto", 231_800)
	table := db.Table("cities")
	item, found, err := table.Get(t.Context(), weft.Document{"name": "Porto"})
	if err != nil || !found {
		t.Fatalf("the row is not there as an item: %v", err)
	}
	if people := item.Document()["people"]; fmt.Sprint(people) != "231800" {
		t.Errorf("people: %v", people)
	}
	if err := table.Put(t.Context(), weft.Document{"name": "Braga", "people": 193_300}); err != nil {
		t.Fatal(err)
	}
	var people int64
	if err := pool.QueryRow("SELECT people FROM cities WHERE name = ?", "Braga").Scan(&people); err != nil ||
		people != 193_300 {
		t.Errorf("the item as a row: %d, %v", people, err)
	}
}

// TestValues: each type goes in and comes out.
func TestValues(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	exec(t, db, `CREATE TABLE everything (id INT, tiny TINYINT, yes BOOLEAN, whole BIGINT, big BIGINT UNSIGNED, small FLOAT, wide DOUBLE, exact DECIMAL(20,4),
		word VARCHAR(20), raw VARBINARY(20), doc JSON, day DATE, moment DATETIME(6), clock TIME, flags BIT(12), y YEAR, PRIMARY KEY (id))`)
	moment := time.Date(2026, 3, 29, 2, 30, 0, 123_456_000, time.UTC)
	exec(t, db, "INSERT INTO everything VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 1, int8(-7), true,
		int64(math.MinInt64), uint64(math.MaxUint64), float32(1.1), 2.5e300, "12345678.9",
		"größe", []byte{0xff, 0}, []byte(`{"a": [1, null]}`), moment, moment, "-12:30:01", 0xabc, 2026)
	exec(t, db, "INSERT INTO everything (id) VALUES (2)")
	rows, err := db.Query("SELECT * FROM everything ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"int64 1", "int64 -7", "int64 1", "int64 -9223372036854775808", "uint64 18446744073709551615",
		"float64 1.1", "float64 2.5e+300", "12345678.9000", "größe", "\xff\x00", `{"a": [1, null]}`,
		"time.Time 2026-03-29 00:00:00 +0000 UTC", "time.Time 2026-03-29 02:30:00.123456 +0000 UTC", "-12:30:01",
		"\x0a\xbc", "int64 2026"}
	for line := 0; rows.Next(); line++ {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			got := fmt.Sprintf("%T %v", v, v)
			if b, ok := v.([]byte); ok {
				got = string(b)
			}
			if line == 0 && got != want[i] || line == 1 && i > 0 && v != nil {
				t.Errorf("row %d, %s: %q", line, columns[i], got)
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestArguments: what database/sql takes is taken, and what there is no value for is refused.
func TestArguments(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	text := "x"
	for _, c := range []struct {
		argument any
		want     string
	}{
		{nil, "NULL"}, {&text, "x"}, {(*string)(nil), "NULL"}, {sql.NullString{}, "NULL"},
		{sql.NullInt64{Int64: 4, Valid: true}, "4"}, {[]byte(nil), "NULL"}, {[]byte{}, ""},
		{uint(7), "7"}, {uint64(math.MaxUint64), "18446744073709551615"}, {true, "1"}, {time.Time{}, "0000-00-00"},
		{time.Date(2026, 1, 2, 3, 4, 5, 6_499, time.UTC), "2026-01-02 03:04:05.000006"},
	} {
		var got sql.NullString
		if err := db.QueryRow("SELECT CAST(? AS CHAR)", c.argument).Scan(&got); err != nil {
			t.Errorf("%v: %v", c.argument, err)
		} else if s := map[bool]string{true: got.String, false: "NULL"}[got.Valid]; s != c.want {
			t.Errorf("%v is %q, want %q", c.argument, s, c.want)
		}
	}
	for _, bad := range []any{struct{}{}, sql.Named("a", 1), time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC),
		complex(1, 1)} {
		if _, err := db.Exec("SELECT ?", bad); err == nil || errors.Is(err, driver.ErrBadConn) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := db.Exec("SELECT ?, ?", 1); err == nil {
		t.Error("an argument too few was no error")
	}
}

// TestLocation: a clock of the location is written and read, and SQL's own time zone is the same.
func TestLocation(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this machine has no time zones: ", err)
	}
	_, db := open(t, weftsql.Options{Location: berlin})
	exec(t, db, "CREATE TABLE moments (id INT, at DATETIME(6), PRIMARY KEY (id))")
	moment := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	exec(t, db, "INSERT INTO moments VALUES (1, ?)", moment)
	var shown, zone string
	var back time.Time
	if err := db.QueryRow("SELECT CAST(at AS CHAR), at, @@time_zone FROM moments").Scan(&shown, &back,
		&zone); err != nil {
		t.Fatal(err)
	}
	if !back.Equal(moment) || back.Location() != berlin || !strings.HasPrefix(shown, "2026-07-01 14:00:00") ||
		zone != "Europe/Berlin" {
		t.Errorf("%v, shown as %s in %s", back, shown, zone)
	}
	_, local := open(t, weftsql.Options{Location: time.Local})
	if err := local.QueryRow("SELECT 1").Err(); err == nil && time.Local.String() == "Local" {
		t.Error("time.Local was taken")
	}
}

// TestErrors: errors have MySQL's numbers, and a program may have them in a type of its own.
func TestErrors(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 1)
	_, err := db.Exec("INSERT INTO numbers VALUES (0, 'again')")
	e, ok := errors.AsType[*weftsql.Error](err)
	if !ok || e.Number != 1062 || string(e.SQLState[:]) != "23000" || e.Error() != "Error 1062 (23000): "+e.Message {
		t.Errorf("a duplicate: %v", err)
	}
	if _, err = db.Exec("SELEC 1"); number(err) != 1064 {
		t.Errorf("syntax: %v", err)
	}
	if err = db.QueryRow("SELECT * FROM nothing WHERE id = ?", 1).Err(); number(err) != 1146 {
		t.Errorf("no such table: %v", err)
	}
	if err = db.QueryRow("SELECT id FROM numbers WHERE id = 9").Scan(new(int)); err != sql.ErrNoRows {
		t.Errorf("no rows: %v", err)
	}
	own := errors.New("own")
	_, db = open(t, weftsql.Options{Error: func(e *weftsql.Error) error { return fmt.Errorf("%w %d", own, e.Number) }})
	if _, err = db.Exec("SELECT * FROM nothing"); !errors.Is(err, own) || err.Error() != "own 1146" {
		t.Errorf("an error of the program's own: %v", err)
	}
}

// TestResults: what was written is counted.
func TestResults(t *testing.T) {
	for _, found := range []bool{false, true} {
		_, db := open(t, weftsql.Options{FoundRows: found})
		exec(t, db, "CREATE TABLE notes (id BIGINT AUTO_INCREMENT, word VARCHAR(20), PRIMARY KEY (id))")
		r := exec(t, db, "INSERT INTO notes (word) VALUES (?), (?)", "a", "b")
		first, _ := r.LastInsertId()
		if n, _ := r.RowsAffected(); n != 2 || first < 1 {
			t.Errorf("inserted %d, the first is %d", n, first)
		}
		r = exec(t, db, "UPDATE notes SET word = 'a' WHERE id >= ?", first)
		if n, _ := r.RowsAffected(); n != map[bool]int64{false: 1, true: 2}[found] {
			t.Errorf("updated %d with FoundRows %t", n, found)
		}
		if n, _ := exec(t, db, "SELECT * FROM notes").RowsAffected(); n != 0 {
			t.Errorf("a SELECT affected %d", n)
		}
	}
}

// TestPrepared: a statement is used again, also by many goroutines and on other connections, and after its table has
// changed.
func TestPrepared(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	fill(t, db, 100)
	s, err := db.Prepare("SELECT * FROM numbers WHERE id = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := worker; i < 100; i += 4 {
				var id int
				var word string
				if err := s.QueryRow(i).Scan(&id, &word); err != nil || id != i || word != fmt.Sprintf("word %d", i%7) {
					t.Errorf("%d: %d, %s, %v", i, id, word, err)
				}
			}
		})
	}
	group.Wait()
	exec(t, db, "ALTER TABLE numbers ADD COLUMN more INT DEFAULT 3")
	var id, more int
	if err := s.QueryRow(5).Scan(&id, new(string), &more); err != nil || more != 3 {
		t.Errorf("after ALTER: %d, %v", more, err)
	}
	if _, err := s.Query(); err == nil {
		t.Error("an argument too few was no error")
	}
	if _, err := db.Prepare("SELECT ? FROM"); number(err) != 1064 {
		t.Errorf("a wrong text: %v", err)
	}
}

// TestKept: more statements with arguments than a connection keeps.
func TestKept(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	for range 2 {
		for i := range 200 {
			var got int
			if err := db.QueryRow(fmt.Sprintf("SELECT %d + ?", i), 1).Scan(&got); err != nil || got != i+1 {
				t.Fatalf("%d: %d, %v", i, got, err)
			}
		}
	}
}

// TestSeveral: a text with several statements gives several result sets, if that is allowed, and all of them are run.
func TestSeveral(t *testing.T) {
	_, one := open(t, weftsql.Options{})
	if _, err := one.Exec("SELECT 1; SELECT 2"); number(err) != 1064 {
		t.Errorf("several statements where one is allowed: %v", err)
	}
	_, db := open(t, weftsql.Options{MultiStatements: true})
	fill(t, db, 10)
	rows, err := db.Query("INSERT INTO numbers VALUES (10, 'ten'); SELECT id FROM numbers; SET @a = 1; SELECT word, 5 FROM numbers WHERE id = 10; SELECT 'x' FROM numbers WHERE id = 99")
	if err != nil {
		t.Fatal(err)
	}
	var sets []string
	for next := true; next; next = rows.NextResultSet() {
		columns, _ := rows.Columns()
		n := 0
		for rows.Next() {
			n++
		}
		sets = append(sets, fmt.Sprint(columns, n))
	}
	if got := strings.Join(sets, " "); rows.Err() != nil || got != "[id] 11 [word 5] 1 [x] 0" {
		t.Errorf("%s, %v", got, rows.Err())
	}
	rows, err = db.Query("SELECT id FROM numbers; DELETE FROM numbers WHERE id = 10")
	if err != nil || rows.Close() != nil {
		t.Fatal(err, rows.Close())
	}
	var left int
	if err := db.QueryRow("SELECT COUNT(*) FROM numbers").Scan(&left); err != nil || left != 10 {
		t.Errorf("a statement behind rows that were closed was not run: %d left, %v", left, err)
	}
	rows, err = db.Query("SELECT 1; SELECT * FROM nothing")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	if rows.NextResultSet() || number(rows.Err()) != 1146 {
		t.Errorf("the second statement's error: %v", rows.Err())
	}
}

// TestShowWhere: the WHERE of a SHOW takes arguments, as GORM's migrations give it.
func TestShowWhere(t *testing.T) {
	_, db := open(t, weftsql.Options{})
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE pens (id BIGINT PRIMARY KEY, color TEXT)"); err != nil {
		t.Fatal(err)
	}
	for query, argument := range map[string]string{
		"SHOW TABLES WHERE Tables_in_default = ?": "pens", "SHOW COLUMNS FROM pens WHERE Field = ?": "color",
		"SHOW TABLE STATUS WHERE Name = ?": "pens", "SHOW VARIABLES WHERE Variable_name = ?": "sql_mode",
		"SHOW DATABASES WHERE `Database` = ?": "default",
	} {
		found := 0
		rows, err := db.QueryContext(t.Context(), query, argument)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		for rows.Next() {
			found++
		}
		if err := errors.Join(rows.Close(), rows.Err()); err != nil || found != 1 {
			t.Errorf("%s: %d rows, %v", query, found, err)
		}
	}
}
