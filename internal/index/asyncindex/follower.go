// SPDX-License-Identifier: Apache-2.0

// Package asyncindex brings asynchronous indexes up to the changes of their tables. It reads the journal of a table
// from where it was, gives the rows of some changes the entries that they make by now, and notes how far it is in the
// same transaction. So it goes on where it was after a restart, and a change that is followed twice does no harm. It
// reads the row as it is now, not as the change has left it: an index is never older than the noted place.
//
// Knows: batches of changes, the pace, how far tables are followed.
// Never: what entries are made of, which queries ask for rows.
package asyncindex

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/data/catalog"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/data/value"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Work is work that one process does for all that share a store.
const Work = "follow"

// Bounds of one batch: changes, bytes of the rows that they kept, and entries that are written for them.
const (
	batchChanges = 64
	batchBytes   = 1 << 20
	batchEntries = 4096
)

// The rest after a round that found nothing doubles from the first to the last.
const (
	pauseFirst = 10 * time.Millisecond
	pauseLast  = 200 * time.Millisecond
	faultPause = 2 * time.Second
)

// Where it is told of changes, a Follower looks for others of which it was not told every wholePause.
const wholePause = 30 * time.Second

// latchWait is the time a step waits for transactions that hold rows.
const latchWait = time.Second

// Options are the options of a Follower. Store, Catalog, Latches, Logger and Buckets are required.
type Options struct {
	Store   kv.Store
	Catalog *catalog.Catalog
	Latches *record.Latches
	Logger  *slog.Logger
	Buckets int // of the journal
	// Owned reports whether this process follows for all, and Guard makes a transaction fail unless it does. nil: there
	// is no other.
	Owned func() bool
	Guard func(ctx context.Context, txn kv.Txn) error
	// Moves are told of the changes that this process moves to the journal, and Told reports whether these are all.
	// nil: nobody tells.
	Moves *journal.Moves
	Told  func() bool
	// Idle follows only when asked to.
	Idle bool
}

// Follower follows the changes of all tables that have asynchronous indexes. It is safe for concurrent use.
type Follower struct {
	Options
	cancel context.CancelFunc
	ended  sync.WaitGroup

	turn       sync.Mutex // held by steps
	tables     []uint32   // that are followed, as of generation
	generation uint64     // of the catalog, and one more; 0: not known yet

	// Of the background's rounds: the last one through all buckets, if all changes since then were told; and the
	// buckets of which more is to be followed.
	whole time.Time
	left  []journal.Bucket
}

// Start begins to follow in the background.
func Start(ctx context.Context, o Options) *Follower {
	o.Store = heat.Own(o.Store)
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &Follower{Options: o, cancel: cancel}
	if !o.Idle {
		f.ended.Go(func() { f.run(life) })
	}
	return f
}

// Close ends the work between two batches. A nil Follower does nothing.
func (f *Follower) Close() {
	if f == nil {
		return
	}
	f.cancel()
	f.ended.Wait()
}

func (f *Follower) run(ctx context.Context) {
	pause := pauseFirst
	for ctx.Err() == nil {
		moved, err := f.round(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			f.Logger.Error("an asynchronous index could not follow its table; will retry", "error", err.Error(),
				"after", faultPause)
			pause = faultPause
		case moved:
			pause = pauseFirst
			continue
		default:
			pause = min(2*pause, pauseLast)
		}
		select {
		case <-time.After(pause):
		case <-f.Moves.Wake():
		case <-ctx.Done():
		}
	}
}

// round does a batch of each bucket that may have one, if it is this process that does. moved says that there was one.
// A table with a fault holds up no other.
func (f *Follower) round(ctx context.Context) (moved bool, err error) {
	if !f.Follows() {
		f.whole = time.Time{}
		return false, nil
	}
	buckets := f.due()
	f.left = nil
	for _, bucket := range buckets {
		more, fault := f.step(ctx, bucket)
		moved, err = moved || more, errors.Join(err, fault)
		if more || fault != nil {
			f.left = append(f.left, bucket)
		}
	}
	return moved, err
}

// Follows reports whether it is this process that follows. A nil Follower does not.
func (f *Follower) Follows() bool { return f != nil && (f.Owned == nil || f.Owned()) }

// due returns the buckets that may have changes: those that were told of and those that are left, or all.
func (f *Follower) due() []journal.Bucket {
	if f.Told == nil || !f.Told() {
		f.whole = time.Time{}
		return f.all()
	}
	told := f.Moves.Take()
	now := time.Now() // lint:clock pauses are of real time
	if now.Sub(f.whole) >= wholePause || f.Catalog.Generation()+1 != f.generation {
		f.whole = now
		return f.all()
	}
	tables := f.followed()
	for _, bucket := range told {
		if slices.Contains(tables, bucket.Table) && !slices.Contains(f.left, bucket) {
			f.left = append(f.left, bucket)
		}
	}
	return f.left
}

