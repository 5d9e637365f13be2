// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestAnyOrder: a walk over an index finds the same items in any order as in its own, and reads them back in few
// stretches, each in the order of the table's keys.
func TestAnyOrder(t *testing.T) {
	const items, stretchesMax = 3000, 6 // of 8, 32, 128 items and so on
	seed := rounds.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	db := testdb.Open(t)
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("id", schema.Number),
		Indexes: []database.IndexSpec{{Name: "by_a", Key: database.Columns("a", schema.Number),
			Projection: schema.ProjectKeys}}})
	if err != nil {
		t.Fatal(err)
	}
	for id := range items {
		if err := testdoc.Put(t.Context(), table,
			testdoc.Document{"id": id, "a": random.IntN(100), "b": random.IntN(10)}); err != nil {
			t.Fatal(err)
		}
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	walk := func(q database.Query) (ids []int64, counts database.Counts) {
		t.Helper()
		cursor, err := pin.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for cursor.Next() {
			id, _ := cursor.Item().Int("id")
			ids = append(ids, id)
		}
		counts = cursor.Counts()
		if err := cursor.Close(); err != nil {
			t.Fatal(err)
		}
		return ids, counts
	}
	for range 20 {
		low := random.IntN(100)
		q := database.Query{Index: "by_a", Fetch: true, Where: govalue.Attribute("a").Between(low, 100),
			Reverse: random.IntN(2) == 0}
		if random.IntN(2) == 0 {
			q.Filter = govalue.Attribute("b").Between(0, random.IntN(10))
		}
		want, counted := walk(q)
		q.AnyOrder = true
		got, counts := walk(q)
		stretches := 1
		for i := 1; i < len(got); i++ {
			if got[i] < got[i-1] {
				stretches++
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || counts != counted || stretches > stretchesMax {
			t.Errorf("from %d, reverse %v, filter %v: %d items in %d stretches, %+v; %d items, %+v in the order of the index", low, q.Reverse, q.Filter, len(got), stretches, counts,
				len(want), counted)
		}
	}
}
