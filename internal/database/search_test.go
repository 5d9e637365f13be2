// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/cell"
	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/rows/access"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// searching asks a table with a search index for items by random conditions.
type searching struct {
	asking
	analyzer *search.Analyzer
	found    int
}

func mustWords(t *testing.T, analyzer string, columns ...string) schema.KeyPart {
	t.Helper()
	part, err := database.Words(analyzer, columns...)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

// searchShapes are tables with a search index: with an ordered key, a hashed one, and cells that have times.
func searchShapes(t *testing.T) []database.TableSpec {
	pattern := schema.KeyPart{Name: "x*", Type: schema.Int, Pattern: true,
		Args: []schema.Argument{{Column: "x*", Type: schema.Int}}}
	find := database.IndexSpec{Name: "find", Search: true,
		Key: append(parts(t, "a", "int", "b", "text", "c", "float", "d", "number", "e", "bytes"),
			pattern, mustWords(t, "english", "title", "body"), mustWords(t, "english", "body"), mustWords(t, "trigram",
				"b"))}
	return []database.TableSpec{
		{Name: "t", Key: parts(t, "k", "int", "l", "text"),
			Indexes: []database.IndexSpec{find,
				{Name: "a", Key: parts(t, "a", "int"), KeepNulls: true, Projection: schema.ProjectKeys}}},
		{Name: "t", Key: parts(t, "desc(l)", "text", "k", "int"), HashDistributed: true,
			Indexes: []database.IndexSpec{find}},
		{Name: "t", Key: parts(t, "k", "int", "l", "text"), Indexes: []database.IndexSpec{find}, Cells: &cell.Rules{}},
	}
}

// TestSearchAnswersAsFullScans: what a search index finds is what a look at every item finds, in the same order, while
// items are written, changed and deleted, and however the index was built; verification finds nothing wrong with it.
func TestSearchAnswersAsFullScans(t *testing.T) {
	seed := rounds.Seed(t)
	analyzer, err := search.Open("english")
	if err != nil {
		t.Fatal(err)
	}
	const questions = 60
	for round := range rounds.Of(t, 3) {
		for _, spec := range searchShapes(t) {
			s := &searching{asking: asking{t: t, random: rand.New(rand.NewPCG(seed, uint64(round))),
				db: testdb.OpenWith(t, database.Options{SearchBytesMax: []int{0, 300, 3000}[round%3]})},
				analyzer: analyzer}
			find := spec.Indexes[0]
			if round%2 == 1 {
				spec.Indexes = spec.Indexes[1:]
			}
			s.table = mustTable(t, s.db, spec)
			s.write(200)
			if round%2 == 1 {
				if err := errors.Join(s.table.AddIndex(t.Context(), find), s.db.WaitJobs(t.Context())); err != nil {
					t.Fatal(err)
				}
			}
			for i := range questions {
				s.compare()
				if i%10 == 9 {
					s.write(10)
				}
			}
			s.verify()
			if t.Failed() {
				return
			}
			t.Logf("the search index was used %d times of %d", s.found, 2*questions)
			if s.found < questions/4 {
				t.Errorf("the search index was used %d times of %d", s.found, 2*questions)
			}
		}
	}
}

// immutable
var searchWords = strings.Fields("red green blue shoe shoes running runs fast apple apples appliance zebra wi-fi São Paulo the a of")

func (s *searching) text() string {
	words := make([]string, s.random.IntN(8))
	for i := range words {
		words[i] = searchWords[s.random.IntN(len(searchWords))]
	}
	return strings.Join(words, " ")
}

// write puts and deletes items.
func (s *searching) write(items int) {
	for range items {
		d := s.document()
		for _, name := range []string{"title", "body"} {
			if s.random.IntN(5) > 0 {
				d[name] = s.text()
			}
		}
		if d["a"] != nil && s.random.IntN(20) == 0 {
			d["b"] = strings.Repeat("ab", 800) // too long for a key
		}
		var err error
		if s.random.IntN(6) == 0 {
			err = testdoc.Delete(s.t.Context(), s.table, testdoc.Document{"k": d["k"], "l": d["l"]})
		} else {
			err = testdoc.Put(s.t.Context(), s.table, d)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// query is a random query in words.
func (s *searching) query() *search.Query {
	word := func() string { return searchWords[s.random.IntN(len(searchWords))] }
	text, mode := word(), search.Boolean
	switch s.random.IntN(12) {
	case 0:
		text, mode = s.text(), search.Natural
	case 1:
		text = "+" + word() + " +" + word()
	case 2:
		text = "+" + word() + " -" + word() + " " + word()
	case 3:
		text = `"` + word() + " " + word() + `"`
	case 4:
		text = word()[:1] + "*"
	case 5:
		text = word() + "~" + strconv.Itoa(1+s.random.IntN(2))
	case 6:
		text = "(" + word() + " " + word() + " " + word() + ")@2"
	case 8:
		text = word() + "-" + word()[:1] + "*"
	case 9:
		text = word() + " -" + word() + "/" + word()[:1] + "*"
	case 10:
		text = "+" + word() + "-" + word() + "~1"
	case 7:
		text = "+(" + word() + " " + word() + ") -(+" + word() + " +\"" + word() + " " + word() + "\")"
	}
	q, err := search.Parse(s.analyzer, text, mode)
	if err != nil {
		s.t.Fatal(err)
	}
	return q
}

func (s *searching) matches() *expr.Matches {
	m := &expr.Matches{Paths: []expr.Path{{Name: "body"}}, Query: s.query()}
	if s.random.IntN(2) == 0 {
		m.Paths = append(m.Paths, expr.Path{Name: "title"})
	}
	return m
}

func (s *searching) condition(depth int) expr.Condition {
	switch s.random.IntN(10) {
	case 0, 1, 2:
		return s.matches()
	case 3:
		return govalue.Not(s.condition(max(depth-1, 0)))
	case 4:
		if depth > 0 {
			return govalue.Any(s.condition(depth-1), s.condition(depth-1))
		}
	case 5:
		if depth > 0 {
			return govalue.All(s.condition(depth-1), s.condition(depth-1))
		}
	case 6:
		return &expr.Contains{X: &expr.Path{Name: "b"},
			Member: &expr.Literal{Value: value.AppendString(nil,
				[]byte([]string{"a", "aba", "b\x00", "bab"}[s.random.IntN(4)]))}}
	case 7:
		f := govalue.Attribute(s.attribute())
		return govalue.Any(f.Missing(), f.Equal(nil))
	}
	return s.asking.condition(depth)
}

// compare asks one question of the table as a whole, of any index, and of the search index.
func (s *searching) compare() {
	ctx := s.t.Context()
	p, err := s.table.Pin()
	if err != nil {
		s.t.Fatal(err)
	}
	defer p.Release()
	list := []expr.Condition{s.condition(2)}
	for range s.random.IntN(3) {
		list = append(list, s.condition(1))
	}
	where := govalue.All(list...)
	view, err := s.db.View(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	defer view.Close()
	reverse := s.random.IntN(3) == 0
	want := s.walk(ctx, view, p, database.Query{Where: where, Reverse: reverse})
	for _, q := range []database.Query{{AnyIndex: true, Where: where, Reverse: reverse},
		{Index: "find", Where: where, Reverse: reverse}} {
		plan, err := p.Plan(q)
		if errors.Is(err, access.ErrNoField) {
			continue
		}
		if err != nil {
			s.t.Fatal(err)
		}
		got := s.walk(ctx, view, p, q)
		explained := strings.Join(plan.Explain().Search, "\n")
		if plan.Index.IsPrimary() && !slices.Equal(got, want) || !slices.Equal(sorted(got), sorted(want)) {
			s.t.Errorf("%s (reverse %v)\n found %v\n want %v\nby %s\n%s", expr.Notation{}.AppendCondition(nil, where),
				reverse, got, want, plan.Index.Name, explained)
			return
		}
		if explained != "" {
			s.found++
			s.comparePages(ctx, view, p, q, got)
			compareCount(s.t, view, p, q, 1+s.random.IntN(3), len(got))
		}
	}
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func (s *searching) walk(ctx context.Context, from source, p database.Pinned, q database.Query) (keys []string) {
	c, err := from.Query(ctx, p, q)
	if err != nil {
		s.t.Fatal(err)
	}
	for c.Next() {
		d := testdoc.Of(c.Item())
		keys = append(keys, fmt.Sprint(d["k"], d["l"]))
	}
	if err := c.Close(); err != nil {
		s.t.Fatal(err)
	}
	return keys
}

// comparePages walks page by page.
func (s *searching) comparePages(ctx context.Context, from source, p database.Pinned, q database.Query, want []string) {
	if s.random.IntN(4) > 0 {
		return
	}
	q.ExaminedMax = 1 + s.random.IntN(20)
	var got []string
	for more := true; more; {
		c, err := from.Query(ctx, p, q)
		if err != nil {
			s.t.Fatal(err)
		}
		for c.Next() {
			d := testdoc.Of(c.Item())
			got = append(got, fmt.Sprint(d["k"], d["l"]))
		}
		if more = c.More(); more {
			if q.After, err = c.LastKey(); err != nil {
				s.t.Fatal(err)
			}
		}
		if err := c.Close(); err != nil {
			s.t.Fatal(err)
		}
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("pages of %d: found %v, want %v", q.ExaminedMax, got, want)
	}
}

func (s *searching) verify() {
	report, err := s.table.Verify(s.t.Context())
	if err != nil || len(report.Faults) > 0 {
		s.t.Errorf("verification: %v %v", err, report.Faults)
	}
}

// TestSearchScores: what is found by words, in which order and with which scores, is what a plain reading of BM25's
// formula over all items says.
func TestSearchScores(t *testing.T) {
	seed := rounds.Seed(t)
	items := min(max(rounds.Of(t, 800), 300), 20_000)
	questions := items / 10
	random := rand.New(rand.NewPCG(seed, 0))
	db := testdb.Open(t)
	table := mustTable(t, db, database.TableSpec{Name: "t", Key: parts(t, "id", "int"),
		Indexes: []database.IndexSpec{{Name: "ft", Search: true,
			Key: []schema.KeyPart{mustWords(t, "whitespace", "text")}}}})
	zipf := rand.NewZipf(random, 1.2, 3, 200)
	texts := map[int64][]string{}
	for id := range int64(items) {
		words := make([]string, random.IntN(30))
		for i := range words {
			words[i] = fmt.Sprintf("w%d", zipf.Uint64())
		}
		texts[id] = words
		if err := testdoc.Put(t.Context(), table,
			testdoc.Document{"id": value.Value(value.AppendInt(nil, id)),
				"text": strings.Join(words, " ")}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	for range questions {
		var asked []string
		for range 1 + random.IntN(4) {
			asked = append(asked, fmt.Sprintf("w%d", zipf.Uint64()))
		}
		must := random.IntN(2) == 0
		text := strings.Join(asked, " ")
		if must {
			text = "+" + strings.Join(asked, " +")
		}
		most := 1 + random.IntN(50)
		want := naiveRank(texts, asked, must)
		got := rankedBy(t, p, database.Query{Search: &database.SearchText{Columns: []string{"text"}, Text: text,
			Boolean: true}, Limit: most}, random.IntN(3) == 0, most)
		if len(got) != min(len(want), most) && len(got) != len(want) {
			t.Fatalf("%q: found %d, want %d", text, len(got), len(want))
		}
		for i, one := range got {
			if math.Abs(one.score-want[i].score) > 1e-6 ||
				one.id != want[i].id && math.Abs(one.score-scoreOf(want, one.id)) > 1e-6 {
				t.Fatalf("%q: row %d is %v, want %v", text, i, one, want[i])
			}
		}
	}
}

// scored is an item and its score.
type scored struct {
	id    int64
	score float64
}

func scoreOf(list []scored, id int64) float64 {
	at := slices.IndexFunc(list, func(s scored) bool { return s.id == id })
	if at < 0 {
		return math.Inf(1)
	}
	return list[at].score
}

// naiveRank scores all texts by some words, of which one must be there, or all.
func naiveRank(texts map[int64][]string, asked []string, all bool) (list []scored) {
	documents, length := 0.0, 0.0
	frequency := map[string]float64{}
	for _, words := range texts {
		documents++ // a text without words is one, too
		length += float64(len(words))
		for _, word := range slices.Compact(slices.Sorted(slices.Values(words))) {
			frequency[word]++
		}
	}
	mean := length / documents
	for id, words := range texts {
		score, has := 0.0, 0
		for _, word := range asked {
			count := 0.0
			for _, other := range words {
				if other == word {
					count++
				}
			}
			if count == 0 {
				continue
			}
			has++
			idf := math.Log(1 + (documents-frequency[word]+0.5)/(frequency[word]+0.5))
			score += idf * count * 2.2 / (count + 1.2*(0.25+0.75*float64(len(words))/mean))
		}
		if has == len(asked) || has > 0 && !all {
			list = append(list, scored{id, score})
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return list
}

// rankedBy reads the best items of a query: most of them, or all.
func rankedBy(t *testing.T, p database.Pinned, q database.Query, all bool, most int) (list []scored) {
	t.Helper()
	c, err := p.Query(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for (all || len(list) < most) && c.Next() {
		id, _ := c.Item().Row.Get(p.Names(), []byte("id"))
		n, _ := id.Int()
		list = append(list, scored{n, c.Score()})
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return list
}
