// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"fmt"

	"github.com/weftdb/weft/internal/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// getter is a store, or a snapshot of it.
type getter interface {
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
}

// Followed is the place up to which the asynchronous indexes of a table have followed a bucket of its changes. Without one it is the journal's beginning.
func (b Bucket) Followed(ctx context.Context, from getter) (Position, error) {
	stored, ok, err := from.Get(ctx, keyspace.AppendFollowed(nil, b.Table, b.Bucket), nil)
	if err != nil || !ok {
		return Position{}, err
	}
	return ParsePosition(stored)
}

// SetFollowed notes within txn how far a bucket was followed.
func (b Bucket) SetFollowed(txn kv.Txn, p Position) error {
	return txn.Set(keyspace.AppendFollowed(nil, b.Table, b.Bucket), p.Append(nil))
}

// Unfollowed returns a cursor over the changes of a bucket that its table's asynchronous indexes have not followed yet, as a snapshot shows it. It must be
// closed.
func (b Bucket) Unfollowed(ctx context.Context, from kv.Snapshot) (*Cursor, error) {
	start, err := b.Followed(ctx, from)
	if err != nil {
		return nil, err
	}
	return b.Scan(ctx, from, start, 0, false), nil
}

// UnfollowedRows calls visit with the key of each row that has such changes in any bucket, or in the outbox. It may come more than once, and stays good only
// until visit returns.
func UnfollowedRows(ctx context.Context, from kv.Snapshot, table uint32, visit func(row []byte)) error {
	for number := range uint8(ClusterBuckets) {
		cursor, err := Bucket{table, number}.Unfollowed(ctx, from)
		if err != nil {
			return err
		}
		for cursor.Next() {
			visit(cursor.At().Key)
		}
		if err := cursor.Close(); err != nil {
			return err
		}
	}
	prefix := keyspace.AppendTableOutbox(nil, table)
	end, _ := order.PrefixEnd(nil, prefix)
	outbox := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	for outbox.Next() {
		if _, _, _, row, ok := keyspace.CutJournal(outbox.Key()); ok {
			visit(row)
		}
	}
	return outbox.Close()
}

// followedTables calls visit with each table of which it is noted how far it was followed, and the stamp of the place.
func followedTables(ctx context.Context, from kv.Snapshot, visit func(table uint32, stamp uint64)) error {
	prefix := keyspace.AppendFollowedTables(nil)
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	defer cursor.Close()
	for cursor.Next() {
		_, parts, err := keyspace.Parse(cursor.Key())
		if err != nil || len(parts) != 2 {
			return fmt.Errorf("%w: key %s", ErrEntry, keyspace.Print(cursor.Key()))
		}
		p, err := ParsePosition(cursor.Value())
		if err != nil {
			return err
		}
		visit(uint32(parts[0].Number), p.Stamp)
	}
	return cursor.Close()
}

// Lag is how far the asynchronous indexes of a table are behind its changes.
type Lag struct {
	Changes  int   // that they have not followed; more than the most that were counted: Changes is one more than these
	OldestMS int64 // when the first of them was committed, Unix milliseconds; 0 if there is none
}

// LagOf counts changes that were not followed as a snapshot shows them, up to most.
func LagOf(ctx context.Context, from kv.Snapshot, table uint32, most int) (lag Lag, err error) {
	meet := func(ms int64) {
		if lag.Changes++; lag.OldestMS == 0 || ms < lag.OldestMS {
			lag.OldestMS = ms
		}
	}
	for number := range uint8(ClusterBuckets) {
		cursor, err := Bucket{table, number}.Unfollowed(ctx, from)
		if err != nil {
			return lag, err
		}
		for lag.Changes <= most && cursor.Next() {
			meet(cursor.OriginMS())
		}
		if err := cursor.Close(); err != nil {
			return lag, err
		}
	}
	prefix := keyspace.AppendTableOutbox(nil, table)
	end, _ := order.PrefixEnd(nil, prefix)
	outbox := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	for lag.Changes <= most && outbox.Next() {
		if _, _, stamp, _, ok := keyspace.CutJournal(outbox.Key()); ok {
			meet(kv.StampMS(stamp))
		}
	}
	return lag, outbox.Close()
}
