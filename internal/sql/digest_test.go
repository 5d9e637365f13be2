// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/advice/digest"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// valuesOf is an answer without its columns, with commas between values.
func valuesOf(answer string) string {
	_, values, _ := strings.Cut(answer, "\n")
	return strings.TrimSpace(strings.ReplaceAll(values, " | ", ","))
}

// TestDigests: statements that differ in literals are counted together, prepared ones too, and slow ones are kept
// without passwords.
func TestDigests(t *testing.T) {
	engine := sql.New(sql.Options{DB: testdb.Open(t)})
	s, err := engine.Open(t.Context(), result.Login{User: "root", Database: "default", ConnectionID: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	must(t, s, "CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT)", "INSERT INTO t VALUES (1, 1)",
		"INSERT INTO t VALUES (2, 2), (3, 3)", "INSERT INTO t VALUES (4, 4), (5, 5), (6, 6)",
		"SELECT n FROM t WHERE id = 1", "SELECT  n FROM t WHERE id = 2",
		"PREPARE p FROM 'SELECT n FROM t WHERE id = ?'")
	if err := statement("SELECT n FROM nowhere WHERE id = 1")(t.Context(), nil, s); err == nil {
		t.Error("there is a table nowhere")
	}
	const digests = "SELECT COUNT_STAR, SUM_ERRORS, SUM_ROWS_SENT, SUM_ROWS_AFFECTED FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST_TEXT = "
	for text, wanted := range map[string]string{
		"'SELECT n FROM t WHERE id = ?'": "2,0,2,0", "'SELECT n FROM nowhere WHERE id = ?'": "1,1,0,0",
		"'INSERT INTO t VALUES (?, ...)'": "1,0,0,1", "'INSERT INTO t VALUES (?, ...), ...'": "2,0,0,5",
	} {
		if got := valuesOf(must(t, s, digests+text)); got != wanted {
			t.Errorf("%s: %q, want %q", text, got, wanted)
		}
	}
	must(t, s, "SET long_query_time = 0", "CREATE USER ann IDENTIFIED BY 'hunter2'", "SET long_query_time = 10")
	if slow := valuesOf(must(t, s, "SELECT sql_text, thread_id FROM mysql.slow_log")); !strings.Contains(slow,
		"CREATE ...,7") || strings.Contains(slow, "hunter2") {
		t.Errorf("the slow statements are %q", slow)
	}
}

// TestStatementsOfAllAPIs: WEFT_STATEMENTS shows those of all APIs, and MySQL's table those of SQL.
func TestStatementsOfAllAPIs(t *testing.T) {
	digests := digest.New()
	engine := sql.New(sql.Options{DB: testdb.Open(t), Digests: digests})
	s, err := engine.Open(t.Context(), result.Login{User: "root", Database: "default", ConnectionID: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	digests.Add(digest.DynamoDB, "default", []byte("Scan t FILTER n > ?"),
		&digest.Cost{Took: time.Second, Waited: time.Millisecond, Examined: 9, Returned: 2, Failed: true},
		time.Unix(100, 0))
	must(t, s, "CREATE TABLE t (id BIGINT PRIMARY KEY)")
	const statements = "SELECT API, TABLE_SCHEMA, TIMES, ERRORS, SECONDS, WAITED_SECONDS, ROWS_READ, ROWS_RETURNED, ROWS_WRITTEN FROM information_schema.WEFT_STATEMENTS WHERE STATEMENT = "
	if got := valuesOf(must(t, s, statements+"'Scan t FILTER n > ?'")); got != "DynamoDB,default,1,1,1,0.001,9,2,0" {
		t.Errorf("of DynamoDB: %q", got)
	}
	if got := valuesOf(must(t, s, statements+"'CREATE TABLE t (id BIGINT PRIMARY KEY)'")); !strings.HasPrefix(got,
		"SQL,default,1,0,") {
		t.Errorf("of SQL: %q", got)
	}
	must(t, s, "INSERT INTO t VALUES (1), (2)")
	for statement, whole := range map[string]string{"SELECT id FROM t": "1", "SELECT MAX(id + 0) FROM t": "1",
		"SELECT a.id FROM t a JOIN t b ON a.id = b.id": "1", "SELECT id FROM t WHERE id = 1": "0",
		"SELECT id FROM t WHERE id > 1": "0", "SELECT 1": "0"} {
		must(t, s, statement)
		shown := strings.ReplaceAll(statement, " 1", " ?")
		if got := valuesOf(must(t, s, "SELECT FULL_SCANS FROM information_schema.WEFT_STATEMENTS WHERE STATEMENT = '"+
			strings.ReplaceAll(shown, "+ 0", "+ ?")+"'")); got != whole {
			t.Errorf("%s: %q full scans, want %s", statement, got, whole)
		}
	}
	if got := valuesOf(must(t, s, "SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST_TEXT LIKE 'Scan%'")); got != "0" {
		t.Errorf("MySQL's table has %s of DynamoDB", got)
	}
	digests.KeepSlow(&digest.Statement{API: digest.DynamoDB, User: "ann", Host: "::1", Database: "default",
		Text: "Scan {}", Begun: time.Unix(100, 0), Cost: digest.Cost{Took: time.Second, Examined: 9}})
	if got := valuesOf(must(t, s, "SELECT API, USER, HOST, STATEMENT, SECONDS, ROWS_READ FROM information_schema.WEFT_SLOW_STATEMENTS")); got != "DynamoDB,ann,::1,Scan {},1,9" {
		t.Errorf("the slow ones are %q", got)
	}
	if got := valuesOf(must(t, s, "SELECT COUNT(*) FROM mysql.slow_log")); got != "0" {
		t.Errorf("MySQL's slow log has %s of DynamoDB", got)
	}
}

// TestWaitingIsSeen: who waits for a row, and how long it took, is told by the row's key, the session that waits and
// the one that holds it.
func TestWaitingIsSeen(t *testing.T) {
	onEngines(t, func(l *locking) {
		open := func(id uint32) *sql.Session {
			s, err := l.engine.Open(l.Context(), result.Login{User: "root", Database: "default", ConnectionID: id})
			if err != nil {
				l.Fatal(err)
			}
			l.Cleanup(s.Close)
			return s
		}
		holder, waiter, watcher := open(11), open(12), open(13)
		must(l.T, holder, "BEGIN", "UPDATE t SET n = 5 WHERE id = 1")
		done := make(chan error, 1)
		go func() {
			done <- statement("UPDATE t SET n = 6 WHERE id = 1")(context.WithoutCancel(l.Context()), nil, waiter)
		}()
		expect := func(query, want string) {
			l.Helper()
			if got := valuesOf(must(l.T, watcher, query)); got != want {
				l.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		const waiting = "SELECT TABLE_SCHEMA, TABLE_NAME, ROW_KEY, SESSION, HOLDER FROM information_schema.WEFT_ROW_WAITING"
		for got, tries := "", 0; got != "default,t,1,12,11"; tries++ {
			if tries == 300 {
				l.Fatalf("nobody waits: %q", got)
			}
			time.Sleep(10 * time.Millisecond)
			got = valuesOf(must(l.T, watcher, waiting))
		}
		expect("SELECT trx_mysql_thread_id, trx_rows_locked, trx_weft_statements, trx_weft_user FROM information_schema.INNODB_TRX", "11,1,2,root")
		must(l.T, holder, "COMMIT")
		if err := <-done; err != nil {
			l.Fatal(err)
		}
		expect(waiting, "")
		expect("SELECT COUNT(*) FROM information_schema.INNODB_TRX", "0")
		expect("SELECT TABLE_NAME, ROW_KEY, WAITS, GAVE_UP, SECONDS > 0 FROM information_schema.WEFT_ROW_WAITS",
			"t,1,1,0,1")
		expect("SELECT SUM_LOCK_TIME > 0 FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST_TEXT = 'UPDATE t SET n = ? WHERE id = ?'", "1")
	})
}
