// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"bytes"
	"context"

	"github.com/pingcap/kvproto/pkg/metapb"
	"github.com/tikv/client-go/v2/tikv"

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
