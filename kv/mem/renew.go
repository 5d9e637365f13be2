// SPDX-License-Identifier: Apache-2.0

package mem

import (
	"context"

	"github.com/weftdb/weft/kv"
)

var _ kv.Renewer = (*Txn)(nil)

// Renew moves the transaction to the latest commits. Errors: kv.ErrClosed, ctx's error.
func (t *Txn) Renew(ctx context.Context) error {
	if err := t.check(ctx); err != nil {
		return err
	}
	now, err := t.store.latest(ctx)
	if err != nil {
		return err
	}
	if t.own == nil {
		t.own = t.snapshot
	}
	t.snapshot, t.reads = now, true
	return nil
}

// Return moves the transaction back to its own snapshot.
func (t *Txn) Return() {
	if t.own != nil {
		t.snapshot, t.own = t.own, nil
	}
}

// Changed reports whether another transaction committed key.
func (t *Txn) Changed(key []byte) bool {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return t.store.history.changedSince(string(key), t.snapshot.version)
}

// Hides reports whether the transaction's own snapshot lacks a commit of key.
func (t *Txn) Hides(key []byte) bool {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return t.own != nil && t.store.history.changedSince(string(key), t.own.version)
}

// Touch makes the commit count as one of key. Errors: kv.ErrClosed.
func (t *Txn) Touch(key []byte) error {
	t.touched = append(t.touched, string(key))
	return t.check(context.Background())
}

// Before appends what key has in the transaction's own snapshot.
func (t *Txn) Before(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := t.check(ctx); err != nil || t.own == nil {
		return dst, false, err
	}
	value, ok := t.own.entries.Get(string(key))
	return append(dst, value...), ok, nil
}
