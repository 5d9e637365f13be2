// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"

	"github.com/weftdb/weft/internal/database"
	"github.com/weftdb/weft/storage"
)

type (
	// BackupOptions are the settings of a backup. The zero value works.
	BackupOptions = database.BackupOptions
	// BackupResult is the result of a backup.
	BackupResult = database.BackupResult
	// BackupProgress is how far a backup or a restore is.
	BackupProgress = database.BackupProgress
	// RestoreOptions say which backup to restore, and where.
	RestoreOptions = database.RestoreOptions
	// Backup describes a backup.
	Backup = database.Backup
)

// Backup copies the whole store to a storage while it is used: all databases with users and unfinished jobs, as they are at one moment. A backup to a storage
// that has others writes only what is new. Errors: those of the storage and the store.
func (db *DB) Backup(ctx context.Context, to storage.Storage, o BackupOptions) (BackupResult, error) {
	return db.db.Backup(ctx, to, o)
}

// Restore brings a backup back to an empty folder or store, and checks every byte. Open it afterwards as any other.
func Restore(ctx context.Context, from storage.Storage, o RestoreOptions) (Backup, error) {
	return database.Restore(ctx, from, o)
}

// Backups returns the ids of all backups of a storage, oldest first.
func Backups(ctx context.Context, from storage.Storage) ([]string, error) {
	return database.Backups(ctx, from)
}
