// SPDX-License-Identifier: Apache-2.0

package database

import (
	"context"
	"errors"

	"github.com/weftdb/weft/internal/data/schema"
	"github.com/weftdb/weft/internal/history/journal"
	"github.com/weftdb/weft/internal/index/asyncindex"
)

// startFollower begins to bring asynchronous search indexes up to date.
func (db *DB) startFollower(ctx context.Context) {
	if !db.changes.Keeps() {
		return
	}
	o := asyncindex.Options{Store: db.store, Catalog: db.catalog, Latches: db.latches, Logger: db.options.Logger,
		Buckets: journal.ClusterBuckets, Idle: db.options.Idle}
	if db.gateway != nil {
		work := db.gateway.Work(asyncindex.Work)
		o.Owned, o.Guard = work.Owned, work.Guard
	}
	o.Moves, o.Told = db.changes.Moves()
	db.follower = asyncindex.Start(ctx, o)
}

// AwaitIndexes returns once the asynchronous search indexes of a table have followed all changes that were committed
// before the call. A read that begins then finds them. It is done at once for a table that has none.
func (p Pinned) AwaitIndexes(ctx context.Context) error {
	if !p.Descriptor().IsFollowed() || p.db.follower == nil {
		return nil
	}
	err := p.db.changes.Settle(ctx, p.Descriptor().ID)
	if err == nil {
		err = p.db.follower.Catch(ctx, p.Descriptor().ID)
	}
	return wrap(p.name(), err)
}

// Lag is the distance of a table's asynchronous search indexes from its newest change.
type Lag = asyncindex.Lag

// Lag tells how far the asynchronous search indexes of the table are behind. ok is false if it has none.
func (p Pinned) Lag(ctx context.Context) (lag Lag, ok bool, err error) {
	if !p.Descriptor().IsFollowed() {
		return lag, false, nil
	}
	reader, err := p.db.store.Read(ctx)
	if err != nil {
		return lag, true, wrap(p.name(), err)
	}
	defer reader.Close()
	lag, err = asyncindex.LagOf(ctx, reader, p.Descriptor().ID, p.db.nowMS())
	return lag, true, wrap(p.name(), err)
}

// TableLag is the lag of a table.
type TableLag struct {
	Database, Table string
	Lag
}

// Lags tells how far asynchronous search indexes are behind, of all tables that have some. Where several gateways share
// the store, only the one that brings them up to date tells.
func (db *DB) Lags(ctx context.Context) (list []TableLag, err error) {
	if !db.follower.Follows() {
		return nil, nil
	}
	for _, id := range db.catalog.IDs() {
		p, gone := db.PinID(id)
		if gone != nil {
			continue
		}
		lag, ok, failed := p.Lag(ctx)
		if ok && failed == nil && p.Descriptor().State != schema.Dropping {
			list = append(list, TableLag{p.Descriptor().Database, p.name(), lag})
		}
		err = errors.Join(err, failed)
		p.Release()
	}
	return list, err
}
