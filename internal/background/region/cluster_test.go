// SPDX-License-Identifier: Apache-2.0

package region_test

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/tikv"
	"github.com/weftdb/weft/kv/tikv/tikvtest"
)

// TestCluster begins tables with regions of a cluster's own: what is asked for is split there, and what is shown is the
// cluster's.
func TestCluster(t *testing.T) {
	cluster, err := tikvtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	store, err := cluster.Open(tikv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), store,
		database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler), ExpiryInterval: -1, RebuildInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, err := range []error{db.Close(), store.Close(), cluster.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	for _, c := range []struct {
		name string
		spec *database.RegionSpec
		want int
	}{
		{"asked", &database.RegionSpec{Count: 6}, 6},
		{"one", &database.RegionSpec{Count: 1}, 1},
		{"unasked", nil, 4 * 3}, // the cluster has three stores
	} {
		spec := database.TableSpec{Name: c.name, Key: database.Columns("id", schema.String), PartitionParts: 1,
			Regions: c.spec}
		table, err := db.CreateTable(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			if err := testdoc.Put(t.Context(), table, testdoc.Document{"id": fmt.Sprintf("%c%d", 'a'+i%26, i)}); err != nil {
				t.Fatal(err)
			}
		}
		p, err := table.Pin()
		if err != nil {
			t.Fatal(err)
		}
		regions, err := p.Regions(t.Context(), "")
		p.Release()
		if err != nil {
			t.Fatal(err)
		}
		rows := int64(0)
		for i := range regions {
			rows += regions[i].Rows
			if regions[i].Leader == "" || len(regions[i].Peers) != 3 {
				t.Errorf("%s: region %s is led by %q, kept by %v", c.name, regions[i].ID, regions[i].Leader,
					regions[i].Peers)
			}
		}
		if len(regions) != c.want || rows != 50 {
			t.Errorf("%s: %d rows in %d regions, want %d", c.name, rows, len(regions), c.want)
		}
	}
	if n, err := db.AllRegions().Look(t.Context(), true); err != nil || n != 0 {
		t.Errorf("%d steps on a cluster, %v", n, err)
	}
}
