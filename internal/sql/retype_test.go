// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testdb"
)

// TestRetypeUnderWrites changes the type of an indexed column back and forth while others write its rows: none of them is lost, and the index has all of them.
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
		run(own, "INSERT INTO t SELECT %d * 40 + a.x * 8 + b.x, a.x FROM (SELECT 0 x UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) a, (SELECT 0 x UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7) b", i)
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
	if got := run(own, "SELECT COUNT(*), SUM(n) FROM t FORCE INDEX (by_n) WHERE n >= 0"); got != whole || !strings.Contains(whole, "1200 |") {
		t.Errorf("by the index %q, without it %q", got, whole)
	}
}
