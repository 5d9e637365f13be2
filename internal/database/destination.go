// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/kv"
)

// Destination is a stream of Kinesis that the changes of a table's items go to.
type Destination = schema.Destination

// workKinesis is the work of sending changes, which one process does for all.
const workKinesis = "kinesis"

// DestinationOn lets the changes of a table go to a stream of Kinesis, within an edit of the table's descriptor.
// Errors: KindExists if they go to one.
func (db *DB) DestinationOn(table *schema.Table, arn string, micro bool) error {
	if err := db.errNoJournal(table.Name); err != nil {
		return err
	}
	if d, ok := table.Destination(); ok {
		return &Error{Kind: KindExists, Table: table.Name,
			Detail: "the changes of the table go to " + d.ARN + "; disable that first"}
	}
	now, err := db.stampMS()
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(table.Destinations),
		func(d Destination) bool { return d.Fault != "" || d.ClosedAtMS != 0 && now-d.ClosedAtMS > keepClosedMS })
	for _, d := range table.Destinations {
		now = max(now, d.CreatedAtMS+1, d.ClosedAtMS)
	}
	db.stampAfterMS(now)
	table.Destinations = append(kept, Destination{ARN: arn, Micro: micro, CreatedAtMS: now})
	return nil
}

// keepClosedMS is for how long a destination is shown that was disabled.
const keepClosedMS = schema.StreamHours * 3600 * 1000

// EditDestination changes the destination that is on, within an edit of its table's descriptor. Errors: KindInvalid if
// none of that ARN is.
func (db *DB) EditDestination(table *schema.Table, arn string, edit func(*Destination)) error {
	if d, ok := table.Destination(); ok && d.ARN == arn {
		edit(d)
		return nil
	}
	return &Error{Kind: KindInvalid, Table: table.Name, Detail: "the changes of the table do not go to " + arn}
}

// DestinationOff ends that the changes of a table go to a stream of Kinesis: those that were committed before go there
// still.
func (db *DB) DestinationOff(table *schema.Table, arn string) error {
	return db.EditDestination(table, arn, func(d *Destination) { d.EndedAtMS = db.nowMS() })
}

// Destinations returns the destinations of the table, the newest last: the one that is on, and those that lately were,
// also to the same stream.
func (p Pinned) Destinations() []Destination {
	return p.db.recentDestinations(p.Descriptor())
}

func (db *DB) recentDestinations(table *schema.Table) []Destination {
	now := db.nowMS()
	return slices.DeleteFunc(slices.Clone(table.Destinations),
		func(d Destination) bool { return d.ClosedAtMS != 0 && now-d.ClosedAtMS > keepClosedMS })
}

// SendsChanges reports whether this process is the one that sends changes to Kinesis.
func (db *DB) SendsChanges() bool {
	return db.journal != nil && (db.gateway == nil || db.gateway.GuardedWork(workKinesis).Owned())
}

// DestinationState is a destination of a table.
type DestinationState struct {
	Table uint32
	Name  string
	Destination
}

// Sendings lists the destinations of all tables to which changes go, or may have to go still.
func (db *DB) Sendings() (list []DestinationState) {
	for version := range db.catalog.Versions() {
		for _, d := range db.recentDestinations(version.Table) {
			if d.Fault == "" {
				list = append(list, DestinationState{version.Table.ID, version.Table.Name, d})
			}
		}
	}
	return list
}

// SettleDestination notes what became of a destination when it was tried for the first time: it is there, or why it
// can't be.
func (db *DB) SettleDestination(ctx context.Context, s *DestinationState, fault string) error {
	err := db.changeAll(ctx, s.Table, func(table *schema.Table) ([]job.Job, error) {
		return nil, db.EditDestination(table, s.ARN, func(d *Destination) {
			if d.Reached = fault == ""; !d.Reached {
				d.Fault, d.EndedAtMS = fault, db.nowMS()
			}
		})
	})
	if err == nil && fault != "" {
		err = db.settleStreams(ctx, s.Table)
	}
	return wrap(s.Name, err)
}

// Send calls visit for changes that did not go to a destination yet, until it returns false, and then put, for one
// bucket of the journal after the other. When put returns nil, they are not sent again. sent says that there were any.
// Each change is sent at least once, as long as it is kept; lost says that some may have been too old. No version of
// the table is pinned while put runs.
func (db *DB) Send(ctx context.Context, s *DestinationState, visit func(p Pinned, r *Record) bool,
	put func(context.Context) error) (sent, lost bool, err error) {
	for number := range uint8(db.buckets) {
		b := sendingBucket{db: db, DestinationState: s, Bucket: journal.Bucket{Table: s.Table, Bucket: number}}
		if err := b.read(ctx, visit); err != nil {
			return sent, lost, wrap(s.Name, err)
		}
		lost = lost || b.lost
		if !b.found {
			continue
		}
		if err := put(ctx); err != nil {
			return sent, lost, err
		}
		sent = true
		if err := db.noteSent(ctx, b.key, b.next); err != nil {
			return sent, lost, wrap(s.Name, err)
		}
	}
	return sent, lost, nil
}

// sendingBucket is one step of Send with a bucket.
type sendingBucket struct {
	db *DB
	*DestinationState
	journal.Bucket
	key         []byte
	next        Position
	found, lost bool
}

// read calls visit for the next changes.
func (b *sendingBucket) read(ctx context.Context, visit func(p Pinned, r *Record) bool) error {
	p, err := b.db.PinID(b.Bucket.Table)
	if err != nil {
		return nil // it is gone
	}
	defer p.Release()
	reader, err := b.db.store.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	b.key = keyspace.AppendSent(nil, b.Bucket.Table, fmt.Sprint(b.ARN, "@", b.CreatedAtMS), b.Bucket.Bucket)
	start, err := sentUpTo(ctx, reader, b.key)
	if err != nil {
		return err
	}
	shard := Shard{Bucket: b.Bucket, From: kv.StampOf(b.CreatedAtMS)}
	if b.ClosedAtMS != 0 {
		shard.To = kv.StampOf(b.ClosedAtMS)
	}
	b.lost = start.Stamp >= shard.From && start.Stamp < p.Oldest()-kv.StampOf(ReaderGrace.Milliseconds())
	if start.Stamp < shard.From {
		start = Position{Stamp: shard.From}
	}
	if shard.To != 0 && start.Stamp >= shard.To {
		return nil
	}
	b.next, _, err = p.changes(ctx, reader, NewImage|OldImage, shard, start,
		func(r *Record) bool { return visit(p, r) })
	b.found = start.Before(b.next)
	return err
}

// sentUpTo reads where to go on; the zero Position is the beginning.
func sentUpTo(ctx context.Context, from kv.Snapshot, key []byte) (at Position, err error) {
	value, ok, err := from.Get(ctx, key, nil)
	if err != nil || !ok {
		return at, err
	}
	if at, err = journal.ParsePosition(value); err != nil {
		return at, fmt.Errorf("the entry %s is damaged: %w", keyspace.Print(key), err)
	}
	return at, nil
}

// noteSent notes where to go on, if this process is still the one that sends.
func (db *DB) noteSent(ctx context.Context, key []byte, at Position) error {
	return kv.Update(ctx, db.store, func(txn kv.Txn) error {
		if db.gateway != nil {
			if err := db.gateway.GuardedWork(workKinesis).Guard(ctx, txn); err != nil {
				return err
			}
		}
		return txn.Set(key, at.Append(nil))
	})
}
