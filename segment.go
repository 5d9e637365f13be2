// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/indexkey"
	"github.com/weftdb/weft/internal/query"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/kv"
)

// segment returns the part of an index that one worker of a parallel scan reads. version is what an earlier page returned, or 0.
func (p Pinned) segment(ctx context.Context, from kv.Snapshot, x *record.Index, q *Query) (span indexkey.Span, version uint64, err error) {
	if q.Segments <= 1 {
		return q.within, 0, nil
	}
	return p.db.slicer.Span(ctx, p.db.catalog, from, p.Descriptor().ID, x, query.Segment{Number: q.Segment, Of: q.Segments, Boundaries: q.Boundaries},
		p.db.options.Now(), p.sizer(ctx))
}

func (p Pinned) sizer(ctx context.Context) func(kv.Range) int64 {
	if p.db.admin == nil {
		return nil
	}
	return func(r kv.Range) int64 {
		bytes, err := p.db.admin.ApproximateSize(ctx, r)
		if err != nil {
			return 0
		}
		return bytes
	}
}
