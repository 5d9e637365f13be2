// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"errors"

	"github.com/weftdb/weft/kv"
)

func conflictChecks() []check {
	return []check{
		{"no update is lost: the second of two transactions that read and write a key fails with ErrConflict",
			func(h *harness) {
				h.put(entry{"a", "0"})
				first, second := h.begin(), h.begin()
				h.expect(first, "a", "0")
				h.expect(second, "a", "0")
				h.set(first, "a", "first")
				h.set(second, "a", "second")
				h.commit(first)
				h.mustConflict(second)
				h.expect(h.store, "a", "first")
			}},
		{"first committer wins, whichever began or wrote first", func(h *harness) {
			h.put(entry{"a", "0"})
			first, second := h.begin(), h.begin()
			h.set(first, "a", "first")
			h.set(second, "a", "second")
			h.commit(second)
			h.mustConflict(first)
			h.expect(h.store, "a", "second")
		}},
		{"a conflict on one key of many writes nothing", func(h *harness) {
			txn := h.begin()
			for _, key := range []string{"a", "b", "c", "d"} {
				h.set(txn, key, "txn")
			}
			h.put(entry{"c", "other"})
			h.mustConflict(txn)
			h.expectAll(h.read(), entry{"c", "other"})
		}},
		{"a ConflictError names a key in conflict, or none", func(h *harness) {
			txn := h.begin()
			h.set(txn, "a", "txn")
			h.set(txn, "b", "txn")
			h.put(entry{"b", "other"})
			var conflict *kv.ConflictError
			if err := txn.Commit(h.ctx); errors.As(err, &conflict) && conflict.Key != nil &&
				string(conflict.Key) != "b" {
				h.Fatalf("the conflict is on %q, want \"b\"", conflict.Key)
			} else {
				h.mustBe(err, kv.ErrConflict)
			}
		}},
	}
}

func writeConflictChecks() []check {
	return []check{
		{"two transactions that insert the same key conflict", func(h *harness) {
			first, second := h.begin(), h.begin()
			h.expect(first, "new", absent)
			h.expect(second, "new", absent)
			h.set(first, "new", "first")
			h.set(second, "new", "second")
			h.commit(first)
			h.mustConflict(second)
			h.expect(h.store, "new", "first")
		}},
		{"writing a value that is there already is a write", func(h *harness) {
			h.put(entry{"a", "same"})
			txn := h.begin()
			h.set(txn, "a", "same")
			h.put(entry{"a", "same"})
			h.mustConflict(txn)
		}},
		{"deleting an absent key is a write as far as conflicts go", func(h *harness) {
			first, second := h.begin(), h.begin()
			h.must(first.Delete([]byte("absent")))
			h.must(second.Delete([]byte("absent")))
			h.commit(first)
			h.mustConflict(second)
		}},
	}
}

func laterConflictChecks() []check {
	return []check{
		{"a deletion conflicts with a write, and a write with a deletion", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "2"})
			deleting, writing := h.begin(), h.begin()
			h.must(deleting.Delete([]byte("a")))
			h.set(writing, "b", "3")
			h.put(entry{"a", "new"})
			h.delete("b")
			h.mustConflict(deleting)
			h.mustConflict(writing)
			h.expectAll(h.read(), entry{"a", "new"})
		}},
		{"a key changed and changed back conflicts", func(h *harness) {
			h.put(entry{"a", "1"})
			txn := h.begin()
			h.set(txn, "a", "2")
			h.put(entry{"a", "other"})
			h.put(entry{"a", "1"})
			h.mustConflict(txn)
		}},
		{"what was committed before the snapshot is no conflict", func(h *harness) {
			for range 5 {
				h.put(entry{"a", "1"})
				txn := h.begin()
				h.set(txn, "a", "2")
				h.must(txn.Guard([]byte("b")))
				h.commit(txn)
				h.delete("a")
			}
		}},
		{"a write that was rolled back is no conflict", func(h *harness) {
			txn, other := h.begin(), h.begin()
			h.set(other, "a", "dropped")
			other.Rollback()
			h.set(txn, "a", "kept")
			h.commit(txn)
			h.expect(h.store, "a", "kept")
		}},
		{"a transaction that failed leaves nothing in the way of those that begin later", func(h *harness) {
			failing := h.begin()
			h.set(failing, "a", "failed")
			h.set(failing, "b", "failed")
			h.put(entry{"a", "winner"})
			h.mustConflict(failing)
			later := h.begin()
			h.expectAll(later, entry{"a", "winner"})
			h.set(later, "b", "kept")
			h.commit(later)
			h.expectAll(h.read(), entry{"a", "winner"}, entry{"b", "kept"})
		}},
	}
}

