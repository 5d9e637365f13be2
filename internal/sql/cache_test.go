// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/datum"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// alike are statements that are as much alike as statements can be that mean different things: a plan kept for one must
// never answer another.
const alike = `
SELECT id, v FROM t WHERE k = 'a' LIMIT 1
SELECT id, v FROM t WHERE k = 'a' LIMIT 2
SELECT id, v FROM t WHERE k = 'a' LIMIT 0
SELECT id, v FROM t WHERE k = 'a' LIMIT 1 OFFSET 1
SELECT id, v FROM t WHERE k = 'a' LIMIT 1, 2
SELECT id, v FROM t WHERE k = 'a' LIMIT 2, 1
SELECT id, v FROM t WHERE k = 'a' AND id IN (1, 2)
SELECT id, v FROM t WHERE k = 'a' AND id IN (1, 2, 3)
SELECT id, v FROM t WHERE k = 'a' AND id IN (1, 1)
SELECT id, v FROM t WHERE k = 'a' AND id IN ('1', '2')
SELECT id, v FROM t WHERE k = 'a' AND id IN (1, '2')
SELECT id, v FROM t WHERE k = 'a' AND id IN (1, NULL)
SELECT id, v FROM t WHERE k = 'a' AND id NOT IN (1, 2)
SELECT id, v FROM t WHERE k = 'a' AND id = 1
SELECT id, v FROM t WHERE k = 'a' AND id = -1
SELECT id, v FROM t WHERE k = 'a' AND id = - 1
SELECT id, v FROM t WHERE k = 'a' AND id = +1
SELECT id, v FROM t WHERE k = 'a' AND id = 2
SELECT id, v FROM t WHERE k = 'a' AND id = '1'
SELECT id, v FROM t WHERE k = 'a' AND id = 'x'
SELECT id, v FROM t WHERE k = 'a' AND id = 1.0
SELECT id, v FROM t WHERE k = 'a' AND id = 1.5
SELECT id, v FROM t WHERE k = 'a' AND id = 1e0
SELECT id, v FROM t WHERE k = 'a' AND id = x'01'
SELECT id, v FROM t WHERE k = 'a' AND id = TRUE
SELECT id, v FROM t WHERE k = 'a' AND id = FALSE
SELECT id, v FROM t WHERE k = 'a' AND id = NULL
SELECT id, v FROM t WHERE k = 'a' AND id <=> NULL
SELECT id, v FROM t WHERE k = 'a' AND id = 18446744073709551615
SELECT id, v FROM t WHERE k = 'a' AND id = 99999999999999999999
SELECT id, v FROM t WHERE k = 'a' AND id < 2
SELECT id, v FROM t WHERE k = 'a' AND id <= 2
SELECT id, v FROM t WHERE k = 'a' AND id > 2
SELECT id, v FROM t WHERE k = 'a' AND id BETWEEN 1 AND 2
SELECT id, v FROM t WHERE k = 'a' AND id BETWEEN 2 AND 1
SELECT id, v FROM t WHERE k = 'a' AND id NOT BETWEEN 1 AND 2
SELECT id, v FROM t WHERE k = 'a' AND (id, v) > (1, 10)
SELECT id, v FROM t WHERE k = 'a' AND (id, v) > (2, 20)
SELECT id, v FROM t WHERE k = 'a' AND id = 1 + 1
SELECT id, v FROM t WHERE k = 'a' AND id = 3 - 1
SELECT id, v FROM t WHERE k = 'a' AND id = 3 -1
SELECT id, v FROM t WHERE k = 'a' AND id = 3-1
SELECT id, v FROM t WHERE k = 'a' AND id = v - 10
SELECT id, v FROM t WHERE k = 'a' AND id = v-9
SELECT id, v FROM t WHERE k = 'b' AND id = 1
SELECT id, v FROM t WHERE k = 'A' AND id = 1
SELECT id, v FROM t WHERE k = 1 AND id = 1
SELECT id, v FROM t WHERE k = '' AND id = 1
SELECT id, v FROM t WHERE k = 'a' 'b' AND id = 1
SELECT id, v FROM t WHERE k = "a" AND id = 1
SELECT id, V FROM t WHERE k = 'a' AND id = 1
SELECT Id, v FROM t WHERE k = 'a' AND id = 1
SELECT id, v FROM T WHERE k = 'a' AND id = 1
SELECT id, v FROM t WHERE K = 'a' AND id = 1
SELECT id, v AS w FROM t WHERE k = 'a' AND id = 1
SELECT id, v AS x FROM t WHERE k = 'a' AND id = 1
SELECT id, v + 1 FROM t WHERE k = 'a' AND id = 1
SELECT id, v + 2 FROM t WHERE k = 'a' AND id = 1
SELECT id, v  + 2 FROM t WHERE k = 'a' AND id = 1
SELECT id, 'v' FROM t WHERE k = 'a' AND id = 1
SELECT id, 1 FROM t WHERE k = 'a' AND id = 1
SELECT id, 2 FROM t WHERE k = 'a' AND id = 1
SELECT id, NULL FROM t WHERE k = 'a' AND id = 1
SELECT v, s FROM t WHERE k = 'a' ORDER BY 1
SELECT v, s FROM t WHERE k = 'a' ORDER BY 2
SELECT v, s FROM t WHERE k = 'a' ORDER BY 1 DESC
SELECT v, s FROM t WHERE k = 'a' ORDER BY 1 + 1
SELECT v, s FROM t WHERE k = 'a' ORDER BY 3
SELECT v, s FROM t WHERE k = 'a' ORDER BY 2 LIMIT 1
SELECT v, s FROM t WHERE k = 'a' ORDER BY s, v DESC LIMIT 2
SELECT s, COUNT(*) FROM t GROUP BY 1
SELECT s, COUNT(*) FROM t GROUP BY s
SELECT COUNT(*), s FROM t GROUP BY 2
SELECT s, COUNT(*) FROM t GROUP BY s HAVING COUNT(*) > 1
SELECT s, COUNT(*) FROM t GROUP BY s HAVING COUNT(*) > 2
SELECT s, COUNT(*) FROM t GROUP BY s HAVING s = 'x'
SELECT v % 20, COUNT(*) FROM t GROUP BY v % 20
SELECT v % 30, COUNT(*) FROM t GROUP BY v % 30
SELECT DISTINCT s FROM t WHERE k = 'a'
SELECT s FROM t WHERE k = 'a'
SELECT COUNT(*) FROM t WHERE 1 = 1
SELECT COUNT(*) FROM t WHERE 1 = 0
SELECT COUNT(*) FROM t WHERE 0
SELECT COUNT(*) FROM t WHERE 1
SELECT COUNT(*) FROM t WHERE NOT 0
SELECT COUNT(*) FROM t WHERE NOT 1
SELECT COUNT(*) FROM t WHERE 'a' = 'a'
SELECT COUNT(*) FROM t WHERE 'a' = 'b'
SELECT COUNT(*) FROM t WHERE k = 'a' OR 1 = 1
SELECT COUNT(*) FROM t WHERE k = 'a' OR 1 = 0
SELECT COUNT(*) FROM t WHERE k = 'a' AND 2 > 1
SELECT COUNT(*) FROM t WHERE k = 'a' AND 1 > 2
SELECT COUNT(*) FROM t WHERE (1 = 0)
SELECT COUNT(*) FROM t WHERE ((1)) = 1
SELECT COUNT(*) FROM t WHERE k = 'a' AND s LIKE 'x%'
SELECT COUNT(*) FROM t WHERE k = 'a' AND s LIKE 'y%'
SELECT COUNT(*) FROM t WHERE k = 'a' AND s LIKE '%'
SELECT COUNT(*) FROM t WHERE k = 'a' AND s LIKE 'x!%' ESCAPE '!'
SELECT COUNT(*) FROM t WHERE k = 'a' AND s REGEXP '^x'
SELECT COUNT(*) FROM t WHERE k = 'a' AND s REGEXP '^y'
SELECT COUNT(*) FROM t WHERE k LIKE 'a%'
SELECT COUNT(*) FROM t WHERE k LIKE 'b%'
SELECT COUNT(*) FROM t WHERE k LIKE '%b'
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts > TIMESTAMP '2024-01-31 12:00:00' - INTERVAL 1 DAY
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts > TIMESTAMP '2024-01-31 12:00:00' - INTERVAL 2 DAY
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts > TIMESTAMP '2024-01-31 12:00:00' - INTERVAL 1 HOUR
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts > NOW() - INTERVAL 1 DAY
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts > NOW() - INTERVAL 2 DAY
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts > NOW() - INTERVAL '1' DAY
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts = 1706659200000
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts = '2024-01-31 00:00:00'
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts > '2024-01-30'
SELECT COUNT(*) FROM t WHERE k = 'a' AND ts > 'nonsense'
SELECT COUNT(*) FROM t WHERE k = 'a' AND CAST(v AS CHAR(1)) = '1'
SELECT COUNT(*) FROM t WHERE k = 'a' AND CAST(v AS CHAR(2)) = '10'
SELECT COUNT(*) FROM t WHERE k = 'a' AND ROUND(v / 3, 1) = 3.3
SELECT COUNT(*) FROM t WHERE k = 'a' AND ROUND(v / 3, 2) = 3.33
SELECT COUNT(*) FROM t WHERE k = 'a' AND SUBSTR(s, 1, 1) = 'x'
SELECT COUNT(*) FROM t WHERE k = 'a' AND SUBSTR(s, 2, 1) = 'x'
SELECT COUNT(*) FROM t WHERE k = 'a' AND DATE_FORMAT(ts, '%d') = '31'
SELECT COUNT(*) FROM t WHERE k = 'a' AND DATE_FORMAT(ts, '%m') = '01'
SELECT COUNT(*) FROM t WHERE k = 'a' AND REGEXP_REPLACE(s, 'x', 'y') = 'y'
SELECT COUNT(*) FROM t WHERE k = 'a' AND EXTRACT(DAY FROM ts) = 31
SELECT COUNT(*) FROM t WHERE k = 'a' AND EXTRACT(MONTH FROM ts) = 1
SELECT COUNT(*) FROM t WHERE k = 'a' AND TIMESTAMPDIFF(DAY, ts, '2024-02-01') = 1
SELECT COUNT(*) FROM t WHERE k = 'a' AND CASE WHEN v > 10 THEN 1 ELSE 0 END = 1
SELECT COUNT(*) FROM t WHERE k = 'a' AND CASE v WHEN 10 THEN 'x' ELSE 'y' END = 'x'
SELECT COUNT(*) FROM t WHERE k = 'a' AND IF(v > 10, 1, 0)
SELECT COUNT(*) FROM t WHERE k = 'a' AND COALESCE(s, 'none') = 'none'
SELECT COUNT(*) FROM t WHERE k = 'a' AND JSON_EXTRACT(j, '$.a') = 1
SELECT COUNT(*) FROM t WHERE k = 'a' AND JSON_EXTRACT(j, '$.b') = 1
SELECT COUNT(*) FROM t WHERE k = 'a' AND j->'$.a' = 1
SELECT COUNT(*) FROM t WHERE k = 'a' AND j->'$.b' = 1
SELECT COUNT(*) FROM t WHERE k = 'a' AND json_extract_long(j, '$.a') = 1
SELECT id FROM t WHERE v = 10
SELECT /*+ _l_allow_filtering_ */ id FROM t WHERE v = 10
SELECT /* _l_allow_filtering_ */ id FROM t WHERE v = 10
SELECT id FROM t WHERE v = 10 ALLOW FILTERING
SELECT /*+ _l_allow_filtering_ */ id FROM t WHERE v = 20
SELECT /*+ _l_force_index_('i') */ id FROM t WHERE s = 'x'
SELECT /*+ _l_force_index_('none') */ id FROM t WHERE s = 'x'
SELECT /*+ _l_ignore_index_ */ id FROM t WHERE s = 'x'
SELECT id FROM t WHERE s = 'x'
SELECT id FROM t WHERE s = 1
SELECT id FROM t WHERE s IS NULL
SELECT id FROM t WHERE s IN ('x', 'y') LIMIT 3
SELECT * FROM t WHERE k = 'a' AND id = 1 FOR UPDATE
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id = 1
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id = 2
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id = '2'
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id = 1.5
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id = NULL
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id IN (1, 2) ORDER BY 1
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id IN (1, 2) ORDER BY 2 DESC
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id IN (1, 3) ORDER BY 1
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND b.v > 15 ORDER BY 1 LIMIT 1
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND b.v > 5 ORDER BY 1 LIMIT 2
SELECT a.id, b.v + 1 FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id = 1
SELECT a.id, b.v + 1.5 FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE a.k = 'a' AND a.id = 1
SELECT a.id, b.v FROM t a JOIN t b ON b.k = a.k AND b.id = a.id WHERE 1 = 0
SELECT a.id, b.v FROM t a LEFT JOIN t b ON b.k = a.k AND b.id = a.id AND b.v = 10 WHERE a.k = 'a' ORDER BY 1
SELECT a.id, b.v FROM t a LEFT JOIN t b ON b.k = a.k AND b.id = a.id AND b.v = 20 WHERE a.k = 'a' ORDER BY 1
SELECT id, (SELECT COUNT(*) FROM t b WHERE b.k = a.k AND b.v > 10) FROM t a WHERE a.k = 'a' ORDER BY 1
SELECT id, (SELECT COUNT(*) FROM t b WHERE b.k = a.k AND b.v > 20) FROM t a WHERE a.k = 'a' ORDER BY 1
SELECT id FROM t WHERE k IN (SELECT k FROM t WHERE k > 'a') AND id = 1 ORDER BY 1
SELECT id FROM t WHERE k IN (SELECT k FROM t WHERE k > 'ab') AND id = 1 ORDER BY 1
SELECT id FROM t WHERE k = 'a' UNION SELECT 7 ORDER BY 1
SELECT id FROM t WHERE k = 'b' UNION SELECT 7 ORDER BY 1
SELECT id FROM t WHERE k = 'b' UNION SELECT '7' ORDER BY 1
WITH c AS (SELECT id, v FROM t WHERE k = 'a') SELECT COUNT(*) FROM c WHERE v > 10
WITH c AS (SELECT id, v FROM t WHERE k = 'b') SELECT COUNT(*) FROM c WHERE v > 50
SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM t WHERE k = 'a' AND id > 1
SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM t WHERE k = 'a' AND id > -5
INSERT INTO t (k, id, v) VALUES ('n', 1, 5)
INSERT INTO t (k, id, v) VALUES ('n', 1, '6')
INSERT INTO t (k, id, v) VALUES ('n', 1, 'x')
INSERT INTO t (k, id, v) VALUES ('n', 1, NULL)
INSERT INTO t (k, id, v) VALUES ('n', 1, DEFAULT)
INSERT INTO t (k, id, v) VALUES ('n', 1, 5.5)
INSERT INTO t (k, id, v) VALUES ('n', 1, -5)
INSERT INTO t (k, id, v) VALUES ('n', 1, 1 - 5)
INSERT INTO t (k, id, v) VALUES ('n', 2, 5), ('n', 3, 5)
INSERT INTO t (k, id, s) VALUES ('n', 1, 5)
INSERT INTO t (k, id, s) VALUES ('n', 1, x'6162')
INSERT INTO t (k, id) VALUES ('n', 1)
INSERT INTO t (k, id, v) VALUES (NULL, 1, 1)
INSERT INTO t (k, id, v) VALUES ('n', 1, 2) ON DUPLICATE KEY UPDATE v = v + 1
INSERT INTO t (k, id, v) VALUES ('n', 1, 2) ON DUPLICATE KEY UPDATE v = v + 2
INSERT INTO t (k, id, v) VALUES ('n', 1, 2) ON DUPLICATE KEY UPDATE v = '7'
INSERT INTO t (k, id, v) VALUES ('n', 1, 2) ON DUPLICATE KEY IGNORE
INSERT INTO t (k, id, v) VALUES ('n', 1, 2) ON DUPLICATE KEY ERROR
REPLACE INTO t (k, id, v) VALUES ('n', 1, 9)
UPDATE t SET v = 1 WHERE k = 'n' AND id = 1
UPDATE t SET v = '2' WHERE k = 'n' AND id = 1
UPDATE t SET v = v + 3 WHERE k = 'n' AND id = 1
UPDATE t SET v = v+4 WHERE k = 'n' AND id = 1
UPDATE t SET v = NULL, s = 'q' WHERE k = 'n' AND id = 1
UPDATE t SET v = 1 WHERE k = 'n'
UPDATE t SET v = 8 WHERE k = 'n' LIMIT 1
DELETE FROM t WHERE k = 'n' AND id = 1
DELETE FROM t WHERE k = 'n' AND id = '2'
DELETE FROM t WHERE k = 'n' AND id IN (1, 2)
DELETE FROM t WHERE k = 'n' AND id IN (3)
SELECT * FROM t WHERE k = 'n'
`

