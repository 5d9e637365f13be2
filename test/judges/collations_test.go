// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
)

// collations makes random queries that compare texts by collations that take letters of either case for the same. Their
// answers have texts in small letters, since it is not said which of several that are the same comes.
type collations struct{ r *rand.Rand }

func (g *collations) pick(from ...string) string { return from[g.r.IntN(len(from))] }

// text is an expression with a collation, or without.
func (g *collations) text() string {
	return g.pick("LOWER(n)", "LOWER(m)", "LOWER(CONCAT(n, m))", "LOWER(COALESCE(n, 'Fir'))") + g.collate()
}

func (g *collations) collate() string {
	return g.pick(" COLLATE utf8mb4_general_ci", " COLLATE utf8mb4_unicode_ci", " COLLATE utf8mb4_general_ci",
		" COLLATE utf8mb4_bin")
}

func (g *collations) where() string {
	return g.pick("", fmt.Sprintf(" WHERE k < %d", g.r.IntN(5)), " WHERE n"+g.collate()+" > 'Bay'",
		" WHERE n"+g.collate()+" IN ('OAK', m)")
}

func (g *collations) query() string {
	raw, by := g.pick("n", "m"), g.collate()
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprintf("SELECT COUNT(*), SUM(k) FROM w%s GROUP BY %s%s ORDER BY %[2]s%[3]s", g.where(), raw, by)
	case 1:
		x := g.text()
		return fmt.Sprintf("SELECT %s AS x, COUNT(*) FROM w%s GROUP BY %[1]s ORDER BY x", x, g.where())
	case 2:
		return fmt.Sprintf("SELECT DISTINCT %s AS x, k FROM w%s ORDER BY x %s, k", g.text(), g.where(),
			g.pick("", "DESC"))
	case 3:
		return fmt.Sprintf("SELECT k, LOWER(MIN(%s%s)), LOWER(MAX(%s%s)) FROM w%s GROUP BY k ORDER BY k",
			raw, by, g.pick("n", "m"), g.collate(), g.where())
	case 4:
		return fmt.Sprintf("SELECT %s AS x FROM w%s UNION SELECT LOWER(m) FROM w%s ORDER BY x", g.text(), g.where(),
			g.where())
	}
	return fmt.Sprintf("SELECT COUNT(*) FROM (SELECT DISTINCT %s%s AS x, k FROM w%s) q", raw, by, g.where())
}

// TestCollations compares the answers to such queries.
func TestCollations(t *testing.T) {
	seed := rounds.Seed(t)
	besideServers(t, func(t *testing.T, s *server) {
		g, weft := &collations{rand.New(rand.NewPCG(seed, 12))}, openOwn(t)
		var rows []string
		for i := range 60 {
			word := func() string {
				return g.pick("'ash'", "'Ash'", "'ASH'", "'bay'", "'Bay'", "'oak'", "'OAK'", "'yew'", "'fir'", "NULL")
			}
			rows = append(rows, fmt.Sprintf("(%d, %s, %s, %d)", i, word(), word(), g.r.IntN(4)))
		}
		for _, statement := range []string{
			"CREATE TABLE w (id INT NOT NULL, n VARCHAR(20), m VARCHAR(20), k INT, PRIMARY KEY (id)) " +
				"DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin", "INSERT INTO w VALUES " + strings.Join(rows, ", ")} {
			s.set(t, statement)
			if a := weft.write(t.Context(), statement); a.code != 0 {
				t.Fatal(a)
			}
		}
		for range rounds.Of(t, 300) {
			statement := g.query()
			mine, right := limited(t, weft, statement), limited(t, s, statement)
			if mine.err != nil || !mine.same(right, true) {
				t.Errorf("seed %d: %s\nweft: %v\n%s: %v", seed, statement, mine, s.brand, right)
			}
		}
	})
}
