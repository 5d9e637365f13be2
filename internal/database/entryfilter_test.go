// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"fmt"
	"testing"

	"github.com/weftdb/weft/internal/data/expr"
	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestEntryFilter: a row is read back only if what its entry holds meets the condition, in every kind of index.
func TestEntryFilter(t *testing.T) {
	db := testdb.Open(t)
	spec := database.TableSpec{Name: "t", Key: database.Columns("id", schema.Number), Indexes: []database.IndexSpec{
		{Name: "composite", Key: database.Columns("a", schema.Number, "b", schema.Number),
			Projection: schema.ProjectKeys},
		{Name: "include", Key: database.Columns("a", schema.Number), Projection: schema.ProjectInclude,
			Include: []string{"b"}},
		{Name: "curve", Key: []schema.KeyPart{mustPart(t, "zorder(a u8:2, b u8:2)", schema.Binary)},
			Projection: schema.ProjectKeys},
	}}
	table, err := db.CreateTable(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		if err := testdoc.Put(t.Context(), table,
			testdoc.Document{"id": i, "a": i % 20, "b": i / 20, "c": i % 3, "text": fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	where := govalue.All(govalue.Attribute("a").Between(5, 14), govalue.Attribute("b").In(3, 7, 11))
	for _, x := range spec.Indexes {
		for _, c := range []expr.Condition{nil, govalue.Attribute("c").Equal(1),
			govalue.Any(govalue.Attribute("c").Equal(1), govalue.Attribute("b").Equal(3))} {
			cursor, err := pin.Query(t.Context(), database.Query{Index: x.Name, Where: where, Filter: c, Fetch: true})
			if err != nil {
				t.Fatal(err)
			}
			returned := int64(0)
			for cursor.Next() {
				if returned++; cursor.Item().Text("text") == "" {
					t.Errorf("%s: %v was not read back", x.Name, cursor.Item())
				}
			}
			counts, err := cursor.Counts(), cursor.Close()
			want := map[bool]int64{true: 30, false: 10}[c == nil]
			if returned < want || counts.Fetched != 30 || err != nil {
				t.Errorf("%s with %v: %d of %d rows that were read back, %d examined, %v", x.Name, c, returned,
					counts.Fetched, counts.Examined, err)
			}
		}
	}
}