// fill makes the table of the statements that are alike.
func fill(t *testing.T, s *sql.Session) {
	must(t, s, "CREATE TABLE t (k VARCHAR, id BIGINT, v BIGINT, s VARCHAR, ts TIMESTAMP, j JSON, PRIMARY KEY (k, id), INDEX i (s)) WITH (CONSISTENCY='strong')",
		`INSERT INTO t (k, id, v, s, ts, j) VALUES ('a', 1, 10, 'x', '2024-01-31 00:00:00', '{"a": 1}'), ('a', 2, 20, 'y', '2024-01-30 00:00:00', '{"b": 1}'),
		('a', 3, 10, 'x', '2024-01-01 00:00:00', '{}'), ('a', -1, 40, NULL, NULL, NULL), ('b', 1, 50, 'x%', '2024-01-31 11:30:00', '{"a": 2}'), ('ab', 1, 60, '', NULL, NULL)`)
}

// TestPlansAnswerTheirOwn runs statements that are alike in random orders through the cache of plans, and in another
// database as prepared statements, which are compiled for their literals: the answers are the same.
func TestPlansAnswerTheirOwn(t *testing.T) {
	cached, plain := newHarness(t, testdb.Open(t)).session("main"), newHarness(t, testdb.Open(t)).session("main")
	fill(t, cached)
	fill(t, plain)
	random := rounds.Random(t)
	texts := strings.Split(strings.TrimSpace(alike), "\n")
	wrong := map[string]bool{}
	for range 4 * len(texts) {
		text := texts[random.IntN(len(texts))]
		got, want := &printer{}, &printer{}
		got.failed(cached.Query(t.Context(), []byte(text), got))
		p, err := plain.Prepare(t.Context(), []byte(text))
		if err == nil {
			err = p.Execute(t.Context(), nil, want)
			p.Close()
		}
		want.failed(err)
		if got.String() != want.String() && !wrong[text] {
			wrong[text] = true
			t.Errorf("%s\nanswers from the cache\n%s\nin place of\n%s", text, got, want)
		}
	}
}

