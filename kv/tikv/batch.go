// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/pingcap/kvproto/pkg/errorpb"
	"github.com/pingcap/kvproto/pkg/kvrpcpb"
	"github.com/tikv/client-go/v2/config/retry"
	"github.com/tikv/client-go/v2/tikv"
	"github.com/tikv/client-go/v2/tikvrpc"
	"github.com/tikv/client-go/v2/txnkv/txnlock"
	"github.com/tikv/client-go/v2/txnkv/txnsnapshot"
	"github.com/tikv/client-go/v2/util"
)

const (
	// batchKeysMax bounds the keys of one batch, and so the values held in memory at once.
	batchKeysMax = 512
	// batchRegionsMax is the number of regions that are asked at once.
	batchRegionsMax = 16
	// batchBackoffMS bounds the waiting of a batch for its regions, and of each request for locks, milliseconds.
	batchBackoffMS = 20_000
)

// getMany looks up the keys with these indexes, batchKeysMax at a time.
func (v *view) getMany(ctx context.Context, keys [][]byte, indexes []int, found func(int, []byte, bool) error) error {
	if err := v.check(ctx); err != nil {
		return err
	}
	for len(indexes) > 0 {
		n := min(len(indexes), batchKeysMax)
		if err := v.getBatch(ctx, keys, indexes[:n], found); err != nil {
			return err
		}
		indexes = indexes[n:]
	}
	return nil
}

// getBatch looks up the keys with these indexes. One key costs less by itself.
func (v *view) getBatch(ctx context.Context, keys [][]byte, indexes []int, found func(int, []byte, bool) error) error {
	if len(indexes) == 1 {
		value, ok, err := v.store.point(ctx, v.snapshot(), keys[indexes[0]], nil)
		if err != nil {
			return err
		}
		return found(indexes[0], value, ok)
	}
	stored := make([][]byte, len(indexes))
	for i, index := range indexes {
		stored[i] = v.store.storedKey(keys[index])
	}
	b := &batch{view: v, values: make(map[string][]byte, len(stored))}
	if err := v.store.readError(ctx, b.read(ctx, stored)); err != nil {
		return err
	}
	for i, index := range indexes {
		value, ok := b.values[string(stored[i])]
		if ok {
			var err error
			if value, err = cutValue(value); err != nil {
				return err
			}
		}
		if err := found(index, value, ok); err != nil {
			return err
		}
	}
	return nil
}

// batch is the look-up of some keys: one request for each region, side by side. The client has one of its own, but it
// shares the state of its retries between regions and copies it while a request that failed writes to it, which can end
// the process.
type batch struct {
	view *view

	mu     sync.Mutex
	values map[string][]byte // by stored key
	moved  [][]byte          // keys whose region was split, merged or unknown
	cause  *errorpb.Error    // why, for one of them
	err    error             // the first one
}

// read fills values. Keys whose regions have changed meanwhile are grouped anew. Errors: the client's.
func (b *batch) read(ctx context.Context, keys [][]byte) error {
	backoff := tikv.NewBackofferWithVars(ctx, batchBackoffMS, nil)
	for len(keys) > 0 {
		groups, _, err := b.view.store.client.GetRegionCache().GroupKeysByRegion(backoff, keys, nil)
		if err != nil {
			return err
		}
		b.moved, b.cause = nil, nil
		if b.readGroups(ctx, groups); b.err != nil {
			return b.err
		}
		if keys = b.moved; len(keys) > 0 {
			if err := retry.MayBackoffForRegionError(b.cause, backoff); err != nil {
				return err
			}
		}
	}
	return b.view.store.client.CheckVisibility(b.view.timestamp)
}

// readGroups asks all regions, and waits for their answers.
func (b *batch) readGroups(ctx context.Context, groups map[tikv.RegionVerID][][]byte) {
	if len(groups) == 1 {
		for region, keys := range groups {
			b.readRegion(ctx, region, keys)
		}
		return
	}
	turns := make(chan struct{}, batchRegionsMax)
	var requests sync.WaitGroup
	for region, keys := range groups {
		turns <- struct{}{}
		requests.Go(func() {
			defer func() { <-turns }()
			b.readRegion(ctx, region, keys)
		})
	}
	requests.Wait()
}

