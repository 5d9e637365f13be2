// SPDX-License-Identifier: Apache-2.0

package tikv_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pingcap/kvproto/pkg/kvrpcpb"
	tikverr "github.com/tikv/client-go/v2/error"
	"github.com/tikv/client-go/v2/tikvrpc"
	"go.uber.org/goleak"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// cutOff loses the requests of one kind, or only their answers if delivered is set, and gives the caller up at the same
// time.
func cutOff(cluster *tikvtest.Cluster, kind tikvrpc.CmdType, delivered bool, cancel context.CancelFunc) {
	cluster.SetHook(func(ctx context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		if request.Type != kind {
			return send()
		}
		if delivered {
			if _, err := send(); err != nil {
				return nil, err
			}
		}
		cancel()
		return nil, errors.New("connection lost")
	})
}

// commitCutOff commits a write of two keys on a connection that gets lost, and returns the error and what is there
// afterwards.
func commitCutOff(t *testing.T, options tikv.Options, kind tikvrpc.CmdType, delivered bool) (a, b string,
	committed error) {
	cluster := start(t)
	store := open(t, cluster, options)
	put(t, store, "a", "before", "b", "before")
	txn, err := store.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(txn.Set([]byte("a"), []byte("after")), txn.Set([]byte("b"), []byte("after"))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cutOff(cluster, kind, delivered, cancel)
	committed = txn.Commit(ctx)
	cluster.SetHook(nil)
	a, _ = get(t, open(t, cluster, tikv.Options{}), "a")
	b, _ = get(t, store, "b")
	return a, b, committed
}

func TestLostAnswerToCommitIsUnknown(t *testing.T) {
	a, b, err := commitCutOff(t, tikv.Options{TwoPhases: true}, tikvrpc.CmdCommit, true)
	if !errors.Is(err, kv.ErrUnknownOutcome) || a != "after" || b != "after" {
		t.Fatalf("Commit returns %v and the values are %q and %q", err, a, b)
	}
}

func TestLostCommitRequestIsUnknown(t *testing.T) {
	a, b, err := commitCutOff(t, tikv.Options{TwoPhases: true}, tikvrpc.CmdCommit, false)
	if !errors.Is(err, kv.ErrUnknownOutcome) || a != "before" || b != "before" {
		t.Fatalf("Commit returns %v and the values are %q and %q", err, a, b)
	}
}

func TestLostPrewriteWritesNothing(t *testing.T) {
	for _, delivered := range []bool{false, true} {
		a, b, err := commitCutOff(t, tikv.Options{TwoPhases: true}, tikvrpc.CmdPrewrite, delivered)
		if !errors.Is(err, context.Canceled) || errors.Is(err, kv.ErrUnknownOutcome) || a != "before" || b != "before" {
			t.Errorf("delivered %t: Commit returns %v and the values are %q and %q", delivered, err, a, b)
		}
	}
}

// TestLostOnePhaseIsUnknown is about the one request that both writes and commits.
func TestLostOnePhaseIsUnknown(t *testing.T) {
	for _, delivered := range []bool{false, true} {
		a, b, err := commitCutOff(t, tikv.Options{}, tikvrpc.CmdPrewrite, delivered)
		if !errors.Is(err, kv.ErrUnknownOutcome) || a != b || (a == "after") != delivered {
			t.Errorf("delivered %t: Commit returns %v and the values are %q and %q", delivered, err, a, b)
		}
	}
}

// TestLostAsynchronousCommits loses the commits that follow an asynchronous commit's answer: it stands all the same,
// for whoever meets its locks.
func TestLostAsynchronousCommits(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	const n = 30
	put(t, store, numbered(n, 10)...)
	regions := split(t, store, n, 10)
	expectReader(t, store, n) // the client learns the regions
	before := cluster.Timestamps()
	cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		if request.Type == tikvrpc.CmdCommit {
			return nil, errors.New("connection lost")
		}
		return send()
	})
	prewrites := cluster.Requests()[tikvrpc.CmdPrewrite]
	var entries []string
	for _, key := range numberedKeys(n) {
		entries = append(entries, string(key), "+")
	}
	put(t, store, entries...)
	if taken, sent := cluster.Timestamps()-before, cluster.Requests()[tikvrpc.CmdPrewrite]-prewrites; taken > 3 ||
		sent != regions {
		t.Errorf("the commit took %d timestamps and %d prewrites, want 2 and %d", taken, sent, regions)
	}
	expectAll(t, cluster, n, '+')
}

