// SPDX-License-Identifier: Apache-2.0

package weft

import (
	"context"
	"io"
	"time"

	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/kv"
	"github.com/weftdb/weft/kv/pebble"
	"github.com/weftdb/weft/storage"
)

// BackupOptions are the settings of a backup. The zero value works.
type BackupOptions struct {
	// Seal encrypts what is written to the writer that it returns; Close ends it. Default: nothing is encrypted.
	Seal func(to io.Writer) (io.WriteCloser, error)
	// Keep is the number of the newest backups that stay; older ones are removed with what only they need. Default 0:
	// all.
	Keep int
	// Program is who makes the backup, for whoever restores it.
	Program string
	// Progress is called often, by one goroutine at a time. Default: nothing is called.
	Progress func(BackupProgress)
}

// BackupProgress is the progress of a backup or a restore.
type BackupProgress struct {
	Files, FilesAll int   // files or segments done, and all of them; FilesAll is 0 if unknown
	Bytes           int64 // of files done
	Moved           int64 // bytes among them that were written or read, since they were not there
}

// Backup describes a backup.
type Backup struct {
	ID      string    // sorts by time
	Made    time.Time // the moment that it shows, or a little before
	Program string    // that made it
	Sealed  bool      // it is encrypted
	Bytes   int64     // of all its files
}

// BackupResult is the result of a backup.
type BackupResult struct {
	Backup
	Written      int   // files or segments that were not there
	WrittenBytes int64 // before they were encrypted
	Removed      int   // backups
}

// RestoreOptions say which backup to restore. The zero value works.
type RestoreOptions struct {
	// ID of the backup. Default: the newest.
	ID string
	// Open decrypts what BackupOptions.Seal encrypted. Default: only backups that are not encrypted can be restored.
	Open func(from io.Reader) (io.Reader, error)
	// Progress is called often, by one goroutine at a time. Default: nothing is called.
	Progress func(BackupProgress)
}

func backupOf(b *backup.Backup) Backup {
	return Backup{ID: b.ID, Made: b.Made, Program: b.Program, Sealed: b.Sealed, Bytes: b.Bytes()}
}

func progressOf(tell func(BackupProgress)) func(backup.Progress) {
	return func(p backup.Progress) {
		if tell != nil {
			tell(BackupProgress(p))
		}
	}
}

// Backup copies the whole store to a storage while it is used: all databases with users and unfinished jobs, as
// they are at one moment. A backup to a storage that has others writes only what is new. Errors: those of the
// storage and the store, KindDenied.
func (db *DB) Backup(ctx context.Context, to storage.Storage, o BackupOptions) (BackupResult, error) {
	r, err := db.db.Recovery().BackupStore(ctx, to, backup.Options{
		Seal: o.Seal, Keep: o.Keep, Program: o.Program, Progress: progressOf(o.Progress),
	})
	if err != nil {
		return BackupResult{}, public(err)
	}
	return BackupResult{
		Backup: backupOf(&r.Backup), Written: r.Written, WrittenBytes: r.WrittenBytes, Removed: r.Removed,
	}, nil
}

// Restore brings a backup back to a folder, which must be empty or missing, and checks every byte. Open it
// afterwards as any other.
func Restore(ctx context.Context, from storage.Storage, dir string, o RestoreOptions) (Backup, error) {
	b, err := backup.Restore(ctx, from, backup.RestoreOptions{
		ID: o.ID, Dir: dir, Open: o.Open, Progress: progressOf(o.Progress),
		Store: func(context.Context) (kv.Store, kv.Admin, error) {
			store, err := pebble.Open(pebble.Options{Dir: dir})
			return store, store, err
		},
	})
	return backupOf(&b), public(err)
}

// Backups returns the ids of all backups of a storage, oldest first.
func Backups(ctx context.Context, from storage.Storage) ([]string, error) {
	ids, err := backup.IDs(ctx, from)
	return ids, public(err)
}
