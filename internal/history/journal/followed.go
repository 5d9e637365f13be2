// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"fmt"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// getter is a store, or a snapshot of it.
type getter interface {
	Get(ctx context.Context, key, dst []byte) (value []byte, ok bool, err error)
}

// Followed is the place up to which the asynchronous indexes of a table have followed a bucket of its changes. Without
// one it is the journal's beginning.
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

// Unfollowed returns a cursor over the changes of a bucket that its table's asynchronous indexes have not followed yet,
// as a snapshot shows it. It must be closed.
func (b Bucket) Unfollowed(ctx context.Context, from kv.Snapshot) (*Cursor, error) {
	start, err := b.Followed(ctx, from)
	if err != nil {
		return nil, err
	}
	return b.Scan(ctx, from, start, 0, false), nil
}

// EachUnfollowed calls visit for each such change in any bucket of a table, or in its outbox, with the key of the row
// and when it was committed, Unix milliseconds, until visit returns false. The key stays good only until visit returns.
func EachUnfollowed(ctx context.Context, from kv.Snapshot, table uint32, visit func(row []byte, ms int64) bool) error {
	more := true
	for number := range uint8(ClusterBuckets) {
		cursor, err := Bucket{table, number}.Unfollowed(ctx, from)
		if err != nil {
			return err
		}
		for more && cursor.Next() {
			more = visit(cursor.At().Key, cursor.OriginMS())
		}
		if err := cursor.Close(); err != nil {
			return err
		}
	}
	prefix := keyspace.AppendTableOutbox(nil, table)
	end, _ := order.PrefixEnd(nil, prefix)
	outbox := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	for more && outbox.Next() {
		if _, _, stamp, row, ok := keyspace.CutJournal(outbox.Key()); ok {
			more = visit(row, kv.StampMS(stamp))
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
