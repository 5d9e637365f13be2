// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/pingcap/kvproto/pkg/errorpb"
	"github.com/tikv/client-go/v2/tikvrpc"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// writesLease reports whether a request writes the record of a gateway.
func writesLease(request *tikvrpc.Request) bool {
	if request.Type != tikvrpc.CmdPrewrite {
		return false
	}
	for _, mutation := range request.Prewrite().GetMutations() {
		if bytes.HasPrefix(mutation.GetKey()[len("w"):], keyspace.AppendGateways(nil)) {
			return true
		}
	}
	return false
}

// TestRowsOutliveTheLeaseRegion lets the region have no leader in which the leases are, until renewals have failed:
// rows elsewhere are read and written meanwhile, and the lease is renewed afterwards.
func TestRowsOutliveTheLeaseRegion(t *testing.T) {
	cluster, err := tikvtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	store, err := cluster.Open(tikv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	db, err := database.Open(t.Context(), store, database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler),
		Gateway: database.GatewayOptions{Lease: 18 * time.Second, Poll: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("k", schema.Number)})
	if err != nil {
		t.Fatal(err)
	}
	lost, renewed := make(chan struct{}, 1000), make(chan struct{}, 1000)
	cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		if !writesLease(request) {
			return send()
		}
		lost <- struct{}{}
		return tikvrpc.GenRegionErrorResp(request, &errorpb.Error{Message: "no leader",
			NotLeader: &errorpb.NotLeader{RegionId: request.RegionId}})
	})
	for range 3 {
		<-lost
	}
	for i := range 50 {
		if err := testdoc.Put(t.Context(), table, testdoc.Document{"k": i}); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := testdoc.Get(t.Context(), table, testdoc.Document{"k": i}); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	if err := db.Ready(); err != nil {
		t.Error(err)
	}
	cluster.SetHook(func(_ context.Context, request *tikvrpc.Request,
		send func() (*tikvrpc.Response, error)) (*tikvrpc.Response, error) {
		response, err := send()
		if err == nil && writesLease(request) {
			renewed <- struct{}{}
		}
		return response, err
	})
	<-renewed
	if status, _ := db.Gateway(); status.Lost > 0 || db.Ready() != nil {
		t.Errorf("the lease was lost %d times, and %v", status.Lost, db.Ready())
	}
}