func disjointChecks() []check {
	return []check{
		{"transactions of different keys don't conflict", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "2"}, entry{"c", "3"})
			first, second, third := h.begin(), h.begin(), h.begin()
			h.set(first, "a", "first")
			h.set(second, "b", "second")
			h.must(third.Delete([]byte("c")))
			h.set(third, "d", "third")
			h.commit(third)
			h.commit(first)
			h.commit(second)
			h.expectAll(h.read(), entry{"a", "first"}, entry{"b", "second"}, entry{"d", "third"})
		}},
		// which is how plain write skew comes about; it's allowed
		{"a key that was only read is no conflict", func(h *harness) {
			h.put(entry{"a", "1"}, entry{"b", "1"})
			txn := h.begin()
			h.expect(txn, "b", "1")
			h.expectAll(txn, entry{"a", "1"}, entry{"b", "1"})
			h.set(txn, "a", "2")
			h.put(entry{"b", "other"})
			h.commit(txn)
		}},
	}
}

func guardChecks() []check {
	return []check{
		{"write skew on guarded keys cannot happen", func(h *harness) {
			h.put(entry{"a", "on"}, entry{"b", "on"})
			first, second := h.begin(), h.begin()
			for _, txn := range []kv.Txn{first, second} {
				h.expect(txn, "a", "on")
				h.expect(txn, "b", "on")
			}
			h.must(first.Guard([]byte("b")))
			h.set(first, "a", "off")
			h.must(second.Guard([]byte("a")))
			h.set(second, "b", "off")
			h.commit(first)
			h.mustConflict(second)
			h.expectAll(h.read(), entry{"a", "off"}, entry{"b", "on"})
		}},
		{"a guarded key that another transaction committed is a conflict", func(h *harness) {
			h.put(entry{"a", "1"})
			txn := h.begin()
			h.must(txn.Guard([]byte("a")))
			h.set(txn, "b", "2")
			h.put(entry{"a", "other"})
			h.mustConflict(txn)
			h.expect(h.store, "b", absent)
		}},
		{"a guarded key that another transaction deleted is a conflict", func(h *harness) {
			h.put(entry{"a", "1"})
			txn := h.begin()
			h.must(txn.Guard([]byte("a")))
			h.set(txn, "b", "2")
			h.delete("a")
			h.mustConflict(txn)
		}},
		{"a guarded absent key that another transaction inserted is a conflict", func(h *harness) {
			txn := h.begin()
			h.expect(txn, "a", absent)
			h.must(txn.Guard([]byte("a")))
			h.set(txn, "b", "2")
			h.put(entry{"a", "other"})
			h.mustConflict(txn)
			h.expectAll(h.read(), entry{"a", "other"})
		}},
		{"a transaction that guards and writes nothing conflicts too", func(h *harness) {
			txn := h.begin()
			h.must(txn.Guard([]byte("a")))
			h.put(entry{"a", "other"})
			h.mustConflict(txn)
		}},
	}
}

func guardEdgeChecks() []check {
	return []check{
		{"a key both guarded and written is written", func(h *harness) {
			h.put(entry{"b", "1"}, entry{"c", "1"})
			txn := h.begin()
			h.must(txn.Guard([]byte("a")))
			h.set(txn, "a", "written")
			h.set(txn, "b", "written")
			h.must(txn.Guard([]byte("b")))
			h.must(txn.Guard([]byte("c")))
			h.must(txn.Delete([]byte("c")))
			h.must(txn.Guard([]byte("b")))
			h.commit(txn)
			h.expectAll(h.read(), entry{"a", "written"}, entry{"b", "written"})
		}},
		{"a guard that nobody crosses commits", func(h *harness) {
			h.put(entry{"a", "1"})
			txn := h.begin()
			h.must(txn.Guard([]byte("a")))
			h.must(txn.Guard([]byte("absent")))
			h.set(txn, "b", "2")
			h.put(entry{"c", "other"})
			h.commit(txn)
			h.expectAll(h.read(), entry{"a", "1"}, entry{"b", "2"}, entry{"c", "other"})
		}},
		{"phantoms are possible, and a guarded key of the range prevents them", func(h *harness) {
			unguarded, guarded := h.begin(), h.begin()
			r := keyRange("range/", "range0")
			for _, txn := range []kv.Txn{unguarded, guarded} {
				h.expectScan(txn, r, false, nil)
			}
			h.set(unguarded, "count 1", "0")
			h.set(guarded, "count 2", "0")
			h.must(guarded.Guard([]byte("range/")))
			h.put(entry{"range/", "has new keys"}, entry{"range/x", "phantom"})
			h.commit(unguarded)
			h.mustConflict(guarded)
		}},
		{"a blind write conflicts or is ordered after the other commit", func(h *harness) {
			h.put(entry{"a", "0"}, entry{"b", "0"})
			txn := h.beginBlind()
			h.set(txn, "a", "blind")
			h.must(txn.Delete([]byte("b")))
			h.put(entry{"a", "other"}, entry{"b", "other"})
			if err := txn.Commit(h.ctx); err != nil {
				h.mustBe(err, kv.ErrConflict)
				h.expectAll(h.read(), entry{"a", "other"}, entry{"b", "other"})
				return
			}
			h.expectAll(h.read(), entry{"a", "blind"})
		}},
	}
}
