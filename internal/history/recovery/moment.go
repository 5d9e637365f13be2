// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/keyspace"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/history/past"
	"github.com/weftdb/weft/internal/history/tablecopy"
	"github.com/weftdb/weft/internal/history/undo"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/internal/rows/record"
	"github.com/weftdb/weft/kv"
)

// Keep keeps the changes of the last so many days, within an edit of a table's descriptor, so that the table can
// be restored as it was at any moment of them; 0 keeps none any more, and makes earlier moments unreachable. Errors:
// failure.Invalid for more than schema.RecoveryDaysMax.
func (k *Keeper) Keep(table *schema.Table, days int) error {
	switch {
	case days < 0 || days > schema.RecoveryDaysMax:
		return failure.New(failure.Invalid, table.Name, "changes can be kept for 1 to %d days, not for %d", schema.RecoveryDaysMax, days)
	case days == 0:
		table.Recovery = nil
		return nil
	}
	if err := k.Changes.Need(table.Name); err != nil {
		return err
	}
	since := int64(0) // it is noted when all writers know
	if r := table.Recovery; r != nil && r.SinceMS != 0 {
		since = r.SinceMS
		if days > r.Days { // what is older was dropped, or is being dropped by a process that does not know yet
			since = max(since, k.nowMS()-(time.Duration(r.Days)*24*time.Hour-dropSlack).Milliseconds())
		}
	}
	table.Recovery = &schema.Recovery{SinceMS: since, Days: days}
	return nil
}

// dropSlack is the time by which changes count as dropped for longer than needed, once they are to be kept for more
// days.
const dropSlack = time.Hour

// ErrNotRestorable is wrapped by the error for a moment to which a table can't be restored. It is of failure.Invalid.
var ErrNotRestorable = errors.New("the moment is out of reach")

// checkRestorable wants a moment to which a table can be restored. Errors: ErrNotRestorable.
func (k *Keeper) checkRestorable(table *schema.Table, at time.Time) error {
	from, to, ok := k.Changes.Restorable(table)
	switch {
	case !ok:
		return &failure.Error{Kind: failure.Invalid, Table: table.Name, Err: ErrNotRestorable,
			Detail: "the changes of the table are not kept: switch point-in-time recovery on, and it can be restored as it was from then on"}
	case at.UnixMilli() < from.UnixMilli() || at.UnixMilli() > to.UnixMilli():
		return &failure.Error{Kind: failure.Invalid, Table: table.Name, Err: ErrNotRestorable,
			Detail: fmt.Sprintf("the table can be restored as it was from %s to %s, not at %s",
				from.UTC().Format(time.RFC3339Nano), to.UTC().Format(time.RFC3339Nano),
				at.UTC().Format(time.RFC3339Nano))}
	}
	return nil
}

// Rewind makes the items of a table what they were at a moment, to the millisecond: it takes the changes since back,
// the last one first, in small transactions. Each of them is a change itself, for streams, indexes, and a later
// restore. Other tables are not looked at, and neither are foreign keys. changes is the number of changes taken back;
// if Rewind fails or is interrupted, it can be asked for again. What others write meanwhile stays if no change of
// the item is to be taken back after it. Errors: failure.Invalid if changes since then are not kept.
func (k *Keeper) Rewind(ctx context.Context, database, name string, at time.Time) (changes int64, err error) {
	if err := k.Changes.Guard.Named(ctx, "dynamodb:RestoreTableToPointInTime", database, name); err != nil {
		return 0, err
	}
	table, release, err := k.Changes.Tables.Named(database, name)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := k.checkRestorable(table.Schema, at); err != nil {
		return 0, err
	}
	changes, err = k.undo(ctx, table.Schema.ID, &undo.Undo{After: at.UnixMilli(), Target: table, Lived: true})
	return changes, failure.Wrap(name, err)
}

// RestoreAt begins to make a table that has the items which another one had at a moment, to the millisecond, and its
// indexes. It is there when all of it is; until then it is one of Arrivals. edit gets the schema of the table as it is
// now, with the new name, and may change settings and leave indexes out. Errors: failure.Invalid if the moment is out
// of reach, failure.Exists, failure.NotFound, edit's.
func (k *Keeper) RestoreAt(ctx context.Context, database, source string, at time.Time, name string,
	edit func(*schema.Table) error) (Arrival, error) {
	for _, table := range [...]string{source, name} {
		if err := k.Changes.Guard.Named(ctx, "dynamodb:RestoreTableToPointInTime", database, table); err != nil {
			return Arrival{}, err
		}
	}
	table, release, err := k.Changes.Tables.Named(database, source)
	if err != nil {
		return Arrival{}, err
	}
	err = k.checkRestorable(table.Schema, at)
	a := Arrival{Source: table.Schema.ID, AtMS: at.UnixMilli(), Schema: table.Schema.Clone(),
		Backup: "at-" + task.NewID(k.Changes.Now())}
	release()
	if err == nil {
		err = k.checkVacant(ctx, database, name)
	}
	if err != nil {
		return Arrival{}, err
	}
	return k.arrive(ctx, a, database, name, edit)
}