// expectReader is expectNumbered at a new snapshot.
func expectReader(t *testing.T, store kv.Store, n int) {
	t.Helper()
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expectNumbered(t, reader, n)
}

func TestCancelledScanDoesNotWait(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	put(t, store, numbered(10, 1)...)
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		if request.Type == tikvrpc.CmdScan {
			cancel()
			<-release // the store hangs
		}
		return send()
	})
	cursor := reader.Scan(ctx, kv.Range{}, false)
	if cursor.Next() || !errors.Is(cursor.Close(), context.Canceled) {
		t.Fatalf("the cursor ends with %v", cursor.Close())
	}
}

func TestDeadlineWithoutStores(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	put(t, store, "a", "1")
	for _, s := range cluster.Mock.GetAllStores() {
		cluster.Mock.StopStore(s.GetId())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := store.Get(ctx, []byte("a"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Get returns %v", err)
	}
}

// TestRequestsOutliveTheDriver writes while the placement driver gives no timestamps: it waits until there are some.
func TestRequestsOutliveTheDriver(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	put(t, store, "a", "before")
	cluster.StopDriver()
	asked := cluster.Timestamps()
	written := make(chan error, 1)
	go func() {
		written <- kv.Update(t.Context(), store, func(txn kv.Txn) error { return txn.Set([]byte("a"), []byte("after")) })
	}()
	for cluster.Timestamps() < asked+2 { // it has asked in vain, and again
		runtime.Gosched()
	}
	cluster.StartDriver()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if a, _ := get(t, store, "a"); a != "after" {
		t.Errorf("the value is %q", a)
	}
}

// TestRequestsOutliveALeader reads, looks many keys up and writes while their region has no leader: all wait until it
// has one.
func TestRequestsOutliveALeader(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	put(t, store, numbered(10, 1)...)
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	region, leader, _, _ := cluster.Mock.GetRegionByKey([]byte("w"))
	cluster.StopStore(leader.GetStoreId())
	defer cluster.StartStore(leader.GetStoreId())
	ended := make(chan error, 3)
	var tried [3]atomic.Bool
	cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		for i, kind := range []tikvrpc.CmdType{tikvrpc.CmdGet, tikvrpc.CmdBatchGet, tikvrpc.CmdPrewrite} {
			if request.Type == kind {
				tried[i].Store(true)
			}
		}
		return send()
	})
	go func() {
		_, ok, err := reader.Get(t.Context(), []byte("key 000001"), nil)
		if err == nil && !ok {
			err = errors.New("the key is not there")
		}
		ended <- err
	}()
	go func() {
		ended <- reader.GetMany(t.Context(), numberedKeys(10), func(int, []byte, bool) error { return nil })
	}()
	go func() {
		ended <- kv.Update(t.Context(), store, func(txn kv.Txn) error { return txn.Set([]byte("new"), nil) })
	}()
	for !tried[0].Load() || !tried[1].Load() || !tried[2].Load() {
		runtime.Gosched()
	}
	for _, peer := range region.Peers {
		if peer.Id != leader.Id {
			cluster.Mock.ChangeLeader(region.Id, peer.Id)
			break
		}
	}
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestPages(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	const n = 5000
	put(t, store, numbered(n, 10)...)
	requests := count(cluster, tikvrpc.CmdScan)
	for _, reverse := range []bool{false, true} {
		requests.Store(0)
		if keys := scanKeys(t, store, kv.Range{}, reverse); len(keys) != n {
			t.Fatalf("%d keys", len(keys))
		}
		if most := int64(n/tikv.PageEntriesMax + 5); requests.Load() > most {
			t.Errorf("reverse %t: a scan of %d entries made %d requests, want at most %d", reverse, n, requests.Load(),
				most)
		}
	}
	requests.Store(0)
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cursor := reader.Scan(t.Context(), kv.Range{}, false)
	for i := range tikv.PageEntriesFirst {
		cursor.Seek(fmt.Appendf(nil, "key %06d", i*7%tikv.PageEntriesFirst))
		if !cursor.Next() {
			t.Fatal(cursor.Close())
		}
	}
	if made := requests.Load(); made > 2 {
		t.Errorf("seeks within a page made %d requests", made)
	}
}

// TestPagesAreReadAhead asks for the next page of a long walk before the one at hand has been read, and of a short walk
// only when it's needed.
func TestPagesAreReadAhead(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	const n = 4000
	put(t, store, numbered(n, 10)...)
	for _, reverse := range []bool{false, true} {
		reader, err := store.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cursor := reader.Scan(t.Context(), kv.Range{}, reverse)
		asked := make(chan struct{}, n)
		cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
			send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
			if request.Type == tikvrpc.CmdScan {
				asked <- struct{}{}
			}
			return send()
		})
		for i := range n {
			if !cursor.Next() {
				t.Fatal(cursor.Close())
			}
			switch first, second := tikv.PageEntriesFirst, 5*tikv.PageEntriesFirst; {
			case i < second && len(asked) != 1+min(1, i/first):
				t.Fatalf("reverse %t: %d requests at entry %d", reverse, len(asked), i)
			case i == second:
				for range 4 { // the third and the fourth page among them
					<-asked
				}
			}
		}
		if cursor.Next() || cursor.Close() != nil {
			t.Fatalf("reverse %t: it ends with %v", reverse, cursor.Close())
		}
		cluster.SetHook(nil)
	}
}

