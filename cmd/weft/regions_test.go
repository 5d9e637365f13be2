// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/schema"
)

// TestRegionsPage shows the regions of a table, and of all tables, on the admin port.
func TestRegionsPage(t *testing.T) {
	s, _ := openServer(t, nil)
	db := s.database.(*openedDatabase).db
	spec := database.TableSpec{Name: "places", Key: database.Columns("name", schema.String), PartitionParts: 1, Regions: &database.RegionSpec{Count: 4}}
	if _, err := db.CreateTable(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	spec = database.TableSpec{Name: "hashed", Key: database.Columns("id", schema.Int), PartitionParts: 1, HashDistributed: true, Regions: &database.RegionSpec{Count: 2}}
	table, err := db.CreateTable(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := table.Put(t.Context(), database.Document{"id": i}); err != nil {
			t.Fatal(err)
		}
	}
	mustGet(t, admin(s), "/regions?table=places", "\n1.0.1   default.places  (the table)  (\"9\")      (\"i\")        0 ")
	mustGet(t, admin(s), "/regions", "default.hashed  (the table)  (x\"80000000\")  - ")
	mustGet(t, admin(s), "/regions?table=default.hashed&format=json", `"index":"","start":[{"name":"hash","value":"x\"80000000\""}],"end":[],"rows":`)
	mustGet(t, admin(s), "/regions?table=none", "404 there is no table none")
}
