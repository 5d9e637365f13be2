// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"time"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/storage"
)

type (
	// BackupOptions are the settings of a backup.
	BackupOptions = backup.Options
	// BackupResult is the result of a backup.
	BackupResult = backup.Result
	// BackupProgress is the progress of a backup or a restore.
	BackupProgress = backup.Progress
	// RestoreOptions say what to restore, and where.
	RestoreOptions = backup.RestoreOptions
	// Backup describes a backup.
	Backup = backup.Backup
)

// Backup copies the whole store to a storage: all databases with users and unfinished jobs, as they are at one moment,
// while everybody goes on. A backup to a storage that has others writes only what is new. Errors: those of the storage
// and the store, KindDenied.
func (db *DB) Backup(ctx context.Context, to storage.Storage, o BackupOptions) (BackupResult, error) {
	if err := db.guard.All(ctx, "dynamodb:CreateBackup"); err != nil {
		return BackupResult{}, err
	}
	if o.Now == nil {
		o.Now = db.options.Now
	}
	result, err := backup.Make(ctx, heat.Own(db.store), to, o)
	return result, wrap("", err)
}

// Restore brings a backup back to an empty place; no database is open there meanwhile.
func Restore(ctx context.Context, from storage.Storage, o RestoreOptions) (Backup, error) {
	b, err := backup.Restore(ctx, from, o)
	return b, wrap("", err)
}

type (
	// ShipOptions are the settings of shipping.
	ShipOptions = backup.ShipOptions
	// Shipper ships the changes of a store.
	Shipper = backup.Shipper
)

// Ship begins to ship all changes of the store to a storage, and backups that they lead on from, until the Shipper is
// closed, which must be after the database and before the store. Errors: those of engines that can't, KindDenied.
func (db *DB) Ship(ctx context.Context, to storage.Storage, o ShipOptions) (*Shipper, error) {
	if err := db.guard.All(ctx, "dynamodb:CreateBackup"); err != nil {
		return nil, err
	}
	s, err := backup.Ship(ctx, heat.Own(db.store), to, o)
	return s, wrap("", err)
}

// RestoreShipped makes a store in an empty folder as another one was at a moment, of what Ship shipped; for the zero
// time, at the newest. reached is the moment.
func RestoreShipped(ctx context.Context, from storage.Storage, at time.Time, o RestoreOptions) (b Backup,
	reached time.Time, err error) {
	b, reached, err = backup.RestoreAt(ctx, from, at, o)
	return b, reached, wrap("", err)
}

// Backups returns the ids of all backups of a storage, oldest first.
func Backups(ctx context.Context, from storage.Storage) ([]string, error) {
	ids, err := backup.IDs(ctx, from)
	return ids, wrap("", err)
}

// ReadBackup returns the description of a backup, the newest if id is "".
func ReadBackup(ctx context.Context, from storage.Storage, id string) (Backup, error) {
	b, err := backup.Read(ctx, from, id)
	return b, wrap("", err)
}
