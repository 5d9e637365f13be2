// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

// Position is a place between changes of a bucket: before those of the commit with that stamp whose rows' keys are not
// below Key.
type Position struct {
	Stamp uint64
	Key   []byte
	N     int // how many changes of that commit come before it
}

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Stamp < q.Stamp || p.Stamp == q.Stamp && bytes.Compare(p.Key, q.Key) < 0
}

// Append appends the place's stored form.
func (p Position) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(order.AppendUvarint(dst, uint64(p.N)), p.Stamp)
	return append(dst, p.Key...)
}

// ParsePosition reads what Append wrote. Its Key aliases b. Errors: ErrEntry.
func ParsePosition(b []byte) (p Position, err error) {
	n, rest, err := order.CutUvarint(b)
	if err != nil || len(rest) < kv.StampBytes || n > 1<<31 {
		return p, fmt.Errorf("%w: a place in the journal", ErrEntry)
	}
	return Position{Stamp: binary.BigEndian.Uint64(rest), Key: rest[kv.StampBytes:], N: int(n)}, nil
}

// Cursor walks the changes of one bucket. It is used by one goroutine.
type Cursor struct {
	cursor kv.Cursor
	err    error
	start  Position
	met    bool
	at     Position
	entry  Entry
}

// Bucket is the changes of a part of a table's rows.
type Bucket struct {
	Table  uint32
	Bucket uint8
}

// Scan returns a cursor over the changes from a position on, up to those of the commit with the stamp end, which is
// left out; 0: to the last one. In reverse it begins with the last of them. The cursor must be closed, before the
// snapshot is.
func (b Bucket) Scan(ctx context.Context, from kv.Snapshot, start Position, end uint64, reverse bool) *Cursor {
	r := kv.Range{Start: append(keyspace.AppendJournal(nil, b.Table, b.Bucket, start.Stamp), start.Key...)}
	if end > 0 {
		r.End = keyspace.AppendJournal(nil, b.Table, b.Bucket, end)
	} else {
		r.End, _ = order.PrefixEnd(nil, keyspace.AppendJournalBucket(nil, b.Table, b.Bucket))
	}
	return &Cursor{cursor: from.Scan(ctx, r, reverse), start: start}
}

// Next moves to the next change and reports whether there is one. After false, look at Close's error.
func (c *Cursor) Next() bool {
	if c.err != nil || !c.cursor.Next() {
		return false
	}
	_, _, stamp, row, ok := keyspace.CutJournal(c.cursor.Key())
	if !ok {
		c.err = fmt.Errorf("%w: key %s", ErrEntry, keyspace.Print(c.cursor.Key()))
		return false
	}
	if c.entry, c.err = Parse(c.cursor.Value()); c.err != nil {
		c.err = fmt.Errorf("%w: %s", c.err, keyspace.Print(c.cursor.Key()))
		return false
	}
	n := 0
	switch {
	case c.met && c.at.Stamp == stamp:
		n = c.at.N + 1
	case !c.met && c.start.Stamp == stamp:
		n = c.start.N
	}
	c.at, c.met = Position{Stamp: stamp, Key: row, N: n}, true
	return true
}

// At is the place before the current change; its Key is the row's key, valid until the next Next or Close. In reverse
// its N means nothing.
func (c *Cursor) At() Position { return c.at }

// After is the place behind the current change; its Key is the caller's.
func (c *Cursor) After() Position {
	return Position{Stamp: c.at.Stamp, Key: append(bytes.Clone(c.at.Key), 0), N: c.at.N + 1}
}

// Entry is the current change, valid until the next Next or Close.
func (c *Cursor) Entry() *Entry { return &c.entry }

// OriginMS is when the transaction of the current change was committed, as far as its stamp tells: Unix milliseconds.
func (c *Cursor) OriginMS() int64 {
	if c.entry.Origin != 0 {
		return kv.StampMS(c.entry.Origin)
	}
	return kv.StampMS(c.at.Stamp)
}

// Close ends the walk and returns the error that ended it early, if any.
func (c *Cursor) Close() error {
	if err := c.cursor.Close(); err != nil && c.err == nil {
		c.err = err
	}
	return c.err
}

// Last returns the stamp of the last change that a snapshot shows of a bucket; 0 if there is none.
func (b Bucket) Last(ctx context.Context, from kv.Snapshot) (uint64, error) {
	c := b.Scan(ctx, from, Position{}, 0, true)
	if c.Next() {
		return c.at.Stamp, c.Close()
	}
	return 0, c.Close()
}

// LastOf returns the highest stamp of a table's changes; 0 if there is none.
func LastOf(ctx context.Context, from kv.Snapshot, table uint32) (last uint64, err error) {
	for number := range uint8(ClusterBuckets) {
		stamp, err := Bucket{table, number}.Last(ctx, from)
		if err != nil {
			return 0, err
		}
		last = max(last, stamp)
	}
	return last, nil
}

// LastOfAll returns the highest stamp of all changes, borders and places up to which changes were followed: one that is
// given later must be higher. It takes a look for each table that has some.
func LastOfAll(ctx context.Context, from kv.Snapshot) (last uint64, err error) {
	each, err := lastStamps(ctx, from)
	for _, stamp := range each {
		last = max(last, stamp)
	}
	return last, err
}

// lastStamps returns the highest stamps of all tables that have changes or borders, or whose changes were followed.
func lastStamps(ctx context.Context, from kv.Snapshot) (last map[uint32]uint64, err error) {
	last = map[uint32]uint64{}
	if err := lastChanges(ctx, from, last); err != nil {
		return nil, err
	}
	if err := followedTables(ctx, from, func(table uint32,
		stamp uint64) {
		last[table] = max(last[table], stamp)
	}); err != nil {
		return nil, err
	}
	prefix := keyspace.AppendAllBorders(nil)
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	for cursor.Next() {
		_, parts, err := keyspace.Parse(cursor.Key())
		if err != nil || len(parts) != 2 {
			return nil, fmt.Errorf("%w: key %s; %w", ErrEntry, keyspace.Print(cursor.Key()), cursor.Close())
		}
		table := uint32(parts[0].Number)
		last[table] = max(last[table], parts[1].Number)
	}
	return last, cursor.Close()
}

func lastChanges(ctx context.Context, from kv.Snapshot, last map[uint32]uint64) error {
	prefix := keyspace.AppendJournals(nil)
	end, _ := order.PrefixEnd(nil, prefix)
	forwards := from.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	defer forwards.Close()
	for forwards.Next() {
		table, bucket, _, _, ok := keyspace.CutJournal(forwards.Key())
		if !ok {
			return fmt.Errorf("%w: key %s", ErrEntry, keyspace.Print(forwards.Key()))
		}
		stamp, err := (Bucket{table, bucket}).Last(ctx, from)
		if err != nil {
			return err
		}
		last[table] = max(last[table], stamp)
		next, _ := order.PrefixEnd(nil, keyspace.AppendJournalBucket(nil, table, bucket))
		forwards.Seek(next)
	}
	return forwards.Close()
}

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
