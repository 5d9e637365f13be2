// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weftdb/weft/internal/background/job"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/kv"
)

type (
	// Stream is the changes of a table's items for programs to read.
	Stream = schema.Stream
	// Images are the parts of an item, besides its key, that the records of a stream show.
	Images = schema.Images
	// Shard is a part of a stream: changes that are read one after the other.
	Shard = journal.Shard
	// Position is a place between the changes of a shard.
	Position = journal.Position
)

// The images of a stream.
const (
	NewImage = schema.NewImage
	OldImage = schema.OldImage
)

// workJournal is the work of maintaining the journal, which one process does for all.
const workJournal = "journal"

// clockWait is the time a change of the schema waits for the cluster's clock.
const clockWait = 10 * time.Second

// ReaderGrace is for how much longer than 24 hours those can read changes who have begun to read.
const ReaderGrace = 15 * time.Minute

// RecoveryDaysMax is for how many days at most a table's changes are kept to restore it.
const RecoveryDaysMax = 35

// Record is a change of an item, as a stream shows it. Its rows are valid only as long as visit runs.
type Record struct {
	WasThere, IsThere bool
	ByExpiry          bool      // the item's time had come
	Key, Old, New     value.Row // what the stream shows; Key has at least the attributes of the key
	AtMS              int64     // Unix milliseconds of the commit
	At                Position  // before the change
}

// followedKept is the time for which changes that only asynchronous indexes need are kept after these have followed
// them.
const followedKept = time.Minute

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

func (db *DB) openJournal(ctx context.Context) error {
	stamps, ok := kv.StampsOf(db.store)
	if !ok {
		return nil
	}
	if stamps.StampsInOrder() {
		reader, err := db.store.Read(ctx)
		if err != nil {
			return err
		}
		last, err := journal.LastOfAll(ctx, reader)
		if err = errors.Join(err, reader.Close()); err != nil {
			return err
		}
		stamps.StampAfter(max(last, db.lastSpan()))
	}
	o := journal.Options{
		Store: db.store, Admin: db.admin, Logger: db.options.Logger, Now: db.options.Now, Idle: db.options.Idle,
		Tables: db.journaled, Resume: db.resumeJournal,
	}
	if db.gateway != nil {
		work := db.gateway.Work(workJournal)
		o.Owned, o.Guard, o.Oldest = work.Owned, work.Guard, db.gateway.Oldest
	}
	if shared, ok := kv.SharedOf(db.store); ok && !stamps.StampsInOrder() {
		o.NowMS = shared.NowMS
	}
	db.journal, db.buckets = journal.Start(ctx, o), 1
	if !stamps.StampsInOrder() {
		db.buckets = journal.ClusterBuckets
	}
	return nil
}

// lastSpan is the highest stamp that a stream begins or ends with.
func (db *DB) lastSpan() (last uint64) {
	for version := range db.catalog.Versions() {
		for _, s := range version.Table.Streams {
			last = max(last, kv.StampOf(s.CreatedAtMS), kv.StampOf(s.ClosedAtMS))
		}
		for _, d := range version.Table.Destinations {
			last = max(last, kv.StampOf(d.CreatedAtMS), kv.StampOf(d.ClosedAtMS))
		}
	}
	return last
}

func (db *DB) closeJournal() {
	if db.journal != nil {
		db.journal.Close()
	}
}

// journaled lists the tables whose changes are kept, or were until lately.
func (db *DB) journaled() (list []journal.Table) {
	for version := range db.catalog.Versions() {
		if t := journaledTable(version); t.Keep > 0 {
			list = append(list, t)
		}
	}
	return list
}

func journaledTable(version *catalog.Version) journal.Table {
	table := version.Table
	t := journal.Table{ID: table.ID}
	if t.Followed = table.IsFollowed(); t.Followed {
		t.Keep = followedKept
	}
	if len(table.Streams)+len(table.Destinations) > 0 || table.Recovery != nil {
		t.Keep = time.Duration(table.JournalHours())*time.Hour + 2*ReaderGrace
	}
	if s, ok := table.Stream(); ok {
		t.StreamMS = s.CreatedAtMS
	}
	return t
}

