// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// dropIndex frees the space of an index once nobody reads or writes it any more, then forgets it. The index comes here
// Retiring, so that transactions that still read it miss no write.
func (r *Runner) dropIndex(ctx context.Context, j *Job) error {
	err := r.change(ctx, j, func(table *schema.Table) error {
		index, ok := table.IndexByID(j.Index)
		if !ok || table.State == schema.Dropping {
			return catalog.ErrNotFound
		}
		index.State = schema.Dropping
		return nil
	}, nil)
	if err != nil {
		return forgive(r, err, j)
	}
	if err := r.clear(ctx, j, keyspace.AppendRows(nil, j.Table, j.Index)); err != nil {
		return err
	}
	err = r.change(ctx, j, func(table *schema.Table) error {
		table.Indexes = slices.DeleteFunc(table.Indexes, func(x schema.Index) bool { return x.ID == j.Index })
		return nil
	}, func(txn kv.Txn) error { return remove(txn, j) })
	return forgive(r, err, j)
}

// dropTable frees the space of a dropped table and all its indexes, then forgets it.
func (r *Runner) dropTable(ctx context.Context, j *Job) error {
	if err := r.Catalog.Settle(ctx, j.Table); err != nil {
		return forgive(r, err, j)
	}
	if err := r.clear(ctx, j, keyspace.AppendTableRows(nil, j.Table)); err != nil {
		return err
	}
	return forgive(r, r.Catalog.Forget(ctx, j.Table, func(txn kv.Txn) error {
		return errors.Join(r.guard(ctx, txn, j), remove(txn, j))
	}), j)
}

// clear deletes all keys with a prefix.
func (r *Runner) clear(ctx context.Context, j *Job, prefix []byte) error {
	end, _ := order.PrefixEnd(nil, prefix)
	return r.clearAll(ctx, kv.Range{Start: prefix, End: end},
		func(fn func(kv.Txn) error) error { return r.transact(ctx, j, fn) })
}

// Clear deletes all keys of a range that nobody reads or writes any more, by the engine's range deletion where it has
// one.
func (r *Runner) Clear(ctx context.Context, all kv.Range) error {
	return r.clearAll(ctx, all, func(fn func(kv.Txn) error) error { return kv.Update(ctx, r.Store, fn) })
}

func (r *Runner) clearAll(ctx context.Context, all kv.Range, transact func(func(kv.Txn) error) error) error {
	if r.Admin != nil {
		if err := r.Admin.DeleteRange(ctx, all); !errors.Is(err, kv.ErrUnsupported) {
			return err
		}
	}
	for {
		deleted, err := clearBatch(ctx, all, transact)
		if err != nil || deleted == 0 {
			return err
		}
	}
}

func clearBatch(ctx context.Context, all kv.Range, transact func(func(kv.Txn) error) error) (deleted int, err error) {
	err = transact(func(txn kv.Txn) error {
		var keys [][]byte
		cursor := txn.Scan(ctx, all, false)
		for len(keys) < batchRows && cursor.Next() {
			keys = append(keys, append([]byte(nil), cursor.Key()...))
		}
		if err := cursor.Close(); err != nil {
			return err
		}
		for _, key := range keys {
			if err := txn.Delete(key); err != nil {
				return err
			}
		}
		deleted = len(keys)
		return nil
	})
	return deleted, err
}
