// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"testing"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/mem"
)

// TestGrowth has a table of an embedded store grow a hundred times. Its regions follow: after each look none is larger
// than allowed, and they are about as few as they can be.
func TestGrowth(t *testing.T) {
	store := mem.Open(mem.Options{})
	defer store.Close()
	const bytesMax, rowBytes = 16 << 10, 100
	db, err := database.Open(t.Context(), store, database.Options{Admin: store, Logger: slog.New(slog.DiscardHandler),
		Regions: database.RegionSettings{BytesMax: bytesMax, Interval: -1}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table, err := db.CreateTable(t.Context(), database.TableSpec{Name: "t", Key: database.Columns("k", schema.String)})
	if err != nil {
		t.Fatal(err)
	}
	rows, total := 0, 0
	for size := bytesMax; size <= 100*bytesMax; size = size * 5 / 2 {
		for ; rows*rowBytes < size; rows++ {
			item := testdoc.Document{"k": fmt.Sprintf("%072x", rows*0x9e3779b9)}
			if err := testdoc.Put(t.Context(), table, item); err != nil {
				t.Fatal(err)
			}
		}
		steps, err := db.AllRegions().Look(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.AllRegions().Look(t.Context(), true); err != nil { // the sizes after the steps
			t.Fatal(err)
		}
		most := int64(0)
		sizes := db.AllRegions().Sizes()
		total = 0
		for _, r := range sizes {
			most, total = max(most, r.Bytes), total+int(r.Bytes)
		}
		t.Logf("%d bytes in %d regions after %d steps, the largest of %d bytes", total, len(sizes), steps, most)
		if most > bytesMax || len(sizes) > 1+4*total/bytesMax {
			t.Errorf("%d bytes are in %d regions, the largest of %d bytes", total, len(sizes), most)
		}
	}
}

// TestHeat: what a gateway counts of requests takes some megabytes, however many keys they are for.
func TestHeat(t *testing.T) {
	const keys, most = 200_000, 32 << 20
	name := func(i int) []byte { return fmt.Appendf(keyspace.AppendRows(nil, uint32(1+i/2000), 0), "%08d", i) }
	store := mem.Open(mem.Options{})
	defer store.Close()
	next := 0
	if err := store.Ingest(t.Context(), func() (key, value []byte, err error) {
		if next == keys {
			return nil, nil, io.EOF
		}
		next++
		return name(next - 1), nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	before := heap()
	counts := heat.New(heat.Options{})
	counting := heat.Wrap(store, counts)
	for i := range keys {
		if _, _, err := counting.Get(t.Context(), name(i*7919%keys), nil); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 0 {
			counts.Tick(int64(i/1000+1) * 60_000)
		}
	}
	used := heap() - before
	t.Logf("%d keys of 100 tables, in 200 minutes: %.1f MB", keys, float64(used)/1e6)
	if objects := len(counts.Histories()); used > most || objects == 0 {
		t.Errorf("%d bytes for %d objects", used, objects)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
