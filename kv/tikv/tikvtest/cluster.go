// SPDX-License-Identifier: Apache-2.0

// Package tikvtest is a TiKV cluster inside the process, for tests: client-go's mock of the placement driver and of
// three stores, one region to begin with. It keeps its data as long as it runs, whatever stores are opened on it and
// closed again.
//
// Knows: client-go's mock cluster, kv/tikv.
// Never: keyspace, schema, the other engines.
package tikvtest

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tikv/client-go/v2/testutils"
	"github.com/tikv/client-go/v2/tikv"
	"github.com/tikv/client-go/v2/tikvrpc"
	"github.com/tikv/client-go/v2/util/async"
	pd "github.com/tikv/pd/client"
	"github.com/tikv/pd/client/clients/gc"
	"github.com/tikv/pd/client/clients/tso"
	"github.com/tikv/pd/client/pkg/caller"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	wefttikv "github.com/weftdb/weft/kv/tikv"
)

// storeCount is the number of stores a cluster has, and so how many replicas a region.
const storeCount = 3

// Hook sees a request on its way to a store and may answer it instead of send, or spoil the answer.
type Hook func(ctx context.Context, request *tikvrpc.Request,
	send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error)

// Cluster is a running cluster. All methods are safe for concurrent use.
type Cluster struct {
	// Mock splits and merges regions, moves leaders, stops stores and so on.
	Mock *testutils.MockCluster

	client      *testutils.MockClient
	driver      pd.Client // is clock
	clock       *clock
	timestamps  atomic.Int64
	followed    atomic.Int64 // reads that followers answered
	hook        atomic.Pointer[Hook]
	disturbance atomic.Pointer[Disturbance]
	onePhase    onePhase
	async       asyncCommit
	oldDriver   atomic.Bool
	driverDown  atomic.Bool
	pulses      map[uint64]*pulse // by store

	requests sync.RWMutex // is held for reading by requests that the mock answers
	isClosed bool         // guarded by requests

	counting sync.Mutex
	counts   map[tikvrpc.CmdType]int // guarded by counting
}

