// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/index/search"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// benchDocuments is the number of items the benchmarks of searches have; their words are as frequent as Zipf has it.
const benchDocuments = 20_000

// BenchmarkSearch: items with a text of 60 words are written with their words, and the best ten found by queries of
// several forms.
func BenchmarkSearch(b *testing.B) {
	db := testdb.OpenPebbleDir(b, b.TempDir())
	words, err := database.Words("standard", "body")
	if err != nil {
		b.Fatal(err)
	}
	table, err := db.CreateTable(b.Context(), database.TableSpec{Name: "t", Key: database.Columns("id", schema.Int),
		Indexes: []database.IndexSpec{{Name: "ft", Search: true, Key: []schema.KeyPart{words}}}})
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 4, 50_000)
	text := func() string {
		var t strings.Builder
		for range 60 {
			fmt.Fprintf(&t, "w%d ", zipf.Uint64())
		}
		return t.String()
	}
	id := int64(0)
	put := func() {
		id++
		if err := testdoc.Put(b.Context(), table,
			testdoc.Document{"id": value.Value(value.AppendInt(nil, id)), "body": text()}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("put", func(b *testing.B) {
		for b.Loop() {
			put()
		}
	})
	for id < benchDocuments {
		put()
	}
	for _, query := range []string{"w1", "w100", "w5000", "+w5 +w20", "+w50 +w200", "w5 w20 w200", `"w5 w20"`,
		"w123*"} {
		b.Run(strings.ReplaceAll(query, " ", "_"), func(b *testing.B) { benchQuery(b, table, query) })
	}
}

func benchQuery(b *testing.B, table *database.Table, text string) {
	analyzer, err := search.Open("standard")
	if err != nil {
		b.Fatal(err)
	}
	p, err := table.Pin()
	if err != nil {
		b.Fatal(err)
	}
	defer p.Release()
	b.ReportAllocs()
	for b.Loop() {
		query, err := search.Parse(analyzer, text, search.Boolean)
		if err != nil {
			b.Fatal(err)
		}
		x, field, _ := p.WordsField([]string{"body"}, "")
		scorer, err := p.Scorer(b.Context(), x, field, query)
		if err != nil {
			b.Fatal(err)
		}
		c, err := p.Query(b.Context(), database.Query{Index: x.Name, Rank: scorer, Limit: 10,
			Where: &expr.Matches{Paths: []expr.Path{{Name: "body"}}, Query: query}})
		if err != nil {
			b.Fatal(err)
		}
		for n := 0; n < 10 && c.Next(); n++ {
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
