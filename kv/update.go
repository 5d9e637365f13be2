// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// updateAttemptsMax bounds Update's retries: with latches above, conflicts come only from other gateways and schema
// changes.
const updateAttemptsMax = 96

// Update runs fn in a transaction and commits it. It starts again as long as that ends in ErrConflict, with a growing
// random pause between attempts (at most about 100 ms). It is the only retry loop in Weft. fn must have no effect
// outside the transaction that must not happen twice. ErrUnknownOutcome is never retried.
func Update(ctx context.Context, store Store, fn func(Txn) error) error {
	for attempt := 0; ; attempt++ {
		err := updateOnce(ctx, store, fn)
		if err == nil || !errors.Is(err, ErrConflict) || attempt+1 >= updateAttemptsMax {
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

func updateOnce(ctx context.Context, store Store, fn func(Txn) error) error {
	txn, err := store.Begin(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if err := fn(txn); err != nil {
		return err
	}
	return txn.Commit(ctx)
}

// pause waits a random time that doubles with each third attempt, from about 50 microseconds to 100 milliseconds. A
// loser begins again soon at first, together with the winner's next attempt: later it would be in the middle of that,
// and lose again.
func pause(ctx context.Context, attempt int) error {
	limit := min(50*time.Microsecond<<min(attempt/3, 11), 100*time.Millisecond)
	timer := time.NewTimer(rand.N(limit) + limit/2)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
