// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/resource/memory"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestMemory fills the memory that sessions share in each of the ways in which they hold some: who comes last is
// refused by 1041 or 1038, another session is served all the time, and what was held is given back.
func TestMemory(t *testing.T) {
	const limit = 16 << 20
	memory := memory.New(limit)
	engine := sql.New(sql.Options{DB: testdb.Open(t), Memory: memory})
	open := func() *sql.Session {
		s, err := engine.Open(t.Context(), result.Login{User: "a"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	other := open()
	numbered(t, other, 3000)
	must(t, other, "CREATE TABLE wide (id BIGINT PRIMARY KEY, v VARCHAR)", "SET inefficient_query = 'allow'")
	for i := range 40 {
		must(t, other, fmt.Sprintf("INSERT INTO wide VALUES (%d, '%s')", i, strings.Repeat("w", 500_000)))
	}
	long := strings.Repeat("x", 400_000)
	var prepared []result.Prepared
	query := func(text func(i int) string) func(*sql.Session, int) error {
		return func(s *sql.Session, i int) error { return s.Query(t.Context(), []byte(text(i)), &printer{}) }
	}
	for _, way := range []struct {
		name   string
		begin  string
		fill   func(s *sql.Session, i int) error
		refuse fault.Code
	}{
		{"prepared statements", "SELECT 1", func(s *sql.Session, i int) error {
			p, err := s.Prepare(t.Context(),
				[]byte(fmt.Sprintf("SELECT v FROM numbers WHERE id = %d AND v = '%s'", i, long)))
			if err == nil {
				prepared = append(prepared, p)
			}
			return err
		}, fault.OutOfResources},
		{"PREPARE", "SELECT 1", query(func(i int) string {
			return fmt.Sprintf("PREPARE p%d FROM 'SELECT v FROM numbers WHERE id = 1 AND v = ''%s'''", i, long)
		}), fault.OutOfResources},
		{"variables", "SELECT 1", query(func(i int) string { return fmt.Sprintf("SET @v%d = '%s'", i, long) }),
			fault.OutOfResources},
		{"a transaction", "BEGIN", query(
			func(i int) string { return fmt.Sprintf("INSERT INTO numbers VALUES (%d, '%s')", i+10_000, long) }),
			fault.OutOfResources},
		{"one long statement", "SELECT 1",
			query(func(int) string {
				return "SELECT id FROM numbers WHERE id IN (1" + strings.Repeat(",1", 200_000) +
					")"
			}), fault.OutOfResources},
		{"texts of a row", "SELECT 1", query(
			func(int) string { return "SELECT repeat('a', 9000000), repeat('b', 9000000)" }), fault.OutOfResources},
		{"a sort", "SET sort_buffer_size = 1073741824",
			query(func(int) string { return "SELECT id, v FROM wide ORDER BY v, id" }), fault.OutOfMemory},
		{"groups", "SET group_buffer_size = 1073741824",
			query(func(int) string { return "SELECT concat(id, v), count(*) FROM wide GROUP BY concat(id, v)" }),
			fault.OutOfMemory},
		{"distinct rows", "SET group_buffer_size = 1073741824",
			query(func(int) string { return "SELECT DISTINCT concat(id, v) FROM wide" }), fault.OutOfMemory},
		{"a window", "SELECT 1", query(func(int) string {
			return "SELECT id, row_number() OVER (ORDER BY v) FROM wide"
		}), fault.OutOfMemory},
	} {
		t.Run(way.name, func(t *testing.T) {
			before := memory.Used()
			s := open()
			must(t, s, "SET inefficient_query = 'allow'", way.begin)
			err := error(nil)
			for i := 0; err == nil && i < 1000; i++ {
				err = way.fill(s, i)
				if memory.Used() > limit {
					t.Fatalf("%d bytes of %d are used", memory.Used(), limit)
				}
			}
			if got := codeOf(err); got != way.refuse {
				t.Errorf("refused by %d, not %d: %v", got, way.refuse, err)
			}
			must(t, other, "SELECT v FROM numbers WHERE id = 7", "REPLACE INTO numbers VALUES (7, 'new')")
			for _, p := range prepared {
				p.Close()
			}
			prepared = nil
			s.Close()
			if left := memory.Used() - before; left > limit/8 { // kept plans
				t.Errorf("%d bytes were not given back", left)
			}
		})
	}
}

// TestPlansBytes: kept plans are bounded by what they take, whatever their number.
func TestPlansBytes(t *testing.T) {
	memory := memory.New(64 << 20)
	s, err := sql.New(sql.Options{DB: testdb.Open(t), Memory: memory}).Open(t.Context(), result.Login{User: "a"})
	if err != nil {
		t.Fatal(err)
	}
	numbered(t, s, 10)
	most := int64(0)
	for i := range 2000 {
		must(t, s, fmt.Sprintf("SELECT id x%d FROM numbers WHERE id = 1 AND v IN ('a'%s)", i,
			strings.Repeat(",'a'", 100)))
		if memory.Used() > memory.Limit()/8 {
			t.Fatalf("after %d statements plans take %d bytes", i, memory.Used())
		}
		most = max(most, memory.Used()) // the cache lets go of many at once
	}
	if most < memory.Limit()/16 {
		t.Errorf("plans of %d bytes alone are kept", most)
	}
}
