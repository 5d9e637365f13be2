// SPDX-License-Identifier: Apache-2.0

package testdb

import (
	"testing"

	"github.com/weftdb/weft"
)

func TestEach(t *testing.T) {
	ran := 0
	Each(t, func(t *testing.T, db *weft.DB) {
		ran++
		table, err := db.CreateTable(t.Context(), weft.TableSpec{Name: "t", Key: weft.Columns("k", weft.String)})
		if err != nil {
			t.Fatal(err)
		}
		if err := table.Put(t.Context(), weft.Document{"k": "a"}); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := table.Get(t.Context(), weft.Document{"k": "a"}); !ok || err != nil {
			t.Fatal(ok, err)
		}
	})
	if ran != 3 {
		t.Fatalf("%d engines", ran)
	}
}