// all are the buckets of all tables that are followed.
func (f *Follower) all() (list []journal.Bucket) {
	for _, table := range f.followed() {
		for number := range uint8(f.Buckets) {
			list = append(list, journal.Bucket{Table: table, Bucket: number})
		}
	}
	return list
}

// followed lists the tables that are followed. It looks through the catalog only after a change of it.
func (f *Follower) followed() []uint32 {
	f.turn.Lock()
	defer f.turn.Unlock()
	now := f.Catalog.Generation() + 1
	if now == f.generation {
		return f.tables
	}
	var tables []uint32
	for version := range f.Catalog.Versions() {
		if version.Table.IsFollowed() {
			tables = append(tables, version.Table.ID)
		}
	}
	f.tables, f.generation = tables, now
	return tables
}

// Catch returns once all changes are followed that the journal of a table has at the time of the call, whichever
// process does it.
func (f *Follower) Catch(ctx context.Context, table uint32) error {
	ends, err := f.ends(ctx, table)
	if err != nil {
		return err
	}
	for number := range uint8(f.Buckets) {
		if err := f.catchBucket(ctx, journal.Bucket{Table: table, Bucket: number}, ends[number]); err != nil {
			return err
		}
	}
	return nil
}

// ends are the stamps of the last change of each bucket.
func (f *Follower) ends(ctx context.Context, table uint32) (ends []uint64, err error) {
	reader, err := f.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	for number := range uint8(f.Buckets) {
		last, err := journal.Bucket{Table: table, Bucket: number}.Last(ctx, reader)
		if err != nil {
			return nil, err
		}
		ends = append(ends, last)
	}
	return ends, nil
}

