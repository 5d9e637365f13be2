// SPDX-License-Identifier: Apache-2.0

package testdb

import (
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
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
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": "a"}); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := testdoc.Get(t.Context(), table, testdoc.Document{"k": "a"}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	})
	if ran != 3 {
		t.Fatalf("%d engines", ran)
	}
}
