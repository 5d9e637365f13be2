// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"

	"github.com/weftdb/weft/internal/history/capture"
	"github.com/weftdb/weft/internal/rows/record"
)

// Changes keeps the changes of the database's tables. Streams and destinations are switched on and off within Edits of
// these.
func (db *DB) Changes() *capture.Keeper { return db.changes }

// Changes returns the changes of the table, for its readers. It ends with the pin.
func (p Pinned) Changes() capture.Table { return p.db.changes.Of(p.table) }

func (db *DB) openChanges(ctx context.Context) (err error) {
	held := func(p Pinned, err error) (*record.Table, func(), error) { return p.table, p.Release, err }
	db.changes, err = capture.Open(ctx, capture.Options{
		Store: db.store, Admin: db.admin, Catalog: db.catalog, Gateway: db.gateway, Guard: db.guard,
		Logger: db.options.Logger, Now: db.options.Now, Idle: db.options.Idle,
		Tables: capture.Tables{
			Named: func(database, name string) (*record.Table, func(), error) {
				return held(db.PinIn(database, name))
			},
			ByID: func(id uint32) (*record.Table, func(), error) { return held(db.PinID(id)) },
		},
	})
	return err
}
