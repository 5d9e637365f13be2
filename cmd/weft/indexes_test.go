// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestIndexesPage shows a table's indexes on the admin port, and what is wrong with a name.
func TestIndexesPage(t *testing.T) {
	s, _ := openServer(t, nil)
	db := s.database.(*openedDatabase).db
	place, err := database.Part("zorder(lat f64 codec=raw, lon f64 codec=raw)", schema.Binary)
	if err != nil {
		t.Fatal(err)
	}
	spec := database.TableSpec{Name: "places", Key: database.Columns("id", schema.Int), PartitionParts: 1,
		Indexes: []database.IndexSpec{
			{Name: "by-place", Key: []schema.KeyPart{place}},
		}}
	if _, err := db.CreateTable(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	table, err := db.Table("places")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := testdoc.Put(t.Context(), table,
			testdoc.Document{"id": i, "lat": float64(i), "lon": float64(100 - i)}); err != nil {
			t.Fatal(err)
		}
	}
	mustGet(t, admin(s), "/indexes?table=places", "(the table)  id ")
	mustGet(t, admin(s), "/indexes?table=default.places", "\nlat        raw    64 ")
	mustGet(t, admin(s), "/indexes?table=places&format=json",
		`"name":"by-place","key":["`+place.Name+`"],"state":"active","entries":100`)
	mustGet(t, admin(s), "/indexes?table=none", "404 there is no table none")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
