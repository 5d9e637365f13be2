// SPDX-License-Identifier: Apache-2.0

// Package feed reads the changes of a table as one sequence, through all its streams and their shards, from a place
// that can be stored.
//
// Knows: streams, shards, places in the journal.
// Never: readers, the storage of places.
package feed

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/rows/failure"
)

// ErrGone is wrapped by the error of a place in a feed behind which changes may be gone: they are kept for 24
// hours. It is of KindInvalid.
var ErrGone = errors.New("changes after this position may be gone: they are kept for 24 hours")

// ErrNoStream is wrapped by the error for a table that has no stream, nor had one lately. It is of KindInvalid.
var ErrNoStream = errors.New("the table has no stream; switch one on")

// errPlace is of bytes that Read has not made.
var errPlace = errors.New("the position is none of a stream")

// Record is a change of an item, with the place behind it. Its rows are the caller's.
type Record struct {
	capture.Record
	Names value.Names
	After []byte
}

// places is a place in each bucket of a table's journal. A bucket that is missing is at its beginning.
type places map[uint8]journal.Position

// append appends the places' stored form: for each bucket its number, and its place with the length before.
func (f places) append(dst []byte) []byte {
	for bucket := range uint8(journal.ClusterBuckets) {
		if at, ok := f[bucket]; ok {
			place := at.Append(nil)
			dst = append(binary.AppendUvarint(append(dst, bucket), uint64(len(place))), place...)
		}
	}
	return dst
}

func parse(b []byte) (places, error) {
	f := places{}
	for len(b) > 0 {
		bucket := b[0]
		size, n := binary.Uvarint(b[1:])
		if n <= 0 || size > uint64(len(b)-1-n) || bucket >= journal.ClusterBuckets {
			return nil, errPlace
		}
		place, err := journal.ParsePosition(slices.Clone(b[1+n : 1+n+int(size)]))
		if err != nil {
			return nil, errPlace
		}
		f[bucket], b = place, b[1+n+int(size):]
	}
	return f, nil
}

// Read returns up to limit changes of a table from a place on, through all its streams and their shards; those of
// an item come in order. nil is before the oldest change that can be read. next is the place to go on from, which
// is not before the end of what there was if there are less than limit. Errors: ErrGone, ErrNoStream; KindInvalid
// for a place that is none.
func Read(ctx context.Context, t capture.Table, from []byte, limit int) (records []Record, next []byte, err error) {
	at, err := parse(from)
	if err == nil {
		err = check(ctx, t, at)
	}
	if err != nil {
		return nil, nil, &failure.Error{Kind: failure.Invalid, Table: t.Table.Schema.Name, Err: err}
	}
	streams := t.Streams()
	if len(streams) == 0 {
		return nil, nil, &failure.Error{Kind: failure.Invalid, Table: t.Table.Schema.Name, Err: ErrNoStream}
	}
	for i := range streams {
		shards, err := t.Shards(ctx, &streams[i])
		if err != nil {
			return nil, nil, err
		}
		for _, shard := range shards {
			if records, err = readShard(ctx, t, &streams[i], shard, at, records, limit); err != nil {
				return nil, nil, err
			}
			if len(records) >= limit {
				return records, at.append(nil), nil
			}
		}
	}
	return records, at.append(nil), nil
}

// readShard adds the changes of a shard, up to limit, and moves the places behind them.
func readShard(
	ctx context.Context, t capture.Table, s *schema.Stream, shard journal.Shard, at places, records []Record,
	limit int,
) ([]Record, error) {
	bucket := shard.Bucket.Bucket
	if shard.To != 0 && at[bucket].Stamp >= shard.To {
		return records, nil
	}
	first := len(records)
	next, ended, err := t.Read(ctx, s, shard, at[bucket], func(r *capture.Record) bool {
		own := Record{Record: *r, Names: t.Table.Names}
		for _, row := range [...]*value.Row{&own.Key, &own.Old, &own.New} {
			*row = slices.Clone(*row)
		}
		own.Key = t.KeyAttributes(own.Key)
		own.At.Key = slices.Clone(own.At.Key)
		records = append(records, own)
		return len(records) < limit
	})
	if err != nil {
		return nil, err
	}
	for i := first; i < len(records); i++ { // the place behind a change is that of the next one
		if i+1 < len(records) {
			at[bucket] = records[i+1].At
		} else {
			at[bucket] = next
		}
		records[i].After = at.append(nil)
	}
	switch {
	case ended && shard.To != 0 && len(records) < limit:
		at[bucket] = journal.Position{Stamp: shard.To}
	case !ended && shard.To == 0 && len(records) < limit: // the end of what there is
		at[bucket] = t.Renewed(next)
	case first == len(records) && next.Stamp != 0:
		at[bucket] = next
	}
	return records, nil
}

// End returns the place behind the last change that a table has. Errors: ErrNoStream.
func End(ctx context.Context, t capture.Table) ([]byte, error) {
	s, on := t.Table.Schema.Stream()
	if !on {
		return nil, &failure.Error{Kind: failure.Invalid, Table: t.Table.Schema.Name, Err: ErrNoStream}
	}
	shards, err := t.Shards(ctx, s)
	if err != nil {
		return nil, err
	}
	at := places{}
	for _, shard := range shards {
		if shard.To != 0 {
			continue
		}
		newest, err := t.Newest(ctx, shard)
		if err != nil {
			return nil, err
		}
		at[shard.Bucket.Bucket] = t.Renewed(newest)
	}
	return at.append(nil), nil
}

// check wants all changes behind some places to be there.
func check(ctx context.Context, t capture.Table, at places) error {
	for bucket, place := range at {
		if kept, err := t.Follows(ctx, bucket, place); err != nil || !kept {
			return errors.Join(err, ErrGone)
		}
	}
	return nil
}
