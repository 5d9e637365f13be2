// SPDX-License-Identifier: Apache-2.0

package kvwrap

import (
	"context"
	"fmt"

	"github.com/weftdb/weft/kv"
)

type wrappedAdmin struct {
	*wrapper
	admin kv.Admin
}

func (w *wrappedAdmin) DeleteRange(ctx context.Context, r kv.Range) error {
	return w.do(CallAdmin, "delete range "+rangeText(r), func() error { return w.admin.DeleteRange(ctx, r) })
}

func (w *wrappedAdmin) Checkpoint(ctx context.Context, dir string) error {
	return w.do(CallAdmin, "checkpoint", func() error { return w.admin.Checkpoint(ctx, dir) })
}

func (w *wrappedAdmin) Ingest(ctx context.Context, next func() (key, value []byte, err error)) error {
	return w.do(CallAdmin, "ingest", func() error { return w.admin.Ingest(ctx, next) })
}

// MayLoad reports whether the engine can, and may.
func (w *wrappedAdmin) MayLoad() bool {
	loader, ok := w.admin.(kv.Loader)
	return ok && loader.MayLoad()
}

func (w *wrappedAdmin) Load(ctx context.Context, alone bool, next func() (key, value []byte, err error)) error {
	return w.do(CallAdmin, "load", func() error { return w.admin.(kv.Loader).Load(ctx, alone, next) })
}

func (w *wrappedAdmin) Scratch() string { return w.admin.(kv.Loader).Scratch() }

func (w *wrappedAdmin) Regions(ctx context.Context, r kv.Range) (regions []kv.Region, err error) {
	err = w.do(CallAdmin, "regions of "+rangeText(r), func() error {
		regions, err = w.admin.Regions(ctx, r)
		return err
	})
	return regions, err
}

func (w *wrappedAdmin) Split(ctx context.Context, keys [][]byte) error {
	return w.do(CallAdmin, fmt.Sprintf("split at %q", keys), func() error { return w.admin.Split(ctx, keys) })
}

func (w *wrappedAdmin) Compact(ctx context.Context, r kv.Range) error {
	return w.do(CallAdmin, "compact "+rangeText(r), func() error { return w.admin.Compact(ctx, r) })
}

func (w *wrappedAdmin) ApproximateSize(ctx context.Context, r kv.Range) (bytes int64, err error) {
	err = w.do(CallAdmin, "size of "+rangeText(r), func() error {
		bytes, err = w.admin.ApproximateSize(ctx, r)
		return err
	})
	return bytes, err
}
