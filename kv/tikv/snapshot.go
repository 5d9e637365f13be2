// SPDX-License-Identifier: Apache-2.0

package tikv

import (
	"context"
	"sync/atomic"
	"time"

	tikverr "github.com/tikv/client-go/v2/error"
	clientkv "github.com/tikv/client-go/v2/kv"
	"github.com/tikv/client-go/v2/txnkv/txnsnapshot"

	"github.com/weftdb/weft/kv"
)

// view is the common part of Reader and Txn: the cluster at one timestamp.
type view struct {
	store     *Store
	timestamp uint64
	began     time.Time // before the timestamp was taken
	replicas  clientkv.ReplicaReadType
	over      atomic.Bool
}

// check returns the reason why the view can't be read, if any.
func (v *view) check(ctx context.Context) error {
	if v.over.Load() {
		return kv.ErrClosed
	}
	if err := v.store.check(ctx); err != nil {
		return err
	}
	if v.expired() {
		return kv.ErrSnapshotExpired
	}
	return nil
}

// expired reports whether the cluster may have dropped what the view shows.
func (v *view) expired() bool { return v.store.now().Sub(v.began) > v.store.lifetime }

// snapshot returns a client's snapshot. It's new each time: the client's caches whatever is looked up, without a useful
// bound.
func (v *view) snapshot() *txnsnapshot.KVSnapshot {
	snapshot := v.store.client.GetSnapshot(v.timestamp)
	snapshot.SetReplicaRead(v.replicas)
	return snapshot
}

func (v *view) get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	if err := v.check(ctx); err != nil {
		return dst, false, err
	}
	return v.store.point(ctx, v.snapshot(), key, dst)
}

// point appends the value of key in snapshot to dst.
func (s *Store) point(ctx context.Context, snapshot *txnsnapshot.KVSnapshot, key, dst []byte) ([]byte, bool, error) {
	stored, err := snapshot.Get(ctx, s.storedKey(key))
	if tikverr.IsErrNotFound(err) {
		return dst, false, nil
	}
	if err != nil {
		return dst, false, s.readError(ctx, err)
	}
	value, err := cutValue(stored)
	if err != nil {
		return dst, false, err
	}
	return append(dst, value...), true, nil
}

// Reader is one snapshot. It may be used by several goroutines at once.
type Reader struct {
	*view
}

// Get appends the value of key in this snapshot to dst. Errors: kv.ErrClosed, kv.ErrSnapshotExpired, kv.ErrFormat,
// ctx's error, the cluster's.
func (r *Reader) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	return r.get(ctx, key, dst)
}

// GetMany looks keys up, each region's at once. Errors: as Get's, and found's.
func (r *Reader) GetMany(ctx context.Context, keys [][]byte, found func(int, []byte, bool) error) error {
	indexes := make([]int, len(keys))
	for i := range indexes {
		indexes[i] = i
	}
	return r.getMany(ctx, keys, indexes, found)
}

// Scan returns a cursor over the snapshot.
func (r *Reader) Scan(ctx context.Context, bounds kv.Range, reverse bool) kv.Cursor {
	return newCursor(ctx, r.view, nil, bounds, reverse)
}

// Close ends the reader. It holds nothing in the cluster.
func (r *Reader) Close() error {
	r.over.Store(true)
	return nil
}
