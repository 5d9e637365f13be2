// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"errors"

	"github.com/weftdb/weft/kv"
)

// renewer starts a transaction that can read later commits; the check ends if the engine has none.
func (h *harness) renewer(txn kv.Txn) kv.Renewer {
	h.Helper()
	r, ok := kv.RenewerOf(txn)
	if !ok {
		h.Skip("the engine's transactions read one snapshot to their end")
	}
	return r
}

func renewChecks() []check {
	return []check{
		{"renewed, a transaction reads later commits with its own writes on top, and its snapshot again after Return",
			func(h *harness) {
				h.put(entry{"a", "0"}, entry{"b", "0"}, entry{"d", "0"})
				txn := h.begin()
				r := h.renewer(txn)
				h.set(txn, "b", "own")
				h.put(entry{"a", "1"}, entry{"c", "1"})
				h.delete("d")
				h.expectAll(txn, entry{"a", "0"}, entry{"b", "own"}, entry{"d", "0"})
				h.must(r.Renew(h.ctx))
				h.expect(txn, "a", "1")
				h.expect(txn, "b", "own")
				h.expectAll(txn, entry{"a", "1"}, entry{"b", "own"}, entry{"c", "1"})
				h.put(entry{"a", "2"})
				h.expect(txn, "a", "1")
				h.must(r.Renew(h.ctx))
				h.expect(txn, "a", "2")
				r.Return()
				h.expectAll(txn, entry{"a", "0"}, entry{"b", "own"}, entry{"d", "0"})
			}},
		{"what is first written after Renew is judged from there", func(h *harness) {
			h.put(entry{"a", "0"})
			txn := h.begin()
			r := h.renewer(txn)
			h.put(entry{"a", "1"})
			h.must(r.Renew(h.ctx))
			h.set(txn, "a", h.get(txn, "a")+"+")
			h.must(txn.Guard([]byte("a")))
			r.Return()
			h.set(txn, "a", h.get(txn, "a")+"+")
			h.commit(txn)
			h.expect(h.store, "a", "1++")
		}},
		{"a commit after Renew is a conflict with what was written or guarded since, and with what was written before",
			func(h *harness) {
				for _, write := range []func(kv.Txn, kv.Renewer) error{
					func(txn kv.Txn, r kv.Renewer) error {
						h.must(r.Renew(h.ctx))
						return txn.Set([]byte("a"), []byte("txn"))
					},
					func(txn kv.Txn, r kv.Renewer) error {
						h.must(r.Renew(h.ctx))
						h.set(txn, "b", "txn")
						return txn.Guard([]byte("a"))
					},
					func(txn kv.Txn, r kv.Renewer) error { return txn.Delete([]byte("a")) },
				} {
					h.put(entry{"a", "0"})
					txn := h.begin()
					r := h.renewer(txn)
					h.must(write(txn, r))
					h.put(entry{"a", "1"})
					h.must(r.Renew(h.ctx))
					h.set(txn, "a", "txn again")
					r.Return()
					h.mustConflict(txn)
					h.expect(h.store, "a", "1")
				}
			}},
		{"Changed tells commits of others after the last Renew", func(h *harness) {
			txn := h.begin()
			r := h.renewer(txn)
			h.put(entry{"a", "1"})
			h.must(r.Renew(h.ctx))
			h.set(txn, "b", "own")
			if r.Changed([]byte("a")) || r.Changed([]byte("b")) {
				h.Fatal("a key has changed that nobody has committed since")
			}
			h.put(entry{"a", "2"})
			h.delete("b")
			if !r.Changed([]byte("a")) || !r.Changed([]byte("b")) {
				h.Fatal("a commit of another transaction is not told")
			}
		}},
		{"Touch lets others touch a key, and whoever writes it from before fails", func(h *harness) {
			txns := [2]kv.Txn{h.begin(), h.begin()}
			for i, txn := range txns {
				_, _, err := txn.Get(h.ctx, []byte("a"), nil)
				h.must(err)
				h.must(h.renewer(txn).Touch([]byte("a")))
				h.set(txn, []string{"b", "c"}[i], "1")
			}
			before := h.begin()
			_, _, err := before.Get(h.ctx, []byte("a"), nil)
			h.must(err)
			h.set(before, "a", "2")
			for _, txn := range txns {
				h.must(txn.Commit(h.ctx))
			}
			if !h.renewer(before).Changed([]byte("a")) {
				h.Fatal("a key that was touched has not changed")
			}
			if err := before.Commit(h.ctx); !errors.Is(err, kv.ErrConflict) {
				h.Fatalf("the commit of a key that was touched since: %v", err)
			}
			after := h.begin()
			if _, ok, err := after.Get(h.ctx, []byte("a"), nil); ok || err != nil {
				h.Fatalf("touched into being: %t, error %v", ok, err)
			}
			h.set(after, "a", "3")
			h.must(after.Commit(h.ctx))
		}},
		{"Hides and Before tell what later commits and own writes have changed", func(h *harness) {
			h.put(entry{"a", "0"})
			txn := h.begin()
			r := h.renewer(txn)
			h.put(entry{"a", "1"}, entry{"b", "1"})
			h.must(r.Renew(h.ctx))
			h.set(txn, "a", "own")
			if !r.Hides([]byte("a")) || !r.Hides([]byte("b")) {
				h.Fatal("a commit that the snapshot lacks is not told")
			}
			value, ok, err := r.Before(h.ctx, []byte("a"), nil)
			if h.must(err); !ok || string(value) != "0" {
				h.Fatalf("a was %q, %t", value, ok)
			}
			if _, ok, err = r.Before(h.ctx, []byte("b"), nil); ok || err != nil {
				h.Fatalf("b was there: %t, error %v", ok, err)
			}
		}},
	}
}
