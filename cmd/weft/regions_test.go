// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestRegionsPage shows the regions of a table, and of all tables, on the admin port.
func TestRegionsPage(t *testing.T) {
	s, _ := openServer(t, nil)
	db := s.database.(*openedDatabase).db
	spec := database.TableSpec{Name: "places", Key: database.Columns("name", schema.String), PartitionParts: 1,
		Regions: &database.RegionSpec{Count: 4}}
	if _, err := db.CreateTable(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	spec = database.TableSpec{Name: "hashed", Key: database.Columns("id", schema.Int), PartitionParts: 1,
		HashDistributed: true, Regions: &database.RegionSpec{Count: 2}}
	table, err := db.CreateTable(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"id": i}); err != nil {
			t.Fatal(err)
		}
	}
	mustGet(t, admin(s), "/regions?table=places",
		"\n1.0.1   default.places  (the table)  (\"9\")      (\"i\")        0 ")
	mustGet(t, admin(s), "/regions", "default.hashed  (the table)  (x\"80000000\")  - ")
	mustGet(t, admin(s), "/regions?table=default.hashed&format=json",
		`"index":"","start":[{"name":"hash","value":"x\"80000000\""}],"end":[],"rows":`)
	spec = database.TableSpec{Name: "plain", Key: database.Columns("id", schema.Int, "n", schema.Int),
		PartitionParts: 1}
	if table, err = db.CreateTable(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	for i := range 101 {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"id": i, "n": 7}); err != nil {
			t.Fatal(err)
		}
	}
	mustGet(t, admin(s), "/regions?table=plain&format=json", `"splitKey":"5`) // near the middle, which is 50
	if page, err := get(admin(s), "/regions?table=hashed&format=json"); err != nil ||
		strings.Contains(page, "splitKey") {
		t.Errorf("a hash has values to split at: %s", page)
	}
	mustGet(t, admin(s), "/regions?table=none", "404 there is no table none")
}