// LookAfterJournal drops changes that are too old and ends shards that are old enough, now, as background work does.
func (db *DB) LookAfterJournal(ctx context.Context) error {
	if db.journal == nil {
		return nil
	}
	return wrap("", errors.Join(db.journal.Sequence(ctx), db.journal.Look(ctx)))
}

// resumeJournal ends changes of streams and recovery that a process has begun and not lived to end.
func (db *DB) resumeJournal(ctx context.Context) (err error) {
	for _, t := range db.journaled() {
		err = errors.Join(err, db.settleStreams(ctx, t.ID))
	}
	return err
}

// errNoJournal is of engines that can't keep changes. If there is none, stamps are not behind the database's clock from
// then on, whatever the engine's clock says.
func (db *DB) errNoJournal(table string) error {
	if db.journal != nil {
		db.stampAfterMS(db.nowMS())
		return nil
	}
	return &Error{Kind: KindInvalid, Table: table,
		Detail: "this storage engine can't keep changes in the order of their commits; use the embedded engine or TiKV"}
}

// stampAfterMS makes all later stamps greater than a moment's. A cluster gives stamps by its own clock.
func (db *DB) stampAfterMS(ms int64) {
	if stamps, ok := kv.StampsOf(db.store); ok {
		stamps.StampAfter(kv.StampOf(ms))
	}
}

// stampMS is the clock that stamps are given by: that of the cluster, or the database's own.
func (db *DB) stampMS() (int64, error) {
	shared, ok := kv.SharedOf(db.store)
	if !ok || db.buckets == 1 {
		return db.nowMS(), nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), clockWait)
	defer cancel()
	return shared.NowMS(ctx)
}

// BeginStream switches a stream of the table's changes on: from when it returns, each change of an item can be read for
// 24 hours. Errors: KindNotFound, KindExists if a stream is on.
func (t *Table) BeginStream(ctx context.Context, images Images) error {
	return t.edit(ctx, func(table *schema.Table) error { return t.db.StreamOn(table, images) })
}

