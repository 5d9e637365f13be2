// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/pingcap/kvproto/pkg/metapb"
	clientkv "github.com/tikv/client-go/v2/kv"
	"github.com/tikv/client-go/v2/oracle"
	"github.com/tikv/client-go/v2/tikv"
	"github.com/tikv/client-go/v2/txnkv/rangetask"
	"github.com/tikv/pd/client/clients/gc"
	"github.com/tikv/pd/client/constants"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/weftdb/weft/kv"
)

// deleteRangeWorkers is the number of regions DeleteRange works on at once.
const deleteRangeWorkers = 4

// DeleteRange drops all keys of r, and with them all that older snapshots would show. Errors: kv.ErrClosed, ctx's
// error, the cluster's.
func (s *Store) DeleteRange(ctx context.Context, r kv.Range) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	if (span{r.Start, r.End}).empty() {
		return nil
	}
	start, end := s.storedRange(r)
	_, err := s.client.DeleteRange(ctx, start, end, deleteRangeWorkers)
	return s.readError(ctx, err)
}

// regionsBackoffMS bounds the waiting when the placement driver doesn't answer, milliseconds.
const regionsBackoffMS = 20000

// Regions lists the cluster's regions that overlap r, cut off at the store's prefix. Errors: kv.ErrClosed, ctx's error,
// the cluster's.
func (s *Store) Regions(ctx context.Context, r kv.Range) ([]kv.Region, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	if (span{r.Start, r.End}).empty() {
		return nil, nil
	}
	start, end := s.storedRange(r)
	found, err := s.client.GetRegionCache().LoadRegionsInKeyRange(tikv.NewBackofferWithVars(ctx, regionsBackoffMS, nil),
		start, end)
	if err != nil {
		return nil, s.readError(ctx, err)
	}
	addresses := map[uint64]string{}
	all := make([]kv.Region, len(found))
	for i, region := range found {
		if all[i], err = s.region(ctx, region.GetMeta(), region.GetLeaderPeerID(), addresses); err != nil {
			return nil, s.readError(ctx, err)
		}
	}
	return all, nil
}

// region describes one region; addresses remembers the stores asked for.
func (s *Store) region(ctx context.Context, region *metapb.Region, leader uint64,
	addresses map[uint64]string) (kv.Region, error) {
	described := kv.Region{ID: region.GetId(), Range: s.clip(region)}
	for _, peer := range region.GetPeers() {
		address, err := s.address(ctx, peer.GetStoreId(), addresses)
		if err != nil {
			return kv.Region{}, err
		}
		described.Peers = append(described.Peers, address)
		if peer.GetId() == leader {
			described.Leader = address
		}
	}
	return described, nil
}

func (s *Store) address(ctx context.Context, id uint64, known map[uint64]string) (string, error) {
	if address, ok := known[id]; ok {
		return address, nil
	}
	store, err := s.client.GetPDClient().GetStore(ctx, id)
	if err != nil {
		return "", err
	}
	known[id] = store.GetAddress()
	return known[id], nil
}

// clip returns the range of a region inside the store's prefix and without it.
func (s *Store) clip(region *metapb.Region) (r kv.Range) {
	if key, ok := bytes.CutPrefix(region.GetStartKey(), s.prefix); ok {
		r.Start = bytes.Clone(key)
	}
	if key, ok := bytes.CutPrefix(region.GetEndKey(), s.prefix); ok {
		r.End = append([]byte{}, key...)
	}
	return r
}

// Split asks the cluster to split its regions at keys and to spread the new ones. Errors: kv.ErrClosed, ctx's error,
// the cluster's.
func (s *Store) Split(ctx context.Context, keys [][]byte) error {
	if err := s.check(ctx); err != nil || len(keys) == 0 {
		return err
	}
	stored := make([][]byte, len(keys))
	for i, key := range keys {
		stored[i] = s.storedKey(key)
	}
	_, err := s.client.SplitRegions(ctx, stored, true, nil)
	return s.readError(ctx, err)
}

// Checkpoint returns kv.ErrUnsupported: a cluster is backed up by its own means.
func (s *Store) Checkpoint(context.Context, string) error { return kv.ErrUnsupported }

// Ingest returns kv.ErrUnsupported.
func (s *Store) Ingest(context.Context, func() (key, value []byte, err error)) error {
	return kv.ErrUnsupported
}

// Compact returns kv.ErrUnsupported: a cluster compacts by itself.
func (s *Store) Compact(context.Context, kv.Range) error { return kv.ErrUnsupported }

// ApproximateSize returns kv.ErrUnsupported.
func (s *Store) ApproximateSize(context.Context, kv.Range) (bytes int64, err error) {
	return 0, kv.ErrUnsupported
}

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