// TestPlansOfSettings keeps plans of sessions apart whose settings they depend on.
func TestPlansOfSettings(t *testing.T) {
	h := newHarness(t, testdb.Open(t))
	one, other := h.session("one"), h.session("other")
	must(t, one, "CREATE TABLE d (k BIGINT PRIMARY KEY, a BIGINT) WITH (DYNAMIC_COLUMNS='true')",
		"CREATE DATABASE second", "USE second",
		"CREATE TABLE d (k BIGINT PRIMARY KEY, b BIGINT)", "INSERT INTO d (k, b) VALUES (1, 2)", "USE `default`")
	const write, read = "INSERT INTO d (k, c) VALUES (1, '41')", "SELECT c FROM d WHERE k = 1"
	must(t, one, write)
	if got := must(t, one, read); !strings.Contains(got, "41") {
		t.Error(got)
	}
	must(t, other, "SET dynamic_columns = 'varbinary'", write)
	typed := must(t, other, read)
	must(t, one, write)
	if got := must(t, one, read); got == typed {
		t.Errorf("a dynamic column written as a VARBINARY and as what it is: %s", got)
	}
	must(t, other, "USE second")
	const all = "SELECT * FROM d WHERE k = 1"
	if first, second := must(t, one, all), must(t, other, all); first == second {
		t.Errorf("two tables of one name answer %s", first)
	}
}

