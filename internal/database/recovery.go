// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/background/task"
	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/past"
	"github.com/weftdb/weft/internal/history/tablecopy"
	"github.com/weftdb/weft/internal/history/undo"
	"github.com/weftdb/weft/internal/rows/record"
)

// RecoveryDaysMax is the number of days for which a table's changes can be kept to restore it.
const RecoveryDaysMax = 35

// RecoveryOn keeps the changes of the last so many days, within an edit of a table's descriptor, so that the table can
// be restored as it was at any moment of them; 0 keeps none any more, and makes earlier moments unreachable. Errors:
// KindInvalid for more than RecoveryDaysMax.
func (db *DB) RecoveryOn(table *schema.Table, days int) error {
	switch {
	case days < 0 || days > RecoveryDaysMax:
		return invalid(table.Name, "changes can be kept for 1 to %d days, not for %d", RecoveryDaysMax, days)
	case days == 0:
		table.Recovery = nil
		return nil
	}
	if err := db.changes.Need(table.Name); err != nil {
		return err
	}
	since := int64(0) // it is noted when all writers know
	if r := table.Recovery; r != nil && r.SinceMS != 0 {
		since = r.SinceMS
		if days > r.Days { // what is older was dropped, or is being dropped by a process that does not know yet
			since = max(since, db.nowMS()-(time.Duration(r.Days)*24*time.Hour-dropSlack).Milliseconds())
		}
	}
	table.Recovery = &schema.Recovery{SinceMS: since, Days: days}
	return nil
}

// dropSlack is the time by which changes count as dropped for longer than needed, once they are to be kept for more
// days.
const dropSlack = time.Hour

// ErrNotRestorable is wrapped by the error for a moment to which a table can't be restored. It is of KindInvalid.
var ErrNotRestorable = errors.New("the moment is out of reach")

// Restorable is the span of moments to which the table can be restored. ok is false for none.
func (p Pinned) Restorable() (from, to time.Time, ok bool) { return p.db.restorable(p.Descriptor()) }

func (db *DB) restorable(table *schema.Table) (from, to time.Time, ok bool) {
	r := table.Recovery
	if r == nil || r.SinceMS == 0 {
		return from, to, false
	}
	now := db.nowMS()
	oldest := now - (time.Duration(r.Days) * 24 * time.Hour).Milliseconds()
	first := max(r.SinceMS, oldest)
	last := max(now, first) // the clock may have gone back
	return time.UnixMilli(first), time.UnixMilli(last), true
}

// checkRestorable wants a moment to which a table can be restored. Errors: ErrNotRestorable.
func (db *DB) checkRestorable(table *schema.Table, at time.Time) error {
	from, to, ok := db.restorable(table)
	switch {
	case !ok:
		return &Error{Kind: KindInvalid, Table: table.Name, Err: ErrNotRestorable,
			Detail: "the changes of the table are not kept: switch point-in-time recovery on, and it can be restored as it was from then on"}
	case at.UnixMilli() < from.UnixMilli() || at.UnixMilli() > to.UnixMilli():
		return &Error{Kind: KindInvalid, Table: table.Name, Err: ErrNotRestorable,
			Detail: fmt.Sprintf("the table can be restored as it was from %s to %s, not at %s",
				from.UTC().Format(time.RFC3339Nano), to.UTC().Format(time.RFC3339Nano),
				at.UTC().Format(time.RFC3339Nano))}
	}
	return nil
}

