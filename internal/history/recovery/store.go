// SPDX-License-Identifier: Apache-2.0

package recovery

import (
	"context"

	"github.com/weftdb/weft/internal/advice/heat"
	"github.com/weftdb/weft/internal/history/backup"
	"github.com/weftdb/weft/internal/rows/failure"
	"github.com/weftdb/weft/storage"
)

// BackupStore copies the whole store to a storage: all databases with users and unfinished jobs, as they are at one
// moment, while everybody goes on. A backup to a storage that has others writes only what is new. Errors: those of the
// storage and the store, failure.Denied.
func (k *Keeper) BackupStore(ctx context.Context, to storage.Storage, o backup.Options) (backup.Result, error) {
	if err := k.Changes.Guard.All(ctx, "dynamodb:CreateBackup"); err != nil {
		return backup.Result{}, err
	}
	if o.Now == nil {
		o.Now = k.Changes.Now
	}
	result, err := backup.Make(ctx, heat.Own(k.Changes.Store), to, o)
	return result, failure.Wrap("", err)
}

// ShipStore begins to ship all changes of the store to a storage, and backups that they lead on from, until the Shipper
// is closed, which must be after the database and before the store. Errors: those of engines that can't,
// failure.Denied.
func (k *Keeper) ShipStore(ctx context.Context, to storage.Storage, o backup.ShipOptions) (*backup.Shipper, error) {
	if err := k.Changes.Guard.All(ctx, "dynamodb:CreateBackup"); err != nil {
		return nil, err
	}
	s, err := backup.Ship(ctx, heat.Own(k.Changes.Store), to, o)
	return s, failure.Wrap("", err)
}
