// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestRetypeUnderWrites changes the type of an indexed column back and forth while others write its rows: none of them
// is lost, and the index has all of them.
func TestRetypeUnderWrites(t *testing.T) {
	engine := sql.New(sql.Options{DB: testdb.OpenPebble(t)})
	open := func() *sql.Session {
		s, err := engine.Open(t.Context(), result.Login{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	run := func(s *sql.Session, format string, a ...any) string {
		p := &printer{}
		if err := s.Query(context.Background(), fmt.Appendf(nil, format, a...), p); err != nil {
			t.Errorf(format+": %v", append(a, err)...)
		}
		return p.String()
	}
	own := open()
	run(own, "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, KEY by_n (n))")
	for i := range 30 {
		run(own, "INSERT INTO t WITH RECURSIVE x AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM x WHERE i < 39) "+
			"SELECT %d * 40 + i, i FROM x", i)
	}
	var writers sync.WaitGroup
	stop := make(chan struct{})
	for w := range 3 {
		s := open()
		writers.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
				}
				run(s, "UPDATE t SET n = %d WHERE id = %d", 1000+k, (k*7+w*400)%1200)
				run(s, "INSERT INTO t VALUES (%d, 5000)", 10000+w*100000+k)
				run(s, "DELETE FROM t WHERE id = %d", 10000+w*100000+k)
			}
		})
	}
	for range 3 {
		run(own, "ALTER TABLE t MODIFY n VARCHAR(20) NOT NULL")
		run(own, "ALTER TABLE t MODIFY n INT NOT NULL")
	}
	close(stop)
	writers.Wait()
	whole := run(own, "SELECT COUNT(*), SUM(n) FROM t IGNORE INDEX (by_n)")
	if got := run(own, "SELECT COUNT(*), SUM(n) FROM t FORCE INDEX (by_n) WHERE n >= 0"); got != whole ||
		!strings.Contains(whole, "1200 |") {
		t.Errorf("by the index %q, without it %q", got, whole)
	}
}

// TestRetypeTwice lets two statements change the type of a column at the same time: one of them may be refused, and no
// value is lost.
func TestRetypeTwice(t *testing.T) {
	engine := sql.New(sql.Options{DB: testdb.OpenPebble(t)})
	open := func() *sql.Session {
		s, err := engine.Open(t.Context(), result.Login{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	own := open()
	must(t, own, "CREATE TABLE t (id INT PRIMARY KEY, n INT, KEY by_n (n))", "INSERT INTO t "+
		"WITH RECURSIVE x AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM x WHERE i < 799) SELECT i, i FROM x")
	var both sync.WaitGroup
	for _, types := range [][]string{{"VARCHAR(20)", "INT"}, {"DECIMAL(10,2)", "BIGINT UNSIGNED"}} {
		s := open()
		both.Go(func() {
			for k := range 6 {
				err := s.Query(context.Background(), []byte("ALTER TABLE t MODIFY n "+types[k%2]), &printer{})
				if f, ok := fault.Of(err); err != nil && !ok {
					t.Errorf("%v, %v", f, err)
				}
			}
		})
	}
	both.Wait()
	must(t, own, "ALTER TABLE t MODIFY n INT")
	for _, hint := range []string{"IGNORE INDEX (by_n)", "FORCE INDEX (by_n)"} {
		if got := must(t, own, "SELECT COUNT(n), SUM(n) FROM t "+hint+" WHERE n >= 0"); !strings.Contains(got,
			"800 | 319600") {
			t.Errorf("%s: %s", hint, got)
		}
	}
}
