// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Record is a change of an item, as a stream shows it. Its rows are valid only as long as visit runs.
type Record struct {
	WasThere, IsThere bool
	ByExpiry          bool             // the item's time had come
	Key, Old, New     value.Row        // what the stream shows; Key has at least the attributes of the key
	AtMS              int64            // Unix milliseconds of the commit
	At                journal.Position // before the change
}

// EventName is AWS's name of the change.
func (r *Record) EventName() string {
	switch {
	case !r.WasThere:
		return "INSERT"
	case !r.IsThere:
		return "REMOVE"
	}
	return "MODIFY"
}

// StreamOn switches a stream of a table's changes on, within an edit of its descriptor: from when the edit is made,
// each change of an item can be read for 24 hours. Errors: failure.Exists if a stream is on.
func (k *Keeper) StreamOn(table *schema.Table, images schema.Images) error {
	if err := k.Need(table.Name); err != nil {
		return err
	}
	if _, ok := table.Stream(); ok {
		return failure.New(failure.Exists, table.Name, "the table has a stream; switch it off first")
	}
	now, err := k.stampMS()
	if err != nil {
		return err
	}
	if n := len(table.Streams); n > 0 {
		// labels differ, and so do changes
		now = max(now, table.Streams[n-1].CreatedAtMS+1, table.Streams[n-1].ClosedAtMS)
	}
	k.stampAfterMS(now)
	s := schema.Stream{Label: time.UnixMilli(now).UTC().Format("2006-01-02T15:04:05.000"), Images: images,
		CreatedAtMS: now}
	table.Streams = append(readable(table.Streams, now), s)
	return nil
}

// readable are the streams whose changes are still kept.
func readable(list []schema.Stream, nowMS int64) (kept []schema.Stream) {
	for _, s := range list {
		if s.EndedAtMS == 0 || nowMS-s.EndedAtMS < time.Duration(schema.StreamHours*time.Hour).Milliseconds() {
			kept = append(kept, s)
		}
	}
	return kept
}

// StreamOff switches the stream of a table off, within an edit of its descriptor. Its changes can be read for another
// 24 hours. Errors: failure.Invalid if none is on.
func (k *Keeper) StreamOff(table *schema.Table) error {
	for i := range table.Streams {
		if s := &table.Streams[i]; s.EndedAtMS == 0 {
			s.EndedAtMS = k.nowMS()
			return nil
		}
	}
	return failure.New(failure.Invalid, table.Name, "the table has no stream that is on")
}

// errSettled ends an edit that has nothing to note.
var errSettled = errors.New("all writers are known to know of it")

// SettleTable notes, after a change that switched something off or on, that all writers know of it.
func (k *Keeper) SettleTable(ctx context.Context, id uint32) error {
	table, release, err := k.Tables.ByID(id)
	if err != nil {
		return nil // it is gone
	}
	settled := table.Schema.JournalSettled()
	release()
	if settled {
		return nil
	}
	atMS, err := k.settledMS(ctx, id)
	if err != nil {
		return err
	}
	_, err = k.Catalog.Change(ctx, id, func(table *schema.Table) error {
		if table.JournalSettled() {
			return errSettled
		}
		table.SettleJournal(atMS)
		return nil
	}, nil)
	k.stampAfterMS(atMS + 1)
	if errors.Is(err, errSettled) {
		return nil
	}
	return err
}

// settledMS is a moment that no change of a table which was committed before it is called has a later stamp than:
// clocks can run backwards, and changes come into the journal of a cluster later than they are committed.
func (k *Keeper) settledMS(ctx context.Context, id uint32) (int64, error) {
	if k.journal == nil {
		return k.nowMS(), nil
	}
	if err := k.journal.Settle(ctx, id); err != nil {
		return 0, err
	}
	now, err := k.stampMS()
	if err != nil {
		return 0, err
	}
	reader, err := k.Store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	last, err := journal.LastOf(ctx, reader, id)
	return max(now, kv.StampMS(last)), err
}

// Table is the changes of a table, as one version of it shows them. It holds that version.
type Table struct {
	Table  *record.Table
	keeper *Keeper
}

// Of returns the changes of a table.
func (k *Keeper) Of(table *record.Table) Table { return Table{table, k} }

// Streams are the table's streams whose changes can be read, the newest last.
func (t Table) Streams() []schema.Stream { return readable(t.Table.Schema.Streams, t.keeper.nowMS()) }

// Restorable is Keeper.Restorable of the table.
func (t Table) Restorable() (from, to time.Time, ok bool) { return t.keeper.Restorable(t.Table.Schema) }

