// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/internal/history/recovery"
)

// SetRecovery keeps the changes of the last so many days, at most 35, so that the table can be restored as it was
// at any moment of them; 0 keeps none any more, and makes earlier moments unreachable. Errors: KindInvalid,
// KindNotFound.
func (t *Table) SetRecovery(ctx context.Context, days int) error {
	if err := t.outside(ctx, "SetRecovery"); err != nil {
		return err
	}
	return public(t.table.Edit(ctx, func(d *schema.Table) error { return t.db.db.Recovery().Keep(d, days) }))
}

// Restorable returns the span of moments to which the table can be restored; ok is false if its changes are not kept.
func (t *Table) Restorable() (from, to time.Time, ok bool, err error) {
	p, err := t.pin()
	if err != nil {
		return from, to, false, err
	}
	defer p.Release()
	from, to, ok = p.Changes().Restorable()
	return from, to, ok, nil
}

// RestoreAt makes the table's items what they were at a moment, to the millisecond: it takes the changes since
// back, in small transactions, each of which is a change itself, for streams and for a later restore. changes is
// how many there were. If it fails or is interrupted, it can be asked for again. Errors: KindInvalid if changes
// since then are not kept.
func (t *Table) RestoreAt(ctx context.Context, at time.Time) (changes int64, err error) {
	if err := t.outside(ctx, "RestoreAt"); err != nil {
		return 0, err
	}
	changes, err = t.db.db.Recovery().Rewind(ctx, t.database, t.Name(), at)
	return changes, public(err)
}

// CopyAt makes a table, in the same database, of the items that this one had at a moment, to the millisecond, with
// its indexes. It returns once it is there. Errors: KindInvalid if changes since then are not kept, KindExists.
func (t *Table) CopyAt(ctx context.Context, at time.Time, name string) (*Table, error) {
	if err := t.outside(ctx, "CopyAt"); err != nil {
		return nil, err
	}
	a, err := t.db.db.Recovery().RestoreAt(ctx, t.database, t.Name(), at, name, unchanged)
	return t.db.arrived(ctx, a, err)
}

// unchanged leaves the schema of a table as it was.
func unchanged(*schema.Table) error { return nil }

// arrived waits for a table that is being made.
func (db *DB) arrived(ctx context.Context, a recovery.Arrival, err error) (*Table, error) {
	if err == nil {
		err = db.db.Recovery().WaitArrival(ctx, a.ID)
	}
	if err != nil {
		return nil, public(err)
	}
	return db.TableIn(a.Schema.Database, a.Schema.Name), nil
}

// TableBackup is a copy of a table at one moment, which is kept in the database until it is dropped, whatever
// becomes of the table.
type TableBackup struct {
	ID              string
	Name            string // given to Table.Backup
	Database, Table string
	At              time.Time // the moment that it shows
	Ready           bool
	Failure         string // why it will never be ready; "" if it will
	Items, Bytes    int64
}

func tableBackupOf(b *recovery.Backup) TableBackup {
	return TableBackup{
		ID: b.ID, Name: b.Name, Database: b.Schema.Database, Table: b.Schema.Name, At: time.UnixMilli(b.MadeMS).UTC(),
		Ready: b.Ready, Failure: b.Failed, Items: b.Rows, Bytes: b.Bytes,
	}
}

// backupPoll is the interval between two looks of Table.Backup.
const backupPoll = 5 * time.Millisecond

// Backup copies the table, as it is at this moment, and returns once the copy is there. If ctx ends before, the
// copy is made all the same. Errors: KindNotFound.
func (t *Table) Backup(ctx context.Context, name string) (TableBackup, error) {
	if err := t.outside(ctx, "Backup"); err != nil {
		return TableBackup{}, err
	}
	b, err := t.db.db.Recovery().Backup(ctx, t.database, t.Name(), name)
	for err == nil && !b.Ready && b.Failed == "" {
		select {
		case <-ctx.Done():
			return tableBackupOf(&b), public(&database.Error{Kind: database.KindCanceled, Err: ctx.Err()})
		case <-time.After(backupPoll):
		}
		b, err = t.db.db.Recovery().Find(ctx, b.ID)
	}
	switch {
	case err != nil:
		return TableBackup{}, public(err)
	case b.Failed != "":
		return tableBackupOf(&b), invalid(t.Name(), "the backup failed: "+b.Failed)
	}
	return tableBackupOf(&b), nil
}

// TableBackups returns all backups of tables, oldest first.
func (db *DB) TableBackups(ctx context.Context) ([]TableBackup, error) {
	all, err := db.db.Recovery().Backups(ctx)
	list := make([]TableBackup, len(all))
	for i := range all {
		list[i] = tableBackupOf(&all[i])
	}
	return list, public(err)
}

// RestoreTable makes a table of a backup, with its indexes, and returns once it is there. Errors: KindNotFound,
// KindExists; KindBusy if the backup is not Ready.
func (db *DB) RestoreTable(ctx context.Context, backup, database, name string) (*Table, error) {
	if err := db.outside(ctx, "RestoreTable"); err != nil {
		return nil, err
	}
	a, err := db.db.Recovery().Restore(ctx, backup, database, name, unchanged)
	return db.arrived(ctx, a, err)
}

// DropTableBackup removes a backup; its space is freed in the background. Errors: KindNotFound; KindBusy while it
// is being made or restored.
func (db *DB) DropTableBackup(ctx context.Context, backup string) error {
	_, err := db.db.Recovery().DeleteBackup(ctx, backup)
	return public(err)
}
