// SPDX-License-Identifier: Apache-2.0

package database

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/rows/change"
	"github.com/weftdb/weft/kv"
)

// TransactionError says which writes of a transaction were refused, and why: errors of KindConditionFailed, KindInvalid
// or KindConflict. Nothing was written.
type TransactionError = change.TransactionError

// Transact does several writes of different items in one commit, or none of them. Every write is judged, whatever the
// others come to, and all that are refused are reported together. It waits for other writers of the same items in this
// process, so that transactions are serializable, among themselves and with single writes. token may be nil; else the
// transaction happens once, however often it is asked for within TokenWindow: done says that it had happened before,
// and the writes' results are then empty. Errors: *TransactionError; ErrTokenReused, ErrTokenInUse; KindInvalid if two
// writes name one item; else as Write.
func (db *DB) Transact(ctx context.Context, writes []TableWrite, token *Token) (done bool, err error) {
	keys, _, err := writeKeys(writes)
	if err != nil {
		return false, err
	}
	if token != nil {
		if !db.tokens.Begin(token.ID) {
			return false, ErrTokenInUse
		}
		defer db.tokens.End(token.ID)
	}
	err = db.updateLatched(ctx, keys, func(txn kv.Txn, s *scratch) error {
		if token != nil {
			if done, err = db.tokens.Use(ctx, txn, token); done || err != nil {
				return err
			}
		}
		return judge(ctx, txn, writes, keys, s)
	})
	if kind := KindOf(err); err != nil && kind == KindConflict {
		return false, conflictOf(err, keys)
	}
	return done, err
}

// updateLatched runs fn in a transaction under the latches of keys.
func (db *DB) updateLatched(ctx context.Context, keys [][]byte, fn func(kv.Txn, *scratch) error) error {
	held, err := db.latches.LockWithin(ctx, db.options.LockWait, keys...)
	if err != nil {
		return wrap("", err)
	}
	defer held.Unlock()
	s := db.scratch.Get().(*scratch)
	err = kv.Update(ctx, db.store, func(txn kv.Txn) error { return fn(txn, s) })
	db.scratch.Put(s) // not after a panic, when it may still be in use
	return wrap("", err)
}

// judge does the writes in txn and collects those that are refused.
func judge(ctx context.Context, txn kv.Txn, writes []TableWrite, keys [][]byte, s *scratch) error {
	if err := prefetch(ctx, txn, writes, keys); err != nil {
		return err
	}
	var refused *TransactionError
	for i := range writes {
		err := writes[i].do(ctx, txn, keys[i], s)
		if err == nil {
			continue
		}
		if kind := KindOf(err); kind != KindConditionFailed && kind != KindInvalid {
			return err
		}
		if refused == nil {
			refused = &TransactionError{Refusals: make([]error, len(writes))}
		}
		refused.Refusals[i] = err
	}
	if refused != nil {
		return &Error{Kind: KindConditionFailed, Err: refused}
	}
	return nil
}

// prefetch reads the items together that writes will look at.
func prefetch(ctx context.Context, txn kv.Txn, writes []TableWrite, keys [][]byte) error {
	read := make([][]byte, 0, len(keys))
	for i := range writes {
		if w := &writes[i]; w.Table.target().Reads(&w.Write) {
			read = append(read, keys[i])
		}
	}
	return kv.Prefetch(ctx, txn, read)
}

// do does one write in txn. Its result is the caller's.
func (w *TableWrite) do(ctx context.Context, txn kv.Txn, key []byte, s *scratch) error {
	err := w.Table.apply(ctx, txn, key, &w.Write, &w.Result, s)
	w.Result.Change.Indexes = slices.Clone(w.Result.Change.Indexes)
	return wrap(w.Table.name(), err)
}

// conflictOf is a conflict that other processes won to the last, at the write whose key it is about, the first if that
// is unknown.
func conflictOf(err error, keys [][]byte) error {
	at := 0
	if conflict, ok := errors.AsType[*kv.ConflictError](err); ok {
		at = max(0, slices.IndexFunc(keys, func(key []byte) bool { return bytes.Equal(key, conflict.Key) }))
	}
	refused := &TransactionError{Refusals: make([]error, len(keys))}
	refused.Refusals[at] = err
	return &Error{Kind: KindConflict, Err: refused}
}