// Restorable is the span of moments to which a table can be restored. ok is false for none.
func (k *Keeper) Restorable(table *schema.Table) (from, to time.Time, ok bool) {
	r := table.Recovery
	if r == nil || r.SinceMS == 0 {
		return from, to, false
	}
	now := k.nowMS()
	oldest := now - (time.Duration(r.Days) * 24 * time.Hour).Milliseconds()
	first := max(r.SinceMS, oldest)
	last := max(now, first) // the clock may have gone back
	return time.UnixMilli(first), time.UnixMilli(last), true
}

// spanOf is the stamps of a stream's changes.
func spanOf(s *schema.Stream) journal.Span {
	span := journal.Span{From: kv.StampOf(s.CreatedAtMS)}
	if s.ClosedAtMS != 0 {
		span.To = kv.StampOf(s.ClosedAtMS)
	}
	return span
}

// Shards returns the shards of a stream that have changes which can still be read or may get some, oldest first.
func (t Table) Shards(ctx context.Context, s *schema.Stream) (kept []journal.Shard, err error) {
	if err := t.keeper.Guard.Table(ctx, "dynamodb:DescribeStream", t.Table.Schema, "/stream/"+s.Label); err != nil {
		return nil, err
	}
	reader, err := t.keeper.Store.Read(ctx)
	if err != nil {
		return nil, failure.Wrap(t.Table.Schema.Name, err)
	}
	defer reader.Close()
	all, err := journal.Shards(ctx, reader, t.Table.Schema.ID, t.keeper.Buckets, spanOf(s))
	if err != nil {
		return nil, failure.Wrap(t.Table.Schema.Name, err)
	}
	for _, shard := range all {
		if shard.To == 0 || shard.To > t.Oldest() {
			kept = append(kept, shard)
		}
	}
	return kept, nil
}

// Horizon is the oldest stamp that a new reader of a stream sees.
func (t Table) Horizon() uint64 {
	return kv.StampOf(t.keeper.nowMS() - time.Duration(schema.StreamHours*time.Hour).Milliseconds())
}

// Oldest is the oldest stamp that a reader which has begun sees.
func (t Table) Oldest() uint64 { return t.Horizon() - kv.StampOf(ReaderGrace.Milliseconds()) }

// KeyAttributes is a row with the attributes alone that the table's key is made of.
func (t Table) KeyAttributes(row value.Row) value.Row {
	return value.Project(nil, row, t.Table.Names, t.Table.IsKeyColumn)
}

// PlaceAt returns the place of the first change of a shard at or after a moment, in Unix milliseconds: the oldest one
// that can be read, if the moment lies before that.
func (t Table) PlaceAt(shard journal.Shard, ms int64) journal.Position {
	stamp := max(kv.StampOf(ms), shard.From)
	if shard.To != 0 {
		stamp = min(stamp, shard.To)
	}
	if stamp <= t.Horizon() {
		return journal.Position{}
	}
	return journal.Position{Stamp: stamp}
}

// Newest is the place behind the last change of a shard.
func (t Table) Newest(ctx context.Context, shard journal.Shard) (journal.Position, error) {
	reader, err := t.keeper.Store.Read(ctx)
	if err != nil {
		return journal.Position{}, failure.Wrap(t.Table.Schema.Name, err)
	}
	defer reader.Close()
	last, err := shard.Bucket.Last(ctx, reader)
	if err != nil {
		return journal.Position{}, failure.Wrap(t.Table.Schema.Name, err)
	}
	return journal.Position{Stamp: max(shard.From, last+1)}, nil
}

// renewalLag is the time by which a place behind all changes may lag the clock without being moved up to it. No clock
// that goes back does so by more.
const renewalLag = time.Hour

// Renewed is a place behind the last change there is, moved up to about now: where a table is quiet for long, it is not
// taken for one behind which changes were dropped.
func (t Table) Renewed(at journal.Position) journal.Position {
	ms := t.keeper.nowMS() - renewalLag.Milliseconds()
	if at.Stamp >= kv.StampOf(ms) {
		return at
	}
	t.keeper.stampAfterMS(ms)
	return journal.Position{Stamp: kv.StampOf(ms)}
}

// Follows reports whether all changes behind a place in a bucket are there still, as far as that is known. The oldest
// ones are dropped first: where what is before the place is there, so is all behind it.
func (t Table) Follows(ctx context.Context, bucket uint8, at journal.Position) (kept bool, err error) {
	if at.Stamp == 0 || at.Stamp >= t.Oldest() {
		return true, nil
	}
	reader, err := t.keeper.Store.Read(ctx)
	if err != nil {
		return false, failure.Wrap(t.Table.Schema.Name, err)
	}
	defer reader.Close()
	cursor := journal.Bucket{Table: t.Table.Schema.ID, Bucket: bucket}.Scan(ctx, reader, journal.Position{}, at.Stamp+1,
		false)
	kept = cursor.Next()
	return kept, failure.Wrap(t.Table.Schema.Name, cursor.Close())
}

