// SPDX-License-Identifier: Apache-2.0

// Package tikvtest is a TiKV cluster inside the process, for tests: client-go's mock of the placement driver and of three stores, one region
// to begin with. It keeps its data as long as it runs, whatever stores are opened on it and closed again.
//
// Knows: client-go's mock cluster, kv/tikv.
// Never: keyspace, schema, the other engines.
package tikvtest

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tikv/client-go/v2/testutils"
	"github.com/tikv/client-go/v2/tikv"
	"github.com/tikv/client-go/v2/tikvrpc"
	pd "github.com/tikv/pd/client"
	"github.com/tikv/pd/client/clients/tso"
	"github.com/tikv/pd/client/pkg/caller"

	wefttikv "github.com/weftdb/weft/kv/tikv"
)

// storeCount is how many stores a cluster has, and so how many replicas a region.
const storeCount = 3

// Hook sees a request on its way to a store and may answer it instead of send, or spoil the answer.
type Hook func(ctx context.Context, request *tikvrpc.Request, send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error)

// Cluster is a running cluster. All methods are safe for concurrent use.
type Cluster struct {
	// Mock splits and merges regions, moves leaders, stops stores and so on.
	Mock *testutils.MockCluster

	client     *testutils.MockClient
	driver     pd.Client
	timestamps atomic.Int64
	hook       atomic.Pointer[Hook]
}

// Start makes a cluster. It must be closed.
func Start() (*Cluster, error) {
	client, mock, driver, err := testutils.NewMockTiKV("", nil)
	if err != nil {
		return nil, err
	}
	testutils.BootstrapWithMultiStores(mock, storeCount)
	return &Cluster{Mock: mock, client: client, driver: driver}, nil
}

// Open connects a new store. options' PD and TLS don't count. It must be closed before the cluster.
func (c *Cluster) Open(options wefttikv.Options) (*wefttikv.Store, error) {
	client, err := tikv.NewTestTiKVStore(&stores{MockClient: c.client, cluster: c}, &driver{Client: c.driver, cluster: c}, nil, nil, 0)
	if err != nil {
		return nil, err
	}
	return wefttikv.FromClient(client, options)
}

// Timestamps returns how many timestamps were asked for since the beginning.
func (c *Cluster) Timestamps() int64 { return c.timestamps.Load() }

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
	c.driver.Close()
	return c.client.Close()
}

// stores is one connection to the cluster's stores, which it leaves running when it's closed.
type stores struct {
	*testutils.MockClient
	cluster *Cluster
}

func (s *stores) SendRequest(ctx context.Context, address string, request *tikvrpc.Request, timeout time.Duration) (*tikvrpc.Response, error) {
	send := func() (*tikvrpc.Response, error) {
		return s.MockClient.SendRequest(ctx, address, request, timeout)
	}
	if hook := s.cluster.hook.Load(); hook != nil {
		return (*hook)(ctx, request, send)
	}
	return send()
}

func (s *stores) Close() error { return nil }

// driver counts timestamps. It stays running when it's closed.
type driver struct {
	pd.Client
	cluster *Cluster
}

func (d *driver) GetTS(ctx context.Context) (physical, logical int64, err error) {
	d.cluster.timestamps.Add(1)
	return d.Client.GetTS(ctx)
}

func (d *driver) GetTSAsync(ctx context.Context) tso.TSFuture {
	d.cluster.timestamps.Add(1)
	return d.Client.GetTSAsync(ctx)
}

func (d *driver) WithCallerComponent(component caller.Component) pd.Client {
	return &driver{Client: d.Client.WithCallerComponent(component), cluster: d.cluster}
}

func (d *driver) Close() {}
