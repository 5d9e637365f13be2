// SPDX-License-Identifier: Apache-2.0

package record

import (
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// TestExpire deletes a row because its time has come: its entries go, too, the change tells why and what happened to
// the declared indexes, and the next write has another cause.
func TestExpire(t *testing.T) {
	store := teststore.Store(t)
	defer store.Close()
	described := *people(t, schema.Active).Schema
	expiry := schema.ExpiryIndex("at")
	expiry.ID = 2
	described.Indexes = append(described.Indexes, expiry)
	table := Compile(&described, value.NoNames)
	var b value.RowBuilder
	for name, v := range map[string]value.Value{
		"name": value.AppendString(nil, []byte("ann")), "city": value.AppendString(nil, []byte("rome")),
		"at": value.AppendNumber(nil, order.DecimalFromInt(5)),
	} {
		if err := b.Set([]byte(name), v); err != nil {
			t.Fatal(err)
		}
	}
	row := b.AppendTo(nil)
	key, err := table.AppendKey(nil, row)
	if err != nil {
		t.Fatal(err)
	}
	var w Writer
	steps := []struct {
		name  string
		write func(kv.Txn) error
		cause Cause
		keys  int // left in the store
	}{
		{"put", func(txn kv.Txn) error { return w.Write(txn, table, key, nil, row) }, ByRequest, 3},
		{"expire", func(txn kv.Txn) error { return w.Expire(txn, table, key, row) }, ByExpiry, 0},
		{"put again", func(txn kv.Txn) error { return w.Write(txn, table, key, nil, row) }, ByRequest, 3},
		{"delete", func(txn kv.Txn) error { return w.Write(txn, table, key, row, nil) }, ByRequest, 0},
	}
	for _, step := range steps {
		if err := kv.Update(t.Context(), store, step.write); err != nil {
			t.Fatal(err)
		}
		if w.Change.Cause != step.cause || len(w.Change.Indexes) != 1 || w.Change.Indexes[0].Index.Name != "by-city" {
			t.Errorf("%s tells %+v", step.name, w.Change)
		}
		if keys := keysIn(t, store); keys != step.keys {
			t.Errorf("%s leaves %d keys, want %d", step.name, keys, step.keys)
		}
	}
}

func keysIn(t *testing.T, store kv.Store) (n int) {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	walk := reader.Scan(t.Context(), kv.Range{}, false)
	for walk.Next() {
		n++
	}
	if err := walk.Close(); err != nil {
		t.Fatal(err)
	}
	return n
}
