// SPDX-License-Identifier: Apache-2.0

// Package capture keeps the changes of a database's tables, and shows them: as streams that programs read, and to
// streams of Kinesis.
//
// Knows: the journal, streams and destinations of tables, for how long changes are kept.
// Never: queries, writes, protocols.
package capture

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/weftdb/weft/internal/background/gateway"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/internal/security/tableguard"
	"github.com/weftdb/weft/kv"
)

// clockWait is the time a change of the schema waits for the cluster's clock.
const clockWait = 10 * time.Second

// ReaderGrace is the time past 24 hours for which a reader that has started may continue.
const ReaderGrace = 15 * time.Minute

// followedKept is the time for which changes that only asynchronous indexes need are kept after these have followed
// them.
const followedKept = time.Minute

// Tables pins the present versions of a database's tables, until release is called.
type Tables struct {
	Named func(database, name string) (t *record.Table, release func(), err error)
	ByID  func(id uint32) (t *record.Table, release func(), err error)
}

// Options are the parts of a database that a Keeper works with. All are required but Admin and Gateway.
type Options struct {
	Store   kv.Store
	Admin   kv.Admin
	Catalog *catalog.Catalog
	Gateway *gateway.Gateway // nil: nobody else uses the store
	Tables  Tables
	Guard   *tableguard.Guard
	Logger  *slog.Logger
	Now     func() time.Time
	Idle    bool // nothing is done in the background
}

// Keeper keeps the changes of tables. It is safe for concurrent use.
type Keeper struct {
	Options
	Buckets int             // of the journal
	journal *journal.Keeper // nil: the engine gives no stamps
}

// Work is the work of the gateway that maintains the journal for all.
const Work = "journal"

// Open begins to keep changes, until Close.
func Open(ctx context.Context, o Options) (*Keeper, error) {
	k := &Keeper{Options: o}
	stamps, ok := kv.StampsOf(k.Store)
	if !ok {
		return k, nil
	}
	if stamps.StampsInOrder() {
		reader, err := k.Store.Read(ctx)
		if err != nil {
			return nil, err
		}
		last, err := journal.LastOfAll(ctx, reader)
		if err = errors.Join(err, reader.Close()); err != nil {
			return nil, err
		}
		stamps.StampAfter(max(last, k.lastSpan()))
	}
	settings := journal.Options{Store: k.Store, Admin: k.Admin, Logger: k.Logger, Now: k.Now, Idle: k.Idle,
		Tables: k.journaled, Resume: k.resume}
	if k.Gateway != nil {
		work := k.Gateway.GuardedWork(Work)
		settings.Owned, settings.Guard, settings.Oldest = work.Owned, work.Guard, k.Gateway.Oldest
	}
	if shared, ok := kv.SharedOf(k.Store); ok && !stamps.StampsInOrder() {
		settings.NowMS, settings.Moves = shared.NowMS, journal.NewMoves()
	}
	k.journal, k.Buckets = journal.Start(ctx, settings), 1
	if !stamps.StampsInOrder() {
		k.Buckets = journal.ClusterBuckets
	}
	return k, nil
}

// Close ends what is done in the background.
func (k *Keeper) Close() {
	if k.journal != nil {
		k.journal.Close()
	}
}

// Keeps reports whether changes can be kept: not by engines that give no stamps.
func (k *Keeper) Keeps() bool { return k.journal != nil }

// Moves are told of the changes that this process moves to the journal; told reports whether these are all. Both are
// nil for a store whose changes are in order as they come.
func (k *Keeper) Moves() (moves *journal.Moves, told func() bool) {
	if k.journal.Moves == nil {
		return nil, nil
	}
	return k.journal.Moves, k.journal.Sequences
}

// Stir says that something is being committed that is to be kept.
func (k *Keeper) Stir() { k.journal.Stir() }

// Settle returns once all changes of a table that were committed before have their places in the journal. Errors:
// journal.ErrNoStamps.
func (k *Keeper) Settle(ctx context.Context, table uint32) error {
	if k.journal == nil {
		return journal.ErrNoStamps
	}
	return k.journal.Settle(ctx, table)
}

// Trim drops changes that are too old and ends shards that are old enough, now, as background work does.
func (k *Keeper) Trim(ctx context.Context) error {
	if k.journal == nil {
		return nil
	}
	return failure.Wrap("", errors.Join(k.journal.Sequence(ctx), k.journal.Look(ctx)))
}

// lastSpan is the highest stamp that a stream begins or ends with.
func (k *Keeper) lastSpan() (last uint64) {
	for version := range k.Catalog.Versions() {
		for _, s := range version.Table.Streams {
			last = max(last, kv.StampOf(s.CreatedAtMS), kv.StampOf(s.ClosedAtMS))
		}
		for _, d := range version.Table.Destinations {
			last = max(last, kv.StampOf(d.CreatedAtMS), kv.StampOf(d.ClosedAtMS))
		}
	}
	return last
}

// journaled lists the tables whose changes are kept, or were until lately.
func (k *Keeper) journaled() (list []journal.Table) {
	for version := range k.Catalog.Versions() {
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

// resume ends changes of streams and recovery that a process has begun and not lived to end.
func (k *Keeper) resume(ctx context.Context) (err error) {
	for _, t := range k.journaled() {
		err = errors.Join(err, k.SettleTable(ctx, t.ID))
	}
	return err
}

// Need returns the error of engines that can't keep changes. If there is none, stamps are not behind the database's
// clock from then on, whatever the engine's clock says.
func (k *Keeper) Need(table string) error {
	if k.journal != nil {
		k.stampAfterMS(k.nowMS())
		return nil
	}
	return failure.New(failure.Invalid, table,
		"this storage engine can't keep changes in the order of their commits; use the embedded engine or TiKV")
}

// stampAfterMS makes all later stamps greater than a moment's. A cluster gives stamps by its own clock.
func (k *Keeper) stampAfterMS(ms int64) {
	if stamps, ok := kv.StampsOf(k.Store); ok {
		stamps.StampAfter(kv.StampOf(ms))
	}
}

// stampMS is the clock that stamps are given by: that of the cluster, or the database's own.
func (k *Keeper) stampMS() (int64, error) {
	shared, ok := kv.SharedOf(k.Store)
	if !ok || k.Buckets == 1 {
		return k.nowMS(), nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), clockWait)
	defer cancel()
	return shared.NowMS(ctx)
}

func (k *Keeper) nowMS() int64 { return k.Now().UnixMilli() }
