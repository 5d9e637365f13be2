// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	tikverr "github.com/tikv/client-go/v2/error"

	"github.com/weftdb/weft/kv"
)

// readError turns an error of the client's in a read into kv's.
func (s *Store) readError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.closed.Load():
		return kv.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case isCollected(err):
		return fmt.Errorf("%w: %w", kv.ErrSnapshotExpired, err)
	case isUnavailable(err):
		return fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	default:
		return fmt.Errorf("tikv: %w", err)
	}
}

// commitError turns an error of the client's in a commit into kv's. The client says so itself where the outcome is
// unknown, and only there may anything have been written.
func (s *Store) commitError(ctx context.Context, err error) error {
	var conflict *tikverr.ErrWriteConflict
	switch {
	case err == nil:
		return nil
	case tikverr.IsErrorUndetermined(err):
		return fmt.Errorf("%w: %w", kv.ErrUnknownOutcome, err)
	case errors.Is(err, kv.ErrFenced):
		return kv.ErrFenced
	case errors.As(err, &conflict):
		return s.conflict(conflict.GetKey())
	case restartable(err) || isCollected(err):
		return fmt.Errorf("%w: %w", kv.ErrConflict, err)
	case tooLarge(err):
		return fmt.Errorf("%w: %w", kv.ErrTooLarge, err)
	case errors.Is(err, tikverr.ErrTiKVDiskFull):
		return fmt.Errorf("%w: %w", kv.ErrReadOnly, err)
	case s.closed.Load():
		return kv.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case isUnavailable(err):
		return fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
	default:
		return fmt.Errorf("tikv: commit: %w", err)
	}
}

// conflict names the key of a conflict if it's one of this store's.
func (s *Store) conflict(stored []byte) error {
	key, ok := bytes.CutPrefix(stored, s.prefix)
	if !ok {
		return &kv.ConflictError{}
	}
	return &kv.ConflictError{Key: bytes.Clone(key)}
}

// isCollected reports whether garbage collection has overtaken a timestamp.
func isCollected(err error) bool {
	var early *tikverr.ErrGCTooEarly
	var aborted *tikverr.ErrTxnAbortedByGC
	return errors.As(err, &early) || errors.As(err, &aborted)
}

// restartable reports whether a transaction was rolled back by somebody else's doing, other than a write conflict.
func restartable(err error) bool {
	var latch *tikverr.ErrWriteConflictInLatch
	var retryable *tikverr.ErrRetryable
	return errors.As(err, &latch) || errors.As(err, &retryable)
}

// isUnavailable reports whether the client has given up waiting for a store, a region's leader or the placement driver.
func isUnavailable(err error) bool {
	for _, cause := range []error{tikverr.ErrTiKVServerTimeout, tikverr.ErrTiKVServerBusy,
		tikverr.ErrTiKVStaleCommand, tikverr.ErrTiKVMaxTimestampNotSynced, tikverr.ErrRegionUnavailable,
		tikverr.ErrRegionNotInitialized, tikverr.ErrResolveLockTimeout} {
		if errors.Is(err, cause) {
			return true
		}
	}
	var driver *tikverr.ErrPDServerTimeout
	return errors.As(err, &driver)
}

// tooLarge reports whether the client found something too large.
func tooLarge(err error) bool {
	var txn *tikverr.ErrTxnTooLarge
	var key *tikverr.ErrKeyTooLarge
	var entry *tikverr.ErrEntryTooLarge
	return errors.As(err, &txn) || errors.As(err, &key) || errors.As(err, &entry)
}
