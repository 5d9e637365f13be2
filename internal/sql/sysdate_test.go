// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestSysdate: NOW is the time of the statement, SYSDATE that of each call, in a plan that is kept, too. The clock goes
// on by a second each time it is read.
func TestSysdate(t *testing.T) {
	var seconds atomic.Int64
	engine := sql.New(sql.Options{DB: testdb.Open(t), Spill: &spill.Folder{Dir: t.TempDir()},
		Now: func() time.Time { return time.Unix(seconds.Add(1), 0) }})
	s, err := engine.Open(t.Context(), result.Login{ConnectionID: 1, User: "root", Host: "localhost",
		Database: "default"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	must(t, s, "CREATE TABLE t (id INT PRIMARY KEY, a DATETIME, b DATETIME)",
		"INSERT INTO t VALUES (1, NOW(), SYSDATE()), (2, NOW(), SYSDATE()), (3, NOW(), SYSDATE())")
	for _, c := range []struct{ text, want string }{
		{"SELECT COUNT(DISTINCT a), COUNT(DISTINCT b) FROM t", "1 3"},
		{"SELECT COUNT(DISTINCT NOW()), COUNT(DISTINCT SYSDATE()) FROM t", "1 3"},
		{"SELECT NOW() = NOW(), SYSDATE() = SYSDATE(), SYSDATE() > NOW()", "1 0 1"},
		{"SELECT COUNT(DISTINCT n), COUNT(DISTINCT d) FROM (SELECT (SELECT NOW()) AS n, (SELECT SYSDATE()) AS d FROM t) x", "1 3"},
	} {
		for range 2 {
			if got := rowsOf(t, s, c.text); len(got) != 1 || got[0] != "["+c.want+"]" {
				t.Errorf("%s: %q, want %q", c.text, got, c.want)
			}
		}
	}
}