// TestPlansFollowTheirTables: a plan is found anew once an execution has read much more than was expected.
func TestPlansFollowTheirTables(t *testing.T) {
	h := newHarness(t, testdb.Open(t))
	s := h.session("main")
	must(t, s, "CREATE TABLE a (id BIGINT PRIMARY KEY)",
		"CREATE TABLE b (id BIGINT PRIMARY KEY, a BIGINT, KEY by_a(a))", "INSERT INTO a VALUES (0)",
		"INSERT INTO b VALUES (0, 0)")
	const query = "SELECT COUNT(*) FROM a JOIN b ON b.a = a.id WHERE a.id = 0"
	must(t, s, query)
	runs := func(plan sql.PlanSource) {
		t.Helper()
		must(t, s, query)
		if last := h.observed[len(h.observed)-1]; !strings.Contains(last, fmt.Sprintf("plan=%d", plan)) {
			t.Errorf("%s, wanted plan=%d", last, plan)
		}
	}
	runs(sql.PlanKept)
	for id := 1; id < 2000; id++ {
		must(t, s, fmt.Sprintf("INSERT INTO b VALUES (%d, 0)", id))
	}
	runs(sql.PlanKept)
	runs(sql.PlanMade)
}

// TestPlansServeManySessions runs one kept plan of joins and subqueries in several sessions at once.
func TestPlansServeManySessions(t *testing.T) {
	h := newHarness(t, testdb.Open(t))
	must(t, h.session("main"), "CREATE TABLE a (id BIGINT PRIMARY KEY, x BIGINT)",
		"CREATE TABLE b (id BIGINT PRIMARY KEY, a BIGINT, KEY by_a(a))",
		"INSERT INTO a VALUES (0, 5), (1, 6), (2, 7)", "INSERT INTO b VALUES (0, 0), (1, 0), (2, 1)")
	var group sync.WaitGroup
	for i := range 4 {
		s := h.session(fmt.Sprint(i))
		group.Go(func() {
			for n := range 100 {
				id := (i + n) % 3
				want := fmt.Sprintf("%d | %d", 5+id, 2-id)
				got := &printer{}
				text := fmt.Sprintf("SELECT a.x, (SELECT COUNT(*) FROM b c WHERE c.a = a.id) FROM a LEFT JOIN b ON b.a = a.id WHERE a.id = %d AND a.x IN (SELECT x FROM a) LIMIT 1", id)
				if err := s.Query(t.Context(), []byte(text), got); err != nil || !strings.Contains(got.String(), want) {
					t.Errorf("%s: %s, %v; wanted %s", text, got, err, want)
				}
			}
		})
	}
	group.Wait()
}

