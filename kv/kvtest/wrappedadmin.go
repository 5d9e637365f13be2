// SPDX-License-Identifier: Apache-2.0

package kvtest

import (
	"context"
	"fmt"

	"github.com/weftdb/weft/kv"
)

// wrappedAdmin passes every call of a kv.Admin through around, which gets the call as a line of text.
type wrappedAdmin struct {
	admin  kv.Admin
	around func(call string, run func() error) error
}

func (w *wrappedAdmin) DeleteRange(ctx context.Context, r kv.Range) error {
	return w.around("delete range "+rangeText(r), func() error { return w.admin.DeleteRange(ctx, r) })
}

func (w *wrappedAdmin) Checkpoint(ctx context.Context, dir string) error {
	return w.around("checkpoint", func() error { return w.admin.Checkpoint(ctx, dir) })
}

func (w *wrappedAdmin) Ingest(ctx context.Context, next func() (key, value []byte, err error)) error {
	return w.around("ingest", func() error { return w.admin.Ingest(ctx, next) })
}

func (w *wrappedAdmin) Regions(ctx context.Context, r kv.Range) (regions []kv.Region, err error) {
	err = w.around("regions of "+rangeText(r), func() error {
		regions, err = w.admin.Regions(ctx, r)
		return err
	})
	return regions, err
}

func (w *wrappedAdmin) Split(ctx context.Context, keys [][]byte) error {
	return w.around(fmt.Sprintf("split at %q", keys), func() error { return w.admin.Split(ctx, keys) })
}

func (w *wrappedAdmin) Compact(ctx context.Context, r kv.Range) error {
	return w.around("compact "+rangeText(r), func() error { return w.admin.Compact(ctx, r) })
}

func (w *wrappedAdmin) ApproximateSize(ctx context.Context, r kv.Range) (bytes int64, err error) {
	err = w.around("size of "+rangeText(r), func() error {
		bytes, err = w.admin.ApproximateSize(ctx, r)
		return err
	})
	return bytes, err
}
