// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/order"
)

const (
	lookInterval = time.Minute
	stepInterval = 50 * time.Millisecond // between two steps of a Sequencer
	// stepPause bounds the interval, which doubles while steps find nothing and no write wakes the keeper.
	stepPause     = 1200 * time.Millisecond
	shardLife     = 4 * time.Hour
	deleteAtOnce  = 1000 // keys, where the engine can't delete a range
	errorInterval = 5 * time.Second
)

// Table is a table whose changes are kept.
type Table struct {
	ID   uint32
	Keep time.Duration // how long
	// Followed says that asynchronous indexes follow them: those are kept, too, that they have not reached.
	Followed bool
	// StreamMS is when its stream was switched on, Unix milliseconds: shards end after four hours. 0: none is on.
	StreamMS int64
}

// Options are the options of a Keeper. Store, Tables, Logger and Now are required.
type Options struct {
	Store  kv.Store
	Logger *slog.Logger
	Now    func() time.Time
	// Tables lists all tables whose changes are kept.
	Tables func() []Table
	// Admin deletes ranges; nil: they are deleted key by key.
	Admin kv.Admin
	// Owned reports whether this process maintains the journal for all, and Guard makes a transaction fail unless it
	// does. nil: there is no other.
	Owned func() bool
	Guard func(ctx context.Context, txn kv.Txn) error
	// NowMS is the cluster's clock, where the store's stamps are not in order; nil: they are.
	NowMS func(ctx context.Context) (int64, error)
	// Oldest is that of Sequencer, where the store's stamps are not in order.
	Oldest func(ctx context.Context) (int64, error)
	// Moves is that of Sequencer.
	Moves *Moves
	// Resume is called by each look of the process that maintains the journal: it ends what another process has left
	// half done. nil: nothing.
	Resume func(ctx context.Context) error
	// Idle leaves everything to the caller.
	Idle bool
}

// Keeper drops old changes, ends shards, and sequences the changes of a cluster.
type Keeper struct {
	Options
	sequencer *Sequencer // nil: the store's stamps are in order
	cancel    context.CancelFunc
	ended     sync.WaitGroup
	turn      sync.Mutex // held by steps, looks and borders
	wasOwner  bool
	moved     atomic.Bool   // a step has moved something
	stirred   chan struct{} // holds one if somebody has stirred
}

// Start begins to maintain the journal in the background.
func Start(ctx context.Context, o Options) *Keeper {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	k := &Keeper{Options: o, cancel: cancel, stirred: make(chan struct{}, 1)}
	if o.NowMS != nil {
		k.sequencer = &Sequencer{Store: o.Store, Guard: o.Guard, NowMS: o.NowMS, Oldest: o.Oldest, Moves: o.Moves}
	}
	if o.Idle {
		return k
	}
	k.ended.Go(func() { k.repeat(life, lookInterval, k.Look) })
	if k.sequencer != nil {
		k.ended.Go(func() { k.sequence(life) })
	}
	return k
}

// Close ends the work.
func (k *Keeper) Close() {
	k.cancel()
	k.ended.Wait()
}

// Stir makes the steps of a cluster's outbox frequent again: something was written here, or is about to be. A nil
// Keeper has none.
func (k *Keeper) Stir() {
	if k == nil || k.sequencer == nil {
		return
	}
	select {
	case k.stirred <- struct{}{}:
	default:
	}
}

// sequence makes steps, the more seldom the longer they find nothing.
func (k *Keeper) sequence(life context.Context) {
	for pause := stepInterval; ; {
		k.moved.Store(false)
		err := k.Sequence(life)
		if err != nil && life.Err() == nil {
			k.Logger.Error("moving changes to the journal failed; will retry", "error", err.Error())
		}
		switch pause = min(2*pause, stepPause); {
		case err != nil:
			pause = errorInterval
		case k.moved.Load():
			pause = stepInterval
		}
		select {
		case <-k.stirred:
			pause = stepInterval // it is committed by then, as a rule
			if rest(life, pause) != nil {
				return
			}
		case <-time.After(pause):
		case <-life.Done():
			return
		}
	}
}

