// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// packages are a table whose rows are like descriptions of programs: groups of it lie together, some words are in most
// texts and most in few, and words depend on each other and on the group.
type packages struct {
	t        *testing.T
	random   *rand.Rand
	table    *database.Table
	analyzer *search.Analyzer
	words    []string
	texts    []string
}

const packageCount = 6000

func newPackages(t *testing.T) *packages {
	t.Helper()
	seed := rounds.Seed(t)
	analyzer, err := search.Open("standard")
	if err != nil {
		t.Fatal(err)
	}
	p := &packages{t: t, random: rand.New(rand.NewPCG(seed, 1)), analyzer: analyzer}
	p.table = mustTable(t, testdb.Open(t),
		database.TableSpec{Name: "p", Key: parts(t, "id", "int"), Indexes: []database.IndexSpec{
			{Name: "find", Search: true, Key: append(parts(t, "len", "int", "grp", "text", "name", "text"),
				mustWords(t, "standard", "body"), mustWords(t, "trigram", "name"))},
			{Name: "bylen", Key: parts(t, "len", "int"), KeepNulls: true, Projection: schema.ProjectKeys},
		}})
	for i := range 600 {
		p.words = append(p.words, fmt.Sprintf("w%c%c%d", 'a'+i%26, 'a'+i/26, i))
	}
	group := "a"
	for i, left := 0, 0; i < packageCount; i, left = i+1, left-1 {
		if left <= 0 {
			group, left = string(rune('a'+p.random.IntN(12))), 1+p.random.IntN(900)
		}
		if i > 1000 && i < 3500 {
			group = "l"
		}
		p.put(i, group)
	}
	return p
}

func (p *packages) put(i int, group string) {
	p.t.Helper()
	var words []string
	for range 4 + p.random.IntN(16) {
		share := p.random.Float64() * p.random.Float64() * p.random.Float64() * p.random.Float64()
		at := int(float64(len(p.words)) * share)
		words = append(words, p.words[at])
		if at%5 == 0 {
			words = append(words, p.words[(at+1)%len(p.words)]) // often one after the other
		}
	}
	name := group + p.words[p.random.IntN(60)]
	if group == "l" {
		words, name = append(words, "library"), "lib"+name
	}
	text := strings.Join(words, " ")
	p.texts = append(p.texts, text)
	if err := testdoc.Put(p.t.Context(), p.table,
		testdoc.Document{"id": i, "len": len(text), "grp": group, "name": name, "body": text}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *packages) matches(text string) expr.Condition {
	p.t.Helper()
	query, err := search.Parse(p.analyzer, text, search.Boolean)
	if err != nil {
		p.t.Fatal(err)
	}
	return &expr.Matches{Paths: []expr.Path{{Name: "body"}}, Query: query}
}

// conditions are questions about words, phrases, values, parts of texts and their combinations.
func (p *packages) conditions() map[string]expr.Condition {
	pick := func() []string { return strings.Fields(p.texts[p.random.IntN(len(p.texts))]) }
	word := func() string { words := pick(); return words[p.random.IntN(len(words))] }
	group := func() string { return string(rune('a' + p.random.IntN(12))) }
	length := govalue.Attribute("len")
	words := pick()
	at := p.random.IntN(len(words) - 1)
	return map[string]expr.Condition{
		"word":     p.matches("+" + word()),
		"two":      p.matches("+" + words[0] + " +" + words[len(words)-1]),
		"three":    p.matches("+" + words[0] + " +" + words[1] + " +" + words[2]),
		"either":   p.matches(word() + " " + word()),
		"without":  p.matches("+" + words[0] + " -" + word()),
		"phrase":   p.matches(`"` + words[at] + " " + words[at+1] + `"`),
		"value":    govalue.Attribute("grp").Equal(group()),
		"range":    length.Greater(20 * p.random.IntN(10)),
		"part":     govalue.Attribute("name").Contains(word()[:3]),
		"values":   govalue.All(govalue.Attribute("grp").Equal(group()), length.Greater(10*p.random.IntN(6))),
		"mixed":    govalue.All(govalue.Attribute("grp").Equal("l"), p.matches("+"+word())),
		"part+grp": govalue.All(govalue.Attribute("name").Contains("lib"), govalue.Attribute("grp").Equal("l")),
	}
}

// TestSearchEstimates: the rows that a search finds are estimated from what its index holds.
func TestSearchEstimates(t *testing.T) {
	p := newPackages(t)
	pin, err := p.table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	var factors []float64
	for range 20 {
		for kind, condition := range p.conditions() {
			plan, err := pin.Plan(database.Query{Index: "find", Fetch: true, Where: condition})
			if err != nil {
				t.Fatal(err)
			}
			real := max(1, float64(p.count(&pin, condition)))
			factor := max(plan.Rows/real, real/plan.Rows)
			if factors = append(factors, factor); factor > 20 {
				t.Logf("%s: %.0f rows are estimated, there are %.0f", kind, plan.Rows, real)
			}
		}
	}
	slices.Sort(factors)
	median, tenth := factors[len(factors)/2], factors[len(factors)*9/10]
	t.Logf("of %d estimates the median is off by %.2f, one in ten by %.2f or more, the worst by %.1f", len(factors),
		median, tenth, factors[len(factors)-1])
	if median > 3 || tenth > 8 {
		t.Errorf("the median of estimates is off by %.1f, one in ten by %.1f or more", median, tenth)
	}
}

// count counts the rows that meet a condition. That the search index finds them all is what
// TestSearchAnswersAsFullScans says.
func (p *packages) count(pin *database.Pinned, condition expr.Condition) (rows int) {
	p.t.Helper()
	cursor, err := pin.Query(p.t.Context(), database.Query{Index: "find", Fetch: true, Where: condition})
	if err != nil {
		p.t.Fatal(err)
	}
	for cursor.Next() {
		rows++
	}
	if err := cursor.Close(); err != nil {
		p.t.Fatal(err)
	}
	return rows
}

// TestSearchOrOrder: where many rows are found, an index in the wanted order that ends after a few is taken; where few
// are, the search index.
func TestSearchOrOrder(t *testing.T) {
	p := newPackages(t)
	pin, err := p.table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	length := govalue.Attribute("len")
	isL := govalue.Attribute("grp").Equal("l")
	rare := p.matches("+" + p.words[len(p.words)/2])
	for _, one := range []struct {
		where expr.Condition
		limit int
		index string
	}{
		{isL, 5, "bylen"},
		{govalue.All(isL, length.Greater(10)), 5, "bylen"},
		{govalue.All(govalue.Attribute("name").Contains("lib"), length.Greater(10)), 5, "bylen"},
		{govalue.All(p.matches("+library"), length.Greater(10)), 5, "bylen"},
		{p.matches("+library"), 0, ""},
		{rare, 5, ""},
		{govalue.All(rare, isL), 0, ""},
	} {
		q := database.Query{AnyIndex: true, Where: one.where, Limit: one.limit}
		if one.limit > 0 {
			q.Order = []database.Ordering{{Column: "len"}}
		}
		plan, err := pin.Plan(q)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Index.Name != one.index || (plan.Searches() == "") != (one.index != "") {
			t.Errorf("%v LIMIT %d: index %q, search index %q, %.0f rows, cost %.0f", one.where, one.limit,
				plan.Index.Name, plan.Searches(), plan.Rows, plan.Cost)
		}
	}
}
