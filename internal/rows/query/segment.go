// SPDX-License-Identifier: Apache-2.0

package query

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/index/indexkey"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Segments of parallel scans. An ordered index is cut at sampled keys. The cuts are stored under a version that never
// changes and is carried in the page keys, so that new statistics neither lose nor repeat a row of a scan under way.
const (
	boundariesMax   = 255
	cutsMax         = 4095             // with more regions, neighbours go together: the cuts are stored as one entry
	boundariesStale = 10 * time.Minute // cuts older than this are made anew,
	segmentsQuiet   = time.Minute      // but not while a parallel scan has begun lately: its workers must begin alike
	boundariesKept  = 24 * time.Hour   // old versions live on for scans under way
)

// Foreseen stands in Segment.Boundaries for cuts that are made like those of a new scan but not stored. No page key can
// hold it.
const Foreseen = math.MaxUint64

// ErrSegmentsOld says that the cuts of a parallel scan under way are no longer kept.
var ErrSegmentsOld = errors.New("the page key of this parallel scan is older than a day; begin the scan again")

// Segment is one worker's part of a parallel scan. Boundaries is the version of the cuts that an earlier page returned,
// or 0.
type Segment struct {
	Number, Of int
	Boundaries uint64
}

// Slicer cuts indexes into segments and remembers when parallel scans began. The zero value is ready.
type Slicer struct {
	// Starts returns where the regions of an index begin: segments are cut there, too. Default: nowhere.
	Starts func(ctx context.Context, from kv.Snapshot, table uint32, x *record.Index) ([][]byte, error)

	mu    sync.Mutex
	began map[slice]time.Time
}

// slice is an index of a table, by their ids.
type slice struct{ table, index uint32 }

// Span returns the part of an index that a worker reads, and the version of the cuts; 0 if it needs none. sizeOf
// estimates the bytes of a range; nil if nobody can. Errors: ErrSegmentsOld.
func (s *Slicer) Span(ctx context.Context, tables *catalog.Catalog, from kv.Snapshot, table uint32, x *record.Index,
	segment Segment, now time.Time,
	sizeOf func(kv.Range) int64) (span indexkey.Span, version uint64, err error) {
	var b catalog.Boundaries
	switch {
	case segment.Of <= 1:
		return span, 0, nil
	case x.Key[0].Hidden:
		return hashSegment(segment.Number, segment.Of), 0, nil
	case segment.Boundaries == Foreseen:
		b.Keys, err = s.foreseen(ctx, tables, from, table, x, sizeOf)
	case segment.Boundaries != 0:
		var ok bool
		if b, ok, err = tables.Boundaries(ctx, table, x.ID, segment.Boundaries); err == nil && !ok {
			err = ErrSegmentsOld
		}
		b.Version = segment.Boundaries
	default:
		b, err = s.current(ctx, tables, from, table, x, now, sizeOf)
	}
	if err != nil {
		return span, 0, err
	}
	return cutSegment(b.Keys, segment.Number, segment.Of), b.Version, nil
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

// current returns the newest cuts, made anew if they are stale.
func (s *Slicer) current(ctx context.Context, tables *catalog.Catalog, from kv.Snapshot, table uint32, x *record.Index,
	now time.Time,
	sizeOf func(kv.Range) int64) (b catalog.Boundaries, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	busy := now.Sub(s.began[slice{table, x.ID}]) < segmentsQuiet
	if s.began == nil {
		s.began = map[slice]time.Time{}
	}
	s.began[slice{table, x.ID}] = now
	b, ok, err := tables.LatestBoundaries(ctx, table, x.ID)
	if err != nil || ok && (busy || now.Sub(time.UnixMilli(b.CreatedAtMS)) < boundariesStale) {
		return b, err
	}
	keys, err := s.cut(ctx, from, table, x, sizeOf)
	if err != nil {
		return b, err
	}
	return tables.AddBoundaries(ctx, table, x.ID, keys, now.UnixMilli(), now.Add(-boundariesKept).UnixMilli())
}

// foreseen returns the cuts that a parallel scan would begin with, of which nothing is stored.
func (s *Slicer) foreseen(ctx context.Context, tables *catalog.Catalog, from kv.Snapshot, table uint32, x *record.Index,
	sizeOf func(kv.Range) int64) ([][]byte, error) {
	b, ok, err := tables.LatestBoundaries(ctx, table, x.ID)
	if err != nil || ok {
		return b.Keys, err
	}
	return s.cut(ctx, from, table, x, sizeOf)
}

// cut returns where regions begin, and more keys between them if they are few.
func (s *Slicer) cut(ctx context.Context, from kv.Snapshot, table uint32, x *record.Index,
	sizeOf func(kv.Range) int64) (keys [][]byte, err error) {
	if s.Starts != nil {
		if keys, err = s.Starts(ctx, from, table, x); err != nil || len(keys) >= boundariesMax {
			return thinned(keys, cutsMax), err
		}
	}
	var starts [][]byte
	if sizeOf == nil {
		starts = keys
	}
	sampled, _, err := Sample(ctx, from, x, starts, boundariesMax, sizeOf)
	if err != nil {
		return nil, err
	}
	keys = append(slices.Clip(keys), sampled...)
	slices.SortFunc(keys, bytes.Compare)
	return slices.CompactFunc(keys, bytes.Equal), nil
}
