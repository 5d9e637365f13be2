// SPDX-License-Identifier: Apache-2.0

package tikv_test

import (
	"testing"

	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/kvtest"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

func start(t *testing.T) *tikvtest.Cluster {
	t.Helper()
	cluster, err := tikvtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Close(); err != nil {
			t.Error(err)
		}
	})
	return cluster
}

func open(t *testing.T, cluster *tikvtest.Cluster, options tikv.Options) *tikv.Store {
	t.Helper()
	store, err := cluster.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// clusters are the clusters of an engine's stores.
type clusters struct {
	options tikv.Options
	of      map[kv.Store]site
}

// site is where a store is open, and how.
type site struct {
	cluster *tikvtest.Cluster
	options tikv.Options
}

func (c *clusters) open(t *testing.T, options tikv.Options) (kv.Store, *tikvtest.Cluster) {
	s := site{start(t), options}
	return c.gateway(t, s), s.cluster
}

func (c *clusters) gateway(t *testing.T, s site) kv.Store {
	if c.of == nil {
		c.of = map[kv.Store]site{}
	}
	store := open(t, s.cluster, s.options)
	c.of[store] = s
	return store
}

// another opens a second gateway on the cluster of s.
func (c *clusters) another(t *testing.T, s kv.Store) kv.Store { return c.gateway(t, c.of[s]) }

// engine's stores are gateways: they come and go, and the cluster keeps the data.
func (c *clusters) engine() kvtest.Engine {
	return kvtest.Engine{
		Open: func(t *testing.T) kv.Store {
			store, _ := c.open(t, c.options)
			return store
		},
		Reopen: func(t *testing.T, s kv.Store) kv.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return c.another(t, s)
		},
		Crash: c.another, // the old gateway just isn't heard of any more
		Admin: func(s kv.Store) kv.Admin { return s.(*tikv.Store) },
	}
}

func engine(options tikv.Options) kvtest.Engine {
	return (&clusters{options: options}).engine()
}

func TestEngine(t *testing.T) {
	kvtest.Run(t, engine(tikv.Options{}))
}
