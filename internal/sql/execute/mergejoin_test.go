// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/resource/spill"
	"github.com/weftdb/weft/internal/sql/algebra"
	"github.com/weftdb/weft/internal/sql/plan"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
)

// mergedTypes are types of keys, each with what writes a value of it. Those of one list are compared with each other.
// // immutable
var mergedTypes = [][]struct{ name, format string }{
	{{"BIGINT", "%d"}, {"INT UNSIGNED", "%d"}, {"DECIMAL(8,2)", "%d.50"}, {"DECIMAL(12,4)", "%d.0000"},
		{"BIGINT UNSIGNED", "%d"}},
	{{"VARCHAR", "'k%d'"}, {"VARCHAR(20)", "'k%d'"}},
	{{"DATE", "'2024-01-%02d'"}, {"DATETIME", "'2024-01-%02d 00:00:00'"}},
}

// TestMergeJoins demands that joins by merging and by hashing say the same of random rows: keys of several types, with
// duplicates and NULLs, by primary keys and by indexes, in the order of the key, in groups and with a LIMIT.
func TestMergeJoins(t *testing.T) {
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	h := &harness{t: t, db: testdb.Open(t)}
	h.settings.Spill, h.settings.Inefficient = &spill.Folder{Dir: t.TempDir()}, plan.AllowInefficient
	for i, types := range mergedTypes {
		for j, key := range types {
			name := fmt.Sprintf("t%d%d", i, j)
			h.must(fmt.Sprintf("CREATE TABLE %s (k %s NOT NULL, n BIGINT NOT NULL, v %s, PRIMARY KEY (k, n)); CREATE INDEX %sv ON %s (v, n)", name, key.name, key.name, name, name))
			for range 80 {
				v := fmt.Sprintf(key.format, 1+random.IntN(28))
				if random.IntN(6) == 0 {
					v = "NULL"
				}
				h.must(fmt.Sprintf("UPSERT INTO %s (k, n, v) VALUES (%s, %d, %s)", name,
					fmt.Sprintf(key.format, 1+random.IntN(28)), random.IntN(4), v))
			}
		}
	}
	used, streams := map[algebra.Method]int{}, 0
	for range 400 {
		text, ordered := randomMerged(random)
		hash, merge := algebra.Hash, algebra.Merge
		h.only = &hash
		want, err := h.related(text, 0)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		h.only = &merge
		got, err := h.related(text, int64(1+random.IntN(2)*100_000))
		if !ordered {
			want, got = sortedLines(want), sortedLines(got)
		}
		if err != nil || got != want {
			t.Fatalf("%s\nmerged: %v\n%s\nbut hashed:\n%s", text, err, got, want)
		}
		countMethods(h.compiled.Root.From, used)
		if h.compiled.Root.Sorted || h.compiled.Root.Grouped {
			streams++
		}
	}
	if used[algebra.Merge] < 200 || streams < 20 {
		t.Errorf("%d joins were merged, %d queries used their order: the test shows little", used[algebra.Merge],
			streams)
	}
}

// randomMerged writes a join that may be made by merging. ordered: its rows come in one order.
func randomMerged(random *rand.Rand) (text string, ordered bool) {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	i := random.IntN(len(mergedTypes))
	table := func() string { return fmt.Sprintf("t%d%d", i, random.IntN(len(mergedTypes[i]))) }
	on := strings.Join([]string{pick("a.k = b.k", "a.k = b.k", "a.v = b.v", "a.k = b.v"),
		pick("1 = 1", "a.n = b.n", "a.n <= b.n", "a.n = 2 AND b.n = 2")}, " AND ")
	a, b := table()+" a", table()+" b"
	switch random.IntN(6) {
	case 0:
		return "SELECT a.k, a.n, a.v FROM " + a + " WHERE " + pick("", "NOT ") + "EXISTS (SELECT 1 FROM " + b +
			" WHERE " + on + ")", false
	case 1:
		return "SELECT a.k, b.n, b.v FROM " + a + pick(" JOIN ", " LEFT JOIN ") + b + " ON " + on +
			" WHERE a.n > 0", false
	case 2:
		return "SELECT a.k, a.n, b.n AS m, b.k AS l FROM " + a + " JOIN " + b +
			" ON a.k = b.k ORDER BY a.k, a.n, b.n LIMIT 9", true
	case 3:
		return "SELECT a.k FROM " + a + pick(" JOIN ", " LEFT JOIN ") + b + " ON a.k = b.k ORDER BY a.k LIMIT 9", true
	case 4:
		return "SELECT COUNT(*), SUM(b.n) FROM " + a + pick(" JOIN ", " LEFT JOIN ") + b + " ON " + on + " GROUP BY " +
			pick("a.k", "a.k, a.n", "b.k", "a.v"), false
	}
	return "SELECT a.k, b.n, c.n AS m FROM " + a + " JOIN " + b + " ON a.k = b.k JOIN " + table() + " c ON a.k = c.k" +
		pick("", " AND c.n = b.n"), false
}