// copyForArrival copies the table that another one is made of as it was, unless that was done. Indexes that are gone
// meanwhile are left out.
func (k *Keeper) copyForArrival(ctx context.Context, a *Arrival) error {
	if a.Source == 0 {
		return nil
	}
	head, _, err := tablecopy.Write(ctx, k.Changes.Store, a.Source, a.Backup, k.Tasks.Update, k.Tasks.Tell(a.ID))
	if err != nil {
		return err
	}
	a.Schema.Indexes = slices.DeleteFunc(a.Schema.Indexes, func(x schema.Index) bool {
		return !slices.ContainsFunc(head.Schema.Indexes, func(other schema.Index) bool { return other.ID == x.ID })
	})
	return nil
}

// undoArrival takes changes back that the copy shows and the moment did not. It may take back later ones, too: what was
// before them is undone then.
func (k *Keeper) undoArrival(ctx context.Context, a *Arrival) error {
	if a.Source == 0 {
		return nil
	}
	source, release, err := k.Changes.Tables.ByID(a.Source)
	if err != nil {
		return fmt.Errorf("%w: %w", tablecopy.ErrGone, err)
	}
	target := record.Compile(a.Schema, source.Names)
	release()
	_, err = k.undo(ctx, a.Source, &undo.Undo{After: a.AtMS, Target: target})
	return err
}

// Past shows what the table of an id was at the moments from one on, whose changes are all kept: in a snapshot that is
// to be closed. dir is a folder for temporary files; with "" many changes are an error. Errors: failure.Invalid,
// failure.NotFound.
func (k *Keeper) Past(ctx context.Context, id uint32, since time.Time, dir string) (*past.View, error) {
	table, release, err := k.Changes.Tables.ByID(id)
	if err != nil {
		return nil, err
	}
	defer release() // the snapshot shows what this version has written, and older ones
	if err := k.Changes.Guard.Table(ctx, "dynamodb:ExportTableToPointInTime", table.Schema, ""); err != nil {
		return nil, err
	}
	v := &past.View{ID: id, Table: table, Names: table.Names, Buckets: k.Changes.Buckets, Dir: dir}
	if err = k.Changes.Settle(ctx, id); err == nil {
		v.Reader, err = k.Changes.Store.Read(ctx)
	}
	if err != nil {
		return nil, failure.Wrap(table.Schema.Name, err)
	}
	if err = k.checkKept(ctx, v.Reader, id, since.UnixMilli()); err != nil {
		return nil, errors.Join(failure.Wrap(table.Schema.Name, err), v.Close())
	}
	return v, nil
}

// undo takes back the changes of a table, and returns how many. It looks whether they are all there at the snapshot in
// which it reads them. Errors: ErrNotRestorable, undo.ErrFailed, tablecopy.ErrGone.
func (k *Keeper) undo(ctx context.Context, source uint32, u *undo.Undo) (changes int64, err error) {
	u.Commit = func(ctx context.Context, rows [][]byte, f func(kv.Txn) error) error {
		return k.Commit(ctx, rows, func(txn kv.Txn) error {
			if !u.Lived { // a task is making the table
				if err := k.Tasks.Guard(ctx, txn); err != nil {
					return err
				}
			}
			return f(txn)
		})
	}
	if err := k.Changes.Settle(ctx, source); err != nil {
		return 0, err
	}
	reader, err := k.Changes.Store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	if err := k.checkKept(ctx, reader, source, u.After); err != nil {
		return 0, err
	}
	for number := range uint8(k.Changes.Buckets) {
		if err := u.Bucket(ctx, reader, journal.Bucket{Table: source, Bucket: number}); err != nil {
			return u.Changes(), err
		}
	}
	return u.Changes(), u.Finish(ctx)
}

// checkKept wants all changes of a table after a moment to be in the journal that a snapshot shows. It asks the
// descriptor in the same snapshot: another gateway may have a newer one than this, and have dropped changes.
func (k *Keeper) checkKept(ctx context.Context, from kv.Snapshot, id uint32, afterMS int64) error {
	stored, ok, err := from.Get(ctx, keyspace.AppendTable(nil, id), nil)
	if err != nil {
		return err
	}
	table := new(schema.Table)
	if ok {
		err = json.Unmarshal(stored, table)
	}
	if err != nil || !ok || table.State == schema.Dropping {
		return errors.Join(tablecopy.ErrGone, err)
	}
	return k.checkRestorable(table, time.UnixMilli(afterMS))
}
