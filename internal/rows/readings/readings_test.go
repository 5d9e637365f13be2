// SPDX-License-Identifier: Apache-2.0

package readings_test

import (
	"errors"
	"testing"

	"github.com/weftdb/weft/internal/rows/readings"
	"github.com/weftdb/weft/internal/testing/teststore"
	"github.com/weftdb/weft/kv"
)

// TestMove reads several ranges by one cursor: what another transaction adds to one of them is noticed, as far as the
// cursor came, and what it adds between them is not.
func TestMove(t *testing.T) {
	for added, conflicts := range map[string]bool{"a2": true, "b2": false, "c2": true, "d0": true, "d3": false,
		"e2": false} {
		store := teststore.Store(t)
		set := func(keys ...string) {
			err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
				var errs []error
				for _, key := range keys {
					errs = append(errs, txn.Set([]byte(key), nil))
				}
				return errors.Join(errs...)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		set("a1", "a3", "b1", "c1", "d1", "d4")
		txn, err := store.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := readings.New(txn)
		cursor := r.Scan(t.Context(), kv.Range{Start: []byte("a"), End: []byte("b")}, false)
		for _, span := range []kv.Range{{Start: []byte("c"), End: []byte("d")}, {Start: []byte("e")}} {
			for cursor.Next() {
			}
			cursor.Move(span)
		}
		cursor.Move(kv.Range{Start: []byte("d"), End: []byte("e")}) // nothing was read of the range before
		if !cursor.Next() || string(cursor.Key()) != "d1" {
			t.Fatalf("the cursor is at %q", cursor.Key())
		}
		if err := cursor.Close(); err != nil {
			t.Fatal(err)
		}
		set(added)
		if err := r.Validate(t.Context(), store); errors.Is(err, kv.ErrConflict) != conflicts {
			t.Errorf("%s was added: %v, want a conflict: %t", added, err, conflicts)
		}
		txn.Rollback()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}
