// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"encoding/binary"
	"math"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/indexkey"
	"github.com/weftdb/weft/internal/query"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/kv"
)

// Segments of parallel scans. An ordered index is cut at sampled keys. The cuts are stored under a version that never changes and is
// carried in the page keys, so that new statistics neither lose nor repeat a row of a scan under way.
const (
	boundariesMax   = 255
	boundariesStale = 10 * time.Minute // cuts older than this are made anew,
	segmentsQuiet   = time.Minute      // but not while a parallel scan has begun lately: its workers must begin alike
	boundariesKept  = 24 * time.Hour   // old versions live on for scans under way
)

// slicer remembers when parallel scans began, by index.
type slicer struct {
	mu    sync.Mutex
	began map[indexID]time.Time
}

type indexID struct{ table, index uint32 }

// segment returns the part of an index that one worker of a parallel scan reads. version is what an earlier page returned, or 0.
func (p Pinned) segment(ctx context.Context, from kv.Snapshot, x *record.Index, q *Query) (span indexkey.Span, version uint64, err error) {
	if q.Segments <= 1 {
		return indexkey.Span{}, 0, nil
	}
	if x.Key[0].Hidden {
		return hashSegment(q.Segment, q.Segments), 0, nil
	}
	if q.Boundaries == foreseen {
		cuts, err := p.foreseenBoundaries(ctx, from, x)
		return cutSegment(cuts, q.Segment, q.Segments), 0, err
	}
	cuts, version, err := p.boundaries(ctx, from, x, q.Boundaries)
	if err != nil {
		return indexkey.Span{}, 0, err
	}
	return cutSegment(cuts, q.Segment, q.Segments), version, nil
}

// hashSegment cuts the 32 bits of the hash that every key begins with.
func hashSegment(segment, segments int) (span indexkey.Span) {
	at := func(i int) []byte {
		return binary.BigEndian.AppendUint32(nil, uint32(uint64(i)<<32/uint64(segments)))
	}
	if segment > 0 {
		span.Start = at(segment)
	}
	if segment+1 < segments {
		span.End = at(segment + 1)
	}
	return span
}

// cutSegment shares the parts between cuts out among the segments. With more segments than parts some are empty.
func cutSegment(cuts [][]byte, segment, segments int) (span indexkey.Span) {
	parts := len(cuts) + 1
	first, end := segment*parts/segments, (segment+1)*parts/segments
	if first == end {
		return indexkey.Span{Start: []byte{0}, End: []byte{0}}
	}
	if first > 0 {
		span.Start = cuts[first-1]
	}
	if end < parts {
		span.End = cuts[end-1]
	}
	return span
}

// boundaries returns the cuts of a version, or for version 0 the current ones, made anew if they are stale.
func (p Pinned) boundaries(ctx context.Context, from kv.Snapshot, x *record.Index, version uint64) ([][]byte, uint64, error) {
	table := p.Descriptor().ID
	if version != 0 {
		b, ok, err := p.db.catalog.Boundaries(ctx, table, x.ID, version)
		if err == nil && !ok {
			err = invalid(p.name(), "the page key of this parallel scan is older than a day; begin the scan again")
		}
		return b.Keys, version, err
	}
	p.db.slicer.mu.Lock()
	defer p.db.slicer.mu.Unlock()
	now := p.db.options.Now()
	busy := now.Sub(p.db.slicer.began[indexID{table, x.ID}]) < segmentsQuiet
	if p.db.slicer.began == nil {
		p.db.slicer.began = map[indexID]time.Time{}
	}
	p.db.slicer.began[indexID{table, x.ID}] = now
	b, ok, err := p.db.catalog.LatestBoundaries(ctx, table, x.ID)
	if err != nil {
		return nil, 0, err
	}
	if ok && (busy || now.Sub(time.UnixMilli(b.CreatedAtMS)) < boundariesStale) {
		return b.Keys, b.Version, nil
	}
	if b.Keys, err = query.Boundaries(ctx, from, x, boundariesMax, p.sizer(ctx)); err != nil {
		return nil, 0, err
	}
	b, err = p.db.catalog.AddBoundaries(ctx, table, x.ID, b.Keys, now.UnixMilli(), now.Add(-boundariesKept).UnixMilli())
	return b.Keys, b.Version, err
}

// foreseen stands in Query.Boundaries for cuts that are made like those of a new scan but not stored. No page key can hold it.
const foreseen = math.MaxUint64

// foreseenBoundaries are the cuts that a parallel scan would begin with, of which nothing is stored.
func (p Pinned) foreseenBoundaries(ctx context.Context, from kv.Snapshot, x *record.Index) ([][]byte, error) {
	b, ok, err := p.db.catalog.LatestBoundaries(ctx, p.Descriptor().ID, x.ID)
	if err != nil || ok {
		return b.Keys, err
	}
	return query.Boundaries(ctx, from, x, boundariesMax, p.sizer(ctx))
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