// TestWritesKeepTheirPlans: what is prepared and writes what a query finds is compiled once for parameters of its
// kinds, and again where its tables are others.
func TestWritesKeepTheirPlans(t *testing.T) {
	h := newHarness(t, testdb.Open(t))
	s := h.session("main")
	must(t, s, "CREATE TABLE a (id BIGINT PRIMARY KEY, x BIGINT)",
		"CREATE TABLE b (id BIGINT PRIMARY KEY, a BIGINT, KEY by_a(a))",
		"INSERT INTO a VALUES (0, 5), (1, 6), (2, 7)", "INSERT INTO b VALUES (0, 0), (1, 0), (2, 1)")
	const refused = 255 // it can't be compiled
	prepared := map[string]result.Prepared{}
	run := func(text string, plan sql.PlanSource, want string, parameters ...datum.Datum) {
		t.Helper()
		p := prepared[text]
		if p == nil {
			var err error
			if p, err = s.Prepare(t.Context(), []byte(text)); err != nil {
				t.Fatal(err)
			}
			prepared[text] = p
		}
		got := &printer{}
		got.failed(p.Execute(t.Context(), parameters, got))
		if last := h.observed[len(h.observed)-1]; plan != refused &&
			!strings.Contains(last, fmt.Sprintf("plan=%d", plan)) || !strings.Contains(got.String(), want) {
			t.Errorf("%s: %s%s, wanted plan=%d and %s", text, got, last, plan, want)
		}
	}
	const insert, update = "INSERT INTO a SELECT b.id + ?, a.x FROM a JOIN b ON b.a = a.id WHERE b.id = ?",
		"UPDATE a JOIN b ON b.a = a.id SET a.x = a.x + ? WHERE b.id = ?"
	const remove = "DELETE a FROM a JOIN b ON b.a = a.id WHERE b.id = ?"
	run(insert, sql.PlanMade, "ok 1", datum.Int(10), datum.Int(0))
	run(insert, sql.PlanKept, "ok 1", datum.Int(20), datum.Int(2))
	run(insert, sql.PlanKept, "ok 0", datum.Int(20), datum.Int(7))
	run(insert, sql.PlanKept, "1062", datum.Int(20), datum.Int(2))
	run(insert, sql.PlanMade, "ok 1", datum.TextString("30"), datum.Int(1))
	run(update, sql.PlanMade, "ok 1", datum.Int(100), datum.Int(0))
	run(update, sql.PlanKept, "ok 1", datum.Int(1000), datum.Int(2))
	if got := must(t, s, "SELECT id, x FROM a ORDER BY id"); !strings.Contains(got,
		"0 | 105\n1 | 1006\n2 | 7\n10 | 5\n22 | 6\n31 | 5\n") {
		t.Error(got)
	}
	run(remove, sql.PlanMade, "ok 1", datum.Int(0))
	must(t, s, "ALTER TABLE a ADD COLUMN y BIGINT", "INSERT INTO a (id, x) VALUES (0, 5)")
	run(insert, refused, "1136", datum.Int(40), datum.Int(0))
	run(update, sql.PlanMade, "ok 1", datum.Int(100), datum.Int(0))
	run(remove, sql.PlanMade, "ok 1", datum.Int(0))
	must(t, s, "SET insert_mode = 'upsert'", "DROP TABLE a", "CREATE VIEW a AS SELECT * FROM b")
	run(update, refused, "1288", datum.Int(100), datum.Int(0))
	run(remove, refused, "1288", datum.Int(0))
	must(t, s, "DROP VIEW a", "CREATE TABLE a (id BIGINT PRIMARY KEY, x BIGINT)", "INSERT INTO a VALUES (0, 5)")
	run(insert, sql.PlanMade, "ok 1", datum.Int(10), datum.Int(0))
	run(insert, sql.PlanKept, "ok 1", datum.Int(10), datum.Int(0))
	run(remove, sql.PlanMade, "ok 1", datum.Int(0))
}