// Start makes a cluster. It must be closed.
func Start() (*Cluster, error) {
	client, mock, driver, err := testutils.NewMockTiKV("", nil)
	if err != nil {
		return nil, err
	}
	clock := &clock{Client: driver}
	c := &Cluster{Mock: mock, client: client, driver: clock, clock: clock, pulses: map[uint64]*pulse{},
		counts: map[tikvrpc.CmdType]int{}}
	if err := c.bootstrap(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// bootstrap makes the stores and a region for all keys.
func (c *Cluster) bootstrap() error {
	var stores []uint64
	for range storeCount {
		pulse, err := startPulse()
		if err != nil {
			return err
		}
		id := c.Mock.AllocID()
		c.pulses[id] = pulse
		c.Mock.AddStore(id, pulse.address)
		stores = append(stores, id)
	}
	peers := c.Mock.AllocIDs(storeCount)
	c.Mock.Bootstrap(c.Mock.AllocID(), stores, peers, peers[0])
	return nil
}

// StopStore takes a store down. The regions that it leads have no leader then, until Mock.ChangeLeader gives them one.
func (c *Cluster) StopStore(id uint64) {
	c.pulses[id].alive(false)
	c.Mock.StopStore(id)
}

// StartStore brings a store back.
func (c *Cluster) StartStore(id uint64) {
	c.Mock.StartStore(id)
	c.pulses[id].alive(true)
}

// Open connects a new store. options' PD and TLS don't count. It must be closed before the cluster.
func (c *Cluster) Open(options wefttikv.Options) (*wefttikv.Store, error) {
	d := &driver{Client: c.driver, cluster: c, open: new(atomic.Bool)}
	client, err := tikv.NewTestTiKVStore(&stores{MockClient: c.client, cluster: c}, d, nil, nil, 0)
	if err != nil {
		return nil, err
	}
	d.open.Store(true)
	return wefttikv.FromClient(client, options)
}

// Timestamps returns how many timestamps were asked for since the beginning.
func (c *Cluster) Timestamps() int64 { return c.timestamps.Load() }

// Requests returns how many requests of each kind were sent to stores since the beginning.
func (c *Cluster) Requests() map[tikvrpc.CmdType]int {
	c.counting.Lock()
	defer c.counting.Unlock()
	return maps.Clone(c.counts)
}

func (c *Cluster) count(kind tikvrpc.CmdType) {
	c.counting.Lock()
	defer c.counting.Unlock()
	c.counts[kind]++
}

// SetOldDriver makes the placement driver one that knows nothing of the interface for states of garbage collection, or
// a new one again. No store can be opened while it's old: the client looks elsewhere then, where the mock has nothing.
func (c *Cluster) SetOldDriver(old bool) { c.oldDriver.Store(old) }

// StopDriver lets the placement driver give no timestamps, as while it has no leader; StartDriver ends that.
func (c *Cluster) StopDriver() { c.driverDown.Store(true) }

// StartDriver ends StopDriver.
func (c *Cluster) StartDriver() { c.driverDown.Store(false) }

// lacksDriver reports whether a timestamp that is asked for now does not come.
func (c *Cluster) lacksDriver() bool {
	disturbance := c.disturbance.Load()
	return c.driverDown.Load() || disturbance != nil && disturbance.losesTimestamp()
}

// SetHook lets hook see all requests from now on; nil none.
func (c *Cluster) SetHook(hook Hook) {
	if hook == nil {
		c.hook.Store(nil)
		return
	}
	c.hook.Store(&hook)
}

// Close drops the cluster and its data.
func (c *Cluster) Close() error {
	for _, pulse := range c.pulses {
		pulse.stop()
	}
	c.driver.Close()
	c.requests.Lock()
	defer c.requests.Unlock()
	c.isClosed = true
	return c.client.Close()
}

// stores is one connection to the cluster's stores, which it leaves running when it's closed.
type stores struct {
	*testutils.MockClient
	cluster *Cluster
}

// ask hands a request to the mock, whose store panics when it is asked after its end: client-go resolves locks in the
// background.
func (s *stores) ask(ctx context.Context, address string, request *tikvrpc.Request,
	timeout time.Duration) (*tikvrpc.Response, error) {
	s.cluster.requests.RLock()
	defer s.cluster.requests.RUnlock()
	if s.cluster.isClosed {
		return nil, errors.New("tikvtest: the cluster is closed")
	}
	if request.ReplicaRead {
		address = s.cluster.lead(address, request)
	}
	return s.MockClient.SendRequest(ctx, address, request, timeout)
}

func (s *stores) SendRequest(ctx context.Context, address string, request *tikvrpc.Request,
	timeout time.Duration) (*tikvrpc.Response, error) {
	s.cluster.count(request.Type)
	send := func() (*tikvrpc.Response, error) {
		if request.Type == tikvrpc.CmdPrewrite && request.Prewrite().GetTryOnePc() {
			return s.prewrite(ctx, address, request, timeout)
		}
		if request.Type == tikvrpc.CmdPrewrite && request.Prewrite().GetUseAsyncCommit() {
			return s.prewriteAsync(ctx, address, request, timeout)
		}
		if startOf(request) > 0 {
			return s.settle(request, func() (*tikvrpc.Response, error) { return s.ask(ctx, address, request, timeout) })
		}
		s.cluster.onePhase.gate.RLock()
		defer s.cluster.onePhase.gate.RUnlock()
		return s.ask(ctx, address, request, timeout)
	}
	if disturbance := s.cluster.disturbance.Load(); disturbance != nil {
		undisturbed := send
		send = func() (*tikvrpc.Response, error) { return disturbance.send(ctx, request, undisturbed) }
	}
	if hook := s.cluster.hook.Load(); hook != nil {
		return (*hook)(ctx, request, send)
	}
	return send()
}

// SendRequestAsync sends a request on a goroutine of its own.
func (s *stores) SendRequestAsync(ctx context.Context, address string, request *tikvrpc.Request,
	done async.Callback[*tikvrpc.Response]) {
	go func() { done.Schedule(s.SendRequest(ctx, address, request, 0)) }()
}

func (s *stores) Close() error { return nil }

// driver counts timestamps. It stays running when it's closed.
type driver struct {
	pd.Client
	cluster *Cluster
	open    *atomic.Bool // timestamps get lost from then on: client-go's opening for tests panics without the first one
}

// isLost reports whether a timestamp that is asked for now does not come.
func (d *driver) isLost() bool { return d.open.Load() && d.cluster.lacksDriver() }

func (d *driver) GetTS(ctx context.Context) (physical, logical int64, err error) {
	d.cluster.timestamps.Add(1)
	if d.isLost() {
		return 0, 0, errNoDriver
	}
	return d.Client.GetTS(ctx)
}

func (d *driver) GetTSAsync(ctx context.Context) tso.TSFuture {
	d.cluster.timestamps.Add(1)
	if d.isLost() {
		return noTimestamp{}
	}
	return d.Client.GetTSAsync(ctx)
}

var errNoDriver = status.Error(codes.Unavailable, "tikvtest: the placement driver has no leader") // immutable

// noTimestamp is one that does not come.
type noTimestamp struct{}

func (noTimestamp) Wait() (physical, logical int64, err error) { return 0, 0, errNoDriver }

func (d *driver) WithCallerComponent(component caller.Component) pd.Client {
	return &driver{Client: d.Client.WithCallerComponent(component), cluster: d.cluster, open: d.open}
}

func (d *driver) GetGCStatesClient(keyspace uint32) gc.GCStatesClient {
	return &states{GCStatesClient: d.Client.GetGCStatesClient(keyspace), cluster: d.cluster}
}

func (d *driver) Close() {}

// states can be missing.
type states struct {
	gc.GCStatesClient
	cluster *Cluster
}

func (s *states) GetGCState(ctx context.Context) (gc.GCState, error) {
	if s.cluster.oldDriver.Load() {
		return gc.GCState{}, status.Error(codes.Unimplemented, "unknown method GetGCState")
	}
	return s.GCStatesClient.GetGCState(ctx)
}
