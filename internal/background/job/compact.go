// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// compact goes through the rows of a table with rules of cells and writes those anew of which something has ended; with
// Job.Engine it then has the engine give the space back.
func (r *Runner) compact(ctx context.Context, j *Job) error {
	if err := r.Enforce(ctx, j.Table); err != nil {
		return forgive(r, err, j)
	}
	for more := true; more; {
		var err error
		if more, err = r.compactBatch(ctx, j); err != nil {
			return forgive(r, err, j)
		}
		r.update(*j, false)
		if err := rest(ctx, r.Pause); err != nil {
			return err
		}
	}
	if j.Engine && r.Admin != nil {
		prefix := keyspace.AppendTableRows(nil, j.Table)
		end, _ := order.PrefixEnd(nil, prefix)
		if err := r.Admin.Compact(ctx, kv.Range{Start: prefix, End: end}); err != nil &&
			!errors.Is(err, kv.ErrUnsupported) {
			return err
		}
	}
	return r.transact(ctx, j, func(txn kv.Txn) error { return remove(txn, j) })
}

// Enforce brings a table's rules of cells into force, if they are pending. Earlier writes count as written now.
func (r *Runner) Enforce(ctx context.Context, table uint32) error {
	version, err := r.Catalog.AcquireID(table)
	if err != nil {
		return err
	}
	rules := version.Table.Cells
	version.Release()
	if rules == nil || !rules.Pending {
		return nil
	}
	_, err = r.Catalog.Change(ctx, table, func(table *schema.Table) error {
		if table.Cells.Pending {
			table.Cells.Pending, table.Cells.SinceMS = false, r.Now().UnixMilli()
		}
		return nil
	}, nil)
	return err
}

// compactBatch cleans the next rows; more is false when there are none left.
func (r *Runner) compactBatch(ctx context.Context, j *Job) (more bool, err error) {
	version, err := r.Catalog.AcquireID(j.Table)
	if err != nil {
		return false, err
	}
	defer version.Release()
	if version.Table.State == schema.Dropping {
		return false, catalog.ErrNotFound
	}
	table := compile(version)
	if table.Cells == nil {
		return false, nil
	}
	return r.pass(ctx, j, table, func(txn kv.Txn, keys [][]byte,
		_ *Job) error {
		return r.cleanAll(ctx, txn, table, keys, j.Markers)
	})
}

// cleanAll cleans rows within txn. One that can't be read stays as it is, and is reported.
func (r *Runner) cleanAll(ctx context.Context, txn kv.Txn, table *record.Table, keys [][]byte, markers bool) error {
	var writer record.Writer
	var row []byte
	for _, key := range keys {
		stored, ok, err := table.Get(ctx, txn, key, row[:0])
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		row = stored
		if err := stored.Validate(table.Names); err != nil {
			r.Logger.Error("failed to read a row; it stays unchanged", "table", table.Schema.Name, "row",
				fmt.Sprint(keyspace.Print(key)), "error", err)
			continue
		}
		if _, err := writer.Clean(txn, table, key, stored, r.Now().UnixMilli(), markers); err != nil {
			return err
		}
	}
	return nil
}

const (
	// collectShare is the number of times in the life of a snapshot that old versions are collected.
	collectShare = 10
	// collectPause is used where snapshots live for ever.
	collectPause = time.Minute
)

// collect lets the store drop old versions, again and again, while this process owns that work. done is closed when it
// has ended.
func (r *Runner) collect(ctx context.Context, collector kv.Collector, owner Owner, done chan struct{}) {
	defer close(done)
	pause := collectPause
	if life := r.Store.Limits().SnapshotLifetime; life > 0 {
		pause = max(time.Duration(life)*time.Millisecond/collectShare, time.Millisecond)
	}
	for rest(ctx, pause) == nil {
		if owner != nil && !owner.Owned() {
			continue
		}
		if err := collector.Collect(ctx); err != nil && ctx.Err() == nil {
			r.Logger.Warn("failed to collect old versions; will retry", "error", err, "after", pause)
		}
	}
}

// startCollecting begins to collect where the store wants it.
func (r *Runner) startCollecting(ctx context.Context) {
	r.collected = make(chan struct{})
	collector, ok := kv.CollectorOf(r.Store)
	if !ok {
		close(r.collected)
		return
	}
	var owner Owner
	if r.Owns != nil {
		owner = r.Owns(WorkCollect)
	}
	go r.collect(ctx, collector, owner, r.collected)
}