func TestPagesOfLargeValuesStaySmall(t *testing.T) {
	cluster := start(t)
	store := open(t, cluster, tikv.Options{})
	const n, valueBytes = 60, 256 << 10
	for i := range n {
		put(t, store, fmt.Sprintf("key %06d", i), strings.Repeat("v", valueBytes))
	}
	var largest uint32
	cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		if request.Type == tikvrpc.CmdScan {
			largest = max(largest, request.Scan().GetLimit())
		}
		return send()
	})
	if keys := scanKeys(t, store, kv.Range{}, false); len(keys) != n {
		t.Fatalf("%d keys", len(keys))
	}
	if largest > tikv.PageEntriesFirst {
		t.Errorf("a page of %d entries of %d bytes each was asked for", largest, valueBytes)
	}
}

func TestErrors(t *testing.T) {
	store := open(t, start(t), tikv.Options{Prefix: []byte("p/")})
	conflict := func(key string) error {
		return tikverr.NewErrWriteConflict(&kvrpcpb.WriteConflict{Key: []byte(key)})
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx          context.Context
		err          error
		commit, read error
	}{
		{t.Context(), nil, nil, nil},
		{t.Context(), tikverr.ErrResultUndetermined, kv.ErrUnknownOutcome, nil},
		{cancelled, tikverr.ErrResultUndetermined, kv.ErrUnknownOutcome, context.Canceled},
		{t.Context(), conflict("p/k"), kv.ErrConflict, nil},
		{t.Context(), conflict("elsewhere"), kv.ErrConflict, nil},
		{t.Context(), &tikverr.ErrWriteConflictInLatch{}, kv.ErrConflict, nil},
		{t.Context(), &tikverr.ErrRetryable{Retryable: "again"}, kv.ErrConflict, nil},
		{t.Context(), &tikverr.ErrTxnAbortedByGC{}, kv.ErrConflict, kv.ErrSnapshotExpired},
		{t.Context(), &tikverr.ErrGCTooEarly{}, kv.ErrConflict, kv.ErrSnapshotExpired},
		{t.Context(), &tikverr.ErrTxnTooLarge{}, kv.ErrTooLarge, nil},
		{t.Context(), &tikverr.ErrKeyTooLarge{}, kv.ErrTooLarge, nil},
		{t.Context(), &tikverr.ErrEntryTooLarge{}, kv.ErrTooLarge, nil},
		{t.Context(), tikverr.ErrTiKVDiskFull, kv.ErrReadOnly, nil},
		{cancelled, tikverr.ErrTiKVServerTimeout, context.Canceled, context.Canceled},
		{t.Context(), tikverr.ErrTiKVServerTimeout, tikverr.ErrTiKVServerTimeout, tikverr.ErrTiKVServerTimeout},
		{t.Context(), tikverr.ErrTiKVServerTimeout, kv.ErrUnavailable, kv.ErrUnavailable},
		{t.Context(), tikverr.ErrRegionUnavailable, kv.ErrUnavailable, kv.ErrUnavailable},
		{t.Context(), tikverr.NewErrPDServerTimeout("no leader"), kv.ErrUnavailable, kv.ErrUnavailable},
	} {
		wrapped := c.err
		if wrapped != nil {
			wrapped = fmt.Errorf("wrapped: %w", c.err)
		}
		if err := store.CommitError(c.ctx, wrapped); !errors.Is(err, c.commit) {
			t.Errorf("%v at Commit is %v, want %v", c.err, err, c.commit)
		}
		if err := store.ReadError(c.ctx, wrapped); c.read != nil && !errors.Is(err, c.read) {
			t.Errorf("%v in a read is %v, want %v", c.err, err, c.read)
		}
	}
	var named *kv.ConflictError
	if err := store.CommitError(t.Context(), conflict("p/k")); !errors.As(err, &named) || string(named.Key) != "k" {
		t.Errorf("the conflict is %v", err)
	}
	if err := store.CommitError(t.Context(), conflict("elsewhere")); !errors.As(err, &named) || named.Key != nil {
		t.Errorf("the conflict is %v", err)
	}
}

