// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/advice/advisor"
	"github.com/weftdb/weft/internal/advice/survey"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/sql"
	"github.com/weftdb/weft/internal/sql/result"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestAdvice follows what the advisor says of a table made in SQL: its statements run, and queries then go by the
// index.
func TestAdvice(t *testing.T) {
	for _, c := range []struct{ name, where string }{
		{"INT", "n = %d"},
		{"TIMESTAMP", "at = '2026-01-01 00:00:%02d'"},
		{"DECIMAL and a range of TIMESTAMP", "price = %d.50 AND at > '2026-01-01 00:00:01'"},
		{"two ranges", "n BETWEEN %d AND 90 AND weight BETWEEN 50 AND 120"},
		{"OR over columns", "n = %d OR weight = 7 OR note = 'none'"},
		{"an alternative of two columns", "n = %d OR (weight = 7 AND note <> 'none')"},
		{"a part of a text", "note LIKE '%%note %02d of%%'"},
		{"OR with a part of a text", "n = 17 OR note LIKE '%%note %02d of%%'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			queries := survey.NewQueries()
			db := testdb.OpenWith(t, database.Options{Walked: queries.Observe})
			s, err := sql.New(sql.Options{DB: db}).Open(t.Context(),
				result.Login{ConnectionID: 1, User: "ann", Database: "default"})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			must(t, s, "CREATE TABLE orders (id BIGINT PRIMARY KEY, n INT, at TIMESTAMP, price DECIMAL(10,2), weight INT, note VARCHAR(40))")
			var rows []string
			for i := range 3000 {
				rows = append(rows, fmt.Sprintf("(%d, %d, '2026-01-01 00:%02d:%02d', %d.50, %d, 'a note %02d of many')",
					i, i%2000, i/60%60, i%60, i%1000, i*7919%2000, i%90))
			}
			for from := 0; from < len(rows); from += 1000 {
				must(t, s, "INSERT INTO orders VALUES "+strings.Join(rows[from:from+1000], ", "))
			}
			sentence := func(i int) string { return "id FROM orders WHERE " + fmt.Sprintf(c.where, i) + " ORDER BY id" }
			var want []string
			for i := range 40 {
				want = append(want, must(t, s, "SELECT /*+ _l_allow_filtering_ */ "+sentence(i)))
			}
			d, err := survey.Of(t.Context(), db, "orders")
			if err != nil {
				t.Fatal(err)
			}
			queries.Describe(d)
			report := advisor.Advise(d)
			name := ""
			for _, f := range report.Findings {
				index, ok := strings.CutPrefix(f.Subject, "new index ")
				if f.Rule == "search-index" || f.Rule == "substring-search" {
					index, ok = "find", true
				}
				if ok {
					name = index
					must(t, s, f.Statements[0].SQL)
				}
			}
			if name == "" {
				t.Fatalf("nothing is proposed: %s", report.JSON())
			}
			for i := range want {
				if got := must(t, s, "SELECT "+sentence(i)); got != want[i] {
					t.Errorf("%s: %s; before %s", sentence(i), got, want[i])
				}
			}
			if plan := must(t, s, "EXPLAIN SELECT "+sentence(1)); !strings.Contains(plan, name) {
				t.Errorf("%s is not used: %s", name, plan)
			}
		})
	}
}
