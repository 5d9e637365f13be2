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

// engine is a cluster per store. Its stores are gateways: they come and go, and the cluster keeps the data.
func engine(options tikv.Options) kvtest.Engine {
	clusters := map[kv.Store]*tikvtest.Cluster{}
	another := func(t *testing.T, s kv.Store) kv.Store {
		cluster := clusters[s]
		store := open(t, cluster, options)
		clusters[store] = cluster
		return store
	}
	return kvtest.Engine{
		Open: func(t *testing.T) kv.Store {
			cluster := start(t)
			store := open(t, cluster, options)
			clusters[store] = cluster
			return store
		},
		Reopen: func(t *testing.T, s kv.Store) kv.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return another(t, s)
		},
		Crash: another, // the old gateway just isn't heard of any more
		Admin: func(s kv.Store) kv.Admin { return s.(*tikv.Store) },
	}
}

func TestEngine(t *testing.T) {
	kvtest.Run(t, engine(tikv.Options{}))
}
