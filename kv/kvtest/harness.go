// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weftdb/weft/kv"
)

// harness is one test's store with the calls that may not fail.
type harness struct {
	*testing.T
	ctx    context.Context
	engine Engine
	store  kv.Store
}

// entry is one key with its value.
type entry struct {
	key, value string
}

// view is the common part of Reader and Txn.
type view interface {
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
	GetMany(ctx context.Context, keys [][]byte, found func(i int, value []byte, ok bool) error) error
	Scan(ctx context.Context, r kv.Range, reverse bool) kv.Cursor
}

func open(t *testing.T, e Engine) *harness {
	h := &harness{T: t, ctx: t.Context(), engine: e}
	h.use(e.Open(t))
	return h
}

// use makes s the store of the test and closes it in the end.
func (h *harness) use(s kv.Store) {
	h.store = s
	h.Cleanup(func() {
		if err := s.Close(); err != nil {
			h.Errorf("Close: %v", err)
		}
	})
}

// sub is the harness for a subtest on the same store.
func (h *harness) sub(name string, run func(h *harness)) {
	h.T.Run(name, func(t *testing.T) {
		inner := *h
		inner.T, inner.ctx = t, t.Context()
		run(&inner)
	})
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatalf("unexpected error: %v", err)
	}
}

func (h *harness) mustBe(err, want error) {
	h.Helper()
	if !errors.Is(err, want) {
		h.Fatalf("error is %v, want %v", err, want)
	}
}

// begin starts a transaction whose snapshot is taken now.
func (h *harness) begin() kv.Txn {
	h.Helper()
	txn := h.beginBlind()
	_, _, err := txn.Get(h.ctx, []byte("harness: pins the snapshot"), nil)
	h.must(err)
	return txn
}

// beginBlind starts a transaction whose snapshot may not be taken yet.
func (h *harness) beginBlind() kv.Txn {
	h.Helper()
	txn, err := h.store.Begin(h.ctx)
	h.must(err)
	h.Cleanup(txn.Rollback)
	return txn
}

func (h *harness) read() kv.Reader {
	h.Helper()
	r, err := h.store.Read(h.ctx)
	h.must(err)
	h.Cleanup(func() {
		if err := r.Close(); err != nil {
			h.Errorf("Reader.Close: %v", err)
		}
	})
	return r
}

// put commits entries; delete commits deletions.
func (h *harness) put(entries ...entry) {
	h.Helper()
	h.must(kv.Update(h.ctx, h.store, func(txn kv.Txn) error { return setAll(txn, entries) }))
}

func (h *harness) delete(keys ...string) {
	h.Helper()
	h.must(kv.Update(h.ctx, h.store, func(txn kv.Txn) error {
		for _, key := range keys {
			if err := txn.Delete([]byte(key)); err != nil {
				return err
			}
		}
		return nil
	}))
}

func setAll(txn kv.Txn, entries []entry) error {
	for _, e := range entries {
		if err := txn.Set([]byte(e.key), []byte(e.value)); err != nil {
			return err
		}
	}
	return nil
}

func (h *harness) set(txn kv.Txn, key, value string) {
	h.Helper()
	h.must(txn.Set([]byte(key), []byte(value)))
}

// getter is Store, Reader or Txn.
type getter interface {
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
}

// absent stands for the value of a key that is missing.
const absent = "(absent)"

func (h *harness) get(from getter, key string) string {
	h.Helper()
	value, ok, err := from.Get(h.ctx, []byte(key), nil)
	h.must(err)
	if !ok {
		return absent
	}
	return string(value)
}

func (h *harness) expect(from getter, key, want string) {
	h.Helper()
	if got := h.get(from, key); got != want {
		h.Fatalf("%q is %q, want %q", key, got, want)
	}
}

// scan returns what a cursor shows.
func (h *harness) scan(from view, r kv.Range, reverse bool) []entry {
	h.Helper()
	cursor := from.Scan(h.ctx, r, reverse)
	all := rest(cursor)
	h.must(cursor.Close())
	return all
}

// rest walks a cursor to its end.
func rest(cursor kv.Cursor) []entry {
	var all []entry
	for cursor.Next() {
		all = append(all, entry{string(cursor.Key()), string(cursor.Value())})
	}
	return all
}

func (h *harness) expectScan(from view, r kv.Range, reverse bool, want []entry) {
	h.Helper()
	if got := h.scan(from, r, reverse); !slices.Equal(got, want) {
		h.Fatalf("scan of %s, reverse %t, shows\n%s\nwant\n%s", rangeText(r), reverse, entriesText(got),
			entriesText(want))
	}
}

// expectAll expects both directions of the whole store to show want, which is in ascending order.
func (h *harness) expectAll(from view, want ...entry) {
	h.Helper()
	h.expectScan(from, kv.Range{}, false, want)
	h.expectScan(from, kv.Range{}, true, reversed(want))
}

// mustConflict expects txn's Commit to fail because of another one.
func (h *harness) mustConflict(txn kv.Txn) {
	h.Helper()
	h.mustBe(txn.Commit(h.ctx), kv.ErrConflict)
}

func (h *harness) commit(txn kv.Txn) {
	h.Helper()
	h.must(txn.Commit(h.ctx))
}

// within returns the entries, which ascend, that a scan of r shows.
func within(entries []entry, r kv.Range, reverse bool) []entry {
	var in []entry
	for _, e := range entries {
		if bytes.Compare([]byte(e.key), r.Start) >= 0 && (r.End == nil || bytes.Compare([]byte(e.key), r.End) < 0) {
			in = append(in, e)
		}
	}
	if reverse {
		return reversed(in)
	}
	return in
}

func reversed(entries []entry) []entry {
	turned := slices.Clone(entries)
	slices.Reverse(turned)
	return turned
}

func entriesText(entries []entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "  %q = %q\n", e.key, e.value)
	}
	return b.String()
}

func rangeText(r kv.Range) string { return "[" + boundText(r.Start) + ", " + boundText(r.End) + ")" }

func boundText(bound []byte) string {
	if bound == nil {
		return "nil"
	}
	return fmt.Sprintf("%q", bound)
}

func keyRange(start, end string) kv.Range {
	return kv.Range{Start: []byte(start), End: []byte(end)}
}
