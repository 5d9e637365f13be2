// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestGetAllocatesNothing: reading an item by its key takes no memory but that which the caller gives, on a table with
// declared columns, too.
func TestGetAllocatesNothing(t *testing.T) {
	if rounds.Race {
		t.Skip("the race detector makes pools forget")
	}
	db := testdb.Open(t)
	table := mustTable(t, db, database.TableSpec{
		Name: "t", Key: parts(t, "hash32(k)", "bytes", "k", "int"), PartitionParts: 1,
		Columns: []schema.Column{{Name: "a", Type: schema.String}},
	})
	if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": 1, "a": "text"}); err != nil {
		t.Fatal(err)
	}
	p := pin(t, table)
	view, err := db.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	key, dst := row(t, p, testdoc.Document{"k": 1}), make([]byte, 0, 200)
	for name, get := range map[string]func() (value.Row, bool, error){
		"pin":  func() (value.Row, bool, error) { return p.Get(t.Context(), key, dst) },
		"view": func() (value.Row, bool, error) { return view.Get(t.Context(), p, key, dst) },
	} {
		if n := testing.AllocsPerRun(100, func() {
			if _, ok, err := get(); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
