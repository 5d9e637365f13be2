// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"fmt"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Shard is the changes of a bucket between two borders.
type Shard struct {
	Bucket
	From uint64 // the stamp that it begins with
	To   uint64 // the stamp that it ends before; 0: it is open
}

// FromMS is the time of the shard's beginning, Unix milliseconds.
func (s Shard) FromMS() int64 { return kv.StampMS(s.From) }

// Parent is the shard before in the same bucket; ok is false for the first one of a list.
func (s Shard) Parent(all []Shard) (parent Shard, ok bool) {
	for _, other := range all {
		if other.Bucket == s.Bucket && other.To == s.From {
			return other, true
		}
	}
	return Shard{}, false
}

// Seen returns the shard as a snapshot shows it: one that was open when it was listed may have ended since, and its
// changes must not be read beyond its end.
func (s Shard) Seen(ctx context.Context, from kv.Snapshot) (Shard, error) {
	if s.To != 0 {
		return s, nil
	}
	end, _ := order.PrefixEnd(nil, keyspace.AppendBorders(nil, s.Table))
	cursor := from.Scan(ctx, kv.Range{Start: keyspace.AppendBorder(nil, s.Table, s.From+1), End: end}, false)
	if cursor.Next() {
		_, parts, err := keyspace.Parse(cursor.Key())
		if err != nil || len(parts) != 2 {
			return s, fmt.Errorf("%w: key %s; %w", ErrEntry, keyspace.Print(cursor.Key()), cursor.Close())
		}
		s.To = parts[1].Number
	}
	return s, cursor.Close()
}

// Span is the stamps of a stream: from its beginning up to its end, which is left out; 0: it goes on.
type Span struct{ From, To uint64 }

// Shards returns the shards of a span of a table's changes, in the order of their beginnings.
func Shards(ctx context.Context, from kv.Snapshot, table uint32, buckets int, span Span) (list []Shard, err error) {
	borders, err := bordersOf(ctx, from, table)
	if err != nil {
		return nil, err
	}
	starts := []uint64{span.From}
	for _, border := range borders {
		if border > span.From && (span.To == 0 || border < span.To) {
			starts = append(starts, border)
		}
	}
	for i, start := range starts {
		end := span.To
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		for bucket := range buckets {
			list = append(list, Shard{Bucket: Bucket{table, uint8(bucket)}, From: start, To: end})
		}
	}
	return list, nil
}

// bordersOf returns the stamps of a table's borders, ascending.
func bordersOf(ctx context.Context, from kv.Snapshot, table uint32) (stamps []uint64, err error) {
	prefix := keyspace.AppendBorders(nil, table)
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	for cursor.Next() {
		_, parts, err := keyspace.Parse(cursor.Key())
		if err != nil || len(parts) != 2 {
			return nil, fmt.Errorf("%w: key %s; %w", ErrEntry, keyspace.Print(cursor.Key()), cursor.Close())
		}
		stamps = append(stamps, parts[1].Number)
	}
	return stamps, cursor.Close()
}

// AddBorder ends the open shards of a table's streams: what is committed from now on belongs to others. The stamp of
// its own commit is the border, so that no change can be on the wrong side. On a cluster a Sequencer does it.
func AddBorder(ctx context.Context, store kv.Store, table uint32) error {
	return kv.Update(ctx, store, func(txn kv.Txn) error {
		stamper, ok := kv.StamperOf(txn)
		if !ok {
			return ErrNoStamps
		}
		key := keyspace.AppendBorders(nil, table)
		at := len(key)
		return stamper.SetStamped(append(key, make([]byte, kv.StampBytes)...), at, nil)
	})
}