// Read calls visit for the changes of a stream's shard from a place on, in their order, until it returns false. It
// returns the place behind the last one that visit was called for; ended says that the shard has none behind it and
// never will. The zero Position is before the oldest change that can be read.
func (t Table) Read(ctx context.Context, s *schema.Stream, shard journal.Shard, start journal.Position,
	visit func(*Record) bool) (next journal.Position, ended bool, err error) {
	if err := t.keeper.Guard.Table(ctx, "dynamodb:GetRecords", t.Table.Schema, "/stream/"+s.Label); err != nil {
		return start, false, err
	}
	if start.Stamp == 0 {
		start = journal.Position{Stamp: t.Horizon()}
	}
	if start.Stamp < shard.From {
		start = journal.Position{Stamp: shard.From}
	}
	reader, err := t.keeper.Store.Read(ctx)
	if err != nil {
		return start, false, failure.Wrap(t.Table.Schema.Name, err)
	}
	defer reader.Close()
	if shard, err = shard.Seen(ctx, reader); err != nil {
		return start, false, failure.Wrap(t.Table.Schema.Name, err)
	}
	if shard.To != 0 && start.Stamp >= shard.To {
		return start, true, nil
	}
	next, more, err := t.read(ctx, reader, s.Images, shard, start, visit)
	return next, !more && shard.To != 0, failure.Wrap(t.Table.Schema.Name, err)
}

// read is Read at a snapshot. more says that visit has returned false.
func (t Table) read(ctx context.Context, from kv.Snapshot, images schema.Images, shard journal.Shard,
	start journal.Position, visit func(*Record) bool) (next journal.Position, more bool, err error) {
	cursor := shard.Scan(ctx, from, start, shard.To, false)
	defer cursor.Close()
	next = start
	var change Record
	for !more && cursor.Next() {
		shown, err := t.changeOf(ctx, cursor, images, &change)
		if err != nil {
			return next, false, err
		}
		next = cursor.After()
		more = shown && !visit(&change)
	}
	return next, more, cursor.Close()
}

// changeOf makes what a stream shows of an entry; shown is false for one that changed nothing that readers see.
func (t Table) changeOf(ctx context.Context, cursor *journal.Cursor, images schema.Images, c *Record) (shown bool,
	err error) {
	e := cursor.Entry()
	for _, row := range [...]*value.Row{&e.Old, &e.New, &e.Keys} {
		if *row != nil {
			if *row, err = t.Table.Adapt(ctx, *row); err != nil {
				return false, err
			}
		}
	}
	*c = Record{WasThere: e.WasThere, IsThere: e.IsThere, ByExpiry: e.ByExpiry, Key: e.Any(), Old: e.Old, New: e.New,
		AtMS: cursor.OriginMS(), At: cursor.At()}
	if t.Table.Cells != nil {
		if shown, err = t.showCells(c); !shown || err != nil {
			return false, err
		}
	}
	if images&schema.OldImage == 0 {
		c.Old = nil
	}
	if images&schema.NewImage == 0 {
		c.New = nil
	}
	return true, nil
}

// showCells makes the rows of a change what readers saw of them.
func (t Table) showCells(c *Record) (shown bool, err error) {
	for _, row := range [...]*value.Row{&c.Old, &c.New, &c.Key} {
		if *row == nil {
			continue
		}
		visible, ok, err := t.Table.Visible(nil, *row, c.AtMS)
		switch {
		case err != nil:
			return false, fmt.Errorf("a change at %d: %w", c.AtMS, err)
		case ok:
			*row = visible
		case row == &c.Old:
			*row, c.WasThere = nil, false
		case row == &c.New:
			*row, c.IsThere = nil, false
		}
	}
	return (c.WasThere || c.IsThere) && (c.Old == nil || c.New == nil || string(c.Old) != string(c.New)), nil
}

// Divide ends the open shards of the stream of the table of an id, if one is on.
func (k *Keeper) Divide(ctx context.Context, id uint32) error {
	table, release, err := k.Tables.ByID(id)
	if err != nil {
		return nil // it is gone
	}
	defer release()
	if _, on := table.Schema.Stream(); !on || k.journal == nil {
		return nil
	}
	return k.journal.AddBorder(ctx, id)
}

// EndShards ends the open shards of a table's streams: what is committed from now on is read from others, which are
// their children.
func (k *Keeper) EndShards(ctx context.Context, database, name string) error {
	if err := k.Guard.Named(ctx, "dynamodb:UpdateTable", database, name); err != nil {
		return err
	}
	table, release, err := k.Tables.Named(database, name)
	if err != nil {
		return err
	}
	defer release()
	if err := k.Need(name); err != nil {
		return err
	}
	return failure.Wrap(name, k.journal.AddBorder(ctx, table.Schema.ID))
}
