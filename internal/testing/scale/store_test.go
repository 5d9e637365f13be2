// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/weftdb/weft/kv"
)

// TestCounts: each operation is counted as the requests that a cluster makes of it, and deleted keys are stepped over
// until they are collected.
func TestCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{})
		store := c.Open()
		commit := func(do func(txn kv.Txn) error) {
			t.Helper()
			if err := kv.Update(t.Context(), store, do); err != nil {
				t.Fatal(err)
			}
		}
		scan := func() (keys int) {
			reader, err := store.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			walk := reader.Scan(t.Context(), kv.Range{Start: []byte("a"), End: []byte("z")}, false)
			defer walk.Close()
			for walk.Next() {
				keys++
			}
			return keys
		}
		want := func(what string, reads, writes, scans, driver, entries, stepped int64) {
			t.Helper()
			u := c.Take()
			if got := [6]int64{u.Reads, u.Writes, u.Scans, u.Driver, u.Entries, u.Stepped}; got !=
				[6]int64{reads, writes, scans, driver, entries, stepped} {
				t.Errorf("%s: %v", what, got)
			}
		}
		commit(func(txn kv.Txn) error {
			for key := byte('a'); key <= 'f'; key++ {
				if err := txn.Set([]byte{key}, nil); err != nil {
					return err
				}
			}
			return nil
		})
		want("a commit in one region", 0, 1, 0, 2, 0, 0)
		c.Split("c")
		commit(func(txn kv.Txn) error {
			if _, _, err := txn.Get(t.Context(), []byte("a"), nil); err != nil {
				return err
			}
			if err := txn.Delete([]byte("b")); err != nil {
				return err
			}
			return txn.Delete([]byte("d"))
		})
		want("a read, and a commit in two regions", 1, 4, 0, 2, 0, 0)
		if keys := scan(); keys != 4 {
			t.Errorf("a scan of %d keys", keys)
		}
		want("a scan of two regions", 0, 0, 2, 1, 4, 2)
		time.Sleep(keepVersions + time.Second)
		commit(func(txn kv.Txn) error { return txn.Set([]byte("x"), nil) })
		c.Take()
		scan()
		want("the same after the garbage was collected", 0, 0, 2, 1, 5, 0)
		if regions, err := store.Regions(t.Context(), kv.Range{Start: []byte("d")}); err != nil || len(regions) != 1 {
			t.Errorf("the regions from d on: %v, %v", regions, err)
		}
	})
}
