// SPDX-License-Identifier: Apache-2.0

package sql

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testdb"
)

// dropped is a Sink that forgets everything.
type dropped struct{}

func (dropped) Columns([]result.Column) error { return nil }
func (dropped) Row([]datum.Datum) error       { return nil }
func (dropped) Done(result.Done) error        { return nil }

// TestSingleTables checks that no statement over one table, or none, is run by the relational engine: it is not even built.
func TestSingleTables(t *testing.T) {
	engine := New(Options{DB: testdb.Open(t)})
	session, err := engine.Open(t.Context(), result.Login{User: "ann", Host: "localhost", Database: weft.DefaultDatabase})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, text := range []string{
		"CREATE TABLE t (k BIGINT, v VARCHAR, n INTEGER, d DECIMAL(10,2), ts TIMESTAMP, PRIMARY KEY(k))",
		"CREATE INDEX by_v ON t(v)",
		"INSERT INTO t(k, v, n, d, ts) VALUES (1, 'a', 2, 3.5, '2024-01-31'), (2, 'b', 3, 4.5, NOW())",
		"UPSERT INTO t(k, v) VALUES (3, 'c')", "REPLACE INTO t(k, v) VALUES (3, 'd')",
		"INSERT INTO t(k, v) VALUES (3, 'e') ON DUPLICATE KEY UPDATE v = CONCAT(v, VALUES(v))",
		"UPDATE t SET n = n + 1 WHERE k IN (1, 2)", "DELETE FROM t WHERE k = 3",
		"SELECT 1 UNION SELECT 2", "SELECT a.k, b.v FROM t a JOIN t b ON a.k = b.k", "SELECT 1", "SELECT * FROM t", "SELECT * FROM t x WHERE x.k = 1", "SELECT k FROM t WHERE (k, v) > (0, 'a') AND k < 10",
		"SELECT COUNT(*) FROM t", "SELECT DISTINCT v FROM t", "SELECT v, COUNT(*), SUM(n), AVG(d), MIN(ts) FROM t GROUP BY v HAVING COUNT(*) > 0 ORDER BY v",
		"SELECT k FROM t ORDER BY n DESC, v LIMIT 1 OFFSET 1", "SELECT GROUP_CONCAT(v ORDER BY k SEPARATOR ';') FROM t",
		"SELECT COUNT(DISTINCT v) FROM t", "SELECT k FROM t WHERE v LIKE 'a%' AND k BETWEEN 1 AND 3 ALLOW FILTERING",
		"SELECT UPPER(v), ROUND(d, 1), IF(n > 1, 'x', 'y'), CASE n WHEN 1 THEN 2 END, COALESCE(v, 'z'), DATE_FORMAT(ts, '%Y'), CAST(k AS CHAR) FROM t",
		"SELECT k FROM t WHERE k = 1 FOR UPDATE", "SELECT @@version, DATABASE(), USER()", "EXPLAIN SELECT * FROM t WHERE k = 1",
		"SHOW TABLES", "SHOW CREATE TABLE t", "SHOW COLUMNS FROM t", "DESCRIBE t", "SHOW INDEX FROM t", "SHOW VARIABLES LIKE 'version'", "SHOW DATABASES",
		"SET @a = 1", "BEGIN", "COMMIT", "USE default", "ALTER TABLE t ADD COLUMN z VARCHAR", "TRUNCATE TABLE t", "DROP TABLE t",
	} {
		if err := session.Query(t.Context(), []byte(text), dropped{}); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// endless is a statement that reads no table and would take hours.
const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) " +
	"SELECT COUNT(*) FROM n a, n b, n c WHERE a.i + b.i + c.i < 0"

// TestEndless checks that a statement's time and a kill end what the relational engine does on its own.
func TestEndless(t *testing.T) {
	engine := New(Options{DB: testdb.Open(t)})
	session, err := engine.Open(t.Context(), result.Login{User: "ann", Host: "localhost", Database: weft.DefaultDatabase})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	wants := func(ctx context.Context, code fault.Code, text string) {
		t.Helper()
		err := session.Query(ctx, []byte(text), dropped{})
		if f, ok := fault.Of(err); !ok || f.Code != code {
			t.Errorf("%v, wanted code %d", err, code)
		}
	}
	wants(t.Context(), fault.StatementTimeout, strings.Replace(endless, "SELECT COUNT", "SELECT /*+ _l_operation_timeout_(50) */ COUNT", 1))
	if err := session.Query(t.Context(), []byte("SET max_execution_time = 50"), dropped{}); err != nil {
		t.Fatal(err)
	}
	wants(t.Context(), fault.StatementTimeout, endless)
	if err := session.Query(t.Context(), []byte("SET max_execution_time = 0"), dropped{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errKilled) })
	wants(ctx, fault.Interrupted, endless)
}
