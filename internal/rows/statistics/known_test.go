// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"testing"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/record"
)

// TestKnownRows says that all indexes which hold every row have one count, the counted one if there is one, and others
// their own.
func TestKnownRows(t *testing.T) {
	part := []schema.KeyPart{{Name: "a", Type: schema.Int, Args: []schema.Argument{{Column: "a", Type: schema.Int}}}}
	table := record.Compile(&schema.Table{
		ID: 1, Primary: schema.Index{Key: part},
		Indexes: []schema.Index{
			{ID: 1, Name: "whole", Key: part, KeepNulls: true, State: schema.Active},
			{ID: 2, Name: "sparse", Key: part, State: schema.Active},
			{ID: 3, Name: "partial", Key: part, KeepNulls: true, Partial: true, State: schema.Active},
			{ID: 4, Name: "unseen", Key: part, KeepNulls: true, State: schema.Active},
		},
	}, nil)
	now := time.Unix(1_700_000_000, 0)
	var b Book
	for id, e := range map[uint32]Estimate{0: {890_000, 89_000_000}, 1: {1_060_000, 10_600_000}, 2: {500, 5000},
		3: {600, 6000}} {
		b.put(indexID{table: 1, index: id}, dated{e, now})
	}
	check := func(whole float64) {
		t.Helper()
		known := b.Known(&Look{Table: table, Now: now})
		for id, want := range map[uint32]float64{0: whole, 1: whole, 2: 500, 3: 600, 4: 0} {
			if got := known.Indexes[id].Rows; got != want {
				t.Errorf("index %d has %.0f rows, not %.0f", id, got, want)
			}
		}
		if bytes := known.Indexes[1].Bytes / known.Indexes[1].Rows; bytes < 9.99 || bytes > 10.01 {
			t.Errorf("%f bytes an entry", bytes)
		}
		if known.Rows != whole {
			t.Errorf("the table has %.0f rows, not %.0f", known.Rows, whole)
		}
	}
	check(890_000)
	b.putSeparators(indexID{table: 1, index: 1}, separators{rows: 1_060_000, counted: 1_000_000, at: now})
	check(1_000_000)
	// what is kept for a moment, and what is not
	for _, now = range []time.Time{now.Add(knownKept / 2), now.Add(-time.Second)} {
		check(1_000_000)
	}
	now = now.Add(statisticsKept + 2*time.Second)
	if known := b.Known(&Look{Table: table, Now: now}); known.Rows != 0 {
		t.Errorf("%.0f rows are known, counted too long ago", known.Rows)
	}
	for range 2 * knownTables {
		b.Known(&Look{Table: record.Compile(&schema.Table{ID: 2, Primary: schema.Index{Key: part}}, nil), Now: now})
	}
	if len(b.known) > knownTables {
		t.Errorf("%d tables are kept", len(b.known))
	}
}