func rest(ctx context.Context, pause time.Duration) error {
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *Keeper) repeat(ctx context.Context, pause time.Duration, work func(context.Context) error) {
	for {
		wait := pause
		if err := work(ctx); err != nil && ctx.Err() == nil {
			k.Logger.Error("looking after the journal failed; will retry", "error", err.Error())
			wait = max(wait, errorInterval)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

func (k *Keeper) owned() bool {
	owned := k.Owned == nil || k.Owned()
	if owned && !k.wasOwner && k.sequencer != nil {
		k.sequencer.Forget()
	}
	k.wasOwner = owned
	return owned
}

// Sequences reports whether this process moved changes to the journal when that was last looked at: Options.Moves knows
// of all then.
func (k *Keeper) Sequences() bool { return k.sequencer != nil && (k.Owned == nil || k.Owned()) }

// Sequence moves all changes of a cluster's outbox to the journal, if it is this process that does.
func (k *Keeper) Sequence(ctx context.Context) error {
	for k.sequencer != nil {
		k.turn.Lock()
		if !k.owned() || len(k.Tables()) == 0 {
			k.turn.Unlock()
			return nil
		}
		moved, err := k.sequencer.Step(ctx)
		if moved > 0 {
			k.moved.Store(true)
		}
		behind := k.sequencer.Behind()
		k.turn.Unlock()
		if err != nil || !behind {
			return err
		}
	}
	return nil
}

// Settle returns once the changes of a table by all commits before it are in the journal, whichever process moves them
// there.
func (k *Keeper) Settle(ctx context.Context, table uint32) error {
	if k.sequencer == nil {
		return nil
	}
	now, err := k.NowMS(ctx)
	if err != nil {
		return err
	}
	for {
		if err := k.Sequence(ctx); err != nil {
			return err
		}
		waiting, err := k.waits(ctx, table, kv.StampOf(now+1))
		if err != nil || !waiting {
			return err
		}
		select {
		case <-time.After(stepInterval):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waits reports whether a change of a table by a transaction with a lower stamp is in the outbox.
func (k *Keeper) waits(ctx context.Context, table uint32, below uint64) (waiting bool, err error) {
	reader, err := k.Store.Read(ctx)
	if err != nil {
		return false, err
	}
	defer reader.Close()
	prefix := keyspace.AppendTableOutbox(nil, table)
	end, _ := order.PrefixEnd(nil, prefix)
	cursor := reader.Scan(ctx, kv.Range{Start: prefix, End: end}, false)
	for !waiting && cursor.Next() {
		_, _, stamp, _, ok := keyspace.CutJournal(cursor.Key())
		waiting = ok && stamp < below
	}
	return waiting, cursor.Close()
}

// AddBorder ends the open shards of a table's streams.
func (k *Keeper) AddBorder(ctx context.Context, table uint32) error {
	k.turn.Lock()
	defer k.turn.Unlock()
	if k.sequencer != nil {
		return k.sequencer.AddBorder(ctx, table)
	}
	return AddBorder(ctx, k.Store, table)
}

// Look drops what is too old and the journals of tables that are gone or have none any more, and ends shards that are
// old enough.
func (k *Keeper) Look(ctx context.Context) error {
	k.turn.Lock()
	owned := k.owned()
	k.turn.Unlock()
	if !owned {
		return nil
	}
	last, err := k.lastOfEach(ctx) // before the tables, so that what a table gets that is switched on meanwhile stays
	if err != nil {
		return err
	}
	now := k.Now() // before the tables, so that what is kept for longer from then on is not too old
	tables := k.Tables()
	var faults []error
	if k.Resume != nil {
		faults = append(faults, k.Resume(ctx))
	}
	for id, stamp := range last {
		if !slices.ContainsFunc(tables, func(t Table) bool { return t.ID == id }) {
			faults = append(faults, k.trim(ctx, Table{ID: id}, stamp+1),
				k.deletePrefix(ctx, keyspace.AppendAllFollowed(nil, id)), k.deletePrefix(ctx,
					keyspace.AppendTableSent(nil, id)))
		}
	}
	for _, t := range tables {
		faults = append(faults, k.lookAt(ctx, t, now))
	}
	return errors.Join(faults...)
}

func (k *Keeper) deletePrefix(ctx context.Context, prefix []byte) error {
	end, _ := order.PrefixEnd(nil, prefix)
	return k.delete(ctx, kv.Range{Start: prefix, End: end})
}

// lastOfEach returns the highest stamps of all tables that have changes or borders, or had.
func (k *Keeper) lastOfEach(ctx context.Context) (last map[uint32]uint64, err error) {
	reader, err := k.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return lastStamps(ctx, reader)
}

func (k *Keeper) lookAt(ctx context.Context, t Table, now time.Time) error {
	if err := k.trim(ctx, t, kv.StampOf(now.Add(-t.Keep).UnixMilli())); err != nil || t.StreamMS == 0 {
		return err
	}
	reader, err := k.Store.Read(ctx)
	if err != nil {
		return err
	}
	borders, err := bordersOf(ctx, reader, t.ID)
	if err = errors.Join(err, reader.Close()); err != nil {
		return err
	}
	last := t.StreamMS
	if len(borders) > 0 {
		last = max(last, kv.StampMS(borders[len(borders)-1]))
	}
	if now.UnixMilli()-last < shardLife.Milliseconds() {
		return nil
	}
	return k.AddBorder(ctx, t.ID)
}

// trim drops the changes of a table with lower stamps, but not those that have yet to be followed, and the borders
// whose shards have no others. The last border below stays: a shard that has changes begins with it, and is named by
// it.
func (k *Keeper) trim(ctx context.Context, t Table, below uint64) error {
	for number := range uint8(ClusterBuckets) {
		end, err := k.trimEnd(ctx, t, number, below)
		if err != nil {
			return err
		}
		r := kv.Range{Start: keyspace.AppendJournalBucket(nil, t.ID, number),
			End: keyspace.AppendJournal(nil, t.ID, number, end)}
		if err := k.delete(ctx, r); err != nil {
			return err
		}
	}
	first, err := k.firstBorder(ctx, t.ID, below)
	if err != nil || first == 0 {
		return err
	}
	return k.delete(ctx, kv.Range{Start: keyspace.AppendBorders(nil, t.ID),
		End: keyspace.AppendBorder(nil, t.ID, first)})
}

// firstBorder is the last border of a table that is not above a stamp; 0 for none.
func (k *Keeper) firstBorder(ctx context.Context, table uint32, stamp uint64) (first uint64, err error) {
	reader, err := k.Store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	borders, err := bordersOf(ctx, reader, table)
	for _, border := range borders {
		if border <= stamp {
			first = border
		}
	}
	return first, err
}

func (k *Keeper) trimEnd(ctx context.Context, t Table, bucket uint8, below uint64) (uint64, error) {
	if !t.Followed {
		return below, nil
	}
	p, err := Bucket{t.ID, bucket}.Followed(ctx, k.Store)
	return min(below, p.Stamp), err
}

// delete deletes the keys of r, if there are any.
func (k *Keeper) delete(ctx context.Context, r kv.Range) error {
	for {
		keys, err := k.some(ctx, r)
		if err != nil || len(keys) == 0 {
			return err
		}
		if k.Admin != nil {
			if err := k.Admin.DeleteRange(ctx, r); !errors.Is(err, kv.ErrUnsupported) {
				return err
			}
		}
		err = kv.Update(ctx, k.Store, func(txn kv.Txn) error {
			for _, key := range keys {
				if err := txn.Delete(key); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || len(keys) < deleteAtOnce {
			return err
		}
	}
}

func (k *Keeper) some(ctx context.Context, r kv.Range) (keys [][]byte, err error) {
	reader, err := k.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	cursor := reader.Scan(ctx, r, false)
	for len(keys) < deleteAtOnce && cursor.Next() {
		keys = append(keys, slices.Clone(cursor.Key()))
	}
	return keys, cursor.Close()
}
