// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"context"
	"time"

	"github.com/tikv/client-go/v2/config"
	"github.com/tikv/client-go/v2/oracle"
	"github.com/tikv/client-go/v2/txnkv/transaction"

	"github.com/weftdb/weft/kv"
)

// NowMS returns the placement driver's clock, which is the clock of all timestamps. Errors: kv.ErrClosed, ctx's error,
// the cluster's.
func (s *Store) NowMS(ctx context.Context) (int64, error) {
	if err := s.check(ctx); err != nil {
		return 0, err
	}
	timestamp, err := s.timestamp(ctx)
	if err != nil {
		return 0, err
	}
	return oracle.ExtractPhysical(timestamp), nil
}

// Fence bounds the commit timestamps of this store's transactions.
func (s *Store) Fence(until func() int64) {
	if until == nil {
		s.until.Store(nil)
		return
	}
	s.until.Store(&until)
}

// fenceMargin is the time by which a commit may be checked later than its transaction's age, and still be quick.
const fenceMargin = 200 * time.Millisecond

// safeWindowMS is the time after its transaction's beginning, as the client sees it, a quick commit may be stamped,
// milliseconds.
func safeWindowMS() int64 {
	return config.GetGlobalConfig().TiKVClient.AsyncCommit.SafeWindow.Milliseconds()
}

// mayBeQuick reports whether t may commit in one phase or asynchronously. Then the cluster's stores choose the
// timestamp, up to a bound that the client sets by its safe window, so the whole window must lie before the fence.
func (t *Txn) mayBeQuick() bool {
	until := t.store.until.Load()
	return until == nil || oracle.ExtractPhysical(t.timestamp)+safeWindowMS()+fenceMargin.Milliseconds() < (*until)()
}

// fence puts the store's fence on a client's transaction. The client asks the check for a timestamp before a quick
// commit, to which the window is added, and for the commit timestamp itself in any other.
func (t *Txn) fence(txn *transaction.KVTxn, quick bool) {
	until := t.store.until.Load()
	if until == nil {
		return
	}
	check := &fenceCheck{until: *until}
	if quick {
		check.window = safeWindowMS() + 1
	}
	txn.SetSchemaLeaseChecker(check)
}

// fenceCheck answers the client's questions during one commit, one call after the other.
type fenceCheck struct {
	until  func() int64
	window int64 // milliseconds that the commit may be later than the timestamp of the next call
}

// CheckBySchemaVer is the client's name for it; of schemas it knows nothing.
func (c *fenceCheck) CheckBySchemaVer(timestamp uint64, _ transaction.SchemaVer) (*transaction.RelatedSchemaChange,
	error) {
	latest := oracle.ExtractPhysical(timestamp) + c.window
	c.window = 0 // a second call is for the commit timestamp itself, the quick ways being barred
	if latest >= c.until() {
		return nil, kv.ErrFenced
	}
	return nil, nil
}
