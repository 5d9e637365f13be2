// SPDX-License-Identifier: Apache-2.0

package tikv_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tikv/client-go/v2/tikvrpc"

	"github.com/weftdb/weft/internal/testing/rounds"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

func put(t *testing.T, store kv.Store, entries ...string) {
	t.Helper()
	err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
		for i := 0; i < len(entries); i += 2 {
			if err := txn.Set([]byte(entries[i]), []byte(entries[i+1])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, store kv.Store, key string) (string, bool) {
	t.Helper()
	value, ok, err := store.Get(t.Context(), []byte(key), nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(value), ok
}

// numbered returns n keys and values in order, of which each value has so many bytes.
func numbered(n, valueBytes int) (entries []string) {
	for i := range n {
		entries = append(entries, fmt.Sprintf("key %06d", i), string(bytes.Repeat([]byte{byte(i)}, valueBytes)))
	}
	return entries
}

// scanKeys returns the keys that a new snapshot shows.
func scanKeys(t *testing.T, store kv.Store, r kv.Range, reverse bool) (keys []string) {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cursor := reader.Scan(t.Context(), r, reverse)
	for cursor.Next() {
		keys = append(keys, string(cursor.Key()))
	}
	if err := cursor.Close(); err != nil {
		t.Fatal(err)
	}
	return keys
}

// count counts requests of one kind.
func count(cluster *tikvtest.Cluster, kind tikvrpc.CmdType) *atomic.Int64 {
	var n atomic.Int64
	cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		if request.Type == kind {
			n.Add(1)
		}
		return send()
	})
	return &n
}

func TestEngineWithManyRegions(t *testing.T) {
	rounds.SkipRace(t)
	e := engine(tikv.Options{Prefix: []byte("p\xff")})
	inner := e.Open
	e.Open = func(t *testing.T) kv.Store {
		store := inner(t)
		keys := [][]byte{{}, []byte("\x00\x00"), []byte("a\x00"), []byte("b"), []byte("key 00000500"), []byte("\xff"),
			[]byte("\xff\xff")}
		if err := store.(*tikv.Store).Split(t.Context(), keys); err != nil {
			t.Fatal(err)
		}
		return store
	}
	kvtest.Run(t, e)
}

func TestTransactionsTakeTwoTimestamps(t *testing.T) {
	for _, options := range []tikv.Options{{}, {TwoPhases: true}} {
		cluster := start(t)
		store := open(t, cluster, options)
		put(t, store, "a", "0")
		const transactions = 50
		before := cluster.Timestamps()
		commits := count(cluster, tikvrpc.CmdCommit)
		for range transactions {
			err := kv.Update(t.Context(), store, func(txn kv.Txn) error {
				if _, _, err := txn.Get(t.Context(), []byte("a"), nil); err != nil {
					return err
				}
				return errors.Join(txn.Set([]byte("a"), []byte("1")), txn.Guard([]byte("b")))
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if taken := cluster.Timestamps() - before; taken >= 3*transactions {
			t.Errorf("%d transactions took %d timestamps, want less than 3 each", transactions, taken)
		}
		if sent := commits.Load(); (sent == 0) == options.TwoPhases {
			t.Errorf("two phases %t: %d commit requests were sent", options.TwoPhases, sent)
		}
		cluster.SetHook(nil)
		before = cluster.Timestamps()
		for range transactions {
			get(t, store, "a")
		}
		// the client takes one now and then by itself
		if taken := cluster.Timestamps() - before; taken > transactions+transactions/10 {
			t.Errorf("%d single reads took %d timestamps, want one each", transactions, taken)
		}
	}
}

// TestReadsAgreeOnOrder stops a commit between its timestamp and its effect, and commits another one meanwhile. A
// snapshot of between the two timestamps shows the first and not the second; so a single read that follows the second
// must not miss the first.
func TestReadsAgreeOnOrder(t *testing.T) {
	for _, options := range []tikv.Options{{}, {TwoPhases: true}} {
		cluster := start(t)
		slow, store := open(t, cluster, tikv.Options{TwoPhases: true}), open(t, cluster, options)
		put(t, store, "a", "0", "b", "0")
		stopped, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		var seen atomic.Bool
		cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
			send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
			if request.Type == tikvrpc.CmdCommit && !seen.Swap(true) {
				close(stopped)
				<-goOn
			}
			return send()
		})
		go func() {
			ended <- kv.Update(t.Context(), slow, func(txn kv.Txn) error { return txn.Set([]byte("a"), []byte("1")) })
		}()
		<-stopped
		between, err := store.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = between.Close() }()
		put(t, store, "b", "1")
		a, _ := get(t, store, "a")
		close(goOn)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		first, _, err := between.Get(t.Context(), []byte("a"), nil)
		if err != nil {
			t.Fatal(err)
		}
		second, _, err := between.Get(t.Context(), []byte("b"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if string(first) == "1" && string(second) == "0" && a == "0" {
			t.Error("a snapshot shows the first commit without the second, and a read after the second doesn't show the first")
		}
	}
}

func TestGatewaysConflict(t *testing.T) {
	cluster := start(t)
	first, second := open(t, cluster, tikv.Options{}), open(t, cluster, tikv.Options{})
	put(t, first, "a", "1")
	if value, _ := get(t, second, "a"); value != "1" {
		t.Fatalf("the other gateway reads %q", value)
	}
	txn, err := first.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(txn.Guard([]byte("a")), txn.Set([]byte("b"), nil)); err != nil {
		t.Fatal(err)
	}
	put(t, second, "a", "2")
	var conflict *kv.ConflictError
	if err := txn.Commit(t.Context()); !errors.As(err, &conflict) || string(conflict.Key) != "a" {
		t.Fatalf("Commit returns %v, want a conflict on a", err)
	}
}

func TestPrefixesAreApart(t *testing.T) {
	cluster := start(t)
	// of "a" and "a\xff" one holds the other: not for use, but no harm in ranges
	prefixes := []string{"a", "a\xff", "b", "\xff", "\xff\xff"}
	for _, prefix := range []string{"a\xff", "b", "\xff\xff"} {
		store := open(t, cluster, tikv.Options{Prefix: []byte(prefix)})
		put(t, store, "", prefix, "k", prefix, "\xff\xff\xff", prefix)
	}
	for _, prefix := range []string{"a\xff", "b", "\xff\xff"} {
		store := open(t, cluster, tikv.Options{Prefix: []byte(prefix)})
		want := []string{"", "k", "\xff\xff\xff"}
		if keys := scanKeys(t, store, kv.Range{}, false); !slices.Equal(keys, want) {
			t.Errorf("prefix %q shows %q", prefix, keys)
		}
		slices.Reverse(want)
		if keys := scanKeys(t, store, kv.Range{}, true); !slices.Equal(keys, want) {
			t.Errorf("prefix %q shows %q backwards", prefix, keys)
		}
		if value, _ := get(t, store, "k"); value != prefix {
			t.Errorf("prefix %q holds the value of %q", prefix, value)
		}
	}
	if err := open(t, cluster, tikv.Options{Prefix: []byte("b")}).DeleteRange(t.Context(), kv.Range{}); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range prefixes {
		keys := len(scanKeys(t, open(t, cluster, tikv.Options{Prefix: []byte(prefix)}), kv.Range{}, false))
		if (prefix == "b") != (keys == 0) {
			t.Errorf("prefix %q has %d keys after DeleteRange of b", prefix, keys)
		}
	}
}

func TestForeignValuesAreRefused(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	foreign, err := store.Client().Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(foreign.Set([]byte("wk"), []byte("foreign")), foreign.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Get(t.Context(), []byte("k"), nil); !errors.Is(err, kv.ErrFormat) {
		t.Errorf("Get returns %v", err)
	}
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cursor := reader.Scan(t.Context(), kv.Range{}, false)
	if cursor.Next() || !errors.Is(cursor.Close(), kv.ErrFormat) {
		t.Errorf("the cursor ends with %v", cursor.Close())
	}
	err = reader.GetMany(t.Context(), [][]byte{[]byte("k")}, func(int, []byte, bool) error { return nil })
	if !errors.Is(err, kv.ErrFormat) {
		t.Errorf("GetMany returns %v", err)
	}
}

func TestLifetime(t *testing.T) {
	now := time.Now()
	store := open(t, start(t), tikv.Options{Now: func() time.Time { return now }})
	put(t, store, "a", "1")
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	txn, err := store.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := txn.Set([]byte("a"), []byte("2")); err != nil {
		t.Fatal(err)
	}
	now = now.Add(store.Lifetime())
	if _, _, err := reader.Get(t.Context(), []byte("a"), nil); err != nil {
		t.Errorf("at its life time's end Get returns %v", err)
	}
	now = now.Add(1)
	if _, _, err := reader.Get(t.Context(), []byte("a"), nil); !errors.Is(err, kv.ErrSnapshotExpired) {
		t.Errorf("after its life time Get returns %v", err)
	}
	if cursor := reader.Scan(t.Context(), kv.Range{}, false); cursor.Next() ||
		!errors.Is(cursor.Close(), kv.ErrSnapshotExpired) {
		t.Errorf("after its life time a cursor ends with %v", cursor.Close())
	}
	if err := txn.Commit(t.Context()); !errors.Is(err, kv.ErrConflict) {
		t.Errorf("after its life time Commit returns %v", err)
	}
	if value, _ := get(t, store, "a"); value != "1" {
		t.Errorf("the value is %q", value)
	}
}

func TestScanAcrossSplits(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	const n = 3000
	put(t, store, numbered(n, 3)...)
	for _, reverse := range []bool{false, true} {
		reader, err := store.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cursor := reader.Scan(t.Context(), kv.Range{}, reverse)
		for i := range n {
			if i%400 == 0 {
				if err := store.Split(t.Context(), [][]byte{fmt.Appendf(nil, "key %06d", (i+700)%n)}); err != nil {
					t.Fatal(err)
				}
			}
			at := i
			if reverse {
				at = n - 1 - i
			}
			if want := fmt.Sprintf("key %06d", at); !cursor.Next() || string(cursor.Key()) != want {
				t.Fatalf("reverse %t: %q, want %q", reverse, cursor.Key(), want)
			}
		}
		if cursor.Next() || cursor.Close() != nil {
			t.Fatalf("reverse %t: the end is %v", reverse, cursor.Close())
		}
	}
	regions, err := store.Regions(t.Context(), kv.Range{})
	if err != nil || len(regions) < 8 {
		t.Fatalf("%d regions, error %v", len(regions), err)
	}
	if r := regions[0]; len(r.Peers) != 3 || !slices.Contains(r.Peers, r.Leader) {
		t.Errorf("the first region is led by %q of %q", r.Leader, r.Peers)
	}
}

func TestWriteAfterLeaderMoved(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	put(t, store, "a", "1")
	region, leader, _, _ := cluster.Mock.GetRegionByKey([]byte("w"))
	for _, peer := range region.Peers {
		if peer.Id != leader.Id {
			cluster.Mock.ChangeLeader(region.Id, peer.Id)
			break
		}
	}
	put(t, store, "a", "2")
	if value, _ := get(t, store, "a"); value != "2" {
		t.Fatalf("the value is %q", value)
	}
}
