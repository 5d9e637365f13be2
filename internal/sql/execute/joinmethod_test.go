// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/fault"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// methodNames are the methods that are forced. // immutable
var methodNames = [...]string{algebra.Loop: "loop", algebra.Hash: "hash", algebra.Lookup: "lookup",
	algebra.Merge: "merge"}

// unnested counts queries in expressions that were made joins.
const unnested algebra.Method = 100

// TestJoinMethods demands the same answers of random joins, whichever method finds the partners of a row.
func TestJoinMethods(t *testing.T) {
	rounds.SkipRace(t)
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	h := &harness{t: t, db: testdb.Open(t)}
	h.settings.Spill, h.settings.Inefficient = &spill.Folder{Dir: t.TempDir()}, plan.AllowInefficient
	h.settings.MultiGetKeysMax = 100 // so that some batches are too large
	fillJoined(h, random)
	used := map[algebra.Method]int{}
	for range 250 {
		text := randomJoin(random)
		h.only = nil
		want, err := h.related(text, 0)
		if f, ok := fault.Of(err); err != nil && !(ok && f.Code == fault.NotSupported) {
			t.Fatalf("%s\n%v", text, err)
		}
		for method := range methodNames {
			only := algebra.Method(method)
			if methodNames[only] == "" {
				continue
			}
			h.only = &only
			got, err := h.related(text, int64(1+random.IntN(2)*100_000))
			if err != nil || sortedLines(got) != sortedLines(want) {
				t.Fatalf("%s\nby %s: %v\n%s\nbut by cost:\n%s", text, methodNames[only], err, got, want)
			}
			countMethods(h.compiled.Root.From, used)
		}
	}
	if used[unnested] < 20 {
		t.Errorf("%d queries in expressions became joins: the test shows nothing of them", used[unnested])
	}
	for method, name := range methodNames {
		if used[algebra.Method(method)] < 20 && name != "" {
			t.Errorf("%d joins were made by %s: the test shows nothing of it", used[algebra.Method(method)], name)
		}
	}
}

// fillJoined makes tables whose columns join in many ways: by a whole key, by its first columns, by indexes, and by
// columns that have none.
func fillJoined(h *harness, random *rand.Rand) {
	h.must(`CREATE TABLE a (id BIGINT, x INTEGER, y BIGINT, s VARCHAR, PRIMARY KEY(id));
		CREATE TABLE b (p BIGINT, q VARCHAR, x BIGINT, y INTEGER, PRIMARY KEY(p, q));
		CREATE TABLE c (id INTEGER, x BIGINT, s VARCHAR, y BIGINT, PRIMARY KEY(id));
		CREATE INDEX bx ON b (x, y); CREATE INDEX cs ON c (s); CREATE INDEX ax ON a (x)`)
	value := func(most int) string {
		if random.IntN(12) == 0 {
			return "NULL"
		}
		return fmt.Sprint(random.IntN(most))
	}
	text := func() string {
		if random.IntN(12) == 0 {
			return "NULL"
		}
		return fmt.Sprintf("'%c'", 'a'+rune(random.IntN(12)))
	}
	for i := range 120 {
		h.must(fmt.Sprintf("INSERT INTO a(id, x, y, s) VALUES (%d, %s, %s, %s)", i, value(40), value(40), text()))
		h.must(fmt.Sprintf("INSERT INTO c(id, x, s, y) VALUES (%d, %s, %s, %s)", i*2, value(90), text(), value(30)))
	}
	for i := range 200 {
		h.must(fmt.Sprintf("INSERT INTO b(p, q, x, y) VALUES (%d, '%c', %s, %s)", i/3, 'a'+rune(i%12), value(30),
			value(30)))
	}
}

// equalities are what random joins compare. // immutable
var equalities = map[string][]string{
	"ab": {"a.id = b.p", "a.x = b.x", "a.x = b.x AND a.y = b.y", "a.id = b.p AND a.s = b.q", "a.y = b.p", "a.s = b.q",
		"a.y = b.y", "a.id + 1 = b.x", "a.x = b.p AND a.s > b.q",
		"a.x <=> b.x", "a.id = b.p AND (a.x = b.x OR a.y < 10)",
		"a.x = b.x AND (a.y = 3 AND b.y > 2 OR a.y <> 3 AND b.y < 20)"},
	"bc": {"b.p = c.id", "b.x = c.id AND b.y < c.x", "b.q = c.s", "b.x = c.x", "b.y = c.id AND b.q = c.s",
		"b.p = c.id AND b.x = c.x"},
	"ac": {"a.id = c.id", "a.id = c.id AND a.s = c.s", "a.x = c.id", "a.s = c.s AND a.x <> c.x", "a.y = c.y"},
}

// randomJoin writes a join of two or three tables.
func randomJoin(random *rand.Rand) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	of := func(pair string) string { return equalities[pair][random.IntN(len(equalities[pair]))] }
	local := pick("", "", " WHERE a.y > 5", " WHERE a.x IN (1, 2, 3, 4, 5, 6, 7)", " WHERE a.s IS NOT NULL")
	and := func(condition string) string {
		if local == "" {
			return " WHERE " + condition
		}
		return local + " AND " + condition
	}
	asked := "(SELECT " + pick("COUNT(*)", "COUNT(b.y)", "1 + SUM(b.y)", "AVG(b.y) * 0.3", "COALESCE(MAX(b.q), 'none')",
		"MIN(b.y) + COUNT(*)", "COUNT(DISTINCT b.y)") + " FROM b WHERE " +
		of("ab") + pick("", " AND b.y > 4") + ")"
	switch random.IntN(7) {
	case 5:
		return "SELECT a.id, " + asked + " AS asked FROM a" + local
	case 6:
		return "SELECT a.id, c.y FROM a JOIN c ON " + of("ac") +
			and(pick("a.x <= "+asked, asked+" = 0", asked+" IS NULL", "NOT a.y + 1 > "+asked))
	case 0:
		return "SELECT a.id, a.x, b.p, b.q, b.y FROM a" + pick(" JOIN ", " LEFT JOIN ") + "b ON " + of("ab") + local
	case 1:
		return "SELECT a.id, b.p, b.q, c.id, c.s FROM a" + pick(" JOIN ", " LEFT JOIN ") + "b ON " + of("ab") +
			pick(" JOIN ", " LEFT JOIN ") + "c ON " + of(pick("bc", "ac")) + local
	case 2:
		return "SELECT a.id, a.s FROM a" +
			and(pick("", "NOT ")+"EXISTS (SELECT 1 FROM b WHERE "+of("ab")+pick("", " AND b.y > 4")+")")
	case 3:
		return "SELECT a.id, c.y FROM a JOIN c ON " + of("ac") +
			and(pick("", "NOT ")+"EXISTS (SELECT 1 FROM b WHERE "+of("ab")+")")
	}
	return "SELECT c.id, a.id, a.y FROM c" + pick(" JOIN ", " LEFT JOIN ") + "a ON " + of("ac") +
		pick("", " WHERE c.x > 10")
}

// countMethods counts the methods of the joins in a tree.
func countMethods(node algebra.Node, used map[algebra.Method]int) {
	switch n := node.(type) {
	case *algebra.Join:
		used[n.Method]++
		countMethods(n.Left, used)
		countMethods(n.Right, used)
	case *algebra.Filter:
		countMethods(n.Of, used)
	case *algebra.Derived:
		used[unnested]++
	}
}
