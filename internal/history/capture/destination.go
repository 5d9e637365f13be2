// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"context"
	"fmt"
	"slices"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/kv"
)

// workKinesis is the work of sending changes, which one process does for all.
const workKinesis = "kinesis"

// DestinationOn lets the changes of a table go to a stream of Kinesis, within an edit of the table's descriptor.
// Errors: failure.Exists if they go to one.
func (k *Keeper) DestinationOn(table *schema.Table, arn string, micro bool) error {
	if err := k.Need(table.Name); err != nil {
		return err
	}
	if d, ok := table.Destination(); ok {
		return failure.New(failure.Exists, table.Name, "the changes of the table go to %s; disable that first", d.ARN)
	}
	now, err := k.stampMS()
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(table.Destinations),
		func(d schema.Destination) bool {
			return d.Fault != "" || d.ClosedAtMS != 0 && now-d.ClosedAtMS > keepClosedMS
		})
	for _, d := range table.Destinations {
		now = max(now, d.CreatedAtMS+1, d.ClosedAtMS)
	}
	k.stampAfterMS(now)
	table.Destinations = append(kept, schema.Destination{ARN: arn, Micro: micro, CreatedAtMS: now})
	return nil
}

// keepClosedMS is the time for which a destination is shown that was disabled.
const keepClosedMS = schema.StreamHours * 3600 * 1000

// EditDestination changes the destination that is on, within an edit of its table's descriptor. Errors:
// failure.Invalid if none of that ARN is.
func (k *Keeper) EditDestination(table *schema.Table, arn string, edit func(*schema.Destination)) error {
	if d, ok := table.Destination(); ok && d.ARN == arn {
		edit(d)
		return nil
	}
	return failure.New(failure.Invalid, table.Name, "the changes of the table do not go to %s", arn)
}

// DestinationOff ends that the changes of a table go to a stream of Kinesis: those that were committed before go there
// still.
func (k *Keeper) DestinationOff(table *schema.Table, arn string) error {
	return k.EditDestination(table, arn, func(d *schema.Destination) { d.EndedAtMS = k.nowMS() })
}

// Destinations returns the destinations of the table, the newest last: the one that is on, and those that lately were,
// also to the same stream.
func (t Table) Destinations() []schema.Destination {
	return t.keeper.recentDestinations(t.Table.Schema)
}

func (k *Keeper) recentDestinations(table *schema.Table) []schema.Destination {
	now := k.nowMS()
	return slices.DeleteFunc(slices.Clone(table.Destinations),
		func(d schema.Destination) bool { return d.ClosedAtMS != 0 && now-d.ClosedAtMS > keepClosedMS })
}

// SendsChanges reports whether this process is the one that sends changes to Kinesis.
func (k *Keeper) SendsChanges() bool {
	return k.journal != nil && (k.Gateway == nil || k.Gateway.GuardedWork(workKinesis).Owned())
}

// DestinationState is a destination of a table.
type DestinationState struct {
	Table uint32
	Name  string
	schema.Destination
}

// Sendings lists the destinations of all tables to which changes go, or may have to go still.
func (k *Keeper) Sendings() (list []DestinationState) {
	for version := range k.Catalog.Versions() {
		for _, d := range k.recentDestinations(version.Table) {
			if d.Fault == "" {
				list = append(list, DestinationState{version.Table.ID, version.Table.Name, d})
			}
		}
	}
	return list
}

// SettleDestination notes what became of a destination when it was tried for the first time: it is there, or why it
// can't be.
func (k *Keeper) SettleDestination(ctx context.Context, s *DestinationState, fault string) error {
	_, err := k.Catalog.Change(ctx, s.Table, func(table *schema.Table) error {
		return k.EditDestination(table, s.ARN, func(d *schema.Destination) {
			if d.Reached = fault == ""; !d.Reached {
				d.Fault, d.EndedAtMS = fault, k.nowMS()
			}
		})
	}, nil)
	if err == nil && fault != "" {
		err = k.SettleTable(ctx, s.Table)
	}
	return failure.Wrap(s.Name, err)
}

// Send calls visit for changes that did not go to a destination yet, until it returns false, and then put, for one
// bucket of the journal after the other. When put returns nil, they are not sent again. sent says that there were any.
// Each change is sent at least once, as long as it is kept; lost says that some may have been too old. No version of
// the table is pinned while put runs.
func (k *Keeper) Send(ctx context.Context, s *DestinationState, visit func(t Table, r *Record) bool,
	put func(context.Context) error) (sent, lost bool, err error) {
	for number := range uint8(k.Buckets) {
		b := sendingBucket{keeper: k, DestinationState: s, Bucket: journal.Bucket{Table: s.Table, Bucket: number}}
		if err := b.read(ctx, visit); err != nil {
			return sent, lost, failure.Wrap(s.Name, err)
		}
		lost = lost || b.lost
		if !b.found {
			continue
		}
		if err := put(ctx); err != nil {
			return sent, lost, err
		}
		sent = true
		if err := k.noteSent(ctx, b.key, b.next); err != nil {
			return sent, lost, failure.Wrap(s.Name, err)
		}
	}
	return sent, lost, nil
}

// sendingBucket is one step of Send with a bucket.
type sendingBucket struct {
	keeper *Keeper
	*DestinationState
	journal.Bucket
	key         []byte
	next        journal.Position
	found, lost bool
}

// read calls visit for the next changes.
func (b *sendingBucket) read(ctx context.Context, visit func(t Table, r *Record) bool) error {
	table, release, err := b.keeper.Tables.ByID(b.Bucket.Table)
	if err != nil {
		return nil // it is gone
	}
	defer release()
	t := b.keeper.Of(table)
	reader, err := b.keeper.Store.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	b.key = keyspace.AppendSent(nil, b.Bucket.Table, fmt.Sprint(b.ARN, "@", b.CreatedAtMS), b.Bucket.Bucket)
	start, err := sentUpTo(ctx, reader, b.key)
	if err != nil {
		return err
	}
	shard := journal.Shard{Bucket: b.Bucket, From: kv.StampOf(b.CreatedAtMS)}
	if b.ClosedAtMS != 0 {
		shard.To = kv.StampOf(b.ClosedAtMS)
	}
	b.lost = start.Stamp >= shard.From && start.Stamp < t.Oldest()-kv.StampOf(ReaderGrace.Milliseconds())
	if start.Stamp < shard.From {
		start = journal.Position{Stamp: shard.From}
	}
	if shard.To != 0 && start.Stamp >= shard.To {
		return nil
	}
	b.next, _, err = t.read(ctx, reader, schema.NewImage|schema.OldImage, shard, start,
		func(r *Record) bool { return visit(t, r) })
	b.found = start.Before(b.next)
	return err
}

// sentUpTo reads where to go on; the zero Position is the beginning.
func sentUpTo(ctx context.Context, from kv.Snapshot, key []byte) (at journal.Position, err error) {
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
func (k *Keeper) noteSent(ctx context.Context, key []byte, at journal.Position) error {
	return kv.Update(ctx, k.Store, func(txn kv.Txn) error {
		if k.Gateway != nil {
			if err := k.Gateway.GuardedWork(workKinesis).Guard(ctx, txn); err != nil {
				return err
			}
		}
		return txn.Set(key, at.Append(nil))
	})
}
