// SPDX-License-Identifier: Apache-2.0

package testdb

import (
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
)

func TestEach(t *testing.T) {
	ran := 0
	Each(t, func(t *testing.T, db *database.DB) {
		ran++
		table, err := db.CreateTable(t.Context(),
			database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Put(t.Context(), database.Document{"k": "a"}); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := table.Get(t.Context(), database.Document{"k": "a"}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	})
	if ran != 3 {
		t.Fatalf("%d engines", ran)
	}
}
