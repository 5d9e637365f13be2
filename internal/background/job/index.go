// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Bounds of one batch of an index build: rows, and bytes of their keys and values.
const (
	batchRows  = 256
	batchBytes = 1 << 20
)

// buildIndex takes an index through its states. Each step is published and waited for, so every transaction that runs
// during the backfill already writes the index: in small transactions, a row is indexed by the backfill, by its writer,
// or by both with the same bytes.
func (r *Runner) buildIndex(ctx context.Context, j *Job) error {
	for _, state := range []schema.State{schema.WriteOnly, schema.Backfill} {
		if err := r.advance(ctx, j, state); err != nil {
			return forgive(r, err, j)
		}
	}
	if done, err := r.trySorted(ctx, j); err != nil {
		return forgive(r, err, j)
	} else if done {
		return forgive(r, r.finish(ctx, j), j)
	}
	for {
		more, err := r.backfill(ctx, j)
		if err != nil {
			return forgive(r, err, j)
		}
		r.update(*j, false)
		if !more {
			return forgive(r, r.finish(ctx, j), j)
		}
		if err := rest(ctx, r.Pause); err != nil {
			return err
		}
	}
}

// trySorted fills the index by sorting, if that can be. An index that an attempt before has left with wrong entries is
// emptied first.
func (r *Runner) trySorted(ctx context.Context, j *Job) (done bool, err error) {
	if j.Loaded {
		if err := r.empty(ctx, j); err != nil {
			return false, err
		}
		j.Loaded = false
	}
	if loader := r.loader(j); loader != nil {
		return r.fillSorted(ctx, j, loader)
	}
	return false, nil
}

// forgive ends a job whose table or index was dropped meanwhile.
func forgive(r *Runner, err error, j *Job) error {
	if !gone(err) {
		return err
	}
	return kv.Update(context.Background(), r.Store, func(txn kv.Txn) error {
		if r.owner != nil {
			if err := r.owner.Guard(context.Background(), txn); err != nil {
				return err
			}
		}
		return remove(txn, j)
	})
}

// advance moves the index to a later state; one that is there already, after a restart, is left.
func (r *Runner) advance(ctx context.Context, j *Job, state schema.State) error {
	version, err := r.Catalog.AcquireID(j.Table)
	if err != nil {
		return err
	}
	index, ok := version.Table.IndexByID(j.Index)
	reached := ok && (index.State >= state || index.State == schema.Active) && !leaving(index.State)
	version.Release()
	if reached {
		return nil
	}
	return r.change(ctx, j, func(table *schema.Table) error { return setState(table, j.Index, state) }, nil)
}

// finish makes the index active and removes the job, in one transaction.
func (r *Runner) finish(ctx context.Context, j *Job) error {
	return r.change(ctx, j,
		func(table *schema.Table) error {
			index, ok := table.IndexByID(j.Index)
			if ok {
				index.Partial = j.Misfits > 0
			}
			if ok && index.Rebuild != nil && !leaving(index.State) && table.State != schema.Dropping {
				return r.replace(table, j.Index)
			}
			return setState(table, j.Index, schema.Active)
		},
		func(txn kv.Txn) error { return remove(txn, j) })
}

func setState(table *schema.Table, id uint32, state schema.State) error {
	index, ok := table.IndexByID(id)
	if !ok || leaving(index.State) || table.State == schema.Dropping {
		return catalog.ErrNotFound
	}
	index.State = state
	return nil
}

func leaving(state schema.State) bool { return state == schema.Retiring || state == schema.Dropping }

// backfill indexes the next batch of rows; more is false when there are none left. The batch's rows are latched, so
// writers in this process wait instead of failing, and guarded, so a writer elsewhere conflicts instead of being
// overwritten.
func (r *Runner) backfill(ctx context.Context, j *Job) (more bool, err error) {
	version, err := r.Catalog.AcquireID(j.Table)
	if err != nil {
		return false, err
	}
	defer version.Release()
	table := record.Compile(version.Table, version.Names)
	index, ok := table.IndexByID(j.Index)
	if !ok || leaving(index.State) || version.Table.State == schema.Dropping {
		return false, catalog.ErrNotFound
	}
	return r.pass(ctx, j, table, func(txn kv.Txn, keys [][]byte, next *Job) error {
		misfits, err := fill(ctx, txn, table, index, keys)
		next.Misfits += misfits
		return err
	})
}

// pass does the next batch of a job that goes over all rows of a table, in one transaction with how far it got; more is
// false when there are none left. The rows are latched. After a conflict, do runs again with the first half of the rows
// and next as it was: a row that another process writes all the time then holds up few others.
func (r *Runner) pass(ctx context.Context, j *Job, table *record.Table,
	do func(txn kv.Txn, keys [][]byte, next *Job) error) (more bool, err error) {
	keys, err := r.batch(ctx, table, j.Cursor)
	if err != nil || len(keys) == 0 {
		return false, err
	}
	held, err := r.Latches.Lock(ctx, keys...)
	if err != nil {
		return false, err
	}
	defer held.Unlock()
	var next Job
	most := 2 * len(keys)
	err = r.transact(ctx, j, func(txn kv.Txn) error {
		next, most = *j, max(most/2, 1)
		keys := keys[:most]
		if err := kv.Prefetch(ctx, txn, keys); err != nil {
			return err
		}
		next.Cursor = keys[len(keys)-1][len(table.Primary.Prefix):]
		next.Done += int64(len(keys))
		if err := do(txn, keys, &next); err != nil {
			return err
		}
		return save(txn, &next)
	})
	if err == nil {
		*j = next
	}
	return true, err
}

// batch returns the keys of the rows after the cursor.
func (r *Runner) batch(ctx context.Context, table *record.Table, after []byte) ([][]byte, error) {
	reader, err := r.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var start []byte
	if after != nil {
		start = append(append(start, after...), 0)
	}
	cursor := reader.Scan(ctx, table.Primary.Span(start, nil), false)
	defer cursor.Close()
	var keys [][]byte
	for bytes := 0; len(keys) < batchRows && bytes < batchBytes && cursor.Next(); {
		keys = append(keys, append([]byte(nil), cursor.Key()...))
		bytes += len(cursor.Key()) + len(cursor.Value())
	}
	return keys, cursor.Close()
}

func fill(ctx context.Context, txn kv.Txn, table *record.Table, index *record.Index, keys [][]byte) (misfits int64,
	err error) {
	var writer record.Writer
	var row []byte
	for _, key := range keys {
		stored, ok, err := table.Get(ctx, txn, key, row[:0])
		if err != nil {
			return 0, err
		}
		if !ok {
			continue
		}
		row = stored
		if err := txn.Guard(key); err != nil {
			return 0, err
		}
		if err := table.CheckFill(ctx, txn, index, key, stored); err != nil {
			return 0, err
		}
		filled, err := writer.Fill(txn, table, index, key, stored)
		if err != nil {
			return 0, err
		}
		if !filled {
			misfits++
		}
	}
	return misfits, nil
}

func rest(ctx context.Context, pause time.Duration) error {
	if pause <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// replace makes a rebuilt index take its predecessor's name. It is one change of the descriptor, so that each request
// sees one of the two: both are complete, and both stay so, until the predecessor is dropped. If the predecessor was
// dropped meanwhile, so was this one.
func (r *Runner) replace(table *schema.Table, id uint32) error {
	if !table.Replace(id, r.Now().UnixMilli()) {
		return catalog.ErrNotFound
	}
	return nil
}