// readRegion asks one region, again as long as locks are in the way, and notes what came of it.
func (b *batch) readRegion(ctx context.Context, region tikv.RegionVerID, keys [][]byte) {
	var resolved, committed util.TSSet
	request := regionRead{batch: b, seed: rand.Uint32(), backoff: tikv.NewBackofferWithVars(ctx, batchBackoffMS, nil),
		helper: txnsnapshot.NewClientHelper(b.view.store.client, &resolved, &committed, false)}
	for len(keys) > 0 {
		left, moved, err := request.send(region, keys)
		if moved != nil || err != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.err = cmp.Or(b.err, err)
			b.cause, b.moved = moved, append(b.moved, keys...)
			return
		}
		keys = left
	}
}

// regionRead is the requests of a batch to one region.
type regionRead struct {
	batch   *batch
	backoff *tikv.Backoffer
	helper  *txnsnapshot.ClientHelper
	seed    uint32 // which replica is asked first
}

// send asks for keys once and returns those that are left because of locks, which it has waited for. moved says that
// the region has changed.
func (r *regionRead) send(region tikv.RegionVerID, keys [][]byte) (left [][]byte, moved *errorpb.Error, err error) {
	request := tikvrpc.NewReplicaReadRequest(tikvrpc.CmdBatchGet,
		&kvrpcpb.BatchGetRequest{Keys: keys, Version: r.batch.view.timestamp}, r.batch.view.replicas, &r.seed,
		kvrpcpb.Context{MaxExecutionDurationMs: uint64(tikv.ReadTimeoutMedium.Milliseconds())})
	response, _, _, err := r.helper.SendReqCtx(r.backoff, request, region, tikv.ReadTimeoutMedium, tikvrpc.TiKV, "")
	if err != nil {
		return nil, nil, err
	}
	if moved, err = response.GetRegionError(); moved != nil || err != nil {
		return nil, moved, err
	}
	answer, ok := response.Resp.(*kvrpcpb.BatchGetResponse)
	if !ok {
		return nil, nil, errors.New("a store answers a batched read without a body")
	}
	locks, left, err := r.batch.take(answer, keys)
	if err != nil || len(locks) == 0 {
		return nil, nil, err
	}
	return left, nil, r.wait(locks)
}

// take notes the values of an answer to a request for keys, and returns the locks in the way and the keys that are
// still to be read.
func (b *batch) take(answer *kvrpcpb.BatchGetResponse, keys [][]byte) (locks []*txnlock.Lock, left [][]byte,
	err error) {
	if answer.GetError() != nil {
		lock, err := txnlock.ExtractLockFromKeyErr(answer.GetError())
		return []*txnlock.Lock{lock}, keys, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, pair := range answer.GetPairs() {
		if pair.GetError() == nil {
			if len(pair.GetValue()) > 0 { // a stored value has a byte at least
				b.values[string(pair.GetKey())] = pair.GetValue()
			}
			continue
		}
		lock, err := txnlock.ExtractLockFromKeyErr(pair.GetError())
		if err != nil {
			return nil, nil, err
		}
		locks, left = append(locks, lock), append(left, lock.Key)
	}
	return locks, left, nil
}

// wait ends the transactions of locks if they are over, and waits a little if one is not.
func (r *regionRead) wait(locks []*txnlock.Lock) error {
	result, err := r.helper.ResolveLocksWithOpts(r.backoff,
		txnlock.ResolveLocksOptions{CallerStartTS: r.batch.view.timestamp, Locks: locks})
	if err != nil || result.TTL <= 0 {
		return err
	}
	return r.backoff.BackoffWithMaxSleepTxnLockFast(int(result.TTL), errors.New("keys of a batched read are locked"))
}
