// SPDX-License-Identifier: Apache-2.0

package pebble

import (
	"fmt"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/kv"
)

// TestPoints looks up more keys at one snapshot than it takes to keep an iterator, in any order and side by side, while
// others write: all are as they were.
func TestPoints(t *testing.T) {
	s, err := Open(Options{Dir: "data", FS: vfs.NewMem(), ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	const keys = 300
	key := func(i int) []byte { return fmt.Appendf(nil, "key %03d", i) }
	write := func(round int) {
		t.Helper()
		err := kv.Update(t.Context(), s, func(txn kv.Txn) error {
			for i := range keys {
				switch {
				case i%3 == round%3:
					if err := txn.Delete(key(i)); err != nil {
						return err
					}
				default:
					if err := txn.Set(key(i), fmt.Appendf(nil, "value %d of %d", i, round)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	write(0)
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	look := func(step int) {
		var value []byte
		for n := range 2 * keys {
			i := n * step % keys
			var ok bool
			var err error
			value, ok, err = r.Get(t.Context(), key(i), value[:0])
			if err != nil || ok != (i%3 != 0) || ok && string(value) != fmt.Sprintf("value %d of 0", i) {
				t.Errorf("key %d: %q, %v, %v", i, value, ok, err)
				return
			}
		}
	}
	look(7)
	write(1)
	var group sync.WaitGroup
	for _, step := range []int{1, 11, 299} {
		group.Go(func() { look(step) })
	}
	group.Go(func() {
		if err := r.GetMany(t.Context(), [][]byte{key(1), key(2), key(4)}, func(i int, value []byte, ok bool) error {
			_, _, err := r.Get(t.Context(), key(5), nil) // while a value is in use
			return err
		}); err != nil {
			t.Error(err)
		}
	})
	group.Go(func() { write(2) })
	group.Wait()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
