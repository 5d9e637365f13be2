// SPDX-License-Identifier: Apache-2.0

package tikv_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tikv/client-go/v2/oracle"
	"github.com/tikv/pd/client/constants"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/tikv"
)

// safePointMS is the cluster's safe point, Unix time in milliseconds.
func safePointMS(t *testing.T, store *tikv.Store) int64 {
	t.Helper()
	point, err := store.Client().GetPDClient().UpdateGCSafePoint(t.Context(), 0) // never down
	if err != nil {
		t.Fatal(err)
	}
	return oracle.ExtractPhysical(point)
}

func TestCollect(t *testing.T) {
	for _, old := range []bool{false, true} {
		cluster := start(t)
		first, second := open(t, cluster, tikv.Options{}), open(t, cluster, tikv.Options{KeepVersions: time.Second})
		put(t, first, numbered(50, 10)...)
		if err := first.Split(t.Context(), [][]byte{[]byte("key 000010"), []byte("key 000030")}); err != nil {
			t.Fatal(err)
		}
		for i, step := range []struct {
			store *tikv.Store
			keep  time.Duration // how far back the safe point is afterwards, at least
		}{{first, 10 * time.Minute}, {first, 10 * time.Minute}, {second, time.Second}, {first, time.Second}} {
			before, err := step.store.NowMS(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			was := safePointMS(t, first)
			cluster.SetOldDriver(old)
			err = step.store.Collect(t.Context())
			if cluster.SetOldDriver(false); err != nil {
				t.Fatalf("old driver %t: %v", old, err)
			}
			after, err := step.store.NowMS(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, least, most := safePointMS(t, first), before-step.keep.Milliseconds(), after-step.keep.Milliseconds()
			if got < was || got > most || got < least && i < 3 {
				t.Errorf("old driver %t: the safe point moved from %d to %d, want %d to %d", old, was, got, least, most)
			}
		}
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
		if err := second.Collect(t.Context()); !errors.Is(err, kv.ErrClosed) {
			t.Errorf("after Close Collect returns %v", err)
		}
	}
}

// TestCollectHeldBack is about a service, such as a backup, that needs older versions.
func TestCollectHeldBack(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{KeepVersions: time.Second})
	now, err := store.NowMS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	held := oracle.ComposeTS(now-time.Hour.Milliseconds(), 0)
	states := store.Client().GetPDClient().GetGCStatesClient(constants.NullKeyspaceID)
	if _, err := states.SetGCBarrier(t.Context(), "backup", held, time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := store.Collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := safePointMS(t, store); got > now-time.Hour.Milliseconds() {
		t.Errorf("the safe point is %d ms before now, and the backup needs an hour", now-got)
	}
}

func TestSnapshotsEndBeforeTheyAreCollected(t *testing.T) {
	store := open(t, start(t), tikv.Options{})
	limits := store.Limits()
	if keep := (10 * time.Minute).Milliseconds(); limits.SnapshotLifetime >= keep || limits.TxnLifetimeMS >= keep ||
		limits.SnapshotLifetime < keep*8/10 {
		t.Errorf("snapshots live %d ms, transactions %d, and versions are kept for %d", limits.SnapshotLifetime,
			limits.TxnLifetimeMS, keep)
	}
}
