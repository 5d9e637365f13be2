// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weftdb/weft/kv"
)

func ownWriteChecks() []check {
	return []check{
		{"Get and GetMany see the transaction's own writes", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "2"})
			txn := h.begin()
			h.set(txn, "a", "own")
			h.set(txn, "c", "own")
			h.must(txn.Delete([]byte("b")))
			h.expect(txn, "a", "own")
			h.expect(txn, "b", absent)
			h.expect(txn, "c", "own")
			h.expectMany(txn, []string{"a", "b", "c", "b"}, []entry{{"a", "own"}, {"c", "own"}})
		}},
		{"the last write of a key counts", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "1"})
			txn := h.begin()
			h.set(txn, "a", "2")
			h.set(txn, "a", "longer than before")
			h.must(txn.Delete([]byte("b")))
			h.set(txn, "b", "3")
			h.set(txn, "c", "4")
			h.must(txn.Delete([]byte("c")))
			want := []entry{{"a", "longer than before"}, {"b", "3"}}
			h.expectAll(txn, want...)
			h.commit(txn)
			h.expectAll(h.read(), want...)
		}},
		{"scans merge the transaction's own writes and deletions in, in both directions", func(h *harness) {
			h.put(entry{"b", "2"}, entry{"d", "4"}, entry{"f", "6"}, entry{"h", "8"})
			txn := h.begin()
			h.set(txn, "a", "own")
			h.set(txn, "d", "own")
			h.set(txn, "e", "own")
			h.set(txn, "i", "own")
			h.must(txn.Delete([]byte("f")))
			h.must(txn.Delete([]byte("g")))
			want := []entry{{"a", "own"}, {"b", "2"}, {"d", "own"}, {"e", "own"}, {"h", "8"}, {"i", "own"}}
			h.expectAll(txn, want...)
			r := keyRange("b", "i")
			h.expectScan(txn, r, false, within(want, r, false))
			h.expectScan(txn, r, true, within(want, r, true))
		}},
		{"deletions at both ends of a range hide what they delete", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "2"}, entry{"c", "3"})
			txn := h.begin()
			h.must(txn.Delete([]byte("a")))
			h.must(txn.Delete([]byte("c")))
			h.expectAll(txn, entry{"b", "2"})
			h.must(txn.Delete([]byte("b")))
			h.expectAll(txn)
		}},
		{"a scan begun after a write shows it, though an older cursor is open", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"c", "3"})
			txn := h.begin()
			older := txn.Scan(h.ctx, kv.Range{}, false)
			older.Next()
			h.set(txn, "b", "own")
			h.must(txn.Delete([]byte("c")))
			h.expectAll(txn, entry{"a", "1"}, entry{"b", "own"})
			for older.Next() { // what it shows is undefined, but it comes to an end
			}
			h.must(older.Close())
		}},
	}
}

func writeChecks() []check {
	return []check{
		{"deleting an absent key is no error", func(h *harness) {
			h.put(entry{"a", "1"})
			h.delete("missing", "missing")
			h.expectAll(h.read(), entry{"a", "1"})
		}},
		{"a guard changes nothing that is shown", func(h *harness) {
			h.put(entry{"b", "2"})
			txn := h.begin()
			for _, key := range []string{"a", "b", "c"} {
				h.must(txn.Guard([]byte(key)))
			}
			h.expectAll(txn, entry{"b", "2"})
			h.expect(txn, "a", absent)
			h.expectMany(txn, []string{"a", "b"}, []entry{{"b", "2"}})
			h.commit(txn)
			h.expectAll(h.read(), entry{"b", "2"})
		}},
		{"Rollback drops every write", func(h *harness) {
			h.put(entry{"a", "1"})
			txn := h.begin()
			h.set(txn, "a", "2")
			h.set(txn, "b", "2")
			txn.Rollback()
			h.expectAll(h.read(), entry{"a", "1"})
		}},
		{"a transaction of many writes is one", func(h *harness) {
			entries := make([]entry, 2000)
			for i := range entries {
				entries[i] = entry{fmt.Sprintf("key %06d", i*7919%2000), fmt.Sprint(i)}
			}
			h.put(entries...)
			slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
			h.expectAll(h.read(), entries...)
		}},
		{"an empty transaction commits", func(h *harness) {
			h.commit(h.begin())
			h.commit(h.beginBlind())
		}},
	}
}

func byteChecks() []check {
	return []check{
		{"Set, Delete and Guard copy key and value", func(h *harness) {
			h.put(entry{"d", "old"}, entry{"e", "old"})
			txn := h.begin()
			key, value := []byte("k"), []byte("value")
			h.must(txn.Set(key, value))
			copy(key, "x")
			copy(value, "xxxxx")
			deleted, guarded := []byte("d"), []byte("g")
			h.must(txn.Delete(deleted))
			h.must(txn.Guard(guarded))
			copy(deleted, "e")
			copy(guarded, "x")
			h.expectAll(txn, entry{"e", "old"}, entry{"k", "value"})
			h.commit(txn)
			h.expectAll(h.read(), entry{"e", "old"}, entry{"k", "value"})
		}},
		{"changing a guarded key's bytes afterwards leaves the guard", func(h *harness) {
			txn := h.begin()
			guarded := []byte("g")
			h.must(txn.Guard(guarded))
			copy(guarded, "x")
			h.set(txn, "w", "1")
			h.put(entry{"g", "2"})
			h.mustConflict(txn)
		}},
	}
}

