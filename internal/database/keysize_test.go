// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft/internal/data/govalue"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdb"
	"github.com/weftdb/weft/internal/testing/testdoc"
)

// TestKeyBytesMax: no engine takes an item whose key, or whose entry's key, could not be copied to TiKV, by whichever
// way it is written.
func TestKeyBytesMax(t *testing.T) {
	db := testdb.Open(t)
	text := strings.Repeat("k", 1000)
	long := testdoc.Document{}
	key := database.Columns("a", schema.String, "b", schema.String, "c", schema.String, "d", schema.String, "e",
		schema.String, "f", schema.String, "g", schema.String, "h", schema.String)
	for _, part := range key {
		long[part.Name] = text
	}
	plain := mustTable(t, db, database.TableSpec{Name: "plain", Key: key})
	indexed := mustTable(t, db, database.TableSpec{Name: "indexed", Key: key,
		Indexes: []database.IndexSpec{{Name: "x", Key: database.Columns("n", schema.Number)}}})
	update := func(table *database.Table, key testdoc.Document) error {
		_, err := testdoc.Update(t.Context(), table, key, govalue.Attribute("n").Add(1))
		return err
	}
	for what, err := range map[string]error{
		"a put":      testdoc.Put(t.Context(), plain, long),
		"an update":  update(plain, long),
		"an indexed": testdoc.Put(t.Context(), indexed, long),
		"a transaction": db.Update(t.Context(),
			func(tx *database.Tx) error { return testdoc.PutIn(t.Context(), tx, "plain", long) }),
	} {
		if database.KindOf(err) != database.KindTooLarge {
			t.Errorf("%s gives %v", what, err)
		}
	}
	if err := testdoc.Delete(t.Context(), plain, long); err != nil {
		t.Error(err)
	}
}
