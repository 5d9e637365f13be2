// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/mem"
)

// dump is what a transaction sees of the keys of TestUndo.
func dump(t *testing.T, txn kv.Txn) map[string]string {
	t.Helper()
	seen := map[string]string{}
	c := txn.Scan(t.Context(), kv.Range{}, false)
	for c.Next() {
		seen[string(c.Key())] = string(c.Value())
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return seen
}

// TestUndo sets, releases and goes back to savepoints at random among writes, beside copies of what was there.
func TestUndo(t *testing.T) {
	seed := rounds.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		store := mem.Open(mem.Options{})
		txn, err := store.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var u Undo
		var copies []map[string]string
		for step := range 100 {
			key := []byte(fmt.Sprintf("k%d", r.IntN(8)))
			switch n := len(copies); {
			case r.IntN(6) == 0:
				u.Set()
				copies = append(copies, dump(t, txn))
			case n > 0 && r.IntN(8) == 0:
				at := r.IntN(n)
				u.Release(at)
				copies = append(copies[:at], copies[at+1:]...)
			case n > 0 && r.IntN(8) == 0:
				at := r.IntN(n)
				if err := u.Back(txn, at); err != nil {
					t.Fatal(err)
				}
				if got := dump(t, txn); !maps.Equal(got, copies[at]) {
					t.Fatalf("back at savepoint %d of %d: %v, want %v", at, n, got, copies[at])
				}
				copies = copies[:at+1]
			case r.IntN(3) == 0:
				err = u.Writes(t.Context(), txn).Delete(key)
			default:
				err = u.Writes(t.Context(), txn).Set(key, []byte(fmt.Sprint(step)))
			}
			if err != nil || u.Savepoints() != len(copies) {
				t.Fatal(err, u.Savepoints(), len(copies))
			}
		}
		if bound := 8 * (u.Savepoints() + 1) * 4; len(u.replaced) > bound {
			t.Errorf("%d entries for %d savepoints over 8 keys", len(u.replaced), u.Savepoints())
		}
		txn.Rollback()
	}
}

// TestUndoBounded nests a savepoint again and again within another: what it remembers doesn't grow.
func TestUndoBounded(t *testing.T) {
	txn, err := mem.Open(mem.Options{}).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	var u Undo
	u.Set()
	for i := range 1000 {
		u.Set()
		if err := u.Writes(t.Context(), txn).Set([]byte("k"), []byte(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		u.Release(1)
	}
	if len(u.replaced) != 1 || u.bytes != 1 {
		t.Errorf("%d entries of %d bytes", len(u.replaced), u.bytes)
	}
	if u.Release(0); u.Savepoints() != 0 || u.replaced != nil {
		t.Errorf("%d savepoints, %d entries", u.Savepoints(), len(u.replaced))
	}
}
