// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// compareCount counts what a query finds, in some parts.
func compareCount(t *testing.T, view *database.View, p database.Pinned, q database.Query, parts, want int) {
	t.Helper()
	q.Wanted = []string{}
	list, err := view.Split(t.Context(), p, q, parts)
	if err != nil {
		t.Fatal(err)
	}
	got := int64(0)
	for _, part := range list {
		c, err := view.Query(t.Context(), p, part)
		if err != nil {
			t.Fatal(err)
		}
		n := c.Count()
		if returned := c.Counts().Returned; returned != n {
			t.Errorf("%d items are counted and %d returned", n, returned)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		got += n
	}
	if got != int64(want) {
		t.Errorf("%s (reverse %v): %d parts count %d, want %d", expr.Notation{}.AppendCondition(nil, q.Where), q.Reverse,
			len(list), got, want)
	}
}

// TestSearchLists: words that all items have, every other one and few are found together, in both directions, however
// far the items of the one lie from those of the other. The item of n has the word d7 if 7 divides n.
func TestSearchLists(t *testing.T) {
	const items = 3000
	divisors := []int{1, 2, 3, 10, 37, 300, 1700}
	db := testdb.OpenPebble(t)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: parts(t, "n", "int"),
		Indexes: []database.IndexSpec{{Name: "find", Search: true,
			Key: []schema.KeyPart{mustWords(t, "whitespace", "body")}}}})
	putDivisors(t, table, items, divisors)
	p, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	random := rand.New(rand.NewPCG(rounds.Seed(t), 1))
	for range rounds.Of(t, 150) {
		var list []signed
		for range 1 + random.IntN(4) {
			list = append(list, signed{[]string{"+", "+", "", "-"}[random.IntN(4)],
				divisors[random.IntN(len(divisors))]})
		}
		compareLists(t, view, p, list, items, 1+random.IntN(3))
	}
}

// putDivisors puts the items of 0 to items-1.
func putDivisors(t *testing.T, table *database.Table, items int, divisors []int) {
	const writers = 32
	var wait sync.WaitGroup
	for i := range writers {
		wait.Go(func() {
			for n := i; n < items; n += writers {
				var words []string
				for _, d := range divisors {
					if n%d == 0 {
						words = append(words, "d"+strconv.Itoa(d))
					}
				}
				if err := testdoc.Put(t.Context(), table,
					testdoc.Document{"n": n, "body": strings.Join(words, " ")}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// signed is the word of a divisor in a query.
type signed struct {
	sign    string // "+", "-" or none
	divisor int
}

// finds reports whether a query finds the item of n.
func finds(list []signed, n int) bool {
	musts, any := false, false
	for _, one := range list {
		switch has := n%one.divisor == 0; {
		case one.sign == "+" && !has, one.sign == "-" && has:
			return false
		case one.sign == "+":
			musts = true
		case one.sign == "":
			any = any || has
		}
	}
	return musts || any
}

// compareLists compares what a query finds and counts with what it should.
func compareLists(t *testing.T, view *database.View, p database.Pinned, list []signed, items, parts int) {
	t.Helper()
	var words, want []string
	for _, one := range list {
		words = append(words, one.sign+"d"+strconv.Itoa(one.divisor))
	}
	for n := range items {
		if finds(list, n) {
			want = append(want, strconv.Itoa(n))
		}
	}
	analyzer, err := search.Open("whitespace")
	if err != nil {
		t.Fatal(err)
	}
	query, err := search.Parse(analyzer, strings.Join(words, " "), search.Boolean)
	if err != nil {
		t.Fatal(err)
	}
	for _, reverse := range []bool{false, true} {
		q := database.Query{Index: "find", Reverse: reverse,
			Where: &expr.Matches{Paths: []expr.Path{{Name: "body"}}, Query: query}}
		c, err := view.Query(t.Context(), p, q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for c.Next() {
			got = append(got, fmt.Sprint(testdoc.Of(c.Item())["n"]))
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if reverse {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s (reverse %v): found %v, want %v", words, reverse, got, want)
		}
		compareCount(t, view, p, q, parts, len(want))
	}
}