func TestSnapshotBehindTheSafePoint(t *testing.T) {
	store := open(t, start(t), tikv.Options{})
	put(t, store, "a", "1")
	reader, err := store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	later, err := store.Client().CurrentTimestamp("global")
	if err != nil {
		t.Fatal(err)
	}
	store.Client().UpdateTxnSafePointCache(later, time.Now())
	if _, _, err := reader.Get(t.Context(), []byte("a"), nil); !errors.Is(err, kv.ErrSnapshotExpired) {
		t.Errorf("Get returns %v", err)
	}
	if cursor := reader.Scan(t.Context(), kv.Range{}, false); cursor.Next() ||
		!errors.Is(cursor.Close(), kv.ErrSnapshotExpired) {
		t.Errorf("a cursor ends with %v", cursor.Close())
	}
}

func TestOptions(t *testing.T) {
	faulty := tikv.Options{Prefix: make([]byte, tikv.PrefixBytesMax+1), KeyPath: "key"}
	if err := faulty.Validate(); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("the faults are %v, want two lines", err)
	}
	if _, err := tikv.FromClient(nil, faulty); err == nil {
		t.Error("FromClient takes faulty options")
	}
	if _, err := tikv.Open(t.Context(), tikv.Options{}); err == nil {
		t.Error("Open takes no placement driver")
	}
	_, err := tikv.Open(t.Context(), tikv.Options{PD: []string{"127.0.0.1:1"}, CAPath: "missing"})
	if err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("with a missing file Open says %v", err)
	}
	_, err = tikv.Open(t.Context(), tikv.Options{PD: []string{"127.0.0.1:1", "127.0.0.1:2"}})
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") || !strings.Contains(err.Error(), "127.0.0.1:2") {
		t.Errorf("without a cluster Open says %v, want both addresses", err)
	}
}

func TestOpenGivesUpWithItsContext(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := tikv.Open(ctx, tikv.Options{PD: []string{silent.Addr().String()}}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("Open returns %v", err)
	}
}

// TestDriverClientIsPinned guards the requirement in go.mod: the version that client-go asks for by itself takes twenty
// timestamps where one is needed.
func TestDriverClientIsPinned(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Skip("the test was built without module information")
	}
	for _, module := range info.Deps {
		if module.Path == "github.com/tikv/pd/client" && module.Version < "v0.0.0-20250703091733" {
			t.Errorf("pd/client is %s, want v0.0.0-20250703091733 or later", module.Version)
		}
	}
}

func TestCloseLeavesNoGoroutines(t *testing.T) {
	before := goleak.IgnoreCurrent()
	cluster, err := tikvtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	store, err := cluster.Open(tikv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	put(t, store, numbered(100, 10)...)
	scanKeys(t, store, kv.Range{}, false)
	if err := errors.Join(store.Close(), cluster.Close()); err != nil {
		t.Fatal(err)
	}
	// the mock's own, which takes a second
	goleak.VerifyNone(t, before, goleak.IgnoreTopFunction("github.com/pingcap/goleveldb/leveldb.(*DB).mpoolDrain"))
}
