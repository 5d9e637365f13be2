// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"fmt"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/testdb"
)

// TestEntryFilter: a row is read back only if what its entry holds meets the condition, in every kind of index.
func TestEntryFilter(t *testing.T) {
	db := testdb.Open(t)
	spec := weft.TableSpec{Name: "t", Key: weft.Columns("id", weft.Number), Indexes: []weft.IndexSpec{
		{Name: "composite", Key: weft.Columns("a", weft.Number, "b", weft.Number), Projection: weft.ProjectKeys},
		{Name: "include", Key: weft.Columns("a", weft.Number), Projection: weft.ProjectInclude, Include: []string{"b"}},
		{Name: "curve", Key: []weft.KeyPart{mustPart(t, "zorder(a u8:2, b u8:2)", weft.Binary)}, Projection: weft.ProjectKeys},
	}}
	table, err := db.CreateTable(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		if err := table.Put(t.Context(), weft.Document{"id": i, "a": i % 20, "b": i / 20, "c": i % 3, "text": fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	pin, err := table.Pin()
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Release()
	where := weft.All(weft.Attribute("a").Between(5, 14), weft.Attribute("b").In(3, 7, 11))
	for _, x := range spec.Indexes {
		for _, c := range []weft.Condition{nil, weft.Attribute("c").Equal(1), weft.Any(weft.Attribute("c").Equal(1), weft.Attribute("b").Equal(3))} {
			cursor, err := pin.Query(t.Context(), weft.Query{Index: x.Name, Where: where, Filter: c, Fetch: true})
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
				t.Errorf("%s with %v: %d of %d rows that were read back, %d examined, %v", x.Name, c, returned, counts.Fetched, counts.Examined, err)
			}
		}
	}
}
