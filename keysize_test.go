// SPDX-License-Identifier: Apache-2.0

package weft_test

import (
	"strings"
	"testing"

	"github.com/weftdb/weft"
	"github.com/weftdb/weft/internal/testdb"
)

// TestKeyBytesMax: no engine takes an item whose key, or whose entry's key, could not be copied to TiKV, by whichever way it is written.
func TestKeyBytesMax(t *testing.T) {
	db := testdb.Open(t)
	text := strings.Repeat("k", 1000)
	long := weft.Document{}
	key := weft.Columns("a", weft.String, "b", weft.String, "c", weft.String, "d", weft.String, "e", weft.String, "f", weft.String, "g", weft.String, "h", weft.String)
	for _, part := range key {
		long[part.Name] = text
	}
	plain := mustTable(t, db, weft.TableSpec{Name: "plain", Key: key})
	indexed := mustTable(t, db, weft.TableSpec{Name: "indexed", Key: key,
		Indexes: []weft.IndexSpec{{Name: "x", Key: weft.Columns("n", weft.Number)}}})
	update := func(table *weft.Table, key weft.Document) error {
		_, err := table.Update(t.Context(), key, weft.Attribute("n").Add(1))
		return err
	}
	for what, err := range map[string]error{
		"a put":         plain.Put(t.Context(), long),
		"an update":     update(plain, long),
		"an indexed":    indexed.Put(t.Context(), long),
		"a transaction": db.Update(t.Context(), func(tx *weft.Tx) error { return tx.Put(t.Context(), "plain", long) }),
	} {
		if weft.KindOf(err) != weft.KindTooLarge {
			t.Errorf("%s gives %v", what, err)
		}
	}
	if err := plain.Delete(t.Context(), long); err != nil {
		t.Error(err)
	}
}