// RestoreAt makes the table's items what they were at a moment, to the millisecond: it takes the changes since back,
// the last one first, in small transactions. Each of them is a change itself, for streams, indexes, and a later
// restore. Other tables are not looked at, and neither are foreign keys. changes is the number of changes taken back;
// if RestoreAt fails or is interrupted, it can be asked for again. What others write meanwhile stays if no change of
// the item is to be taken back after it. Errors: KindInvalid if changes since then are not kept.
func (t *Table) RestoreAt(ctx context.Context, at time.Time) (changes int64, err error) {
	if _, err := t.change(ctx, "dynamodb:RestoreTableToPointInTime"); err != nil {
		return 0, err
	}
	p, err := t.Pin()
	if err != nil {
		return 0, err
	}
	defer p.Release()
	if err := t.db.checkRestorable(p.Descriptor(), at); err != nil {
		return 0, err
	}
	changes, err = t.db.undo(ctx, p.Descriptor().ID, &undo.Undo{After: at.UnixMilli(), Target: p.table, Lived: true})
	return changes, wrap(t.name, err)
}

// RestoreTableAt begins to make a table that has the items which another one had at a moment, to the millisecond, and
// its indexes. It is there when all of it is; until then it is one of Arrivals. edit gets the schema of the table as it
// is now, with the new name, and may change settings and leave indexes out. Errors: KindInvalid if the moment is out of
// reach, KindExists, KindNotFound, edit's.
func (db *DB) RestoreTableAt(ctx context.Context, database, source string, at time.Time, name string,
	edit func(*schema.Table) error) (Arrival, error) {
	for _, table := range [...]string{source, name} {
		if err := db.guard.Named(ctx, "dynamodb:RestoreTableToPointInTime", database, table); err != nil {
			return Arrival{}, err
		}
	}
	p, err := db.PinIn(databaseOr(database), source)
	if err != nil {
		return Arrival{}, err
	}
	err = db.checkRestorable(p.Descriptor(), at)
	a := Arrival{Source: p.Descriptor().ID, AtMS: at.UnixMilli(), Schema: p.Descriptor().Clone(),
		Backup: "at-" + task.NewID(db.options.Now())}
	p.Release()
	if err == nil {
		err = db.checkVacant(ctx, databaseOr(database), name)
	}
	if err != nil {
		return Arrival{}, err
	}
	return db.arrive(ctx, a, database, name, edit)
}

// copyForArrival copies the table that another one is made of as it was, unless that was done. Indexes that are gone
// meanwhile are left out.
func (db *DB) copyForArrival(ctx context.Context, a *Arrival) error {
	if a.Source == 0 {
		return nil
	}
	head, _, err := tablecopy.Write(ctx, db.store, a.Source, a.Backup, db.tasks.Update, db.tasks.Tell(a.ID))
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
func (db *DB) undoArrival(ctx context.Context, a *Arrival) error {
	if a.Source == 0 {
		return nil
	}
	p, err := db.PinID(a.Source)
	if err != nil {
		return fmt.Errorf("%w: %w", tablecopy.ErrGone, err)
	}
	target := record.Compile(a.Schema, p.Names())
	p.Release()
	_, err = db.undo(ctx, a.Source, &undo.Undo{After: a.AtMS, Target: target})
	return err
}

// Past shows what the table of an id was at the moments from one on, whose changes are all kept: in a snapshot that is
// to be closed. dir is a folder for temporary files; with "" many changes are an error. Errors: KindInvalid,
// KindNotFound.
func (db *DB) Past(ctx context.Context, id uint32, since time.Time, dir string) (*past.View, error) {
	p, err := db.PinID(id)
	if err != nil {
		return nil, err
	}
	defer p.Release() // the snapshot shows what this version has written, and older ones
	if err := db.guard.Table(ctx, "dynamodb:ExportTableToPointInTime", p.Descriptor(), ""); err != nil {
		return nil, err
	}
	v := &past.View{ID: id, Table: p.table, Names: p.Names(), Buckets: db.changes.Buckets, Dir: dir}
	if err = db.changes.Settle(ctx); err == nil {
		v.Reader, err = db.store.Read(ctx)
	}
	if err != nil {
		return nil, wrap(p.name(), err)
	}
	if err = db.checkKept(ctx, v.Reader, id, since.UnixMilli()); err != nil {
		return nil, errors.Join(wrap(p.name(), err), v.Close())
	}
	return v, nil
}
