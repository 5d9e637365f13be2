// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// TestWorkersAgree says that several workers answer what one does, group by group in the same order.
func TestWorkersAgree(t *testing.T) {
	e := filledEngine(t)
	e.must("INSERT INTO t(k, v, n) VALUES (-1, 'last', 2000000000), (100000, 'none', NULL); ALTER TABLE t COMPACT")
	if err := e.db.WaitJobs(ctx); err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"SELECT COUNT(*) FROM t",
		"SELECT COUNT(*), SUM(n), AVG(n), MIN(v), MAX(v), MIN(n), COUNT(n), BIT_XOR(n), ANY_VALUE(k) FROM t",
		"SELECT n, COUNT(*), SUM(k), AVG(k), MIN(v), MAX(k), ANY_VALUE(v) FROM t GROUP BY n",
		"SELECT n % 7, COUNT(*), SUM(n) FROM t WHERE v LIKE '%1%' OR n > 100 GROUP BY n % 7 HAVING COUNT(*) > 10 ORDER BY 1",
		"SELECT COUNT(*) FROM t WHERE k > 1000 AND n < 900",
		"SELECT n, COUNT(*) FROM t GROUP BY n ORDER BY 2 DESC, 1 LIMIT 10",
		"SELECT SUBSTR(v, 1, 2) AS p, MAX(n) FROM t GROUP BY p",
	}
	for _, text := range texts[len(texts)-max(rounds.Of(t, len(texts)), 2):] {
		hinted := strings.Replace(text, "SELECT", "SELECT /*+ _l_allow_filtering_, _l_ignore_index_ */", 1)
		many := e.must(hinted)
		if plan := e.must("EXPLAIN ANALYZE " + hinted); !regexp.MustCompile(`workers\|[234]\n`).MatchString(plan) {
			t.Errorf("%s: one worker\n%s", text, plan)
		}
		// A transaction of one's own is read by one.
		e.must("BEGIN; INSERT INTO t(k, v, n) VALUES (-5, 'own', 1)")
		e.must("DELETE FROM t WHERE k = -5")
		one := e.must(hinted)
		if plan := e.must("EXPLAIN ANALYZE " + hinted); strings.Contains(plan, "\nworkers|") {
			t.Errorf("%s: several workers\n%s", text, plan)
		}
		e.must("ROLLBACK")
		if many != one || len(one) == 0 {
			t.Errorf("%s\nhas\n%swants\n%s", text, many, one)
		}
	}
}
