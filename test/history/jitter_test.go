// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"

	"github.com/weftdb/weft/kv"
)

// jitter is a store whose calls let other goroutines run, so that on few cores, too, transactions meet in the middle.
type jitter struct{ kv.Store }

func (j jitter) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	yield()
	defer yield()
	return j.Store.Get(ctx, key, dst)
}

func (j jitter) Read(ctx context.Context) (kv.Reader, error) {
	yield()
	r, err := j.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	return jitterReader{r}, nil
}

func (j jitter) Begin(ctx context.Context) (kv.Txn, error) {
	yield()
	txn, err := j.Store.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return jitterTxn{txn}, nil
}

type jitterReader struct{ kv.Reader }

func (r jitterReader) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	yield()
	return r.Reader.Get(ctx, key, dst)
}

type jitterTxn struct{ kv.Txn }

func (t jitterTxn) UnwrapTxn() kv.Txn { return t.Txn }

func (t jitterTxn) Get(ctx context.Context, key, dst []byte) ([]byte, bool, error) {
	yield()
	return t.Txn.Get(ctx, key, dst)
}

func (t jitterTxn) Commit(ctx context.Context) error {
	yield()
	defer yield()
	return t.Txn.Commit(ctx)
}
