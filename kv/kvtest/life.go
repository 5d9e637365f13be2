// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/weftdb/weft/kv"
)

func lifeChecks() []check {
	return []check{
		{"a transaction is over after Commit", func(h *harness) {
			txn := h.begin()
			h.set(txn, "a", "1")
			h.commit(txn)
			h.expectOver(txn)
			h.expectAll(h.read(), entry{"a", "1"})
		}},
		{"a transaction is over after a Commit that failed", func(h *harness) {
			txn := h.begin()
			h.set(txn, "a", "1")
			h.put(entry{"a", "other"})
			h.mustConflict(txn)
			h.expectOver(txn)
			h.expectAll(h.read(), entry{"a", "other"})
		}},
		{"a transaction is over after Rollback", func(h *harness) {
			txn := h.begin()
			h.set(txn, "a", "1")
			txn.Rollback()
			h.expectOver(txn)
			h.expectAll(h.read())
		}},
		{"Rollback after Commit or a second time does nothing", func(h *harness) {
			txn := h.begin()
			h.set(txn, "a", "1")
			h.commit(txn)
			txn.Rollback()
			txn.Rollback()
			h.expect(h.store, "a", "1")
			fresh := h.begin()
			fresh.Rollback()
			fresh.Rollback()
		}},
		{"a Reader is closed after Close, and closing twice is no error", func(h *harness) {
			h.put(entry{"a", "1"})
			r := h.read()
			h.must(r.Close())
			h.must(r.Close())
			h.expectClosed(r)
		}},
		{"closing one Reader leaves the others", func(h *harness) {
			h.put(entry{"a", "1"})
			first, second := h.read(), h.read()
			h.must(first.Close())
			h.expect(second, "a", "1")
		}},
	}
}

func storeLifeChecks() []check {
	return []check{
		{"use of a store after Close returns ErrClosed, and closing twice is no error", func(h *harness) {
			h.put(entry{"a", "1"})
			h.must(h.store.Close())
			h.must(h.store.Close())
			_, _, err := h.store.Get(h.ctx, []byte("a"), nil)
			h.mustBe(err, kv.ErrClosed)
			_, err = h.store.Read(h.ctx)
			h.mustBe(err, kv.ErrClosed)
			_, err = h.store.Begin(h.ctx)
			h.mustBe(err, kv.ErrClosed)
			h.mustBe(kv.Update(h.ctx, h.store, func(kv.Txn) error { return nil }), kv.ErrClosed)
			h.mustBe(kv.Walk(h.ctx, h.store, kv.Range{}, false).Close(), kv.ErrClosed)
		}},
		{"a Reader and a Txn left open when the store closes return ErrClosed", func(h *harness) {
			h.put(entry{"a", "1"})
			r, txn, writing := h.read(), h.begin(), h.beginBlind()
			h.set(txn, "b", "2")
			h.set(writing, "b", "2")
			h.must(h.store.Close())
			h.expectClosed(r)
			h.expectClosed(txn)
			h.mustBe(txn.Commit(h.ctx), kv.ErrClosed)
			h.mustBe(writing.Commit(h.ctx), kv.ErrClosed)
			h.must(r.Close())
		}},
	}
}

// expectOver expects every method of a finished transaction to return ErrClosed.
func (h *harness) expectOver(txn kv.Txn) {
	h.Helper()
	h.expectClosed(txn)
	h.mustBe(txn.Set([]byte("late"), []byte("1")), kv.ErrClosed)
	h.mustBe(txn.Delete([]byte("late")), kv.ErrClosed)
	h.mustBe(txn.Guard([]byte("late")), kv.ErrClosed)
	h.mustBe(txn.Commit(h.ctx), kv.ErrClosed)
}

// expectClosed expects every reading method to return ErrClosed.
func (h *harness) expectClosed(v view) {
	h.Helper()
	_, _, err := v.Get(h.ctx, []byte("a"), nil)
	h.mustBe(err, kv.ErrClosed)
	h.mustBe(v.GetMany(h.ctx, [][]byte{[]byte("a")}, func(int, []byte, bool) error { return nil }), kv.ErrClosed)
	for _, reverse := range []bool{false, true} {
		cursor := v.Scan(h.ctx, kv.Range{}, reverse)
		if cursor.Next() {
			h.Fatalf("a cursor shows %q", cursor.Key())
		}
		h.mustBe(cursor.Close(), kv.ErrClosed)
	}
}

// cancelEntries is the number of entries a cursor may still show after its context was cancelled, at most.
const cancelEntries = 2000

func contextChecks() []check {
	return []check{
		{"a cancelled context ends a cursor with its error", func(h *harness) {
			h.put(entry{"a", "1"})
			ctx, cancel := context.WithCancel(h.ctx)
			cancel()
			h.onBoth(func(v view, reverse bool) {
				cursor := v.Scan(ctx, kv.Range{}, reverse)
				if cursor.Next() {
					h.Fatalf("a cursor shows %q", cursor.Key())
				}
				h.mustBe(cursor.Close(), context.Canceled)
			})
		}},
		{"a context cancelled on the way ends a cursor with its error", func(h *harness) {
			entries := make([]entry, cancelEntries)
			for i := range entries {
				entries[i] = entry{fmt.Sprintf("key %06d", i), "v"}
			}
			h.put(entries...)
			h.onBoth(func(v view, reverse bool) {
				ctx, cancel := context.WithCancel(h.ctx)
				defer cancel()
				cursor := v.Scan(ctx, kv.Range{}, reverse)
				cursor.Next()
				cancel()
				rest(cursor)
				h.mustBe(cursor.Close(), context.Canceled)
			})
		}},
		{"a cancelled context ends Get and GetMany with its error", func(h *harness) {
			h.put(entry{"a", "1"})
			ctx, cancel := context.WithCancel(h.ctx)
			r, txn := h.read(), h.begin()
			cancel()
			for _, from := range []getter{h.store, r, txn} {
				_, _, err := from.Get(ctx, []byte("a"), nil)
				h.mustBe(err, context.Canceled)
			}
			for _, v := range []view{r, txn} {
				err := v.GetMany(ctx, [][]byte{[]byte("a")}, func(int, []byte, bool) error { return nil })
				h.mustBe(err, context.Canceled)
			}
		}},
	}
}

func cancelledCommitChecks() []check {
	return []check{
		{"after Commit with a cancelled context everything or nothing is written, as its error says", func(h *harness) {
			txn := h.begin()
			h.set(txn, "a", "1")
			h.set(txn, "b", "1")
			ctx, cancel := context.WithCancel(h.ctx)
			cancel()
			err := txn.Commit(ctx)
			a, b := h.get(h.store, "a"), h.get(h.store, "b")
			if a != b || (err == nil && a != "1") ||
				(err != nil && !errors.Is(err, kv.ErrUnknownOutcome) && a != absent) {
				h.Fatalf("Commit returns %v and the keys are %q and %q", err, a, b)
			}
			h.expectOver(txn)
		}},
		{"a cancelled context leaves the store usable", func(h *harness) {
			ctx, cancel := context.WithCancel(h.ctx)
			cancel()
			if txn, err := h.store.Begin(ctx); err == nil {
				txn.Rollback()
			}
			if r, err := h.store.Read(ctx); err == nil {
				h.must(r.Close())
			}
			h.put(entry{"a", "1"})
			h.expectAll(h.read(), entry{"a", "1"})
		}},
	}
}
