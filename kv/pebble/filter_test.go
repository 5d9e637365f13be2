// SPDX-License-Identifier: Apache-2.0

package pebble_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
)

// TestSought: keys that stand in filters and others are found by those who know the filter, don't, or know another; so
// are tables of each in one store.
func TestSought(t *testing.T) {
	fs := vfs.NewMem()
	rows := &pebble.Sought{Name: "Rows", Has: func(key []byte) bool { return bytes.HasPrefix(key, []byte("row")) }}
	none := &pebble.Sought{Name: "None", Has: func([]byte) bool { return false }}
	written := 0
	for round, sought := range []*pebble.Sought{nil, rows, none, rows, nil} {
		store, err := pebble.Open(pebble.Options{Dir: "data", FS: fs, ReadOnlyBelowBytes: -1, Sought: sought})
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
				for _, kind := range []string{"row", "entry"} {
					if err := txn.Set(fmt.Appendf(nil, "%s %d", kind, written), []byte{byte(round)}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			written++
		}
		if err := store.Compact(t.Context(),
			kv.Range{Start: []byte("entry"), End: fmt.Appendf(nil, "row %d", written/2)}); err != nil {
			t.Fatal(err)
		}
		for i := range written + 100 {
			for _, kind := range []string{"row", "entry"} {
				_, ok, err := store.Get(t.Context(), fmt.Appendf(nil, "%s %d", kind, i), nil)
				if err != nil || ok != (i < written) {
					t.Fatalf("round %d: %s %d of %d: %t, %v", round, kind, i, written, ok, err)
				}
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
