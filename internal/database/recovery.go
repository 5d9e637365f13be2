// SPDX-License-Identifier: Apache-2.0

package database

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/weftdb/weft/internal/journal"
	"github.com/weftdb/weft/internal/record"
	"github.com/weftdb/weft/internal/schema"
	"github.com/weftdb/weft/internal/tablecopy"
	"github.com/weftdb/weft/internal/value"
	"github.com/weftdb/weft/kv"
)

// undoAtOnce is how many changes one transaction of a restore takes back. It is small because writers of these rows wait meanwhile.
const undoAtOnce = 100

// SetRecovery keeps the changes of the last so many days, so that the table can be restored as it was at any moment of them; 0 keeps none any more, and
// makes earlier moments unreachable. Errors: KindInvalid for more than RecoveryDaysMax; KindNotFound.
func (t *Table) SetRecovery(ctx context.Context, days int) error {
	return t.edit(ctx, func(table *schema.Table) error { return t.db.RecoveryOn(table, days) })
}

// RecoveryOn is SetRecovery within an edit of a table's descriptor.
func (db *DB) RecoveryOn(table *schema.Table, days int) error {
	switch {
	case days < 0 || days > RecoveryDaysMax:
		return invalid(table.Name, "changes can be kept for 1 to %d days, not for %d", RecoveryDaysMax, days)
	case days == 0:
		table.Recovery = nil
		return nil
	}
	if err := db.errNoJournal(table.Name); err != nil {
		return err
	}
	since := int64(0) // it is noted when all writers know
	if table.Recovery != nil {
		since = table.Recovery.SinceMS
	}
	table.Recovery = &schema.Recovery{SinceMS: since, Days: days}
	return nil
}

// Restorable is the span of moments to which a table can be restored. ok is false for none.
func (p Pinned) Restorable() (from, to time.Time, ok bool) {
	r := p.Descriptor().Recovery
	if r == nil || r.SinceMS == 0 {
		return from, to, false
	}
	now := p.db.nowMS()
	oldest := now - (time.Duration(r.Days) * 24 * time.Hour).Milliseconds()
	return time.UnixMilli(max(r.SinceMS, oldest)), time.UnixMilli(now), true
}

// checkRestorable wants a moment to which the table can be restored.
func (p Pinned) checkRestorable(at time.Time) error {
	from, to, ok := p.Restorable()
	switch {
	case !ok:
		return invalid(p.name(), "the changes of the table are not kept: switch point-in-time recovery on, and it can be restored as it was from then on")
	case at.Before(from) || at.After(to):
		return invalid(p.name(), "the table can be restored as it was from %s to now, not at %s", from.UTC().Format(time.RFC3339), at.UTC().Format(time.RFC3339))
	}
	return nil
}

// RestoreAt makes the table's items what they were at a moment, to the millisecond: it takes the changes since back, the last one first, in small transactions.
// Each of them is a change itself, for streams, indexes, and a later restore. Other tables are not looked at, and neither are foreign keys. changes is how many
// were taken back; if RestoreAt fails or is interrupted, it can be asked for again. What others write meanwhile stays if no change of the item is to be taken back after it.
// Errors: KindInvalid if changes since then are not kept.
func (t *Table) RestoreAt(ctx context.Context, at time.Time) (changes int64, err error) {
	if _, err := t.change(ctx, "dynamodb:RestoreTableToPointInTime"); err != nil {
		return 0, err
	}
	p, err := t.Pin()
	if err != nil {
		return 0, err
	}
	defer p.Release()
	if err := p.checkRestorable(at); err != nil {
		return 0, err
	}
	if err := t.db.settleJournal(ctx); err != nil {
		return 0, wrap(t.name, err)
	}
	reader, err := t.db.store.Read(ctx)
	if err != nil {
		return 0, wrap(t.name, err)
	}
	defer reader.Close()
	changes, err = p.undo(ctx, reader, at.UnixMilli(), p.table)
	return changes, wrap(t.name, err)
}

// RestoreTableAt begins to make a table that has the items which another one had at a moment, to the millisecond, and its indexes. It is there when all of it is;
// until then it is one of Arrivals. edit gets the schema of the table as it is now, with the new name, and may change settings and leave indexes out. Errors:
// KindInvalid if the moment is out of reach, KindExists, KindNotFound, edit's.
func (db *DB) RestoreTableAt(ctx context.Context, database, source string, at time.Time, name string, edit func(*schema.Table) error) (Arrival, error) {
	for _, table := range [...]string{source, name} {
		if err := db.askNamed(ctx, "dynamodb:RestoreTableToPointInTime", database, table); err != nil {
			return Arrival{}, err
		}
	}
	p, err := db.PinIn(databaseOr(database), source)
	if err != nil {
		return Arrival{}, err
	}
	err = p.checkRestorable(at)
	a := Arrival{Source: p.Descriptor().ID, AtMS: at.UnixMilli(), Schema: p.Descriptor().Clone(), Backup: "at-" + newTaskID(db.options.Now())}
	p.Release()
	if err == nil {
		err = db.checkVacant(ctx, databaseOr(database), name)
	}
	if err != nil {
		return Arrival{}, err
	}
	return db.arrive(ctx, a, database, name, edit)
}

