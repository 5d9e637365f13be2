// SPDX-License-Identifier: Apache-2.0

package tikv_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/tikv/client-go/v2/tikvrpc"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// numberedKeys returns the keys of numbered.
func numberedKeys(n int) (keys [][]byte) {
	for i := range n {
		keys = append(keys, fmt.Appendf(nil, "key %06d", i))
	}
	return keys
}

// expectNumbered looks n keys of numbered up at once and expects the first byte of each value that of its number.
func expectNumbered(t *testing.T, v kv.Snapshot, n int) {
	t.Helper()
	found := 0
	err := v.GetMany(t.Context(), numberedKeys(n), func(i int, value []byte, ok bool) error {
		if found++; !ok || len(value) == 0 || value[0] != byte(i) {
			return fmt.Errorf("index %d is %x, %t", i, value, ok)
		}
		return nil
	})
	if err != nil || found != n {
		t.Fatalf("%d of %d found, error %v", found, n, err)
	}
}

// split cuts the keys of numbered into regions at multiples of every.
func split(t *testing.T, store *tikv.Store, n, every int) (regions int) {
	t.Helper()
	var at [][]byte
	for i := every; i < n; i += every {
		at = append(at, fmt.Appendf(nil, "key %06d", i))
	}
	if err := store.Split(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	return len(at) + 1
}

func TestGetManyAsksEachRegionOnce(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	const n = 400
	put(t, store, numbered(n, 10)...)
	regions := split(t, store, n, 100)
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expectNumbered(t, reader, n) // the client learns the regions
	singles, batches := count(cluster, tikvrpc.CmdGet), atomic.Int64{}
	cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		switch request.Type {
		case tikvrpc.CmdGet:
			singles.Add(1)
		case tikvrpc.CmdBatchGet:
			batches.Add(1)
		}
		return send()
	})
	expectNumbered(t, reader, n)
	if singles.Load() != 0 || batches.Load() != int64(regions) {
		t.Errorf("%d keys in %d regions took %d requests for one key and %d for many, want 0 and %d", n, regions,
			singles.Load(), batches.Load(), regions)
	}
}

func TestGetManyInBatches(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	const n = 2*tikv.BatchKeysMax + 10
	put(t, store, numbered(n, 10)...)
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	requests := count(cluster, tikvrpc.CmdBatchGet)
	expectNumbered(t, reader, n)
	if requests.Load() != 3 {
		t.Errorf("%d keys took %d requests, want 3", n, requests.Load())
	}
}

// TestGetManyWhileRegionsSplit splits each region whose request is on its way.
func TestGetManyWhileRegionsSplit(t *testing.T) {
	cluster := start(t)
	store, other := open(t, cluster, tikv.Options{}), open(t, cluster, tikv.Options{})
	const n = 400
	put(t, store, numbered(n, 10)...)
	split(t, store, n, 100)
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expectNumbered(t, reader, n)
	var done atomic.Int64
	cluster.SetHook(func(ctx context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		if at := done.Add(1); request.Type == tikvrpc.CmdBatchGet && at <= 4 {
			keys := request.BatchGet().GetKeys()
			if err := other.Split(ctx, [][]byte{keys[len(keys)/2][len("w"):]}); err != nil {
				return nil, err
			}
		}
		return send()
	})
	expectNumbered(t, reader, n)
}

// TestGetManyMeetsLocks leaves the locks of a transaction that can't tell how its commit ended, and which has.
func TestGetManyMeetsLocks(t *testing.T) {
	for _, delivered := range []bool{false, true} {
		cluster := start(t)
		store := open(t, cluster, tikv.Options{TwoPhases: true})
		const n = 300
		put(t, store, numbered(n, 10)...)
		split(t, store, n, 100)
		ctx, cancel := context.WithCancel(t.Context())
		cutOff(cluster, tikvrpc.CmdCommit, delivered, cancel)
		want := byte('-')
		if delivered {
			want = '+'
		}
		err := kv.Update(ctx, store, func(txn kv.Txn) (err error) {
			for _, key := range numberedKeys(n) {
				err = errors.Join(err, txn.Set(key, []byte{'+'}))
			}
			return err
		})
		if !errors.Is(err, kv.ErrUnknownOutcome) {
			t.Fatalf("Commit returns %v", err)
		}
		cluster.SetHook(nil)
		expectAll(t, cluster, n, want)
		cancel()
	}
}

// expectAll looks n keys up and expects all of them changed ('+') or none.
func expectAll(t *testing.T, cluster *tikvtest.Cluster, n int, want byte) {
	t.Helper()
	reader, err := open(t, cluster, tikv.Options{}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = reader.GetMany(t.Context(), numberedKeys(n), func(i int, value []byte, ok bool) error {
		if changed := ok && len(value) == 1; changed != (want == '+') {
			return fmt.Errorf("index %d is %q, want %q", i, value, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