func (f *Follower) catchBucket(ctx context.Context, b journal.Bucket, end uint64) error {
	for {
		left, err := f.isLeft(ctx, b, end)
		if err != nil || !left {
			return err
		}
		if f.Follows() {
			if _, err := f.step(ctx, b); err != nil {
				return err
			}
			continue
		}
		select {
		case <-time.After(pauseFirst):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isLeft reports whether a change with a stamp up to end was not followed yet.
func (f *Follower) isLeft(ctx context.Context, b journal.Bucket, end uint64) (left bool, err error) {
	reader, err := f.Store.Read(ctx)
	if err != nil {
		return false, err
	}
	defer reader.Close()
	cursor, err := b.Unfollowed(ctx, reader)
	if err != nil {
		return false, err
	}
	left = cursor.Next() && cursor.At().Stamp <= end
	return left, cursor.Close()
}

// change is a change of a row that is to be followed.
type change struct {
	row   []byte // its key; the table's prefix stands before it from follow on
	old   value.Row
	after journal.Position
}

// step follows the next changes of a bucket. moved says that there were some.
func (f *Follower) step(ctx context.Context, b journal.Bucket) (moved bool, err error) {
	f.turn.Lock()
	defer f.turn.Unlock()
	start, batch, err := f.find(ctx, b)
	if err != nil || len(batch) == 0 {
		return false, err
	}
	// The version is acquired after the changes were found: so an index that a change was left to is complete in it, or
	// is a stage behind that.
	version, err := f.Catalog.AcquireID(b.Table)
	if errors.Is(err, catalog.ErrNotFound) {
		return false, nil // the journal goes with the table
	}
	if err != nil {
		return false, err
	}
	defer version.Release()
	if version.Table.State == schema.Dropping {
		return false, nil
	}
	return true, f.follow(ctx, f.workOn(b, record.Compile(version.Table, version.Names), start), batch)
}

// find reads the next changes of a bucket.
func (f *Follower) find(ctx context.Context, b journal.Bucket) (start journal.Position, batch []change, err error) {
	reader, err := f.Store.Read(ctx)
	if err != nil {
		return start, nil, err
	}
	defer reader.Close()
	if start, err = b.Followed(ctx, reader); err != nil {
		return start, nil, err
	}
	cursor := b.Scan(ctx, reader, start, 0, false)
	for size := 0; len(batch) < batchChanges && size < batchBytes && cursor.Next(); {
		old := cursor.Entry().Old
		batch = append(batch, change{row: bytes.Clone(cursor.At().Key), old: bytes.Clone(old), after: cursor.After()})
		size += len(old)
	}
	return start, batch, cursor.Close()
}

// work is the work of a step: the changes of a bucket from a position on, in the asynchronous indexes of their table.
// Where writers write some entries themselves, the rows are shared: writers wait for the step, or conflict with it if
// they are elsewhere.
type work struct {
	bucket  journal.Bucket
	start   journal.Position
	table   *record.Table
	indexes []*record.Index
	shared  bool
	room    int // how many bytes followSome writes in a transaction
}

func (f *Follower) workOn(b journal.Bucket, table *record.Table, start journal.Position) *work {
	w := &work{bucket: b, start: start, table: table, room: f.Store.Limits().TxnBytesMax / 2}
	for _, x := range table.Indexes {
		if x.Async != nil && x.State != schema.DeleteOnly && x.State != schema.WriteOnly {
			w.indexes = append(w.indexes, x)
			w.shared = w.shared || x.Async.EntriesMax > 0 || x.State.Building()
		}
	}
	return w
}

// follow brings the rows of changes up to date, as many as fit one commit. A row that doesn't fit one takes several: a
// search may then find it by some of its words only, until it is followed.
func (f *Follower) follow(ctx context.Context, w *work, batch []change) error {
	for i := range batch {
		batch[i].row = append(bytes.Clone(w.table.Primary.Prefix), batch[i].row...)
	}
	if w.shared {
		keys := make([][]byte, len(batch))
		for i := range batch {
			keys[i] = batch[i].row
		}
		held, err := f.Latches.LockWithin(ctx, latchWait, keys...)
		if errors.Is(err, record.ErrLatchWait) {
			return nil // a transaction holds a row; others have their turn meanwhile
		}
		if err != nil {
			return err
		}
		defer held.Unlock()
	}
	err := f.commit(ctx, w, batch, w.followAll)
	for errors.Is(err, kv.ErrTooLarge) && len(batch) > 1 {
		batch = batch[:len(batch)/2]
		err = f.commit(ctx, w, batch, w.followAll)
	}
	if errors.Is(err, kv.ErrTooLarge) {
		return f.commit(ctx, w, batch, w.followSome)
	}
	return err
}

// commit runs a transaction that follows changes and notes how far it came.
func (f *Follower) commit(ctx context.Context, w *work, batch []change,
	follow func(context.Context, kv.Txn, []change) (int, error)) error {
	return kv.Update(ctx, f.Store, func(txn kv.Txn) error {
		if f.Guard != nil {
			if err := f.Guard(ctx, txn); err != nil {
				return err
			}
		}
		if err := w.table.Err(); err != nil {
			return err
		}
		at, err := w.bucket.Followed(ctx, txn)
		if err != nil || w.start.Before(at) || at.Before(w.start) { // the store has gone back to a mark
			return err
		}
		done, err := follow(ctx, txn, batch)
		if err != nil || done == 0 {
			return err
		}
		return w.bucket.SetFollowed(txn, batch[done-1].after)
	})
}

// followAll follows changes until they have made many entries, and returns how many it has followed.
func (w *work) followAll(ctx context.Context, txn kv.Txn, batch []change) (done int, err error) {
	for writes := 0; done < len(batch) && writes < batchEntries; done++ {
		now, err := w.row(ctx, txn, &batch[done])
		if err != nil {
			return done, err
		}
		for _, x := range w.indexes {
			more, err := w.table.Follow(txn, x, batch[done].row, batch[done].old, now)
			if err != nil {
				return done, err
			}
			writes += more
		}
	}
	return done, nil
}

// followSome follows the first change as far as one commit goes: done is 0 if there is more of it to write.
func (w *work) followSome(ctx context.Context, txn kv.Txn, batch []change) (done int, err error) {
	now, err := w.row(ctx, txn, &batch[0])
	if err != nil {
		return 0, err
	}
	room := w.room
	for _, x := range w.indexes {
		written, left, err := w.table.FollowSome(ctx, txn, x, batch[0].row, batch[0].old, now, room)
		if err != nil || left {
			return 0, err
		}
		room -= written
	}
	return 1, nil
}

// row is the present state of a change's row.
func (w *work) row(ctx context.Context, txn kv.Txn, c *change) (now value.Row, err error) {
	if w.shared {
		if err := txn.Guard(c.row); err != nil {
			return nil, err
		}
	}
	if len(w.indexes) == 0 {
		return nil, nil
	}
	if now, _, err = w.table.Get(ctx, txn, c.row, nil); err == nil && c.old != nil {
		c.old, err = w.table.Adapt(ctx, c.old)
	}
	return now, err
}
