// SPDX-License-Identifier: Apache-2.0

package kv

import "context"

// Prefetcher is implemented by a Txn whose reads take a way over the network each.
type Prefetcher interface {
	// Prefetch reads keys together at the transaction's snapshot and keeps what it finds, so that Get and GetMany have
	// it at hand. It changes nothing of what they return. It may keep less than all. Errors: as GetMany's.
	Prefetch(ctx context.Context, keys [][]byte) error
}

// Prefetch reads keys together that t is about to read one by one, where that saves time. Elsewhere it does nothing.
func Prefetch(ctx context.Context, t Txn, keys [][]byte) error {
	if len(keys) < 2 {
		return nil
	}
	if p, ok := findTxn[Prefetcher](t); ok {
		return p.Prefetch(ctx, keys)
	}
	return nil
}