// copyForArrival copies the table that another one is made of as it was, unless that was done. Indexes that are gone meanwhile are left out.
func (db *DB) copyForArrival(ctx context.Context, a *Arrival) error {
	if a.Source == 0 {
		return nil
	}
	head, _, err := tablecopy.Write(ctx, db.store, a.Source, a.Backup, db.tasks.Update)
	if err != nil {
		return err
	}
	a.Schema.Indexes = slices.DeleteFunc(a.Schema.Indexes, func(x schema.Index) bool {
		return !slices.ContainsFunc(head.Schema.Indexes, func(other schema.Index) bool { return other.ID == x.ID })
	})
	return nil
}

// undoArrival takes changes back that the copy shows and the moment did not. It may take back later ones, too: what was before them is undone then.
func (db *DB) undoArrival(ctx context.Context, a *Arrival) error {
	if a.Source == 0 {
		return nil
	}
	p, err := db.PinID(a.Source)
	if err != nil {
		return fmt.Errorf("%w: %w", tablecopy.ErrGone, err)
	}
	defer p.Release()
	if err := db.settleJournal(ctx); err != nil {
		return err
	}
	reader, err := db.store.Read(ctx)
	if err != nil {
		return err
	}
	defer reader.Close()
	_, err = p.undo(ctx, reader, a.AtMS, record.Compile(a.Schema, p.Names()))
	return err
}

// settleJournal returns once the changes of all commits before it are in the journal.
func (db *DB) settleJournal(ctx context.Context) error {
	if db.journal == nil {
		return nil
	}
	return db.journal.Settle(ctx)
}

// undo takes changes of p back in target, which has the rows that a snapshot shows of p: those of commits after a moment, the last one first.
func (p Pinned) undo(ctx context.Context, from kv.Snapshot, afterMS int64, target *record.Table) (changes int64, err error) {
	for number := range uint8(p.db.buckets) {
		n, err := p.undoBucket(ctx, from, journal.Bucket{Table: p.Descriptor().ID, Bucket: number}, afterMS, target)
		changes += n
		if err != nil {
			return changes, err
		}
	}
	return changes, nil
}

type undone struct {
	key []byte // of the row
	row value.Row
}

func (p Pinned) undoBucket(ctx context.Context, from kv.Snapshot, bucket journal.Bucket, afterMS int64, target *record.Table) (changes int64, err error) {
	cursor := bucket.Scan(ctx, from, Position{Stamp: kv.StampOf(afterMS + 1)}, 0, true)
	defer cursor.Close()
	var batch []undone
	for cursor.Next() {
		if cursor.OriginMS() <= afterMS {
			continue // on a cluster, where it came into the journal later
		}
		e := cursor.Entry()
		if e.WasThere && e.Old == nil {
			return changes, fmt.Errorf("a change at %s was kept without what was before it", time.UnixMilli(cursor.OriginMS()).UTC().Format(time.RFC3339))
		}
		batch = append(batch, undone{key: append(bytes.Clone(target.Primary.Prefix), cursor.At().Key...), row: slices.Clone(e.Old)})
		if len(batch) == undoAtOnce {
			if err := p.undoBatch(ctx, batch, target); err != nil {
				return changes, err
			}
			changes, batch = changes+int64(len(batch)), batch[:0]
		}
	}
	if err := cursor.Close(); err != nil {
		return changes, err
	}
	if err := p.undoBatch(ctx, batch, target); err != nil {
		return changes, err
	}
	return changes + int64(len(batch)), nil
}

func (p Pinned) undoBatch(ctx context.Context, batch []undone, target *record.Table) error {
	if len(batch) == 0 {
		return nil
	}
	keys := make([][]byte, len(batch))
	for i := range batch {
		keys[i] = batch[i].key
	}
	return p.db.updateLatched(ctx, keys, func(txn kv.Txn, s *scratch) error {
		var writer record.Writer
		for _, u := range batch {
			now, _, err := target.Get(ctx, txn, u.key, nil)
			if err != nil {
				return err
			}
			if err := target.Know(ctx, u.row); err != nil {
				return err
			}
			if now == nil && u.row == nil {
				continue
			}
			if err := target.CheckUnique(ctx, txn, u.key, now, u.row); err != nil {
				return err
			}
			if err := writer.Write(txn, target, u.key, now, u.row); err != nil {
				return err
			}
		}
		return nil
	})
}
