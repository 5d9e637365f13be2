// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// errNotEmpty is the error of a restore to a store that holds something.
var errNotEmpty = errors.New("backup: the store to restore to is not empty: choose an empty one")

func formatKey() []byte { return keyspace.AppendMeta(nil, "format") }

// formatUnfinished is the format of a store that is being filled, which no version of Weft opens.
const formatUnfinished = 0

// batchBytes is about what a transaction of a restore writes.
const batchBytes = 1 << 20

// fill puts sorted entries into an empty store: in one step where the engine can, else in transactions, and the format
// last. next returns io.EOF at the end. A store that was filled in part is not opened by any version of Weft, and not
// filled again. Errors: errNotEmpty, next's, those of the store.
func fill(ctx context.Context, store kv.Store, admin kv.Admin, next func() (key, value []byte, err error)) error {
	if err := kv.Update(ctx, store, func(txn kv.Txn) error { return isEmpty(ctx, txn) }); err != nil {
		return err
	}
	if _, shared := kv.SharedOf(store); admin != nil && !shared {
		if err := admin.Ingest(ctx, next); !errors.Is(err, kv.ErrUnsupported) {
			return err
		}
	}
	return fillBatches(ctx, store, next)
}

// fillBatches fills a store in transactions, closed to everybody else meanwhile.
func fillBatches(ctx context.Context, store kv.Store, next func() (key, value []byte, err error)) error {
	unfinished := order.AppendUvarint(nil, formatUnfinished)
	if err := kv.Update(ctx, store, func(txn kv.Txn) error { return txn.Set(formatKey(), unfinished) }); err != nil {
		return err
	}
	format := unfinished
	err := put(ctx, store, func() (key, value []byte, err error) {
		if key, value, err = next(); err == nil && bytes.Equal(key, formatKey()) {
			format = bytes.Clone(value)
			return next()
		}
		return key, value, err
	})
	if err != nil {
		return err
	}
	return kv.Update(ctx, store, func(txn kv.Txn) error { return txn.Set(formatKey(), format) })
}

// put writes entries in transactions. next may hand out the same memory again, so a batch is gathered first.
func put(ctx context.Context, store kv.Store, next func() (key, value []byte, err error)) error {
	limit := batchBytes
	if most := store.Limits().TxnBytesMax; most > 0 {
		limit = min(limit, most/2)
	}
	for {
		var batch [][2][]byte
		var end error
		for size := 0; size < limit && end == nil; {
			var key, value []byte
			if key, value, end = next(); end == nil {
				batch = append(batch, [2][]byte{bytes.Clone(key), bytes.Clone(value)})
				size += len(key) + len(value)
			}
		}
		if end != nil && !errors.Is(end, io.EOF) {
			return end
		}
		err := kv.Update(ctx, store, func(txn kv.Txn) error {
			for _, e := range batch {
				if err := txn.Set(e[0], e[1]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || end != nil {
			return err
		}
	}
}

func isEmpty(ctx context.Context, txn kv.Txn) error {
	cursor := txn.Scan(ctx, kv.Range{}, false)
	found := cursor.Next()
	if err := cursor.Close(); err != nil || !found {
		return err
	}
	return errNotEmpty
}