// StreamOn is BeginStream within an edit of a table's descriptor.
func (db *DB) StreamOn(table *schema.Table, images Images) error {
	if err := db.errNoJournal(table.Name); err != nil {
		return err
	}
	if _, ok := table.Stream(); ok {
		return &Error{Kind: KindExists, Table: table.Name, Detail: "the table has a stream; switch it off first"}
	}
	now, err := db.stampMS()
	if err != nil {
		return err
	}
	if n := len(table.Streams); n > 0 {
		// labels differ, and so do changes
		now = max(now, table.Streams[n-1].CreatedAtMS+1, table.Streams[n-1].ClosedAtMS)
	}
	db.stampAfterMS(now)
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

// EndStream switches the stream of a table off. What it has can be read for another 24 hours. Errors: KindNotFound,
// KindInvalid if none is on.
func (t *Table) EndStream(ctx context.Context) error {
	return t.edit(ctx, t.db.StreamOff)
}

// StreamOff is EndStream within an edit of a table's descriptor.
func (db *DB) StreamOff(table *schema.Table) error {
	for i := range table.Streams {
		if s := &table.Streams[i]; s.EndedAtMS == 0 {
			s.EndedAtMS = db.nowMS()
			return nil
		}
	}
	return &Error{Kind: KindInvalid, Table: table.Name, Detail: "the table has no stream that is on"}
}

// settleStreams notes, after a change that switched something off or on, that all writers know of it.
func (db *DB) settleStreams(ctx context.Context, id uint32) error {
	p, err := db.PinID(id)
	if err != nil {
		return nil // it is gone
	}
	settled := p.Descriptor().JournalSettled()
	p.Release()
	if settled {
		return nil
	}
	atMS, err := db.settledMS(ctx, id)
	if err != nil {
		return err
	}
	err = db.changeAll(ctx, id, func(table *schema.Table) ([]job.Job, error) {
		if table.JournalSettled() {
			return nil, errUnchanged
		}
		table.SettleJournal(atMS)
		return nil, nil
	})
	db.stampAfterMS(atMS + 1)
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// settledMS is a moment that no change of a table which was committed before it is called has a later stamp than:
// clocks can run backwards, and changes come into the journal of a cluster later than they are committed.
func (db *DB) settledMS(ctx context.Context, id uint32) (int64, error) {
	if db.journal == nil {
		return db.nowMS(), nil
	}
	if err := db.journal.Settle(ctx); err != nil {
		return 0, err
	}
	now, err := db.stampMS()
	if err != nil {
		return 0, err
	}
	reader, err := db.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	last, err := journal.LastOf(ctx, reader, id)
	return max(now, kv.StampMS(last)), err
}

// Streams are the table's streams whose changes can be read, the newest last.
func (p Pinned) Streams() []Stream { return readable(p.Descriptor().Streams, p.db.nowMS()) }

// spanOf is the stamps of a stream's changes.
func spanOf(s *Stream) journal.Span {
	span := journal.Span{From: kv.StampOf(s.CreatedAtMS)}
	if s.ClosedAtMS != 0 {
		span.To = kv.StampOf(s.ClosedAtMS)
	}
	return span
}

// Shards returns the shards of a stream that have changes which can still be read or may get some, oldest first.
func (p Pinned) Shards(ctx context.Context, s *Stream) (kept []Shard, err error) {
	if err := p.db.guard.Table(ctx, "dynamodb:DescribeStream", p.Descriptor(), "/stream/"+s.Label); err != nil {
		return nil, err
	}
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	defer reader.Close()
	all, err := journal.Shards(ctx, reader, p.Descriptor().ID, p.db.buckets, spanOf(s))
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	for _, shard := range all {
		if shard.To == 0 || shard.To > p.Oldest() {
			kept = append(kept, shard)
		}
	}
	return kept, nil
}

// Horizon is the stamp of the oldest changes of a stream that who begins to read it sees.
func (p Pinned) Horizon() uint64 {
	return kv.StampOf(p.db.nowMS() - time.Duration(schema.StreamHours*time.Hour).Milliseconds())
}

// Oldest is the stamp of the oldest changes of a stream that a reader which has begun sees.
func (p Pinned) Oldest() uint64 { return p.Horizon() - kv.StampOf(ReaderGrace.Milliseconds()) }

// KeyAttributes is a row with the attributes alone that the table's key is made of.
func (p Pinned) KeyAttributes(row value.Row) value.Row {
	return value.Project(nil, row, p.Names(), p.table.IsKeyColumn)
}

// PlaceAt returns the place of the first change of a shard at or after a moment, in Unix milliseconds: the oldest one
// that can be read, if the moment lies before that.
func (p Pinned) PlaceAt(shard Shard, ms int64) Position {
	stamp := max(kv.StampOf(ms), shard.From)
	if shard.To != 0 {
		stamp = min(stamp, shard.To)
	}
	if stamp <= p.Horizon() {
		return Position{}
	}
	return Position{Stamp: stamp}
}

// Newest is the place behind the last change of a shard.
func (p Pinned) Newest(ctx context.Context, shard Shard) (Position, error) {
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return Position{}, wrap(p.name(), err)
	}
	defer reader.Close()
	last, err := shard.Bucket.Last(ctx, reader)
	if err != nil {
		return Position{}, wrap(p.name(), err)
	}
	return Position{Stamp: max(shard.From, last+1)}, nil
}

// renewalLag is the time by which a place behind all changes may lag the clock without being moved up to it. No clock
// that goes back does so by more.
const renewalLag = time.Hour

// Renewed is a place behind the last change there is, moved up to about now: where a table is quiet for long, it is not
// taken for one behind which changes were dropped.
func (p Pinned) Renewed(at Position) Position {
	ms := p.db.nowMS() - renewalLag.Milliseconds()
	if at.Stamp >= kv.StampOf(ms) {
		return at
	}
	p.db.stampAfterMS(ms)
	return Position{Stamp: kv.StampOf(ms)}
}

// Follows reports whether all changes behind a place in a bucket are there still, as far as that is known. The oldest
// ones are dropped first: where what is before the place is there, so is all behind it.
func (p Pinned) Follows(ctx context.Context, bucket uint8, at Position) (kept bool, err error) {
	if at.Stamp == 0 || at.Stamp >= p.Oldest() {
		return true, nil
	}
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return false, wrap(p.name(), err)
	}
	defer reader.Close()
	cursor := journal.Bucket{Table: p.Descriptor().ID, Bucket: bucket}.Scan(ctx, reader, Position{}, at.Stamp+1, false)
	kept = cursor.Next()
	return kept, wrap(p.name(), cursor.Close())
}

