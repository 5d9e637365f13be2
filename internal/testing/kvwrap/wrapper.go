// SPDX-License-Identifier: Apache-2.0

package kvwrap

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/weftdb/weft/kv"
)

// wrapper is a kv.Store that makes every call on another one through call: with the kind of the call, its text, and
// run, which makes it and returns its result as text. The error of call is the call's error. If call doesn't run the
// call, that error must not be nil.
type wrapper struct {
	store  kv.Store
	call   func(kind Call, text string, run func() (result string, err error)) error
	opened atomic.Int64
}

// do is call for a call that has no result but its error.
func (w *wrapper) do(call Call, text string, run func() error) error {
	return w.call(call, text, func() (string, error) { return "ok", run() })
}

// name numbers a new reader, transaction or cursor.
func (w *wrapper) name(kind string) string { return fmt.Sprint(kind, " ", w.opened.Add(1)) }

// get is Get of a store, or of a view whose name and a blank stand before.
func (w *wrapper) get(ctx context.Context, from getter, before string, key, dst []byte) (value []byte, ok bool,
	err error) {
	value = dst
	err = w.call(CallGet, fmt.Sprintf("%sget %q", before, key), func() (string, error) {
		value, ok, err = from.Get(ctx, key, dst)
		if !ok {
			return "absent", err
		}
		return fmt.Sprintf("%q", value[len(dst):]), err
	})
	if err != nil {
		return dst, false, err
	}
	return value, ok, nil
}

// Get is the store's Get.
func (w *wrapper) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return w.get(ctx, w.store, "", key, dst)
}

// Read is the store's Read.
func (w *wrapper) Read(ctx context.Context) (kv.Reader, error) {
	r := &wrappedReader{}
	err := w.call(CallRead, "read", func() (name string, err error) {
		if r.reader, err = w.store.Read(ctx); err == nil {
			r.wrappedView = wrappedView{w, r.reader, w.name("reader")}
		}
		return r.name, err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Begin is the store's Begin.
func (w *wrapper) Begin(ctx context.Context) (kv.Txn, error) {
	t := &wrappedTxn{}
	err := w.call(CallBegin, "begin", func() (name string, err error) {
		if t.txn, err = w.store.Begin(ctx); err == nil {
			t.wrappedView = wrappedView{w, t.txn, w.name("txn")}
		}
		return t.name, err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Unwrap returns the store: kv.SharedOf finds its clock and its fence, calls of which are passed on as they are.
func (w *wrapper) Unwrap() kv.Store { return w.store }

// Limits returns the store's limits.
func (w *wrapper) Limits() kv.Limits { return w.store.Limits() }

// Close closes the store.
func (w *wrapper) Close() error { return w.do(callUncounted, "close", w.store.Close) }

// Admin wraps the store's operator's side in the same way.
func (w *wrapper) Admin(admin kv.Admin) kv.Admin { return &wrappedAdmin{w, admin} }

type wrappedView struct {
	*wrapper
	view view
	name string
}

func (v *wrappedView) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return v.get(ctx, v.view, v.name+" ", key, dst)
}

func (v *wrappedView) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	return v.do(CallGetMany, fmt.Sprintf("%s get many %q", v.name, keys),
		func() error { return v.view.GetMany(ctx, keys, found) })
}

func (v *wrappedView) Scan(ctx context.Context, r kv.Range, reverse bool) kv.Cursor {
	text := v.name + " scan " + rangeText(r)
	if reverse {
		text += " reverse"
	}
	c := &wrappedCursor{wrapper: v.wrapper, name: v.wrapper.name("cursor")}
	c.err = v.call(CallScan, text, func() (string, error) {
		c.cursor = v.view.Scan(ctx, r, reverse)
		return c.name, nil
	})
	return c
}

type wrappedReader struct {
	wrappedView
	reader kv.Reader
}

func (r *wrappedReader) Close() error {
	return r.do(callUncounted, r.name+" close", r.reader.Close)
}

type wrappedTxn struct {
	wrappedView
	txn kv.Txn
}

// UnwrapTxn returns the transaction, calls of whose kv.Renewer are passed on as they are.
func (t *wrappedTxn) UnwrapTxn() kv.Txn { return t.txn }

func (t *wrappedTxn) Set(key, value []byte) error {
	return t.do(CallSet, fmt.Sprintf("%s set %q = %q", t.name, key, value),
		func() error { return t.txn.Set(key, value) })
}

func (t *wrappedTxn) Delete(key []byte) error {
	return t.do(CallDelete, fmt.Sprintf("%s delete %q", t.name, key), func() error { return t.txn.Delete(key) })
}

func (t *wrappedTxn) Guard(key []byte) error {
	return t.do(CallGuard, fmt.Sprintf("%s guard %q", t.name, key), func() error { return t.txn.Guard(key) })
}

func (t *wrappedTxn) Commit(ctx context.Context) error {
	defer t.txn.Rollback() // it's over even if the call wasn't made
	return t.do(CallCommit, t.name+" commit", func() error { return t.txn.Commit(ctx) })
}

func (t *wrappedTxn) Rollback() {
	_ = t.do(callUncounted, t.name+" rollback", func() error {
		t.txn.Rollback()
		return nil
	})
}

// wrappedCursor has no cursor if the call of Scan wasn't made.
type wrappedCursor struct {
	*wrapper
	cursor kv.Cursor
	name   string
	err    error // of a call that wasn't made
}

func (c *wrappedCursor) Next() (moved bool) {
	if c.err != nil {
		return false
	}
	c.err = c.call(CallNext, c.name+" next", func() (string, error) {
		if moved = c.cursor.Next(); !moved {
			return "end", nil
		}
		return fmt.Sprintf("%q = %q", c.cursor.Key(), c.cursor.Value()), nil
	})
	return moved && c.err == nil
}

func (c *wrappedCursor) Key() []byte   { return c.cursor.Key() }
func (c *wrappedCursor) Value() []byte { return c.cursor.Value() }

func (c *wrappedCursor) Seek(key []byte) {
	if c.cursor != nil {
		_ = c.do(callUncounted, fmt.Sprintf("%s seek %q", c.name, key), func() error {
			c.cursor.Seek(key)
			return nil
		})
	}
}

// Move counts as a Scan.
func (c *wrappedCursor) Move(r kv.Range) {
	if c.cursor != nil && c.err == nil {
		c.err = c.do(CallScan, c.name+" move "+rangeText(r), func() error {
			c.cursor.Move(r)
			return nil
		})
	}
}

func (c *wrappedCursor) Close() error {
	if c.cursor == nil {
		return c.err
	}
	if err := c.do(callUncounted, c.name+" close", c.cursor.Close); c.err == nil {
		return err
	}
	return c.err
}
