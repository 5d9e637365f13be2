// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// TestDerivedOrder: derived tables in an order that an index gives, which end after LIMIT rows, hold what they hold
// when nothing but a sort gives the order.
func TestDerivedOrder(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	s := newHarness(t, testdb.Open(t)).session("main")
	must(t, s, "SET inefficient_query = 'allow'",
		"CREATE TABLE g (id INT PRIMARY KEY, x INT, y DOUBLE, n INT, INDEX z (ZORDER(x, y)), INDEX by_n (n, x DESC))",
		"CREATE TABLE h (x INT, y DOUBLE, id INT, n INT, PRIMARY KEY (ZORDER(x, y), id), INDEX by_n (n, x DESC))")
	for i := range 300 {
		x, y, n := random.IntN(200)-100, random.Float64()*100, random.IntN(9)
		must(t, s, fmt.Sprintf("INSERT INTO h (id, x, y, n) VALUES (%d, %d, %g, %d)", i, x, y, n))
		missing := fmt.Sprint(n)
		if i%13 == 0 {
			missing = "NULL"
		}
		must(t, s, fmt.Sprintf("INSERT INTO g (id, x, y, n) VALUES (%d, %d, %g, %s)", i, x, y, missing))
	}
	for range 200 {
		table := []string{"g", "h"}[random.IntN(2)]
		far := []string{fmt.Sprintf("DISTANCE(x, y, %d, %d)", random.IntN(300)-150, random.IntN(120)),
			fmt.Sprintf("DISTANCE(y, x, %g, 3)", random.Float64()*50)}
		// what no index gives, and what rows are told apart by: those that are alike may stand in any order
		order := [][3]string{
			{far[0], "0 + " + far[0], far[0]}, {far[1], "0 + " + far[1], far[1]},
			{"n, x DESC", "0 + n, 0 - x", "CONCAT(COALESCE(n, 'none'), ' ', x)"},
			{"n DESC, x", "COALESCE(0 - n, 1), 0 + x", "CONCAT(COALESCE(n, 'none'), ' ', x)"}, {"n", "0 + n", "n"},
			{"id", "0 + id", "id"}, {"x DESC", "0 - x", "x"},
		}[random.IntN(7)]
		where := []string{"", "WHERE x > 0", "WHERE n = 3", "WHERE n > 4 AND y < 60", "WHERE id % 3 = 1",
			"WHERE x BETWEEN -20 AND 40 AND y BETWEEN 10 AND 90"}[random.IntN(6)]
		limit := fmt.Sprintf("LIMIT %d OFFSET %d", random.IntN(30), random.IntN(10))
		hint := ""
		if strings.HasPrefix(order[0], "DIST") && random.IntN(2) == 0 {
			hint = map[string]string{"g": "FORCE INDEX (z)", "h": "FORCE INDEX (PRIMARY)"}[table]
		}
		if strings.Contains(where, "n ") || strings.Contains(where, "id") {
			hint = "" // an index that the conditions don't bind is refused
		}
		for _, text := range []string{
			"SELECT o FROM (SELECT %s o FROM %s %s %s ORDER BY %s %s) d",
			"WITH d AS (SELECT %s o, 1 FROM %s %s %s ORDER BY %s %s) SELECT o FROM d",
			"SELECT o FROM (SELECT %s o, id i FROM %s %s %s ORDER BY %s %s) d JOIN g ON g.id = d.i",
		} {
			want := rowsOf(t, s, fmt.Sprintf(text, order[2], table, "IGNORE INDEX (z, by_n)", where, order[1], limit)+
				" ORDER BY o")
			got := rowsOf(t, s, fmt.Sprintf(text, order[2], table, hint, where, order[0], limit)+" ORDER BY o")
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s %s %s %s %s:\ngot  %v\nwant %v", text, table+" "+hint, where, order[0], limit, got, want)
			}
		}
	}
}