// Changes calls visit for the changes of a stream's shard from a place on, in their order, until it returns false. It
// returns the place behind the last one that visit was called for; ended says that the shard has none behind it and
// never will. The zero Position is before the oldest change that can be read.
func (p Pinned) Changes(ctx context.Context, s *Stream, shard Shard, start Position,
	visit func(*Record) bool) (next Position, ended bool, err error) {
	if err := p.db.guard.Table(ctx, "dynamodb:GetRecords", p.Descriptor(), "/stream/"+s.Label); err != nil {
		return start, false, err
	}
	if start.Stamp == 0 {
		start = Position{Stamp: p.Horizon()}
	}
	if start.Stamp < shard.From {
		start = Position{Stamp: shard.From}
	}
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return start, false, wrap(p.name(), err)
	}
	defer reader.Close()
	if shard, err = shard.Seen(ctx, reader); err != nil {
		return start, false, wrap(p.name(), err)
	}
	if shard.To != 0 && start.Stamp >= shard.To {
		return start, true, nil
	}
	next, more, err := p.changes(ctx, reader, s.Images, shard, start, visit)
	return next, !more && shard.To != 0, wrap(p.name(), err)
}

// changes is Changes at a snapshot. more says that visit has returned false.
func (p Pinned) changes(ctx context.Context, from kv.Snapshot, images Images, shard Shard, start Position,
	visit func(*Record) bool) (next Position, more bool, err error) {
	cursor := shard.Scan(ctx, from, start, shard.To, false)
	defer cursor.Close()
	next = start
	var change Record
	for !more && cursor.Next() {
		shown, err := p.changeOf(ctx, cursor, images, &change)
		if err != nil {
			return next, false, err
		}
		next = cursor.After()
		more = shown && !visit(&change)
	}
	return next, more, cursor.Close()
}

// changeOf makes what a stream shows of an entry; shown is false for one that changed nothing that readers see.
func (p Pinned) changeOf(ctx context.Context, cursor *journal.Cursor, images Images, c *Record) (shown bool,
	err error) {
	e := cursor.Entry()
	for _, row := range [...]*value.Row{&e.Old, &e.New, &e.Keys} {
		if *row != nil {
			if *row, err = p.table.Adapt(ctx, *row); err != nil {
				return false, err
			}
		}
	}
	*c = Record{WasThere: e.WasThere, IsThere: e.IsThere, ByExpiry: e.ByExpiry, Key: e.Any(), Old: e.Old, New: e.New,
		AtMS: cursor.OriginMS(), At: cursor.At()}
	if p.table.Cells != nil {
		if shown, err = p.showCells(c); !shown || err != nil {
			return false, err
		}
	}
	if images&OldImage == 0 {
		c.Old = nil
	}
	if images&NewImage == 0 {
		c.New = nil
	}
	return true, nil
}

// showCells makes the rows of a change what readers saw of them.
func (p Pinned) showCells(c *Record) (shown bool, err error) {
	for _, row := range [...]*value.Row{&c.Old, &c.New, &c.Key} {
		if *row == nil {
			continue
		}
		visible, ok, err := p.table.Visible(nil, *row, c.AtMS)
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

// endShardsOf ends the open shards of a table's stream, if one is on.
func (db *DB) endShardsOf(ctx context.Context, id uint32) error {
	p, err := db.PinID(id)
	if err != nil {
		return nil // it is gone
	}
	defer p.Release()
	if _, on := p.Descriptor().Stream(); !on || db.journal == nil {
		return nil
	}
	return db.journal.AddBorder(ctx, id)
}

// EndShards ends the open shards of a table's streams: what is committed from now on is read from others, which are
// their children.
func (db *DB) EndShards(ctx context.Context, database, name string) error {
	if err := db.guard.Named(ctx, "dynamodb:UpdateTable", database, name); err != nil {
		return err
	}
	p, err := db.PinIn(databaseOr(database), name)
	if err != nil {
		return err
	}
	defer p.Release()
	if err := db.errNoJournal(name); err != nil {
		return err
	}
	return wrap(name, db.journal.AddBorder(ctx, p.Descriptor().ID))
}