func returnedByteChecks() []check {
	return []check{
		{"what Get returns belongs to the caller", func(h *harness) {
			h.put(entry{"a", "value"}, entry{"b", "other"})
			txn := h.begin()
			h.set(txn, "own", "value")
			for _, key := range []string{"a", "own"} {
				value, _, err := txn.Get(h.ctx, []byte(key), nil)
				h.must(err)
				spoil(value)
				h.expect(txn, key, "value")
			}
			for _, from := range []getter{h.store, h.read()} {
				value, _, err := from.Get(h.ctx, []byte("a"), nil)
				h.must(err)
				spoil(value)
				h.expect(from, "a", "value")
				h.expect(from, "b", "other")
			}
		}},
		{"the key given to Get isn't kept", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "2"})
			txn := h.begin()
			h.set(txn, "b", "2") // so that b is in the conflict set and must stay right
			for _, from := range []getter{h.store, h.read(), txn} {
				key := []byte("a")
				_, _, err := from.Get(h.ctx, key, nil)
				h.must(err)
				key[0] = 'b'
				h.expect(from, "a", "1")
				h.expect(from, "b", "2")
			}
		}},
		{"Key and Value stay as they are until the next Next", func(h *harness) {
			entries := everyOther()
			h.onViews(entries, func(h *harness, v view) {
				cursor := v.Scan(h.ctx, kv.Range{}, false)
				for i := 0; cursor.Next(); i++ {
					key, value := cursor.Key(), cursor.Value()
					h.expect(v, "a", h.get(v, "a")) // other reads in between
					if string(key) != entries[i].key || string(value) != entries[i].value ||
						!bytes.Equal(key, cursor.Key()) {
						h.Fatalf("entry %d became %q = %q, want %q = %q", i, key, value, entries[i].key,
							entries[i].value)
					}
				}
				h.must(cursor.Close())
			})
		}},
	}
}

// spoil overwrites a slice up to its capacity.
func spoil(b []byte) {
	b = b[:cap(b)]
	for i := range b {
		b[i] = '!'
	}
}

// cheapBytesMax is how large an entry the suite makes to try a limit.
const cheapBytesMax = 8 << 20

func limitChecks() []check {
	return []check{
		{"a key of KeyBytesMax is taken and a longer one is ErrTooLarge", func(h *harness) {
			limit := h.cheapLimit(h.store.Limits().KeyBytesMax)
			txn := h.begin()
			key := bytes.Repeat([]byte{'k'}, limit+1)
			h.mustBe(txn.Set(key, []byte("v")), kv.ErrTooLarge)
			h.must(txn.Set(key[:limit], []byte("v")))
			h.commit(txn)
			h.expect(h.store, string(key[:limit]), "v")
			h.expectAll(h.read(), entry{string(key[:limit]), "v"})
		}},
		{"a value of ValueBytesMax is taken and a longer one is ErrTooLarge", func(h *harness) {
			limit := h.cheapLimit(h.store.Limits().ValueBytesMax)
			value := bytes.Repeat([]byte{'v'}, limit+1)
			txn := h.begin()
			h.mustBe(txn.Set([]byte("k"), value), kv.ErrTooLarge)
			h.must(txn.Set([]byte("k"), value[:limit]))
			h.commit(txn)
			got, ok, err := h.store.Get(h.ctx, []byte("k"), nil)
			if err != nil || !ok || !bytes.Equal(got, value[:limit]) {
				h.Fatalf("Get returns %d bytes, %t, %v", len(got), ok, err)
			}
		}},
		{"a transaction beyond TxnBytesMax is ErrTooLarge, at Set or at Commit, and writes nothing", func(h *harness) {
			limits := h.store.Limits()
			limit := h.cheapLimit(limits.TxnBytesMax)
			value := make([]byte, min(limit, cmp.Or(limits.ValueBytesMax, limit)))
			txn := h.begin()
			var err error
			for i := 0; err == nil && i <= limit/len(value); i++ {
				err = txn.Set([]byte(fmt.Sprint("key ", i)), value)
			}
			if err == nil {
				err = txn.Commit(h.ctx)
			}
			h.mustBe(err, kv.ErrTooLarge)
			txn.Rollback()
			h.expectAll(h.read())
		}},
		{"entries of a usual size are taken", func(h *harness) {
			value := strings.Repeat("v", 400<<10)
			key := strings.Repeat("k", 3<<10)
			h.put(entry{key, value})
			h.expect(h.store, key, value)
			h.expectAll(h.read(), entry{key, value})
		}},
		{"Limits never change while the store is open", func(h *harness) {
			before := h.store.Limits()
			h.put(everyOther()...)
			if h.store.Limits() != before {
				h.Fatalf("limits were %+v, are %+v", before, h.store.Limits())
			}
		}},
	}
}

// cheapLimit skips the test if there is no limit or reaching it takes too much memory.
func (h *harness) cheapLimit(limit int) int {
	if limit == 0 || limit > cheapBytesMax {
		h.Skipf("a limit of %d bytes (0: none) isn't tried", limit)
	}
	return limit
}
