// SPDX-License-Identifier: Apache-2.0

package database_test

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/testing/testdoc"
	"github.com/weftdb/weft/kv/pebble"
)

// TestEstimateInMemory: rows that are in no file yet, so that no size tells of them, are counted.
func TestEstimateInMemory(t *testing.T) {
	store, err := pebble.Open(pebble.Options{Dir: "data", FS: vfs.NewMem(), MemTableBytes: 64 << 20,
		ReadOnlyBelowBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	j := newJourney(t, store, store)
	ctx := t.Context()
	table, err := j.db.CreateTable(ctx, database.TableSpec{Name: "t", Key: database.Columns("id", schema.String)})
	j.must(err)
	const batches, each = 52, 1000
	for batch := range batches {
		j.must(j.db.Update(ctx, func(tx *database.Tx) error {
			for i := range each {
				if err := testdoc.PutIn(ctx, tx, "t", testdoc.Document{"id": fmt.Sprint(batch*each + i)}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	p, err := table.Pin()
	j.must(err)
	defer p.Release()
	if got, err := p.Estimate(ctx, ""); err != nil || got.Rows != batches*each {
		t.Errorf("the table has about %d rows, %v; want %d", got.Rows, err, batches*each)
	}
}
