// SPDX-License-Identifier: Apache-2.0

package kv

import "context"

// Renewer is implemented by a Txn that can also read commits after its snapshot. So writers that wait for one another
// continue from the value that the one before them left, while their other reads stay at one snapshot.
type Renewer interface {
	// Renew makes reads show the latest commits, with the transaction's own writes on top, until Return. A key that is
	// written or guarded for the first time meanwhile is judged from this moment: Commit fails if another transaction
	// committed it later. All cursors must be closed. Renew again moves the moment.
	Renew(ctx context.Context) error
	// Return makes reads show the transaction's own snapshot again, which is taken at the next read if there was none.
	// All cursors must be closed.
	Return()
	// Changed reports whether another transaction committed key after the last Renew, or may have; without one, after
	// the transaction's snapshot.
	Changed(key []byte) bool
	// Hides reports whether the transaction's own snapshot was taken and another transaction committed key since, or
	// may have.
	Hides(key []byte) bool
	// Touch makes the commit count as a write of key, without a value: a later commit of a transaction with an earlier
	// snapshot that writes or guards the key fails. Commits that touch the same key don't conflict, and they don't
	// check whether others have written it: the caller must. It must not be undone.
	Touch(key []byte) error
	// Before appends the value that key has in the transaction's own snapshot, own writes aside, to dst. Call it where
	// Hides is true.
	Before(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
}

// TxnUnwrapper is a Txn that passes calls on to another one.
type TxnUnwrapper interface {
	// UnwrapTxn returns the other transaction.
	UnwrapTxn() Txn
}

// RenewerOf returns the Renewer of t, or of the first transaction below that is one; ok is false if t reads one
// snapshot to its end.
func RenewerOf(t Txn) (renewer Renewer, ok bool) { return findTxn[Renewer](t) }

// findTxn returns the first of t and the transactions below it that is a T.
func findTxn[T any](t Txn) (found T, ok bool) {
	for t != nil {
		if found, ok := t.(T); ok {
			return found, true
		}
		wrapper, ok := t.(TxnUnwrapper)
		if !ok {
			break
		}
		t = wrapper.UnwrapTxn()
	}
	return found, false
}
