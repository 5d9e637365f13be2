// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"context"
	"fmt"
	"math"

	clientkv "github.com/tikv/client-go/v2/kv"
	"github.com/tikv/client-go/v2/oracle"
	"github.com/tikv/client-go/v2/tikv"
	"github.com/tikv/client-go/v2/txnkv/rangetask"
	"github.com/tikv/pd/client/clients/gc"
	"github.com/tikv/pd/client/constants"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Collect moves the cluster's safe point up to Options.KeepVersions before now, by the placement driver's clock, and
// rolls back what was begun before and never ended: stores drop older versions by themselves then. The safe point is
// the whole cluster's, and only ever goes up; if somebody else, such as TiDB or a backup, holds it back or has moved it
// further already, that holds.
func (s *Store) Collect(ctx context.Context) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	now, err := s.timestamp(ctx)
	if err != nil {
		return err
	}
	if err := s.collect(ctx, oracle.ComposeTS(oracle.ExtractPhysical(now)-s.keep.Milliseconds(), 0)); err != nil {
		return fmt.Errorf("tikv: collect garbage: %w", s.readError(ctx, err))
	}
	return nil
}

func (s *Store) collect(ctx context.Context, target uint64) error {
	point, err := s.safePoint(ctx)
	switch {
	case status.Code(err) == codes.Unimplemented:
		return s.collectAsService(ctx, target)
	case err != nil:
		return err
	case point.TxnSafePoint >= target: // another gateway, or TiDB
		return nil
	}
	_, err = s.client.GC(ctx, target)
	if after, again := s.safePoint(ctx); err != nil && again == nil && after.GCSafePoint >= target {
		return nil // somebody else did it meanwhile
	}
	return err
}

func (s *Store) safePoint(ctx context.Context) (gc.GCState, error) {
	return s.client.GetPDClient().GetGCStatesClient(constants.NullKeyspaceID).GetGCState(ctx)
}

// Where the placement driver is older than its interface for states, whoever moves the safe point is a service of this
// name that never ends.
const (
	collectService          = "gc_worker"
	collectWorkers          = 8
	collectLocksMax  uint32 = 1024 // of one request
	collectBackoffMS        = 100_000
)

// collectAsService does by hand what newer placement drivers and the client do in one call: it asks which point all
// services allow, ends what was begun before, and only then tells the stores.
func (s *Store) collectAsService(ctx context.Context, target uint64) error {
	driver := s.client.GetPDClient()
	allowed, err := driver.UpdateServiceGCSafePoint(ctx, collectService, math.MaxInt64, target)
	if err != nil {
		return err
	}
	target = min(target, allowed)
	resolver := tikv.NewRegionLockResolver(collectService, s.client)
	end := func(ctx context.Context, r clientkv.KeyRange) (rangetask.TaskStat, error) {
		backoff := func(ctx context.Context) *tikv.Backoffer {
			return tikv.NewBackofferWithVars(ctx, collectBackoffMS, nil)
		}
		return tikv.ResolveLocksForRange(ctx, resolver, target, r.StartKey, r.EndKey, backoff, collectLocksMax)
	}
	if err := rangetask.NewRangeTaskRunner("weft-resolve-locks", s.client, collectWorkers, end).RunOnRange(ctx, nil,
		nil); err != nil {
		return err
	}
	_, err = driver.UpdateGCSafePoint(ctx, target)
	return err
}
